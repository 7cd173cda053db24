#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/hyperbolic.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"

BREZEL_ISA_BEGIN

/**
 * dense f32 [1], summed path lengths -> dense f32 [1] or i64 [1]. Parameter: f64[3], trees,
 * expected path length, offset. Attribute: 0 average path length, 1 score, 2 decision, 3 label.
 */
struct IsolationScoreKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 1);
    s.attribute_below(0, 4);
    s.dense(s.inputs[0], DType::f32, 1);
    s.dense(s.outputs[0], s.attributes[0] == 3 ? DType::i64 : DType::f32, 1);
    s.parameter_bytes(0, 24);
  }

  static double decision(double sum, const double* constants) {
    const double quotient = constants[1] == 0 ? 1 : sum / (constants[0] * constants[1]);
    return -exp_f64(-quotient * kLn2) - constants[2];
  }

  static constexpr double kLn2 = 0.6931471805599453;  // Math.LN2

  static void run(Run& r) {
    const float* sums = r.dense<float>(0);
    const double own[3] = {r.parameter<double>(0)[0], r.parameter<double>(0)[1], r.parameter<double>(0)[2]};
    const double without_offset[3] = {own[0], own[1], 0};
    if (r.attribute(0) == 3) {
      auto* labels = r.write_dense<int64_t>();
      for (uint32_t row = 0; row < r.rows; row++) labels[row] = decision(sums[row], own) < 0 ? -1 : 1;
      return;
    }
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++) {
      const double sum = sums[row];
      const double* constants = r.attribute(0) == 1 ? without_offset : own;
      out[row] = static_cast<float>(r.attribute(0) == 0 ? sum / own[0] : decision(sum, constants));
    }
  }
};

BREZEL_ISA_END
