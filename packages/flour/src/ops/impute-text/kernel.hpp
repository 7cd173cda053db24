#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/bytes.hpp"
#include "primitives/text_map.hpp"
#include "src/utf8.hpp"

BREZEL_ISA_BEGIN

/**
 * Replaces a text that stands for a missing value by another text. The parameters are the bytes of
 * both texts.
 */
struct ImputeTextKernel {
  static constexpr size_t kMostBytes = 1 << 16;  // the texts of a block fit in 32-bit offsets

  static void check(Signature& s) {
    s.arity(1, 2, 0);
    s.text(s.inputs[0]);
    s.text(s.outputs[0]);
    for (const Parameter* text : s.parameters) {
      s.need_parameter(text->bytes() <= kMostBytes, "parameter of a wrong length");
      s.need_parameter(is_valid_utf8(static_cast<const uint8_t*>(text->data()), text->bytes()),
                       "parameter is no UTF-8");
    }
  }

  static void run(Run& r) {
    const Column& in = r.input(0);
    const Parameter &missing = *r.call.parameters[0], &value = *r.call.parameters[1];
    uint32_t* offsets = r.write_offsets();
    r.write_values<uint8_t>(kPadding);
    TextOutput output{r.buffers[r.call.outputs[0]].values, *r.scratch.growth, 0};
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++) {
      const uint8_t* text = in.bytes() + in.offsets[row];
      size_t length = in.offsets[row + 1] - in.offsets[row];
      if (length == missing.bytes() && bytes_equal(text, static_cast<const uint8_t*>(missing.data()), length)) {
        text = static_cast<const uint8_t*>(value.data());
        length = value.bytes();
      }
      __builtin_memcpy(output.room(length), text, length);
      output.length += length;
      offsets[row + 1] = static_cast<uint32_t>(output.length);
    }
    __builtin_memset(output.room(0), 0, kPadding);
    r.output().values = output.buffer.data<uint8_t>();
  }
};

BREZEL_ISA_END
