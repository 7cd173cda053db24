// Writes the output of generative classifiers. It is computed from joint log likelihoods in float64
// and rounded once, when it is written.
#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"
#include "primitives/power.hpp"

BREZEL_ISA_BEGIN

/** Checks that the output slot of a classifier fits `classes` classes. */
static void check_posterior(const Signature& s, size_t attribute, uint64_t classes) {
  s.attribute_below(attribute, kPosteriorOutputCount);
  const auto output = PosteriorOutput{s.attributes[attribute]};
  s.need_parameter(classes > 0 && classes < kMaxSize, "parameter of a wrong length");
  if (output == PosteriorOutput::class_) {
    s.dense(s.outputs[0], DType::i64, 1);
  } else {
    s.dense(s.outputs[0], DType::f32, output == PosteriorOutput::log_likelihood ? 1 : static_cast<uint32_t>(classes));
  }
}

static size_t first_greatest_f64(const double* values, size_t count) {
  size_t best = 0;
  for (size_t at = 1; at < count; at++) {
    if (values[at] > values[best]) best = at;
  }
  return best;
}

/**
 * log(sum(exp(values))) as the sum of two numbers. `top` is the greatest value. Code that subtracts
 * the sum from a value subtracts `top` first, so that it loses no precision.
 */
struct LogSumExp {
  double top, log_sum;
};

static LogSumExp log_sum_exp_f64(const double* values, size_t count) {
  const double top = values[first_greatest_f64(values, count)];
  if (top == __builtin_inf() || top == -__builtin_inf()) return {top, 0};
  double sum = 0;
  for (size_t at = 0; at < count; at++) sum = sum + exp_f64(values[at] - top);
  return {top, log_f64(sum)};
}

/** Writes the result of a classifier for one row. `row` is the index of this row in the output. */
static void write_posterior(PosteriorOutput output, const double* joint, size_t classes, uint32_t row, void* out) {
  if (output == PosteriorOutput::class_) {
    static_cast<int64_t*>(out)[row] = static_cast<int64_t>(first_greatest_f64(joint, classes));
    return;
  }
  float* values = static_cast<float*>(out) + (output == PosteriorOutput::log_likelihood ? row : row * classes);
  if (output == PosteriorOutput::joint) {
    for (size_t at = 0; at < classes; at++) values[at] = static_cast<float>(joint[at]);
    return;
  }
  const LogSumExp total = log_sum_exp_f64(joint, classes);
  if (output == PosteriorOutput::log_likelihood) {
    values[0] = static_cast<float>(total.top + total.log_sum);
    return;
  }
  for (size_t at = 0; at < classes; at++) {
    const double value = joint[at] - total.top - total.log_sum;
    values[at] = static_cast<float>(output == PosteriorOutput::probability ? exp_f64(value) : value);
  }
}

/** Reserves memory for the answers of all rows and returns the memory. */
ALWAYS_INLINE void* reserve_posterior(Run& r) {
  if (r.output_type().dtype == DType::i64) return r.write_dense<int64_t>();
  return r.write_dense<float>();
}

BREZEL_ISA_END
