#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Writes the two scores [0 - s, s] for a score s. The input is dense f32 [1], and the output is
 * dense f32 [2].
 */
struct MirrorKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 0);
    s.dense(s.inputs[0], DType::f32, 1);
    s.dense(s.outputs[0], DType::f32, 2);
  }

  static void run(Run& r) {
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++) {
      out[row * 2] = 0.0f - in[row];
      out[row * 2 + 1] = in[row];
    }
  }
};

BREZEL_ISA_END
