#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/lookup.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

/**
 * Writes the key of a text as one int64, counted from 1; an unknown text has the key 0. The
 * parameter is a packed dictionary of the texts.
 */
struct KeyMapKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 0);
    s.text(s.inputs[0]);
    s.dense(s.outputs[0], DType::i64, 1);
    need_words(s, 0);
  }

  static void run(Run& r) {
    const Dictionary keys(r.parameter<void>(0));
    const Column& in = r.input(0);
    auto* out = r.write_dense<int64_t>();
    for (uint32_t row = 0; row < r.rows; row++) {
      const uint32_t length = in.offsets[row + 1] - in.offsets[row];
      const uint32_t node = find_word(keys, in.bytes() + in.offsets[row], length);
      out[row] = node == kNone ? 0 : int64_t{node} + 1;
    }
  }
};

BREZEL_ISA_END
