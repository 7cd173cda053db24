#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the fraction of a normal distribution below each value of a row of f32. The parameters
 * are the means and the standard deviations of the columns (f32). With the attribute 1, the kernel
 * first takes the logarithm of each value.
 */
struct CdfNormalizeKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 1);
    s.dense(s.inputs[0], DType::f32);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    s.parameter_bytes(0, uint64_t{s.inputs[0].size} * 4);
    s.parameter_bytes(1, uint64_t{s.inputs[0].size} * 4);
    s.attribute_below(0, 2);
  }

  static double share(double z) {
    constexpr double kA = 0.147, kPi = 3.141592653589793;  // Math.PI
    const double half = (z * z) / 2;
    const double quotient = (4 / kPi + kA * half) / (1 + kA * half);
    const double root = __builtin_sqrt(1 - exp_f64(-half * quotient));
    return z < 0 ? 0.5 - 0.5 * root : 0.5 + 0.5 * root;
  }

  static void run(Run& r) {
    const size_t size = r.output_type().size;
    const bool takes_log = r.attribute(0) == 1;
    const float *mean = r.parameter<float>(0), *deviation = r.parameter<float>(1), *in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, in += size, out += size) {
      for (size_t at = 0; at < size; at++) {
        const double value = takes_log ? log_f64(in[at]) : double{in[at]};
        const bool is_finite = value - value == 0;
        out[at] = is_finite && deviation[at] > 0
                      ? static_cast<float>(share((value - double{mean[at]}) / double{deviation[at]}))
                      : 0;
      }
    }
  }
};

BREZEL_ISA_END
