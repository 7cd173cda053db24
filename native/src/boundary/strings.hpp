// Functions for encoded lists of strings, and for dictionaries that are built from them.
#pragma once

#include <node_api.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "src/boundary/values.hpp"
#include "src/dictionary/builder.hpp"
#include "src/string_table.hpp"

namespace brezel {

/** Creates a Uint8Array of zeros and returns its memory. */
inline uint8_t* new_bytes(const Arguments& a, size_t length, napi_value& array) {
  napi_value buffer;
  void* data = nullptr;
  a.ok(napi_create_arraybuffer(a.env, length, &data, &buffer), "no memory for the result");
  a.ok(napi_create_typedarray(a.env, napi_uint8_array, length, buffer, 0, &array), "value cannot be made");
  return static_cast<uint8_t*>(data);
}

inline TypedArray typed_array(const Arguments& a, napi_value value, size_t width, const char* what) {
  TypedArray array;
  Arguments::need(read_typed_array(a, value, array) && element_bytes(array.type) == width, what);
  return array;
}

inline StringTable read_strings(const Arguments& a, napi_value value) {
  const TypedArray bytes = typed_array(a, value, 1, "the strings are not in a Uint8Array");
  return StringTable(static_cast<const uint8_t*>(bytes.data), bytes.length);
}

/** Reads three arguments: bytes, offset of each string in `bytes`, length of each string. */
inline PlacedStrings read_placed_strings(const Arguments& a) {
  const TypedArray bytes = typed_array(a, a.values[0], 1, "the bytes are not in a Uint8Array");
  const TypedArray offsets = typed_array(a, a.values[1], 4, "the offsets are not in a Uint32Array");
  const TypedArray lengths = typed_array(a, a.values[2], 4, "the lengths are not in a Uint32Array");
  Arguments::need(offsets.length == lengths.length && lengths.length < UINT32_MAX, "expected as many lengths as offsets");
  const auto *starts = static_cast<const uint32_t*>(offsets.data), *sizes = static_cast<const uint32_t*>(lengths.data);
  for (size_t at = 0; at < lengths.length; at++)
    Arguments::need(uint64_t{starts[at]} + sizes[at] <= bytes.length, "a string outside of the bytes");
  return {static_cast<const uint8_t*>(bytes.data), starts, sizes, static_cast<uint32_t>(lengths.length)};
}

inline bool is_text(std::string_view text) {
  return is_valid_utf8(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

/** Returns strings as an encoded list in a Uint8Array. `text_of` returns the string at an index. */
template <class TextOf>
napi_value encoded_value(const Arguments& a, uint32_t count, TextOf text_of) {
  napi_value array = nullptr;
  encode_strings(count, text_of, [&](size_t length) { return new_bytes(a, length, array); });
  return array;
}

/**
 * Encodes strings. The arguments are: bytes, offset of each string in `bytes`, length of each
 * string. Returns undefined if a string is not UTF-8.
 */
inline napi_value strings_encode(Arguments& a) {
  const PlacedStrings strings = read_placed_strings(a);
  for (uint32_t at = 0; at < strings.count(); at++)
    if (!is_text(strings.at(at))) return nullptr;
  return encoded_value(a, strings.count(), [&](uint32_t at) { return strings.at(at); });
}

/**
 * Returns an object with the distinct strings of a list, and for each string of the list its index
 * among the distinct strings.
 */
template <class List>
napi_value distinct_value(const Arguments& a, const List& list, const DistinctStrings<List>& distinct) {
  napi_value object, buffer, numbers;
  void* to = nullptr;
  a.ok(napi_create_object(a.env, &object), "value cannot be made");
  const size_t length = distinct.numbers.size();
  a.ok(napi_create_arraybuffer(a.env, 4 * length, &to, &buffer), "no memory for the result");
  if (length > 0) memcpy(to, distinct.numbers.data(), 4 * length);
  a.ok(napi_create_typedarray(a.env, napi_int32_array, length, buffer, 0, &numbers), "value cannot be made");
  const auto count = static_cast<uint32_t>(distinct.firsts.size());
  set_property(a, object, "strings",
               encoded_value(a, count, [&](uint32_t at) { return list.at(distinct.firsts[at]); }));
  set_property(a, object, "numbers", numbers);
  return object;
}

/**
 * Returns the distinct strings of a list in order of first occurrence, and for each string of the
 * list its index among the distinct strings. The argument is the list. Returns undefined for a list
 * that is malformed or not UTF-8.
 */
inline napi_value strings_distinct(Arguments& a) {
  const StringTable table = read_strings(a, a.values[0]);
  if (!table.is_sound()) return nullptr;
  return distinct_value(a, table, DistinctStrings(table));
}

/**
 * Finds distinct strings as `strings_distinct` does, but reads the strings from a buffer. Takes the
 * arguments of `strings_encode`. Returns undefined if a string is not UTF-8.
 */
inline napi_value strings_distinct_at(Arguments& a) {
  const PlacedStrings strings = read_placed_strings(a);
  const DistinctStrings distinct(strings);
  for (const uint32_t first : distinct.firsts)
    if (!is_text(strings.at(first))) return nullptr;
  return distinct_value(a, strings, distinct);
}

/**
 * Builds the blob of a dictionary. The argument is the source. Returns undefined for a source that
 * packages/text rejects.
 */
inline napi_value dictionary_build(Arguments& a) {
  const napi_value object = a.values[0];
  const auto number_of = [&](const char* name) {
    const double value = read_number(a, property(a, object, name), "expected a number");
    // other sizes become 0: build_dictionary rejects them, and packages/text decides
    return value >= 0 && value <= INT32_MAX && value == std::floor(value) ? static_cast<uint32_t>(value) : 0;
  };
  const StringTable tokens = read_strings(a, property(a, object, "tokens"));
  const TypedArray grams = typed_array(a, property(a, object, "grams"), 4, "the n-grams are not in an Int32Array");
  const TypedArray columns = typed_array(a, property(a, object, "columns"), 4, "the columns are not in an Int32Array");
  std::vector<uint32_t> gram_counts;
  for (const int32_t count : integers(a, object, "gramCounts")) {
    Arguments::need(count >= 0, "a negative number of n-grams");
    gram_counts.push_back(static_cast<uint32_t>(count));
  }
  const napi_value counted = property(a, object, "frequency");
  const uint32_t column_count = number_of("columnCount");
  TypedArray frequency{};
  if (!is_undefined(a, counted)) {
    frequency = typed_array(a, counted, 4, "the frequencies are not in an Int32Array");
    if (frequency.length != column_count) return nullptr;
  }
  if (!tokens.is_sound()) return nullptr;
  const DictionarySource source{read_string(a, property(a, object, "unit"), "expected a unit") == "word",
                                tokens,
                                static_cast<const uint32_t*>(grams.data),
                                grams.length,
                                std::move(gram_counts),
                                static_cast<const uint32_t*>(columns.data),
                                columns.length,
                                column_count,
                                number_of("minN"),
                                number_of("maxN"),
                                static_cast<const int32_t*>(frequency.data)};
  BuiltDictionary built;
  if (!build_dictionary(source, built)) return nullptr;
  napi_value array;
  built.write(new_bytes(a, built.bytes, array));
  return array;
}

}  // namespace brezel
