#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/bytes.hpp"
#include "primitives/features.hpp"
#include "primitives/lookup.hpp"
#include "primitives/numbers.hpp"
#include "primitives/numerals.hpp"
#include "primitives/text_map.hpp"
#include "src/blobs.hpp"
#include "src/packed_dictionary.hpp"
#include "src/utf8.hpp"

BREZEL_ISA_BEGIN

/**
 * Looks up each key of the parameter in the dictionary of a row, and writes one value for each key:
 * f32, f64, i64 or text. The parameters are a packed dictionary of the keys, and the bytes of the
 * text that replaces a missing value. With the attribute 1, a row with other keys is rejected.
 */
struct DictionaryLookupKernel {
  static constexpr size_t kMostOtherwise = 1 << 16;

  static void check(Signature& s) {
    s.arity(1, 2, 1);
    const SlotType& out = s.outputs[0];
    s.dictionary(s.inputs[0]);
    const bool is_number =
        out.kind == Kind::dense && (out.dtype == DType::f32 || out.dtype == DType::f64 || out.dtype == DType::i64);
    s.need(is_number || out.kind == Kind::text, "output of a wrong type");
    s.attribute_below(0, 2);
    need_words(s, 0);
    s.need(Dictionary(s.parameter<void>(0)).nodes <= out.size, "more keys than columns");
    const Parameter& otherwise = *s.parameters[1];
    s.need_parameter(otherwise.bytes() <= kMostOtherwise, "parameter of a wrong length");
    s.need_parameter(is_valid_utf8(s.parameter<uint8_t>(1), otherwise.bytes()), "parameter is no UTF-8");
  }

  /**
   * Reads the next entry and returns the index of its key in `keys`. If the key is unknown, rejects
   * the row or returns kNone, depending on the attribute.
   */
  static uint32_t next(Run& r, const Dictionary& keys, const uint8_t*& at, Entry& entry) {
    at = read_entry(at, entry);
    const uint32_t place = find_word(keys, entry.key.from, length_of(entry.key));
    if (place == kNone && r.attribute(0)) r.refuse("a key that is not known");
    return place;
  }

  template <class T>
  static void look_up_numbers(Run& r) {
    const Dictionary keys(r.parameter<void>(0));
    const Column& in = r.input(0);
    const uint32_t size = r.output_type().size;
    T* out = r.write_dense<T>();
    __builtin_memset(out, 0, size_t{r.rows} * size * sizeof(T));
    for (uint32_t row = 0; row < r.rows; row++, out += size) {
      Entry entry;
      for (const uint8_t* at = in.bytes() + in.offsets[row]; at < in.bytes() + in.offsets[row + 1];) {
        const uint32_t place = next(r, keys, at, entry);
        if (place == kNone) continue;
        if (entry.tag == EntryTag::integer) {
          out[place] = static_cast<T>(static_cast<int64_t>(load_u64(entry.value)));
        } else if (entry.tag == EntryTag::number) {
          out[place] = convert<T>(entry.number());
        } else {
          r.refuse("a text in a dictionary of numbers");
        }
      }
    }
  }

  /**
   * Writes the offset of the text for each key to `starts`, counted from the start of the block's
   * bytes. The offset is kNone if the row does not have the key.
   */
  static void find_texts(Run& r, const Dictionary& keys, uint32_t row, uint32_t* starts) {
    const Column& in = r.input(0);
    Entry entry;
    for (uint32_t place = 0; place < r.output_type().size; place++) starts[place] = kNone;
    for (const uint8_t* at = in.bytes() + in.offsets[row]; at < in.bytes() + in.offsets[row + 1];) {
      const uint32_t place = next(r, keys, at, entry);
      if (entry.tag != EntryTag::text) {
        r.refuse("what is no text in a dictionary of texts");
      } else if (place != kNone) {
        starts[place] = static_cast<uint32_t>(entry.value - in.bytes());
      }
    }
  }

  static void look_up_texts(Run& r) {
    const Dictionary keys(r.parameter<void>(0));
    const Column& in = r.input(0);
    const uint32_t size = r.output_type().size;
    const auto* otherwise = r.parameter<uint8_t>(1);
    const ByteRange missing{otherwise, otherwise + r.call.parameters[1]->bytes()};
    uint32_t* offsets = r.write_offsets();
    auto* starts = r.scratch.starts.reserve<uint32_t>(size, *r.scratch.growth);
    r.write_values<uint8_t>(kPadding);
    TextOutput output{r.buffers[r.call.outputs[0]].values, *r.scratch.growth, 0};
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++) {
      find_texts(r, keys, row, starts);
      for (uint32_t place = 0; place < size; place++) {
        ByteRange text = missing;
        if (starts[place] != kNone) read_text(in.bytes() + starts[place], text);
        if (output.length + length_of(text) > kMaxSize) {
          r.refuse("the texts of a dictionary are too long together");
          text.to = text.from;
        }
        __builtin_memcpy(output.room(length_of(text)), text.from, length_of(text));
        output.length += length_of(text);
        offsets[size_t{row} * size + place + 1] = static_cast<uint32_t>(output.length);
      }
    }
    __builtin_memset(output.room(0), 0, kPadding);
    r.output().values = output.buffer.data<uint8_t>();
  }

  static void run(Run& r) {
    if (r.output_type().kind == Kind::text) return look_up_texts(r);
    switch (r.output_type().dtype) {
      case DType::f64:
        return look_up_numbers<double>(r);
      case DType::i64:
        return look_up_numbers<int64_t>(r);
      default:
        return look_up_numbers<float>(r);
    }
  }
};

BREZEL_ISA_END
