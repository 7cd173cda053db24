#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/number_texts.hpp"

BREZEL_ISA_BEGIN

/** Formats numbers as texts: dense numbers [n] -> text [n]. */
struct FormatNumberKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 0);
    const SlotType& in = s.inputs[0];
    s.need(in.kind == Kind::dense && in.dtype != DType::label, "expected dense numbers");
    s.texts(s.outputs[0], in.size);
  }

  template <class T>
  static void write(Run& r) {
    const size_t count = r.output_type().offsets_of(r.rows);
    const T* in = r.dense<T>(0);
    uint32_t* offsets = r.write_offsets();
    auto* start = reinterpret_cast<char*>(r.write_values<uint8_t>(count * kMostNumberBytes + kPadding));
    char* to = start;
    offsets[0] = 0;
    for (size_t at = 0; at < count; at++) {
      to = write_number(in[at], to);
      offsets[at + 1] = static_cast<uint32_t>(to - start);
    }
    __builtin_memset(to, 0, kPadding);
  }

  static void run(Run& r) {
    switch (r.input_type(0).dtype) {
      case DType::f64:
        return write<double>(r);
      case DType::i64:
        return write<int64_t>(r);
      case DType::i32:
        return write<int32_t>(r);
      case DType::boolean:
        return write<uint8_t>(r);
      default:
        return write<float>(r);
    }
  }
};

BREZEL_ISA_END
