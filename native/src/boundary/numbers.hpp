// Functions over arrays of numbers that importers and the compiler use.
#pragma once

#include <node_api.h>

#include <cmath>
#include <cstdint>

#include "src/boundary/values.hpp"
#include "src/boundary/wire.hpp"

namespace brezel {

inline TypedArray float_array(const Arguments& a, napi_value value) {
  TypedArray array;
  Arguments::need(read_typed_array(a, value, array) && array.type == napi_float32_array, "expected a Float32Array");
  return array;
}

/**
 * Returns whether all numbers are finite: for each number, tests that the number minus itself is 0.
 * The loop has no exit, so the compiler vectorizes it.
 */
template <class T>
bool are_finite(const T* numbers, size_t count) {
  int infinite = 0;
  for (size_t at = 0; at < count; at++) infinite |= !(numbers[at] - numbers[at] == 0);
  return infinite == 0;
}

/** Returns whether all numbers are finite. The argument is a Float32Array or a Float64Array. */
inline napi_value numbers_are_finite(Arguments& a) {
  TypedArray array;
  const bool is_array = read_typed_array(a, a.values[0], array);
  Arguments::need(is_array && (array.type == napi_float32_array || array.type == napi_float64_array),
                  "expected a Float32Array or a Float64Array");
  const bool are = array.type == napi_float32_array ? are_finite(static_cast<const float*>(array.data), array.length)
                                                    : are_finite(static_cast<const double*>(array.data), array.length);
  napi_value made;
  a.ok(napi_get_boolean(a.env, are, &made), "value cannot be made");
  return made;
}

/** Returns a transposed copy of a matrix. The arguments are: Float32Array, rows, columns. */
inline napi_value numbers_transpose(Arguments& a) {
  const TypedArray matrix = float_array(a, a.values[0]);
  const size_t rows = read_position(a, a.values[1], matrix.length);
  const size_t columns = read_position(a, a.values[2], matrix.length);
  Arguments::need(rows * columns == matrix.length, "the matrix has another size");
  // The copy works on bits, so every NaN keeps its payload.
  const auto* from = static_cast<const uint32_t*>(matrix.data);
  napi_value array;
  uint32_t* to = new_words<uint32_t>(a, napi_float32_array, matrix.length, array);
  for (size_t row = 0; row < rows; row++)
    for (size_t column = 0; column < columns; column++) to[column * rows + row] = from[row * columns + column];
  return array;
}

/**
 * If the first number of every pair is the negative of the second number, returns the second
 * numbers. Otherwise returns undefined. The argument is a Float32Array.
 */
inline napi_value numbers_mirrored_half(Arguments& a) {
  const TypedArray pairs = float_array(a, a.values[0]);
  const auto* from = static_cast<const float*>(pairs.data);
  const size_t count = pairs.length / 2;
  int differs = static_cast<int>(pairs.length % 2);
  for (size_t at = 0; at < count; at++) differs |= !(from[2 * at] == -from[2 * at + 1]);
  if (differs) return nullptr;
  napi_value array;
  float* to = new_words<float>(a, napi_float32_array, count, array);
  for (size_t at = 0; at < count; at++) to[at] = from[2 * at + 1];
  return array;
}

}  // namespace brezel
