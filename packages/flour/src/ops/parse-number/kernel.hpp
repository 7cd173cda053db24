#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/numerals.hpp"

BREZEL_ISA_BEGIN

/**
 * Parses each text of a row as a number: float32, float64 or int64. The attribute selects what
 * happens with a text that is not a number: 0 writes NaN, and 1 rejects the row. int64 has no NaN,
 * so such a text always rejects the row.
 */
struct ParseNumberKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    const SlotType& out = s.outputs[0];
    s.need(out.dtype == DType::f32 || out.dtype == DType::f64 || out.dtype == DType::i64, "output of a wrong dtype");
    s.dense(out, out.dtype);
    s.texts(s.inputs[0], out.size);
    s.attribute_below(0, 2);
  }

  static Numeral numeral(const Column& in, size_t at) {
    const ByteRange text = trimmed({in.bytes() + in.offsets[at], in.bytes() + in.offsets[at + 1]});
    return read_numeral(text);
  }

  template <class Float>
  static void read_floats(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    const Column& in = r.input(0);
    auto* out = r.write_dense<Float>();
    for (size_t at = 0; at < count; at++) {
      const Numeral found = numeral(in, at);
      if (found.kind == NumeralKind::none && r.attribute(0)) r.refuse("a text that is no number");
      out[at] = static_cast<Float>(value_of(found));
    }
  }

  static void read_integers(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    const Column& in = r.input(0);
    auto* out = r.write_dense<int64_t>();
    for (size_t at = 0; at < count; at++) {
      if (integer_of(numeral(in, at), out[at])) continue;
      r.refuse("a text that is no int64");
      out[at] = 0;
    }
  }

  static void run(Run& r) {
    switch (r.output_type().dtype) {
      case DType::f64:
        return read_floats<double>(r);
      case DType::i64:
        return read_integers(r);
      default:
        return read_floats<float>(r);
    }
  }
};

BREZEL_ISA_END
