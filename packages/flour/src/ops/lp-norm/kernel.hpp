#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/lane_sum.hpp"

BREZEL_ISA_BEGIN

/**
 * Divides each row of f32 by its norm. The attributes are the norm (`LpNorm`), whether the kernel
 * first subtracts the mean, and the float bits of a factor for the result.
 */
struct LpNormKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 3);
    s.dense(s.inputs[0], DType::f32);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    s.attribute_below(0, kLpNormCount);
    s.attribute_below(1, 2);
  }

  /**
   * Adds `term(value)` for each value of the row, with the partial sums of native/README.md section
   * 1.
   */
  template <class Term>
  static float sum_of(const float* values, size_t count, Term term) {
    float lane[16] = {};
    size_t at = 0;
    for (; at + 16 <= count; at += 16) {
      for (size_t one = 0; one < 16; one++) lane[one] = lane[one] + term(values[at + one]);
    }
    for (size_t one = 0; at + one < count; one++) lane[one] = lane[one] + term(values[at + one]);
    float result;
    fold<1>(load_16(lane), &result);
    return result;
  }

  static float norm_of(const float* values, size_t count, LpNorm norm, float center) {
    switch (norm) {
      case LpNorm::l1:
        return sum_of(values, count, [center](float value) { return __builtin_fabsf(value - center); });
      case LpNorm::infinity: {
        float most = 0;
        for (size_t at = 0; at < count; at++) {
          const float away = __builtin_fabsf(values[at] - center);
          most = away > most ? away : most;
        }
        return most;
      }
      default: {
        const float squares =
            sum_of(values, count, [center](float value) { return (value - center) * (value - center); });
        return __builtin_sqrtf(norm == LpNorm::l2 ? squares : squares / static_cast<float>(count));
      }
    }
  }

  static void run(Run& r) {
    const size_t size = r.output_type().size;
    const auto norm = LpNorm{r.attribute(0)};
    const bool subtracts_mean = r.attribute(1) == 1;
    const auto scale = __builtin_bit_cast(float, r.attribute(2));
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, in += size, out += size) {
      const float mean = subtracts_mean || norm == LpNorm::deviation
                             ? sum_of(in, size, [](float value) { return value; }) / static_cast<float>(size)
                             : 0;
      const float offset = subtracts_mean ? mean : 0;
      const float length = norm_of(in, size, norm, norm == LpNorm::deviation ? mean : offset);
      float factor = length > 0 ? scale / length : scale;
      if (factor < 1e-8f) factor = 1;
      for (size_t at = 0; at < size; at++) out[at] = (in[at] - offset) * factor;
    }
  }
};

BREZEL_ISA_END
