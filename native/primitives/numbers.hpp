// Conversions between element types, and comparisons that several kernels use.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/** Converts a number to an integer. It truncates and saturates. NaN becomes the least integer. */
template <class Integer>
ALWAYS_INLINE Integer truncate(double value) {
  constexpr double limit = sizeof(Integer) == 8 ? 9223372036854775808.0 : 2147483648.0;
  constexpr Integer half = Integer{1} << (sizeof(Integer) * 8 - 2);
  constexpr Integer highest = half - 1 + half;
  if (value != value) return -highest - 1;
  if (value >= limit) return highest;
  if (value <= -limit) return -highest - 1;
  return static_cast<Integer>(value);
}

/** Converts one number and rounds once. A conversion from int64 to int32 keeps the low bits. */
template <class To, class From>
ALWAYS_INLINE To convert(From value) {
  if constexpr (__is_same(To, bool)) {
    return value != 0;
  } else if constexpr (__is_same(To, float) || __is_same(To, double)) {
    return static_cast<To>(value);
  } else if constexpr (__is_same(From, float) || __is_same(From, double)) {
    return truncate<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
static void convert_all(const void* from, void* to, size_t count) {
  const auto* source = static_cast<const From*>(from);
  auto* target = static_cast<To*>(to);
  for (size_t at = 0; at < count; at++) target[at] = convert<To, From>(source[at]);
}

template <class To>
static void convert_from(DType dtype, const void* from, void* to, size_t count) {
  switch (dtype) {
    case DType::f32:
      return convert_all<To, float>(from, to, count);
    case DType::f64:
      return convert_all<To, double>(from, to, count);
    case DType::i64:
      return convert_all<To, int64_t>(from, to, count);
    case DType::i32:
    case DType::label:
      return convert_all<To, int32_t>(from, to, count);
    case DType::boolean:
      return convert_all<To, uint8_t>(from, to, count);
  }
}

/** Converts between any two element types. */
static void convert_block(DType from_type, DType to_type, const void* from, void* to, size_t count) {
  switch (to_type) {
    case DType::f32:
      return convert_from<float>(from_type, from, to, count);
    case DType::f64:
      return convert_from<double>(from_type, from, to, count);
    case DType::i64:
      return convert_from<int64_t>(from_type, from, to, count);
    case DType::i32:
    case DType::label:
      return convert_from<int32_t>(from_type, from, to, count);
    case DType::boolean:
      return convert_from<bool>(from_type, from, to, count);
  }
}

/**
 * Adds two numbers. Integers wrap around: the addition is unsigned, because signed overflow is
 * undefined.
 */
template <class T>
ALWAYS_INLINE T plus(T a, T b) {
  if constexpr (__is_same(T, int64_t) || __is_same(T, int32_t)) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

/**
 * Returns the index of the greatest value, or of the first one if several are equal. If the first
 * value is NaN, its index is the result; a later NaN is never greater.
 */
template <class T>
ALWAYS_INLINE uint32_t first_greatest(const T* values, uint32_t count) {
  uint32_t best = 0;
  for (uint32_t at = 1; at < count; at++) {
    if (values[at] > values[best]) best = at;
  }
  return best;
}

/**
 * Returns the greatest of the values. There is at least one value; the comparison starts with the
 * first one.
 */
template <class T>
ALWAYS_INLINE T greatest(const T* values, size_t count) {
  T best = values[0];
  for (size_t at = 1; at < count; at++) best = values[at] > best ? values[at] : best;
  return best;
}

BREZEL_ISA_END
