#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/lookup.hpp"
#include "src/blob_checks.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

/**
 * The kernels of this file find the index of each value in a list of keys. The first attribute is
 * the number of keys. If the second attribute is 1, a value that is not in the list rejects its
 * row. Otherwise, its index is the number of keys.
 */

/**
 * Writes the index of each text in a list of keys, as int64. The parameter is a packed dictionary
 * of the keys.
 */
struct IndexOfTextKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 2);
    s.texts(s.inputs[0], s.outputs[0].size);
    s.dense(s.outputs[0], DType::i64);
    s.attribute_below(1, 2);
    validate_dictionary(*s.parameters[0]);
    const Dictionary dictionary(s.parameter<void>(0));
    s.need(dictionary.alphabet == 0 && dictionary.max_n == 1, "keys are no dictionary of single words");
    s.need(s.attributes[0] > 0 && dictionary.columns == static_cast<uint32_t>(s.attributes[0]),
           "another number of keys than the dictionary has");
  }

  static void run(Run& r) {
    const Dictionary dictionary(r.parameter<void>(0));
    const Column& in = r.input(0);
    auto* out = r.write_dense<int64_t>();
    const size_t count = size_t{r.rows} * r.output_type().size;
    for (size_t at = 0; at < count; at++) {
      const uint32_t place = find_word(dictionary, in.bytes() + in.offsets[at], in.offsets[at + 1] - in.offsets[at]);
      if (place == kNone && r.attribute(1)) r.refuse("an unknown category");
      out[at] = place == kNone ? r.attribute(0) : static_cast<int64_t>(place);
    }
  }
};

/**
 * Writes the index of each number in a list of keys, as int64. The parameters are the keys in
 * ascending order, with NaN at the end, and the index of each key (i32).
 */
struct IndexOfKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 2);
    const SlotType& in = s.inputs[0];
    s.need(in.kind == Kind::dense && in.dtype != DType::label, "expected dense numbers");
    s.dense(s.outputs[0], DType::i64, in.size);
    s.attribute_below(1, 2);
    s.need(s.attributes[0] > 0, "attribute out of range");
    const auto count = static_cast<uint64_t>(s.attributes[0]);
    s.parameter_bytes(0, count * bytes_of(in.dtype));
    s.parameter_bytes(1, count * 4);
  }

  /**
   * Returns the index of the first key that is not less than `value`. It is a binary search whose
   * loop body has no branches.
   */
  template <class T>
  static uint32_t find(const T* keys, uint32_t count, T value) {
    const T* from = keys;
    while (count > 1) {
      const uint32_t half = count / 2;
      from += from[half - 1] < value ? half : 0;
      count -= half;
    }
    return static_cast<uint32_t>(from - keys) + (*from < value ? 1 : 0);
  }

  template <class T>
  static void look_up(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    const auto keys = static_cast<uint32_t>(r.attribute(0));
    const T* sorted = r.parameter<T>(0);
    const auto* places = r.parameter<int32_t>(1);
    const bool has_nan = sorted[keys - 1] != sorted[keys - 1];
    const uint32_t ordered = has_nan ? keys - 1 : keys;
    const T* in = r.dense<T>(0);
    auto* out = r.write_dense<int64_t>();
    for (size_t at = 0; at < count; at++) {
      const T value = in[at];
      uint32_t found = keys;
      if (value != value) {
        found = has_nan ? keys - 1 : keys;
      } else if (ordered > 0) {
        const uint32_t place = find(sorted, ordered, value);
        if (place < ordered && sorted[place] == value) found = place;
      }
      if (found == keys && r.attribute(1)) r.refuse("an unknown category");
      out[at] = found == keys ? r.attribute(0) : places[found];
    }
  }

  static void run(Run& r) {
    switch (r.input_type(0).dtype) {
      case DType::f64:
        return look_up<double>(r);
      case DType::i64:
        return look_up<int64_t>(r);
      case DType::i32:
        return look_up<int32_t>(r);
      case DType::boolean:
        return look_up<uint8_t>(r);
      default:
        return look_up<float>(r);
    }
  }
};

BREZEL_ISA_END
