#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the scores of two classes from the one number of a row. The attribute selects the
 * formula (`BinaryMode`).
 */
struct BinaryScoresKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.dense(s.inputs[0], DType::f32, 1);
    s.dense(s.outputs[0], DType::f32, 2);
    s.attribute_below(0, kBinaryModeCount);
  }

  static void run(Run& r) {
    const auto mode = BinaryMode{r.attribute(0)};
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, out += 2) {
      const float score = in[row];
      if (mode == BinaryMode::logistic) {
        out[0] = static_cast<float>(sigmoid_f64(-static_cast<double>(score)));
        out[1] = static_cast<float>(sigmoid_f64(score));
      } else {
        out[0] = (mode == BinaryMode::complement ? 1.0f : 0.0f) - score;
        out[1] = score;
      }
    }
  }
};

BREZEL_ISA_END
