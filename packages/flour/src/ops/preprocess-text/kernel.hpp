#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/simd.hpp"
#include "primitives/text_map.hpp"
#include "src/blob_checks.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

/** Replaces each code point of a text by its entry in the text map, which is the parameter. */
struct MapTextKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 0);
    s.text(s.inputs[0]);
    s.text(s.outputs[0]);
    validate_text_map(*s.parameters[0]);
  }

  static void run(Run& r) {
    const TextMap map(r.parameter<void>(0));
    const Column& in = r.input(0);
    const AsciiTable table = load_ascii_table(map.ascii);
    const bool keeps_all = keeps_ascii(map);
    uint32_t* offsets = r.write_offsets();
    r.write_values<uint8_t>(kPadding);
    TextOutput output{r.buffers[r.call.outputs[0]].values, *r.scratch.growth, 0};
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++) {
      const uint32_t length = in.offsets[row + 1] - in.offsets[row];
      map_text(map, table, keeps_all, in.bytes() + in.offsets[row], length, output);
      offsets[row + 1] = static_cast<uint32_t>(output.length);
    }
    __builtin_memset(output.room(0), 0, kPadding);
    r.output().values = output.buffer.data<uint8_t>();
  }
};

BREZEL_ISA_END
