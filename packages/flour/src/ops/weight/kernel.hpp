#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Multiplies each value of a row of f32, dense or sparse, by the weight of its column. The
 * parameter holds one f32 weight for each column.
 */
struct WeightKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 0);
    s.vector(s.inputs[0]);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    s.parameter_bytes(0, uint64_t{s.inputs[0].size} * 4);
  }

  static void run(Run& r) {
    const float* weights = r.parameter<float>(0);
    const float* in = r.input(0).floats();
    if (r.output_type().kind == Kind::sparse) {
      const size_t entries = r.share_entries();
      const uint32_t* ids = r.input(0).ids;
      float* out = r.write_values<float>(entries);
      for (size_t at = 0; at < entries; at++) out[at] = in[at] * weights[ids[at]];
      return;
    }
    const uint32_t size = r.output_type().size;
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, in += size, out += size) {
      for (uint32_t column = 0; column < size; column++) out[column] = in[column] * weights[column];
    }
  }
};

BREZEL_ISA_END
