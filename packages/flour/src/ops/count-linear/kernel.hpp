#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/count_sums.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the C scores of a linear model (f32) from the counts in one or more sparse inputs. The
 * parameters are the weights of each input, feature-major i32 [size * C], then the scale of all
 * weights, f64 [1], and the bias, f32 [C]. The sums are integers, so their order does not matter.
 *
 * Attribute: 1 if each entry counts as 1, and its value is ignored.
 */
struct CountLinearKernel {
  static void check(Signature& s) {
    s.need(!s.inputs.empty(), "wrong number of inputs");
    s.arity(s.inputs.size(), s.inputs.size() + 2, 1);
    const uint64_t outputs = s.outputs[0].size;
    s.dense(s.outputs[0], DType::f32);
    for (size_t branch = 0; branch < s.inputs.size(); branch++) {
      s.sparse(s.inputs[branch]);
      s.parameter_bytes(branch, s.inputs[branch].size * outputs * 4);
    }
    s.parameter_bytes(s.inputs.size(), 8);
    s.parameter_bytes(s.inputs.size() + 1, outputs * 4);
    s.attribute_below(0, 2);
  }

  static void run(Run& r) {
    const size_t outputs = r.output_type().size, branches = r.input_count();
    const float* bias = r.parameter<float>(branches + 1);
    const double scale = *r.parameter<double>(branches);
    const bool each = r.attribute(0) == 1;
    float* total = r.write_dense<float>();
    auto* sums = r.scratch.sums.reserve<uint64_t>(outputs, *r.scratch.growth);
    for (uint32_t row = 0; row < r.rows; row++, total += outputs) {
      for (size_t output = 0; output < outputs; output++) sums[output] = 0;
      for (size_t branch = 0; branch < branches; branch++) {
        const Column& in = r.input(branch);
        const size_t start = in.offsets[row];
        const Counts counts{in.ids + start, in.floats() + start, in.offsets[row + 1] - start};
        add_counts(counts, each, r.parameter<int32_t>(branch), r.input_type(branch).size, outputs, sums);
      }
      for (size_t output = 0; output < outputs; output++)
        total[output] = static_cast<float>(static_cast<double>(static_cast<int64_t>(sums[output])) * scale) + bias[output];
    }
  }
};

BREZEL_ISA_END
