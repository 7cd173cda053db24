// Implements packages/core/src/math/exponential.ts with the same float64 operations in the same
// order, so the bits are equal.
#pragma once

#include "isa/region.hpp"

BREZEL_ISA_BEGIN

constexpr double kLog2e = 1.4426950408889634;
constexpr double kLn2High = 6.93147180369123816490e-1;  // k * kLn2High is exact for |k| < 2^11
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kSqrtHalf = 0.7071067811865476;

/** Returns 2^k for k in [-1022, 1023], exactly. */
ALWAYS_INLINE double power_of_two(int32_t k) {
  return __builtin_bit_cast(double, static_cast<uint64_t>(k + 1023) << 52);
}

ALWAYS_INLINE double exp_near_zero(double r) {
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  return p * r + 1.0;
}

ALWAYS_INLINE double exp_of_sum(double x, double rest) {
  const double k = __builtin_floor(x * kLog2e + 0.5);
  const double p = exp_near_zero(x - k * kLn2High - k * kLn2Low + rest);
  const auto whole = static_cast<int32_t>(k);
  // scaled in two steps, so that both factors stay in the normal range
  const int32_t half = whole >> 1;
  return p * power_of_two(half) * power_of_two(whole - half);
}

static double exp_f64(double x) {
  if (x != x) return x;
  if (x > 709.78) return __builtin_inf();
  if (x < -745.13) return 0;
  return exp_of_sum(x, 0);
}

/** A number as mantissa * 2^exponent, with the mantissa in [sqrt(1/2), sqrt(2)). */
struct SplitNumber {
  double mantissa;
  int32_t exponent;
};

ALWAYS_INLINE SplitNumber split_f64(double v) {
  int32_t e = 0;
  if (v < 2.2250738585072014e-308) {
    v = v * 18014398509481984.0;  // 2^54 brings subnormals into the normal range
    e = -54;
  }
  auto bits = __builtin_bit_cast(uint64_t, v);
  e += static_cast<int32_t>(bits >> 52) - 1022;  // v = m * 2^e with m in [0.5, 1)
  bits = (bits & 0x000FFFFFFFFFFFFFull) | 0x3FE0000000000000ull;
  const double m = __builtin_bit_cast(double, bits);
  return m < kSqrtHalf ? SplitNumber{m * 2, e - 1} : SplitNumber{m, e};
}

ALWAYS_INLINE double log_tail(double z) {
  double p = 1.0 / 21.0;
  p = p * z + 1.0 / 19.0;
  p = p * z + 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  return p * z + 1.0 / 3.0;
}

static double log_f64(double x) {
  if (x != x || x < 0) return __builtin_nan("");
  if (x == 0) return -__builtin_inf();
  if (x == __builtin_inf()) return x;
  const auto [m, e] = split_f64(x);
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  return e * kLn2High + (2 * s * (log_tail(z) * z + 1.0) + e * kLn2Low);
}

static double sigmoid_f64(double x) { return 1 / (1 + exp_f64(-x)); }

static double tanh_f64(double x) {
  if (x != x) return x;
  const double a = __builtin_fabs(x);
  if (a < 1e-4) return x - (x * x * x) / 3;
  const double e = exp_f64(-2 * a);
  const double t = (1 - e) / (1 + e);
  return x < 0 ? -t : t;
}

BREZEL_ISA_END
