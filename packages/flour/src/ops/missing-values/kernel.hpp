#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Marks or replaces the missing values (NaN) of a row of f32. The attribute selects the task
 * (`MissingValueTask`). `indicate` writes 1 for NaN and 0 for other values. `replace` replaces NaN
 * in a column by the number of the parameter for this column.
 */
struct MissingValuesKernel {
  static void check(Signature& s) {
    s.need(s.attributes.size() == 1, "wrong number of attributes");
    s.attribute_below(0, kMissingValueTaskCount);
    const bool replaces = MissingValueTask{s.attributes[0]} == MissingValueTask::replace;
    s.arity(1, replaces ? 1 : 0, 1);
    s.dense(s.inputs[0], DType::f32);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    if (replaces) s.parameter_bytes(0, uint64_t{s.inputs[0].size} * 4);
  }

  static void run(Run& r) {
    const size_t size = r.output_type().size;
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    if (MissingValueTask{r.attribute(0)} == MissingValueTask::indicate) {
      for (size_t at = 0; at < r.rows * size; at++) out[at] = in[at] != in[at] ? 1.0f : 0.0f;
      return;
    }
    const float* replacements = r.parameter<float>(0);
    for (uint32_t row = 0; row < r.rows; row++, in += size, out += size) {
      for (size_t at = 0; at < size; at++) out[at] = in[at] != in[at] ? replacements[at] : in[at];
    }
  }
};

BREZEL_ISA_END
