#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/spaces.hpp"

BREZEL_ISA_BEGIN

/** Replaces each run of several white-space characters by one space: text -> text. */
struct CollapseSpacesKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 0);
    s.text(s.inputs[0]);
    s.text(s.outputs[0]);
  }

  static void run(Run& r) {
    const Column& in = r.input(0);
    uint32_t* offsets = r.write_offsets();
    auto* bytes = r.write_values<uint8_t>(in.offsets[r.rows] + kPadding);
    uint8_t* to = bytes;
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++) {
      to = collapse_spaces(in.bytes() + in.offsets[row], in.bytes() + in.offsets[row + 1], to);
      offsets[row + 1] = static_cast<uint32_t>(to - bytes);
    }
    __builtin_memset(to, 0, kPadding);
  }
};

BREZEL_ISA_END
