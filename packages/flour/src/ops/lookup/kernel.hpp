#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Writes the entry of a table at each index of a row. An index outside the table selects the first
 * or the last entry. The indices are int64; the output has the dtype of the table. For a table of
 * strings, the kernel writes the indices and has no parameter, because JavaScript reads the
 * strings. For other tables, the parameter is the table. The attribute is the length of the table.
 */
struct LookupKernel {
  static void check(Signature& s) {
    const bool is_label = s.outputs.size() == 1 && s.outputs[0].dtype == DType::label;
    s.arity(1, is_label ? 0 : 1, 1);
    s.need(s.inputs[0].kind == Kind::dense && s.inputs[0].dtype == DType::i64, "expected a dense int64 slot");
    s.dense(s.outputs[0], s.outputs[0].dtype, s.inputs[0].size);
    s.need(s.attributes[0] > 0, "attribute out of range");
    if (!is_label) s.parameter_bytes(0, static_cast<uint64_t>(s.attributes[0]) * bytes_of(s.outputs[0].dtype));
  }

  static int64_t clamp(int64_t index, int64_t count) { return index < 0 ? 0 : index >= count ? count - 1 : index; }

  template <class T>
  static void look_up(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    const auto* in = r.dense<int64_t>(0);
    T* out = r.write_dense<T>();
    for (size_t at = 0; at < count; at++) {
      const int64_t index = clamp(in[at], r.attribute(0));
      out[at] = r.has_parameter(0) ? r.parameter<T>(0)[index] : static_cast<T>(index);
    }
  }

  static void run(Run& r) {
    switch (bytes_of(r.output_type().dtype)) {
      case 8:
        return look_up<uint64_t>(r);
      case 1:
        return look_up<uint8_t>(r);
      default:
        return look_up<uint32_t>(r);
    }
  }
};

BREZEL_ISA_END
