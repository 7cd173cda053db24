#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Takes the low bits of each i64 of a row. The output is i32 or i64. The attributes are the number
 * of bits (1 to 32, or 64), whether the result has a sign, and whether a number out of range
 * rejects the row.
 */
struct NarrowKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 3);
    s.dense(s.inputs[0], DType::i64);
    s.need((s.attributes[0] >= 1 && s.attributes[0] <= 32) || s.attributes[0] == 64, "attribute out of range");
    s.attribute_below(1, 2);
    s.attribute_below(2, 2);
    const bool is_wide = s.attributes[0] == 64 || (s.attributes[0] == 32 && s.attributes[1] == 0);
    s.dense(s.outputs[0], is_wide ? DType::i64 : DType::i32, s.inputs[0].size);
  }

  static void run(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    const int64_t* in = r.dense<int64_t>(0);
    if (r.output_type().dtype == DType::i64) {
      keep(r, in, r.write_values<int64_t>(count), count);
    } else {
      keep(r, in, r.write_values<int32_t>(count), count);
    }
  }

  template <class Out>
  static void keep(Run& r, const int64_t* in, Out* out, size_t count) {
    const int shift = 64 - r.attribute(0);
    const bool is_signed = r.attribute(1) == 1, is_checked = r.attribute(2) == 1;
    // Unsigned 64-bit numbers from 2^63 on do not fit in int64.
    const bool is_whole = shift == 0 && !is_signed;
    for (size_t at = 0; at < count; at++) {
      const uint64_t high = static_cast<uint64_t>(in[at]) << shift;
      if (is_checked && is_whole && in[at] < 0) r.refuse("a number out of range");
      out[at] = is_signed ? static_cast<Out>(static_cast<int64_t>(high) >> shift) : static_cast<Out>(high >> shift);
      if (is_checked && out[at] != in[at]) r.refuse("a number out of range");
    }
  }
};

BREZEL_ISA_END
