#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Writes the int64 1 if the one f32 of a row is above the threshold, otherwise 0. The attribute
 * holds the float bits of the threshold.
 */
struct ThresholdKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.dense(s.inputs[0], DType::f32, 1);
    s.dense(s.outputs[0], DType::i64, 1);
  }

  static void run(Run& r) {
    const float threshold = __builtin_bit_cast(float, r.attribute(0));
    const float* in = r.dense<float>(0);
    auto* out = r.write_dense<int64_t>();
    for (uint32_t row = 0; row < r.rows; row++) out[row] = in[row] > threshold ? 1 : 0;
  }
};

BREZEL_ISA_END
