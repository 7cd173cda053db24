#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/lane_sum.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the kernel function of a row and each of the S support vectors, all in f32. The
 * parameters are the support vectors, f32 [S * size of the row], and the three numbers gamma, coef0
 * and degree. The attribute selects the kernel function (`SupportKernel`).
 */
struct SvmKernelKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 1);
    s.dense(s.inputs[0], DType::f32);
    s.dense(s.outputs[0], DType::f32);
    s.parameter_bytes(0, uint64_t{s.inputs[0].size} * s.outputs[0].size * 4);
    s.parameter_bytes(1, 12);
    s.attribute_below(0, kSupportKernelCount);
  }

  static float squared_distance(const float* a, const float* b, size_t count) {
    Float16 sums = zero_16();
    size_t at = 0;
    for (; at + 16 <= count; at += 16) {
      const Float16 left = load_16(a + at), right = load_16(b + at);
      for (int part = 0; part < kParts; part++) {
        const FloatVector difference = left.part[part] - right.part[part];
        sums.part[part] = sums.part[part] + difference * difference;
      }
    }
    float tail[16] = {};
    for (size_t lane = 0; at + lane < count; lane++) {
      const float difference = a[at + lane] - b[at + lane];
      tail[lane] = difference * difference;
    }
    if (at < count) add_terms(sums, load_16(tail));
    float result;
    fold<1>(sums, &result);
    return result;
  }

  static double power(double x, double n) {
    if (n != __builtin_floor(n) || __builtin_fabs(n) > 64) return exp_f64(n * log_f64(x));
    double result = 1, square = x;
    for (auto left = static_cast<uint32_t>(__builtin_fabs(n)); left > 0; left /= 2) {
      if (left % 2 == 1) result = result * square;
      square = square * square;
    }
    return n < 0 ? 1 / result : result;
  }

  static float near(SupportKernel function, const float* row, const float* support, size_t size,
                    const float* constants) {
    if (function == SupportKernel::rbf)
      return static_cast<float>(exp_f64(-constants[0] * squared_distance(row, support, size)));
    const float product = dot(row, support, size);
    if (function == SupportKernel::linear) return product;
    const float argument = constants[0] * product + constants[1];
    return static_cast<float>(function == SupportKernel::sigmoid ? tanh_f64(argument) : power(argument, constants[2]));
  }

  static void run(Run& r) {
    const size_t size = r.input_type(0).size, count = r.output_type().size;
    const float *vectors = r.parameter<float>(0), *constants = r.parameter<float>(1);
    const auto function = SupportKernel{r.attribute(0)};
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, in += size, out += count) {
      for (size_t at = 0; at < count; at++) out[at] = near(function, in, vectors + at * size, size, constants);
    }
  }
};

BREZEL_ISA_END
