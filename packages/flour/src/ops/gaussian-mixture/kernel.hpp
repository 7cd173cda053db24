#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/posterior.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the probabilities of the components of a Gaussian mixture with K components
 * (primitives/posterior.hpp) from a row of f32.
 *
 * The parameters are f64: the means [K * size], the factors of the precision matrices, and the
 * constants [K]. All components share one factor, or each component has a separate factor. A
 * diagonal factor has `size` numbers, and every other factor has `size * size` numbers. The first
 * attribute selects the output; the second attribute is 1 if the factors are diagonal.
 */
struct GaussianMixtureKernel {
  static void check(Signature& s) {
    s.arity(1, 3, 2);
    s.dense(s.inputs[0], DType::f32);
    s.attribute_below(1, 2);
    const uint64_t size = s.inputs[0].size, components = s.parameters[2]->bytes() / 8;
    check_posterior(s, 0, components);
    s.parameter_bytes(2, components * 8);
    s.parameter_bytes(0, components * size * 8);
    s.need(s.attributes[1] || size <= 1 << 16, "matrix too large");
    const uint64_t factors = s.attributes[1] ? size : size * size;
    const uint64_t bytes = s.parameters[1]->bytes();
    s.need_parameter(bytes == factors * 8 || bytes == components * factors * 8, "parameter of a wrong length");
  }

  static double diagonal_square(const float* row, const double* mean, const double* factors, size_t size) {
    double sum = 0;
    for (size_t at = 0; at < size; at++) {
      const double scaled = (row[at] - mean[at]) * factors[at];
      sum = sum + scaled * scaled;
    }
    return sum;
  }

  static double full_square(const float* row, const double* mean, const double* matrix, size_t size, double* scaled) {
    for (size_t column = 0; column < size; column++) scaled[column] = 0;
    for (size_t at = 0; at < size; at++) {
      const double away = row[at] - mean[at];
      for (size_t column = 0; column < size; column++)
        scaled[column] = scaled[column] + away * matrix[at * size + column];
    }
    double sum = 0;
    for (size_t column = 0; column < size; column++) sum = sum + scaled[column] * scaled[column];
    return sum;
  }

  static void run(Run& r) {
    const size_t size = r.input_type(0).size, components = r.call.parameters[2]->bytes() / 8;
    const bool is_diagonal = r.attribute(1) == 1;
    const size_t factors = is_diagonal ? size : size * size;
    const size_t step = r.call.parameters[1]->bytes() == factors * 8 ? 0 : factors;
    const auto *means = r.parameter<double>(0), *precisions = r.parameter<double>(1);
    const auto* constants = r.parameter<double>(2);
    const float* in = r.dense<float>(0);
    auto* joint = r.scratch.sums.reserve<double>(components + size, *r.scratch.growth);
    double* scaled = joint + components;
    void* out = reserve_posterior(r);
    for (uint32_t row = 0; row < r.rows; row++, in += size) {
      for (size_t at = 0; at < components; at++) {
        const double *mean = means + at * size, *own = precisions + at * step;
        const double square =
            is_diagonal ? diagonal_square(in, mean, own, size) : full_square(in, mean, own, size, scaled);
        joint[at] = constants[at] - 0.5 * square;
      }
      write_posterior(PosteriorOutput{r.attribute(0)}, joint, components, row, out);
    }
  }
};

BREZEL_ISA_END
