#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/numbers.hpp"

BREZEL_ISA_BEGIN

/**
 * Divides each row of numbers into parts of the same length, and writes the index of the greatest
 * value of each part as int64. If values are equal, it writes the index of the first one. The
 * kernel has no attributes, or two flags. The first flag selects the least value instead of the
 * greatest. The second flag selects the last of equal values instead of the first.
 */
struct ArgMaxKernel {
  static void check(Signature& s) {
    s.arity(1, 0, s.attributes.empty() ? 0 : 2);
    for (size_t at = 0; at < s.attributes.size(); at++) s.attribute_below(at, 2);
    s.dense(s.inputs[0], s.inputs[0].dtype);
    s.need(s.inputs[0].dtype < DType::boolean, "expected a dense slot of numbers");
    s.dense(s.outputs[0], DType::i64);
    s.need(s.outputs[0].size > 0 && s.inputs[0].size % s.outputs[0].size == 0, "parts of different sizes");
  }

  template <class T>
  static uint32_t best_of(const T* values, uint32_t count, bool least, bool last) {
    uint32_t best = 0;
    for (uint32_t at = 1; at < count; at++) {
      const bool is_better = least ? values[at] < values[best] : values[at] > values[best];
      if (is_better || (last && values[at] == values[best])) best = at;
    }
    return best;
  }

  template <class T>
  static void of_type(Run& r) {
    const size_t parts = r.output_type().size, size = r.input_type(0).size / parts;
    const bool is_plain = r.call.attributes.empty();
    const bool least = !is_plain && r.attribute(0) == 1, last = !is_plain && r.attribute(1) == 1;
    const T* in = r.dense<T>(0);
    auto* out = r.write_dense<int64_t>();
    const auto count = static_cast<uint32_t>(size);
    for (size_t at = 0; at < r.rows * parts; at++, in += size)
      out[at] = is_plain ? first_greatest(in, count) : best_of(in, count, least, last);
  }

  static void run(Run& r) {
    switch (r.input_type(0).dtype) {
      case DType::f64:
        return of_type<double>(r);
      case DType::i64:
        return of_type<int64_t>(r);
      case DType::i32:
        return of_type<int32_t>(r);
      default:
        return of_type<float>(r);
    }
  }
};

BREZEL_ISA_END
