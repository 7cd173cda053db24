#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Reads entries of a table at the m indices of a row. The table is the first input or the
 * parameter: dense numbers [outer * entries * block]. The indices are the last input, int64 [m].
 * The output has the dtype of the table and the shape [outer * m * block]. The attributes are
 * `outer`, `entries` and `block`. A negative index counts from the end. An index out of range
 * rejects the row.
 */
struct GatherKernel {
  static void check(Signature& s) {
    const bool has_table = s.parameters.size() == 1;
    s.arity(has_table ? 1 : 2, has_table ? 1 : 0, 3);
    const SlotType &indices = s.inputs.back(), &out = s.outputs[0];
    s.dense(indices, DType::i64);
    s.dense(out, out.dtype);
    for (size_t at = 0; at < 3; at++) s.need(s.attributes[at] > 0, "attribute out of range");
    const unsigned __int128 rest = static_cast<unsigned __int128>(s.attributes[0]) * static_cast<uint64_t>(s.attributes[2]);
    s.need(rest * indices.size == out.size, "output of a wrong size");
    const uint64_t size = static_cast<uint64_t>(rest) * static_cast<uint64_t>(s.attributes[1]);
    if (has_table) {
      s.parameter_bytes(0, size * bytes_of(out.dtype));
    } else {
      s.need(s.inputs[0].kind == Kind::dense && s.inputs[0].dtype == out.dtype && s.inputs[0].size == size,
             "values of another size");
    }
  }

  template <class T>
  static void of_size(Run& r) {
    const size_t outer = r.attribute(0), entries = r.attribute(1), block = r.attribute(2);
    const bool has_table = r.has_parameter(0);
    const size_t input = has_table ? 0 : 1, m = r.input_type(input).size;
    const auto* indices = r.dense<int64_t>(input);
    T* out = r.write_dense<T>();
    for (size_t row = 0; row < r.rows; row++, indices += m) {
      const T* values = has_table ? r.parameter<T>(0) : r.dense<T>(0) + row * outer * entries * block;
      for (size_t outside = 0; outside < outer; outside++, values += entries * block) {
        for (size_t at = 0; at < m; at++, out += block) {
          const int64_t count = static_cast<int64_t>(entries);
          int64_t entry = indices[at] < 0 && indices[at] >= -count ? indices[at] + count : indices[at];
          if (entry < 0 || entry >= count) {
            r.refuse("an index out of range");
            entry = 0;
          }
          __builtin_memcpy(out, values + static_cast<size_t>(entry) * block, block * sizeof(T));
        }
      }
    }
  }

  static void run(Run& r) {
    switch (bytes_of(r.output_type().dtype)) {
      case 8:
        return of_size<uint64_t>(r);
      case 1:
        return of_size<uint8_t>(r);
      default:
        return of_size<uint32_t>(r);
    }
  }
};

BREZEL_ISA_END
