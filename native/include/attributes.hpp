// Numbers of kernel attributes. Written by scripts/gen-kernel-enums.mjs from the TypeScript tables.
#pragma once

#include <cstdint>

namespace brezel {

/** The operation of the kernel `arith`. */
enum class Arithmetic : int32_t {
  add = 0,
  subtract = 1,
  multiply = 2,
  divide = 3,
  maximum = 4,
  minimum = 5,
  power = 6,
  modulo = 7,
  remainder = 8,
  unsigned_divide = 9,
  unsigned_remainder = 10,
};
constexpr int32_t kArithmeticCount = 11;

/** The operation of the kernel `bitwise`. */
enum class Bitwise : int32_t {
  and_ = 0,
  or_ = 1,
  xor_ = 2,
  shift_left = 3,
  shift_right = 4,
};
constexpr int32_t kBitwiseCount = 5;

/** The operation of the kernel `compare`. */
enum class Comparison : int32_t {
  greater = 0,
  less = 1,
  equal = 2,
  greater_or_equal = 3,
  less_or_equal = 4,
};
constexpr int32_t kComparisonCount = 5;

/** The operation of the kernel `logic`. */
enum class Connective : int32_t {
  and_ = 0,
  or_ = 1,
  xor_ = 2,
};
constexpr int32_t kConnectiveCount = 3;

/** Where the constant operand of a binary operation stands. */
enum class Side : int32_t {
  right = 0,
  left = 1,
  none = 2,
};
constexpr int32_t kSideCount = 3;

/** The function of the kernel `map`. */
enum class MapFunction : int32_t {
  exp = 0,
  log = 1,
  sigmoid = 2,
  tanh = 3,
  relu = 4,
  negate = 5,
  abs = 6,
  sqrt = 7,
  reciprocal = 8,
  sign = 9,
  floor = 10,
  ceil = 11,
  sin = 12,
  cos = 13,
  tan = 14,
  asin = 15,
  acos = 16,
  atan = 17,
  sinh = 18,
  cosh = 19,
  asinh = 20,
  acosh = 21,
  atanh = 22,
  erf = 23,
  round = 24,
  softplus = 25,
  softsign = 26,
  hard_swish = 27,
  gelu = 28,
  gelu_tanh = 29,
  mish = 30,
  leaky_relu = 31,
  elu = 32,
  selu = 33,
  celu = 34,
  hard_sigmoid = 35,
  thresholded_relu = 36,
  swish = 37,
  shrink = 38,
  affine = 39,
  scaled_tanh = 40,
  scaled_softplus = 41,
};
constexpr int32_t kMapFunctionCount = 42;

/** What the kernel `reduce` computes. */
enum class Reduction : int32_t {
  sum = 0,
  mean = 1,
  max = 2,
  log_sum_exp = 3,
  product = 4,
  sum_of_squares = 5,
  min = 6,
  sum_of_absolutes = 7,
  length = 8,
};
constexpr int32_t kReductionCount = 9;

/** How the kernel `scatter` joins values. */
enum class ScatterReduction : int32_t {
  none = 0,
  add = 1,
  multiply = 2,
  maximum = 3,
  minimum = 4,
};
constexpr int32_t kScatterReductionCount = 5;

/** The activation of the kernel `dense`. */
enum class Activation : int32_t {
  none = 0,
  relu = 1,
  tanh = 2,
  sigmoid = 3,
};
constexpr int32_t kActivationCount = 4;

/** The function of the tensor kernel `map`. */
enum class TensorFunction : int32_t {
  relu = 0,
  leaky_relu = 1,
  sigmoid = 2,
  tanh = 3,
  exp = 4,
  erf = 5,
  sqrt = 6,
  gelu = 7,
  gelu_tanh = 8,
  hard_sigmoid = 9,
  hard_swish = 10,
  swish = 11,
  clip = 12,
  reciprocal = 13,
};
constexpr int32_t kTensorFunctionCount = 14;

/** The operation of the tensor kernel `pair`. */
enum class TensorOperation : int32_t {
  add = 0,
  subtract = 1,
  multiply = 2,
  divide = 3,
};
constexpr int32_t kTensorOperationCount = 4;

}  // namespace brezel
