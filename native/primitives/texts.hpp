// Copies texts of several columns unchanged.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/text_map.hpp"

BREZEL_ISA_BEGIN

// maximal bytes of a block, because offsets have 32 bits
constexpr size_t kMostBlockText = size_t{1} << 31;

/** Writes the texts of an output slot one after the other. */
struct TextWriter {
  Run& r;
  uint32_t* offsets;
  TextOutput output;
  size_t count = 0;

  explicit TextWriter(Run& run)
      : r(run), offsets(run.write_offsets()), output{run.buffers[run.call.outputs[0]].values, *run.scratch.growth, 0} {
    offsets[0] = 0;
  }

  /**
   * Appends the text with index `at` of a column to the current output text, which `end_text` ends.
   */
  void append(const Column& from, size_t at) {
    size_t length = from.offsets[at + 1] - from.offsets[at];
    if (output.length + length > kMostBlockText) {
      r.refuse("texts that are longer together than a block of rows may be");
      length = 0;
    }
    __builtin_memcpy(output.room(length), from.bytes() + from.offsets[at], length);
    output.length += length;
  }

  void end_text() { offsets[++count] = static_cast<uint32_t>(output.length); }

  /** Adds the text with index `at` of a column as a new text. */
  void add(const Column& from, size_t at) {
    append(from, at);
    end_text();
  }

  void finish() {
    __builtin_memset(output.room(0), 0, kPadding);
    r.output().values = output.buffer.data<uint8_t>();
  }
};

/**
 * Checks two text inputs. A row of an input has `size` texts, or one text that serves every column
 * of the output.
 */
static void check_text_operands(Signature& s, uint32_t size) {
  s.arity(2, 0, 0);
  for (const SlotType& input : s.inputs) {
    s.texts(input, input.size);
    s.need(input.size == size || input.size == 1, "operand of a wrong size");
  }
  s.need(s.inputs[0].size == size || s.inputs[1].size == size, "output of a wrong size");
}

/** Returns the index of an operand's text for a row and column of the output. */
static size_t operand_text(const Run& r, size_t input, size_t row, size_t column) {
  const size_t own = r.input_type(input).size;
  return row * own + (own == 1 ? 0 : column);
}

BREZEL_ISA_END
