// Implements packages/core/src/math/hyperbolic.ts and erf.ts with the same float64 operations in
// the same order, so the bits are equal.
#pragma once

#include "isa/region.hpp"
#include "primitives/math.hpp"

BREZEL_ISA_BEGIN

constexpr double kLn2 = 0.6931471805599453;
constexpr double kTwoOverSqrtPi = 1.1283791670955126;
constexpr double kLarge = 268435456.0;      // 2^28: beyond it, adding 1 to the square has no effect
constexpr double kSmall = 1 / 268435456.0;  // below it, adding the cube has no effect

static double expm1_f64(double x) {
  if (!(__builtin_fabs(x) < 0.35)) return exp_f64(x) - 1;
  double p = 1.0 / 6227020800.0;
  p = p * x + 1.0 / 479001600.0;
  p = p * x + 1.0 / 39916800.0;
  p = p * x + 1.0 / 3628800.0;
  p = p * x + 1.0 / 362880.0;
  p = p * x + 1.0 / 40320.0;
  p = p * x + 1.0 / 5040.0;
  p = p * x + 1.0 / 720.0;
  p = p * x + 1.0 / 120.0;
  p = p * x + 1.0 / 24.0;
  p = p * x + 1.0 / 6.0;
  p = p * x + 0.5;
  p = p * x + 1.0;
  return x * p;
}

static double log1p_f64(double x) {
  const double u = 1 + x;
  if (u == 1 || u == __builtin_inf()) return x;
  return log_f64(u) * (x / (u - 1));
}

/** Returns e^a / 2. The result may be finite when e^a is infinite. */
static double half_exp_f64(double a) {
  const double root = exp_f64(a / 2);
  return (root / 2) * root;
}

static double sinh_f64(double x) {
  const double a = __builtin_fabs(x);
  if (!(a >= kSmall)) return x;
  const double e = expm1_f64(a);
  const double value = a > 700 ? half_exp_f64(a) : (e + e / (e + 1)) / 2;
  return x < 0 ? -value : value;
}

static double cosh_f64(double x) {
  const double a = __builtin_fabs(x);
  if (a > 700) return half_exp_f64(a);
  const double e = exp_f64(a);
  return (e + 1 / e) / 2;
}

static double asinh_f64(double x) {
  const double a = __builtin_fabs(x);
  if (!(a >= kSmall)) return x;
  const double value = a > kLarge ? log_f64(a) + kLn2 : log1p_f64(a + (a * a) / (1 + __builtin_sqrt(a * a + 1)));
  return x < 0 ? -value : value;
}

static double acosh_f64(double x) {
  if (!(x >= 1)) return __builtin_nan("");
  if (x > kLarge) return log_f64(x) + kLn2;
  const double t = x - 1;
  return log1p_f64(t + __builtin_sqrt(2 * t + t * t));
}

static double atanh_f64(double x) {
  const double a = __builtin_fabs(x);
  if (!(a >= kSmall)) return x;
  const double value = 0.5 * log1p_f64((2 * a) / (1 - a));
  return x < 0 ? -value : value;
}

static double erf_f64(double x) {
  if (x != x) return x;
  if (__builtin_fabs(x) >= 6) return x < 0 ? -1 : 1;
  const double square = x * x;
  double term = x, sum = x;
  for (double odd = 3; __builtin_fabs(term) > __builtin_fabs(sum) * 1e-17; odd += 2) {
    term = term * ((2 * square) / odd);
    sum = sum + term;
  }
  const double value = kTwoOverSqrtPi * exp_f64(-square) * sum;
  return __builtin_fabs(value) > 1 ? (value < 0 ? -1 : 1) : value;
}

BREZEL_ISA_END
