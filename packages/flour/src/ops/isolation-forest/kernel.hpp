#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/hyperbolic.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the score of a row from the sum of its path lengths in all trees, which is one f32. The
 * parameter has three f64: the number of trees, the expected path length, and the offset. The
 * attribute selects the output, an f32 or an i64 (`IsolationOutput`).
 */
struct IsolationScoreKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 1);
    s.attribute_below(0, kIsolationOutputCount);
    s.dense(s.inputs[0], DType::f32, 1);
    s.dense(s.outputs[0], IsolationOutput{s.attributes[0]} == IsolationOutput::label ? DType::i64 : DType::f32, 1);
    s.parameter_bytes(0, 24);
  }

  static double decision(double sum, const double* constants) {
    const double quotient = constants[1] == 0 ? 1 : sum / (constants[0] * constants[1]);
    return -exp_f64(-quotient * kLn2) - constants[2];
  }

  static constexpr double kLn2 = 0.6931471805599453;  // Math.LN2

  static void run(Run& r) {
    const auto output = IsolationOutput{r.attribute(0)};
    const float* sums = r.dense<float>(0);
    const double own[3] = {r.parameter<double>(0)[0], r.parameter<double>(0)[1], r.parameter<double>(0)[2]};
    const double without_offset[3] = {own[0], own[1], 0};
    if (output == IsolationOutput::label) {
      auto* labels = r.write_dense<int64_t>();
      for (uint32_t row = 0; row < r.rows; row++) labels[row] = decision(sums[row], own) < 0 ? -1 : 1;
      return;
    }
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++) {
      const double sum = sums[row];
      const double* constants = output == IsolationOutput::score ? without_offset : own;
      out[row] = static_cast<float>(output == IsolationOutput::path_length ? sum / own[0] : decision(sum, constants));
    }
  }
};

BREZEL_ISA_END
