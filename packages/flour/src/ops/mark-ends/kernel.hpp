#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Adds one byte before a text and one byte after the text. The empty text stays empty. The
 * attributes are both bytes, which are ASCII characters.
 */
struct MarkEndsKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 2);
    s.text(s.inputs[0]);
    s.text(s.outputs[0]);
    for (const int32_t mark : s.attributes) s.need(mark >= 0 && mark <= 0x7f, "attribute out of range");
  }

  static void run(Run& r) {
    const Column& in = r.input(0);
    uint32_t* offsets = r.write_offsets();
    auto* bytes = r.write_values<uint8_t>(in.offsets[r.rows] + size_t{2} * r.rows + kPadding);
    uint8_t* to = bytes;
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++) {
      const uint32_t length = in.offsets[row + 1] - in.offsets[row];
      if (length > 0) {
        *to++ = static_cast<uint8_t>(r.attribute(0));
        __builtin_memcpy(to, in.bytes() + in.offsets[row], length);
        to += length;
        *to++ = static_cast<uint8_t>(r.attribute(1));
      }
      offsets[row + 1] = static_cast<uint32_t>(to - bytes);
    }
    __builtin_memset(to, 0, kPadding);
  }
};

BREZEL_ISA_END
