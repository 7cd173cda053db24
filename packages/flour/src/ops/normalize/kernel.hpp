#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/lane_sum.hpp"
#include "primitives/numbers.hpp"

BREZEL_ISA_BEGIN

/**
 * Divides each row of f32, dense or sparse, by its norm. A row of norm 0 stays unchanged. The
 * attribute selects the norm (`Norm`).
 */
struct NormalizeKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.vector(s.inputs[0]);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    s.attribute_below(0, kNormCount);
  }

  static float norm_of(const float* values, size_t count, Norm norm) {
    if (count == 0) return 0;
    if (norm == Norm::l1) return sum_of_magnitudes(values, count);
    if (norm == Norm::l2) return __builtin_sqrtf(dot(values, values, count));
    return greatest(values, count);
  }

  static void run(Run& r) {
    const bool is_sparse = r.output_type().kind == Kind::sparse;
    const size_t size = r.output_type().size;
    const auto norm = Norm{r.attribute(0)};
    const float* in = r.input(0).floats();
    float* out = r.write_values<float>(is_sparse ? r.share_entries() : r.rows * size);
    for (uint32_t row = 0; row < r.rows; row++) {
      const size_t start = is_sparse ? r.input(0).offsets[row] : row * size;
      const size_t count = is_sparse ? r.input(0).offsets[row + 1] - start : size;
      const float divisor = norm_of(in + start, count, norm);
      if (divisor == 0) {
        __builtin_memcpy(out + start, in + start, count * 4);
      } else {
        for (size_t at = start; at < start + count; at++) out[at] = in[at] / divisor;
      }
    }
  }
};

BREZEL_ISA_END
