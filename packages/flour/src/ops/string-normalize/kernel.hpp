#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/lookup.hpp"
#include "primitives/simd.hpp"
#include "primitives/text_map.hpp"
#include "src/blob_checks.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

/**
 * Maps the code points of a text, and replaces a text that equals a stop word by the empty text.
 * The parameters are the text map and a packed dictionary of the stop words. The attributes are two
 * flags. With the first flag, the kernel compares the mapped text with the stop words; otherwise,
 * it compares the original text. With the second flag, it writes the original text if the text is
 * not a stop word.
 */
struct StopTextsKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 2);
    s.text(s.inputs[0]);
    s.text(s.outputs[0]);
    validate_text_map(*s.parameters[0]);
    need_words(s, 1);
    s.attribute_below(0, 2);
    s.attribute_below(1, 2);
  }

  static void run(Run& r) {
    const TextMap map(r.parameter<void>(0));
    const Dictionary stops(r.parameter<void>(1));
    const bool is_mapped = r.attribute(0) != 0, stays = r.attribute(1) != 0;
    const Column& in = r.input(0);
    const AsciiTable table = load_ascii_table(map.ascii);
    const bool keeps_all = keeps_ascii(map);
    uint32_t* offsets = r.write_offsets();
    r.write_values<uint8_t>(kPadding);
    TextOutput output{r.buffers[r.call.outputs[0]].values, *r.scratch.growth, 0};
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++) {
      const uint8_t* text = in.bytes() + in.offsets[row];
      const uint32_t length = in.offsets[row + 1] - in.offsets[row];
      const size_t start = output.length;
      if (is_mapped || !stays) map_text(map, table, keeps_all, text, length, output);
      const auto mapped = static_cast<uint32_t>(output.length - start);
      const uint8_t* compared = is_mapped ? output.room(0) - mapped : text;
      const bool is_stop = find_word(stops, compared, is_mapped ? mapped : length) != kNone;
      if (is_stop || stays) output.length = start;
      if (stays && !is_stop) {
        __builtin_memcpy(output.room(length), text, length);
        output.length += length;
      }
      offsets[row + 1] = static_cast<uint32_t>(output.length);
    }
    __builtin_memset(output.room(0), 0, kPadding);
    r.output().values = output.buffer.data<uint8_t>();
  }
};

BREZEL_ISA_END
