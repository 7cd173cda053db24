#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/linear.hpp"
#include "primitives/matrix.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the C scores of a linear model (f32) from one or more inputs, which are sparse or dense.
 * The parameters are the weights of each input, feature-major f32 [size * C], and then the bias,
 * f32 [C].
 */
struct LinearKernel {
  static void check(Signature& s) {
    s.need(!s.inputs.empty(), "wrong number of inputs");
    s.arity(s.inputs.size(), s.inputs.size() + 1, 0);
    const uint64_t outputs = s.outputs[0].size;
    s.dense(s.outputs[0], DType::f32);
    for (size_t branch = 0; branch < s.inputs.size(); branch++) {
      s.vector(s.inputs[branch]);
      s.parameter_bytes(branch, s.inputs[branch].size * outputs * 4);
    }
    s.parameter_bytes(s.inputs.size(), outputs * 4);
  }

  static void run(Run& r) {
    const size_t outputs = r.output_type().size, branches = r.input_count();
    const float* bias = r.parameter<float>(branches);
    float* total = r.write_dense<float>();
    float* branch_sums = r.scratch.sums.reserve<float>(outputs, *r.scratch.growth);
    multiply_rows(r.input(0), r.input_type(0), r.parameter<float>(0), r.rows, outputs, total);
    for (uint32_t row = 0; row < r.rows; row++, total += outputs) {
      for (size_t branch = 1; branch < branches; branch++) {
        dot_row(r.input(branch), r.input_type(branch), r.parameter<float>(branch), row, outputs, branch_sums);
        for (size_t output = 0; output < outputs; output++) total[output] = total[output] + branch_sums[output];
      }
      for (size_t output = 0; output < outputs; output++) total[output] = total[output] + bias[output];
    }
  }
};

BREZEL_ISA_END
