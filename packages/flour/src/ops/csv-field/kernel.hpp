#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/csv.hpp"

BREZEL_ISA_BEGIN

/**
 * Extracts one field of a text that is a CSV line. The attributes are the index of the field, the
 * byte that separates fields, and the byte that quotes a field.
 */
struct CsvFieldKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 3);
    s.text(s.inputs[0]);
    s.text(s.outputs[0]);
    s.need(s.attributes[0] >= 0, "attribute out of range");
    s.attribute_below(1, 128);  // a byte of a longer code point would cut it
    s.attribute_below(2, 128);
  }

  static void run(Run& r) {
    const Column& in = r.input(0);
    const CsvDialect dialect{static_cast<uint8_t>(r.attribute(1)), static_cast<uint8_t>(r.attribute(2))};
    uint32_t* offsets = r.write_offsets();
    auto* bytes = r.write_values<uint8_t>(in.offsets[r.rows] + kPadding);
    uint8_t* to = bytes;
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++) {
      const uint8_t* record = in.bytes() + in.offsets[row];
      to = copy_field(record, in.bytes() + in.offsets[row + 1], static_cast<uint32_t>(r.attribute(0)), dialect, to);
      offsets[row + 1] = static_cast<uint32_t>(to - bytes);
    }
    __builtin_memset(to, 0, kPadding);
  }
};

BREZEL_ISA_END
