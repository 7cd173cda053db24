#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "../normalize/kernel.hpp"
#include "primitives/matrix.hpp"

BREZEL_ISA_BEGIN

/**
 * Normalizes a row of f32, dense or sparse, and computes the C scores of a linear model (f32). The
 * parameters are the weights, feature-major f32 [size * C], and the bias, f32 [C]. The attribute
 * selects the norm (`Norm`).
 */
struct NormalizedLinearKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 1);
    s.vector(s.inputs[0]);
    s.dense(s.outputs[0], DType::f32);
    s.attribute_below(0, kNormCount);
    const uint64_t outputs = s.outputs[0].size;
    s.parameter_bytes(0, s.inputs[0].size * outputs * 4);
    s.parameter_bytes(1, outputs * 4);
  }

  static void run(Run& r) {
    const bool is_sparse = r.input_type(0).kind == Kind::sparse;
    const size_t outputs = r.output_type().size, size = r.input_type(0).size;
    const float* bias = r.parameter<float>(1);
    float* total = r.write_dense<float>();
    multiply_rows(r.input(0), r.input_type(0), r.parameter<float>(0), r.rows, outputs, total);
    for (uint32_t row = 0; row < r.rows; row++, total += outputs) {
      const size_t start = is_sparse ? r.input(0).offsets[row] : row * size;
      const size_t count = is_sparse ? r.input(0).offsets[row + 1] - start : size;
      const float norm = NormalizeKernel::norm_of(r.input(0).floats() + start, count, Norm{r.attribute(0)});
      const float divisor = norm == 0 ? 1 : norm;  // dividing by 1 keeps every bit
      for (size_t output = 0; output < outputs; output++) total[output] = total[output] / divisor + bias[output];
    }
  }
};

BREZEL_ISA_END
