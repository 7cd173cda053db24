#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes 1 / (1 + exp(slope * v + offset)) for each value v of a row of f32. The parameters are
 * f64 slopes and f64 offsets: one of each for all columns, or one of each per column.
 */
struct PlattKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 0);
    s.dense(s.inputs[0], DType::f32);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    const uint64_t bytes = s.parameters[0]->bytes();
    s.need_parameter(bytes == 8 || bytes == uint64_t{s.inputs[0].size} * 8, "parameter of a wrong length");
    s.parameter_bytes(1, bytes);
  }

  static void run(Run& r) {
    const size_t columns = r.output_type().size, step = r.call.parameters[0]->bytes() == 8 ? 0 : 1;
    const auto *slope = r.parameter<double>(0), *offset = r.parameter<double>(1);
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, in += columns, out += columns) {
      for (size_t at = 0; at < columns; at++)
        out[at] = static_cast<float>(1 / (1 + exp_f64(slope[at * step] * in[at] + offset[at * step])));
    }
  }
};

BREZEL_ISA_END
