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

/** The side of the constant operand in a binary operation. */
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

/** The results that the kernel `reduce` can compute. */
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

/** The operation by which the kernel `scatter` combines values. */
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

/** How the kernel `binary_scores` derives two scores from one. */
enum class BinaryMode : int32_t {
  complement = 0,
  logistic = 1,
  opposite = 2,
};
constexpr int32_t kBinaryModeCount = 3;

/** The results that the kernel `binning` can return. */
enum class BinningOutput : int32_t {
  ordinal = 0,
  one_hot = 1,
  normalized = 2,
};
constexpr int32_t kBinningOutputCount = 3;

/** The bin of a value that equals an edge. */
enum class EdgeBin : int32_t {
  above = 0,
  below = 1,
};
constexpr int32_t kEdgeBinCount = 2;

/** How the kernel `ensemble` combines scores. */
enum class Combination : int32_t {
  average = 0,
  vote = 1,
};
constexpr int32_t kCombinationCount = 2;

/** How the kernel `forest` combines leaves. */
enum class Aggregate : int32_t {
  sum = 0,
  average = 1,
  min = 2,
  max = 3,
};
constexpr int32_t kAggregateCount = 4;

/** How a node of a tree compares its feature. */
enum class TreeMode : int32_t {
  leq = 0,
  lt = 1,
  gte = 2,
  gt = 3,
  eq = 4,
  neq = 5,
  leaf = 6,
  member = 7,
};
constexpr int32_t kTreeModeCount = 8;

/** The results that the kernel `tree_featurize` can return. */
enum class TreeOutput : int32_t {
  values = 0,
  leaves = 1,
  paths = 2,
};
constexpr int32_t kTreeOutputCount = 3;

/** The hash of the kernel `hash_key`. */
enum class HashScheme : int32_t {
  old = 1,
  murmur = 2,
};

/** The unit of the n-grams that the kernel `hash_ngram` counts. */
enum class GramUnit : int32_t {
  token = 0,
  character = 1,
  padded = 2,
};
constexpr int32_t kGramUnitCount = 3;

/** The results that the kernel `isolation_score` can return. */
enum class IsolationOutput : int32_t {
  path_length = 0,
  score = 1,
  decision = 2,
  label = 3,
};
constexpr int32_t kIsolationOutputCount = 4;

/** The norm of the kernel `lp_norm`. */
enum class LpNorm : int32_t {
  l1 = 0,
  l2 = 1,
  deviation = 2,
  infinity = 3,
};
constexpr int32_t kLpNormCount = 4;

/** The tasks of the kernel `missing_values`. */
enum class MissingValueTask : int32_t {
  indicate = 0,
  replace = 1,
};
constexpr int32_t kMissingValueTaskCount = 2;

/** The norm of the kernel `normalize`. */
enum class Norm : int32_t {
  l1 = 0,
  l2 = 1,
  max = 2,
};
constexpr int32_t kNormCount = 3;

/** The results that generative classifiers can return. */
enum class PosteriorOutput : int32_t {
  joint = 0,
  log_probability = 1,
  probability = 2,
  class_ = 3,
  log_likelihood = 4,
};
constexpr int32_t kPosteriorOutputCount = 5;

/** The form of the result of the kernel `softmax`. */
enum class SoftmaxForm : int32_t {
  plain = 0,
  keep_zeros = 1,
  logarithm = 2,
};
constexpr int32_t kSoftmaxFormCount = 3;

/** The function of the kernel `svm_kernel`. */
enum class SupportKernel : int32_t {
  linear = 0,
  poly = 1,
  rbf = 2,
  sigmoid = 3,
};
constexpr int32_t kSupportKernelCount = 4;

/** The results that the kernel `top_k` can return. */
enum class TopKOutput : int32_t {
  values = 0,
  indices = 1,
};
constexpr int32_t kTopKOutputCount = 2;

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
