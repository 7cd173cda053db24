#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/text_map.hpp"
#include "primitives/texts.hpp"

BREZEL_ISA_BEGIN

/**
 * Appends the second text to the first: text, text -> text. If an operand has a single text, it is
 * combined with every text of the other operand.
 */
struct StringConcatKernel {
  static void check(Signature& s) {
    s.need(s.outputs.size() == 1, "wrong number of outputs");
    const uint32_t size = s.outputs[0].size;
    s.texts(s.outputs[0], size);
    check_text_operands(s, size);
  }

  static void run(Run& r) {
    const size_t size = r.output_type().size;
    TextWriter out(r);
    for (size_t row = 0; row < r.rows; row++) {
      for (size_t column = 0; column < size; column++) {
        const size_t start = out.output.length;
        for (size_t input = 0; input < 2; input++) out.append(r.input(input), operand_text(r, input, row, column));
        if (out.output.length - start > kMostMappedText) r.refuse("a text of more than 268,435,456 bytes");
        out.end_text();
      }
    }
    out.finish();
  }
};

BREZEL_ISA_END
