// Implements packages/core/src/math/power.ts with the same float64 operations in the same order, so
// the bits are equal.
#pragma once

#include "isa/region.hpp"
#include "primitives/math.hpp"

BREZEL_ISA_BEGIN

constexpr double kMostFactors = 64;

ALWAYS_INLINE double upper_half(double x) {
  const double shifted = x * 134217729.0;  // splits a float64 into two halves; 2^27 + 1
  return shifted - (shifted - x);
}

/** Returns the rounding error a * b - product exactly. `product` is a * b rounded. */
ALWAYS_INLINE double product_error(double a, double b, double product) {
  const double a_high = upper_half(a), b_high = upper_half(b);
  const double a_low = a - a_high, b_low = b - b_high;
  return a_high * b_high - product + a_high * b_low + a_low * b_high + a_low * b_low;
}

/** A number as an unevaluated sum of two float64, which has more precision. */
struct SumOfTwo {
  double high, low;
};

/** Returns the natural logarithm of a finite x > 0. */
static SumOfTwo log_sum(double x) {
  const auto [m, e] = split_f64(x);
  const double above = m - 1, below = m + 1;
  const double lost = m - (below - 1);
  const double s = above / below;
  const double product = s * below;
  const double rest = (above - product - product_error(s, below, product) - s * lost) / below;
  const double z = s * s;
  const double base = e * kLn2High;
  const double high = base + 2 * s;
  const double error = 2 * s - (high - base);
  const double tail = error + (2 * rest + 2 * s * z * log_tail(z) + e * kLn2Low);
  const double sum = high + tail;
  return {sum, tail - (sum - high)};
}

static double whole_power(double a, double count) {
  double product = 1, square = a;
  for (double rest = count;; square = square * square) {
    const double half = __builtin_floor(rest / 2);
    if (half * 2 != rest) product = product * square;
    if (half == 0) return product;
    rest = half;
  }
}

/** Returns a^b for a >= 0 and a finite b. The caller handles the sign of a. */
static double power_of_size(double a, double b) {
  if (a == 0 || a == __builtin_inf()) return (a == 0) == (b < 0) ? __builtin_inf() : 0;
  if (a == 1) return 1;
  if (b == 0.5) return __builtin_sqrt(a);
  const double count = __builtin_fabs(b);
  if (count <= kMostFactors && __builtin_floor(count) == count) {
    const double product = whole_power(a, count);
    if (product >= 2.2250738585072014e-308 && product != __builtin_inf()) return b < 0 ? 1 / product : product;
  }
  const SumOfTwo logarithm = log_sum(a);
  const double exponent = b * logarithm.high;
  if (exponent > 800) return __builtin_inf();
  if (exponent < -800) return 0;
  return exp_of_sum(exponent, product_error(b, logarithm.high, exponent) + b * logarithm.low);
}

static double power_f64(double a, double b) {
  if (b == 0 || a == 1) return 1;
  if (a != a || b != b) return __builtin_nan("");
  const double size = __builtin_fabs(a);
  if (__builtin_fabs(b) == __builtin_inf()) {
    if (size == 1) return 1;
    return (size > 1) == (b > 0) ? __builtin_inf() : 0;
  }
  const bool is_whole = __builtin_floor(b) == b;
  const bool is_odd = is_whole && __builtin_floor(b / 2) * 2 != b;
  if (a < 0 && !is_whole && size != __builtin_inf()) return __builtin_nan("");
  const double result = power_of_size(size, b);
  return is_odd && __builtin_signbit(a) ? -result : result;
}

BREZEL_ISA_END
