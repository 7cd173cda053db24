#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Interpolates linearly between points: dense f32 -> dense f32. The parameters are f64: x[P] in
 * ascending order, y[P], and bounds[2], the minimum and the maximum of the answer.
 */
struct IsotonicKernel {
  static void check(Signature& s) {
    s.arity(1, 3, 0);
    s.dense(s.inputs[0], DType::f32);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    const uint64_t bytes = s.parameters[0]->bytes();
    s.need_parameter(bytes >= 8 && bytes % 8 == 0, "parameter of a wrong length");
    s.parameter_bytes(1, bytes);
    s.parameter_bytes(2, 16);
    const auto* x = s.parameter<double>(0);
    for (uint64_t at = 1; at < bytes / 8; at++) s.need_parameter(x[at] >= x[at - 1], "points do not ascend");
  }

  /**
   * Returns the index of the first point whose x is at least `score`, or `points` if no point has
   * such an x.
   */
  static size_t next_point(double score, const double* x, size_t points) {
    size_t from = 0;
    for (size_t left = points; left > 0;) {
      const size_t half = left / 2;
      const bool is_before = x[from + half] < score;
      from = is_before ? from + half + 1 : from;
      left = is_before ? left - half - 1 : half;
    }
    return from;
  }

  static double height(double score, const double* x, const double* y, size_t points) {
    if (score != score) return score;
    const size_t next = next_point(score, x, points);
    if (next == 0) return y[0];
    if (next == points) return y[points - 1];
    if (x[next] == score) return y[next];
    const double share = (score - x[next - 1]) / (x[next] - x[next - 1]);
    return y[next - 1] + share * (y[next] - y[next - 1]);
  }

  static void run(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size, points = r.call.parameters[0]->bytes() / 8;
    const auto *x = r.parameter<double>(0), *y = r.parameter<double>(1), *bounds = r.parameter<double>(2);
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (size_t at = 0; at < count; at++) {
      const double value = height(in[at], x, y, points);
      out[at] = static_cast<float>(value < bounds[0] ? bounds[0] : value > bounds[1] ? bounds[1] : value);
    }
  }
};

BREZEL_ISA_END
