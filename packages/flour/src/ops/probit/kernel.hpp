#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"

BREZEL_ISA_BEGIN

/**
 * Approximates the quantile of the standard normal distribution for each probability: dense f32 ->
 * dense f32.
 */
struct ProbitKernel {
  static constexpr double kA = 0.147, kPi = 3.14159, kSqrt2 = 1.41421356;

  static void check(Signature& s) {
    s.arity(1, 0, 0);
    s.dense(s.inputs[0], DType::f32);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
  }

  static double quantile(double probability) {
    const double x = 2 * probability - 1;
    const double logarithm = log_f64((1 - x) * (1 + x));
    const double half = 2 / (kPi * kA) + 0.5 * logarithm;
    const double root = __builtin_sqrt(__builtin_sqrt(half * half - logarithm / kA) - half);
    return kSqrt2 * (x < 0 ? -root : root);
  }

  static void run(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (size_t at = 0; at < count; at++) out[at] = static_cast<float>(quantile(in[at]));
  }
};

BREZEL_ISA_END
