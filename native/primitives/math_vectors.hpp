// The functions of math.hpp for several numbers at a time, with the same operations in the same
// order, so the bits are equal. Rare cases are computed for all numbers, and each lane selects its
// result.
#pragma once

#include "isa/region.hpp"
#include "primitives/math.hpp"
#include "primitives/simd.hpp"

BREZEL_ISA_BEGIN

constexpr size_t kDoubles = kVectorFloats / 2;
typedef double DoubleVector __attribute__((vector_size(kDoubles * 8)));
typedef int64_t LongVector __attribute__((vector_size(kDoubles * 8)));
typedef int32_t IntVector __attribute__((vector_size(kDoubles * 4)));
typedef float NarrowVector __attribute__((vector_size(kDoubles * 4)));

ALWAYS_INLINE DoubleVector magnitude(DoubleVector x) {
  return __builtin_bit_cast(DoubleVector, __builtin_bit_cast(LongVector, x) & INT64_MAX);
}

/** Returns 2^k in each lane, exactly. */
ALWAYS_INLINE DoubleVector powers_of_two(IntVector k) {
  return __builtin_bit_cast(DoubleVector, __builtin_convertvector(k + 1023, LongVector) << 52);
}

ALWAYS_INLINE DoubleVector exp_f64(DoubleVector x) {
  const DoubleVector zero = {};
  const LongVector is_above = x > 709.78, is_below = x < -745.13, is_odd = is_above | is_below | (x != x);
  const DoubleVector inside = is_odd ? zero : x;
  const DoubleVector shifted = inside * kLog2e + 0.5;
  const DoubleVector towards_zero = __builtin_convertvector(__builtin_convertvector(shifted, IntVector), DoubleVector);
  const DoubleVector k = towards_zero > shifted ? towards_zero - 1.0 : towards_zero;
  const DoubleVector r = inside - k * kLn2High - k * kLn2Low;
  DoubleVector p = zero + 1.0 / 6227020800.0;
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
  p = p * r + 1.0;
  const IntVector whole = __builtin_convertvector(k, IntVector), half = whole >> 1;
  const DoubleVector power = p * powers_of_two(half) * powers_of_two(whole - half);
  const DoubleVector odd = is_above ? zero + __builtin_inf() : is_below ? zero : x;
  return is_odd ? odd : power;
}

ALWAYS_INLINE DoubleVector sigmoid_f64(DoubleVector x) { return 1.0 / (1.0 + exp_f64(-x)); }

ALWAYS_INLINE DoubleVector tanh_f64(DoubleVector x) {
  const DoubleVector a = magnitude(x);
  const DoubleVector e = exp_f64(-2.0 * a);
  const DoubleVector t = (1.0 - e) / (1.0 + e);
  const DoubleVector near_zero = x - (x * x * x) / 3.0;
  return x != x ? x : a < 1e-4 ? near_zero : x < 0.0 ? -t : t;
}

/**
 * Returns erf(x) by the series 2 / sqrt(pi) * e^(-x^2) * (x + 2 x^3 / 3 + 4 x^5 / 15 + ...), as
 * erf.ts does. A finished lane does not change while other lanes continue.
 */
ALWAYS_INLINE DoubleVector erf_f64(DoubleVector x) {
  const DoubleVector zero = {}, one = zero + 1.0, sign = x < 0.0 ? -one : one;
  const LongVector is_far = magnitude(x) >= 6.0;
  const DoubleVector inside = is_far | (x != x) ? zero : x;
  const DoubleVector square = inside * inside;
  DoubleVector term = inside, sum = inside;
  for (double odd = 3;; odd += 2) {
    const LongVector goes_on = magnitude(term) > magnitude(sum) * 1e-17;
    int64_t any = 0;
    for (size_t lane = 0; lane < kDoubles; lane++) any |= goes_on[lane];
    if (!any) break;
    const DoubleVector next = term * ((2.0 * square) / odd);
    term = goes_on ? next : term;
    sum = goes_on ? sum + next : sum;
  }
  const DoubleVector value = 1.1283791670955126 * exp_f64(-square) * sum;
  const DoubleVector bounded = magnitude(value) > 1.0 ? (value < 0.0 ? -one : one) : value;
  return x != x ? x : is_far ? sign : bounded;
}

/** Applies a vector function of float64 to `count` numbers. Each result is rounded once. */
template <class Function>
static void map_doubles(const float* in, size_t count, float* out, const Function& function) {
  const auto some = [&](const float* from, float* to) {
    NarrowVector numbers;
    __builtin_memcpy(&numbers, from, sizeof(numbers));
    numbers = __builtin_convertvector(function(__builtin_convertvector(numbers, DoubleVector)), NarrowVector);
    __builtin_memcpy(to, &numbers, sizeof(numbers));
  };
  size_t at = 0;
  for (; at + kDoubles <= count; at += kDoubles) some(in + at, out + at);
  if (at == count) return;
  float last[kDoubles] = {};
  __builtin_memcpy(last, in + at, (count - at) * sizeof(float));
  some(last, last);
  __builtin_memcpy(out + at, last, (count - at) * sizeof(float));
}

BREZEL_ISA_END
