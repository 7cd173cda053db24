// Implements packages/core/src/math/trigonometry.ts with the same float64 operations in the same
// order, so the bits are equal.
#pragma once

#include "isa/region.hpp"
#include "primitives/math.hpp"

BREZEL_ISA_BEGIN

constexpr double kTwoOverPi = 0.6366197723675814;
// k times each of these two numbers is exact for |k| < 2^20
constexpr double kHalfPiHigh = 1.5707963267341256;
constexpr double kHalfPiMiddle = 6.077100506303966e-11;
constexpr double kHalfPiLow = 2.0222662487959506e-21;
constexpr double kHalfPi = 1.5707963267948966;
constexpr double kSixthPi = 0.5235987755982989;
constexpr double kSqrt3 = 1.7320508075688772;
constexpr double kTanTwelfthPi = 0.2679491924311227;

/** The first 1280 bits of 2 / pi, with the least significant word first. */
constexpr uint64_t kTwoOverPiBits[20] = {
    0xf0cfbc209af4361d, 0x56033046fc7b6bab, 0x6bfb5fb11f8d5d08, 0x3d0739f78a5292ea,
    0x7527bac7ebe5f17b, 0x4f463f669e5fea2d, 0x6d367ecf27cb09b7, 0xef2f118b5a0a6d1f,
    0x1ff897ffde05980f, 0x9c845f8bbdf9283b, 0x3991d639835339f4, 0xe99c7026b45f7e41,
    0xe88235f52ebb4484, 0xfe1deb1cb129a73e, 0x06492eea09d1921c, 0xb7246e3a424dd2e0,
    0xfe5163abdebbc561, 0xdb6295993c439041, 0xfc2757d1f534ddc0, 0xa2f9836e4e441529,
};

/** A reduced angle: the angle minus quadrant * pi / 2. */
struct ReducedAngle {
  double rest;
  int32_t quadrant;
};

/**
 * Reduces a large angle by exact multiplication. It uses the last two bits of |x| * 2 / pi before
 * the binary point and 192 bits after it.
 */
static ReducedAngle reduced_far(double x) {
  const auto bits = __builtin_bit_cast(uint64_t, x);
  const auto exponent = static_cast<int32_t>((bits >> 52) & 0x7FF) - 1075;
  const uint64_t mantissa = (bits & 0x000FFFFFFFFFFFFFull) | (1ull << 52);
  uint64_t product[26] = {};
  unsigned __int128 carry = 0;
  for (size_t word = 0; word < 20; word++) {
    carry += static_cast<unsigned __int128>(mantissa) * kTwoOverPiBits[word];
    product[word] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  product[20] = static_cast<uint64_t>(carry);
  const int32_t position = 1280 - exponent - 192;  // between 117 and 1120
  const int32_t first = position / 64, shift = position % 64;
  uint64_t turns[4];
  for (int32_t word = 0; word < 4; word++) {
    const uint64_t above = shift == 0 ? 0 : product[first + word + 1] << (64 - shift);
    turns[word] = (product[first + word] >> shift) | above;
  }
  auto k = static_cast<int32_t>(turns[3] & 3);
  const bool is_above = turns[2] >> 63;
  if (is_above) {
    uint64_t borrow = 1;
    for (int32_t word = 0; word < 3; word++) {
      turns[word] = ~turns[word] + borrow;
      borrow = borrow && turns[word] == 0;
    }
    k += 1;
  }
  constexpr uint64_t piece = (1ull << 48) - 1;
  double sum = 0;  // adds pieces of 48 bits, least significant first
  sum = sum + static_cast<double>(turns[0] & piece) * power_of_two(-192);
  sum = sum + static_cast<double>((turns[0] >> 48 | turns[1] << 16) & piece) * power_of_two(-144);
  sum = sum + static_cast<double>((turns[1] >> 32 | turns[2] << 32) & piece) * power_of_two(-96);
  sum = sum + static_cast<double>(turns[2] >> 16) * power_of_two(-48);
  const double rest = (is_above ? -sum : sum) * kHalfPi;
  return x < 0 ? ReducedAngle{-rest, -k & 3} : ReducedAngle{rest, k & 3};
}

/** Reduces a finite angle x. */
ALWAYS_INLINE ReducedAngle reduced_angle(double x) {
  if (__builtin_fabs(x) >= 1048576.0) return reduced_far(x);
  const double k = __builtin_floor(x * kTwoOverPi + 0.5);
  return {x - k * kHalfPiHigh - k * kHalfPiMiddle - k * kHalfPiLow, static_cast<int32_t>(k) & 3};
}

ALWAYS_INLINE double sin_near_zero(double r) {
  const double z = r * r;
  double p = 1.0 / 355687428096000.0;
  p = p * z - 1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  p = p * z + 1.0;
  return r * p;
}

ALWAYS_INLINE double cos_near_zero(double r) {
  const double z = r * r;
  double p = -1.0 / 6402373705728000.0;
  p = p * z + 1.0 / 20922789888000.0;
  p = p * z - 1.0 / 87178291200.0;
  p = p * z + 1.0 / 479001600.0;
  p = p * z - 1.0 / 3628800.0;
  p = p * z + 1.0 / 40320.0;
  p = p * z - 1.0 / 720.0;
  p = p * z + 1.0 / 24.0;
  p = p * z - 0.5;
  return p * z + 1.0;
}

ALWAYS_INLINE double sin_in_quadrant(double r, int32_t quadrant) {
  const double value = quadrant & 1 ? cos_near_zero(r) : sin_near_zero(r);
  return quadrant & 2 ? -value : value;
}

ALWAYS_INLINE bool is_finite(double x) { return __builtin_fabs(x) < __builtin_inf(); }

static double sin_f64(double x) {
  if (!is_finite(x)) return __builtin_nan("");
  const auto [rest, quadrant] = reduced_angle(x);
  return sin_in_quadrant(rest, quadrant);
}

static double cos_f64(double x) {
  if (!is_finite(x)) return __builtin_nan("");
  const auto [rest, quadrant] = reduced_angle(x);
  return sin_in_quadrant(rest, quadrant + 1);
}

static double tan_f64(double x) {
  if (!is_finite(x)) return __builtin_nan("");
  const auto [rest, quadrant] = reduced_angle(x);
  const double sine = sin_near_zero(rest), cosine = cos_near_zero(rest);
  return quadrant & 1 ? -cosine / sine : sine / cosine;
}

ALWAYS_INLINE double atan_near_zero(double x) {
  const double z = x * x;
  double p = -1.0 / 31.0;
  for (int32_t odd = 29; odd >= 1; odd -= 2) p = p * z + (odd % 4 == 1 ? 1.0 : -1.0) / odd;
  return x * p;
}

/** Returns the arc tangent for 0 <= x <= 1. */
ALWAYS_INLINE double atan_of_unit(double x) {
  return x <= kTanTwelfthPi ? atan_near_zero(x) : kSixthPi + atan_near_zero((kSqrt3 * x - 1) / (kSqrt3 + x));
}

static double atan_f64(double x) {
  const double a = __builtin_fabs(x);
  if (!(a > kTanTwelfthPi)) return atan_near_zero(x);
  const double angle = a <= 1 ? atan_of_unit(a) : kHalfPi - atan_of_unit(1 / a);
  return x < 0 ? -angle : angle;
}

static double asin_f64(double x) { return atan_f64(x / __builtin_sqrt((1 - x) * (1 + x))); }

static double acos_f64(double x) { return 2 * atan_f64(__builtin_sqrt((1 - x) / (1 + x))); }

BREZEL_ISA_END
