#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/numbers.hpp"

BREZEL_ISA_BEGIN

/**
 * Combines the scores of m models. Each input holds the C scores of one model (f32). The output
 * holds the C combined scores. The parameter holds the weights of the models, f32 [m]. The
 * attribute selects how scores are combined (`Combination`).
 */
struct EnsembleKernel {
  static void check(Signature& s) {
    s.need(!s.inputs.empty(), "wrong number of inputs");
    s.arity(s.inputs.size(), 1, 1);
    s.dense(s.outputs[0], DType::f32);
    for (const SlotType& input : s.inputs) s.need(input == s.outputs[0], "output type differs from the input's");
    s.parameter_bytes(0, s.inputs.size() * 4);
    s.attribute_below(0, kCombinationCount);
  }

  static void run(Run& r) {
    const auto combination = Combination{r.attribute(0)};
    const uint32_t size = r.output_type().size;
    const size_t members = r.input_count(), count = size_t{r.rows} * size;
    const float* weights = r.parameter<float>(0);
    float* out = r.write_dense<float>();
    __builtin_memset(out, 0, count * 4);
    float total = 0;
    for (size_t member = 0; member < members; member++) {
      const float *scores = r.dense<float>(member), weight = weights[member];
      total = total + weight;
      if (combination == Combination::average) {
        for (size_t at = 0; at < count; at++) out[at] = out[at] + scores[at] * weight;
      } else {
        for (size_t row = 0; row < count; row += size) {
          float& votes = out[row + first_greatest(scores + row, size)];
          votes = votes + weight;
        }
      }
    }
    if (combination == Combination::vote) return;
    for (size_t at = 0; at < count; at++) out[at] = out[at] / total;
  }
};

BREZEL_ISA_END
