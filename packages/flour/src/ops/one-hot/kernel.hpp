#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Encodes the category indices of a row (int64 [C]) as a sparse one-hot vector [C * K]. K, the
 * number of categories, is the attribute. An index `i` in input column `c` sets column c * K + i to
 * 1. An index outside 0..K-1 sets no column.
 */
struct OneHotKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.need(s.inputs[0].kind == Kind::dense && s.inputs[0].dtype == DType::i64, "expected a dense int64 slot");
    s.sparse(s.outputs[0]);
    s.need(s.attributes[0] > 0, "attribute out of range");
    s.need(uint64_t{s.inputs[0].size} * static_cast<uint64_t>(s.attributes[0]) == s.outputs[0].size,
           "output of a wrong size");
  }

  static void run(Run& r) {
    const uint32_t size = r.input_type(0).size;
    const auto categories = static_cast<uint64_t>(r.attribute(0));
    const auto* in = r.dense<int64_t>(0);
    const size_t most = size_t{r.rows} * size;
    uint32_t* offsets = r.write_offsets();
    uint32_t* ids = r.write_ids(most);
    float* values = r.write_values<float>(most);
    uint32_t total = 0;
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++, in += size) {
      for (uint32_t column = 0; column < size; column++) {
        if (static_cast<uint64_t>(in[column]) >= categories) continue;
        ids[total] = static_cast<uint32_t>(column * categories + static_cast<uint64_t>(in[column]));
        values[total++] = 1;
      }
      offsets[row + 1] = total;
    }
  }
};

BREZEL_ISA_END
