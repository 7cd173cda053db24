#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/** Converts sparse rows to dense float32 rows, with zeros where a row has no entry. */
struct DensifyKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 0);
    s.sparse(s.inputs[0]);
    s.dense(s.outputs[0], DType::f32, s.inputs[0].size);
  }

  static void run(Run& r) {
    const Column& in = r.input(0);
    const size_t size = r.output_type().size;
    float* out = r.write_dense<float>();
    __builtin_memset(out, 0, r.rows * size * 4);
    for (uint32_t row = 0; row < r.rows; row++, out += size) {
      for (uint32_t at = in.offsets[row]; at < in.offsets[row + 1]; at++) out[in.ids[at]] = in.floats()[at];
    }
  }
};

BREZEL_ISA_END
