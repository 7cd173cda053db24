// Functions for repeated fields of protobuf messages.
#pragma once

#include <node_api.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "src/boundary/strings.hpp"
#include "src/boundary/values.hpp"
#include "src/wire.hpp"

namespace brezel {

/**
 * Reads a position, at most `most`. packages/onnx stores positions as uint32, so messages of more
 * than 4 GiB are rejected.
 */
inline size_t read_position(const Arguments& a, napi_value value, size_t most) {
  const double position = read_number(a, value, "expected a position");
  Arguments::need(position >= 0 && position <= static_cast<double>(most) && position == std::floor(position),
                  "a position outside of the bytes");
  return static_cast<size_t>(position);
}

/** Reads the first four arguments: bytes, position, end of the message, tag. */
inline WireRun read_run(const Arguments& a) {
  const TypedArray bytes = typed_array(a, a.values[0], 1, "the bytes are not in a Uint8Array");
  Arguments::need(bytes.length <= UINT32_MAX, "more than 4 GiB");
  const size_t end = read_position(a, a.values[2], bytes.length);
  const size_t at = read_position(a, a.values[1], end);
  const double tag = read_number(a, a.values[3], "expected a tag");
  Arguments::need(tag >= 0 && tag < 0x80 && tag == std::floor(tag), "a tag of more than one byte");
  return {static_cast<const uint8_t*>(bytes.data), at, end, static_cast<uint8_t>(tag)};
}

/** Creates a typed array of 4-byte elements and returns its memory. */
template <class T>
T* new_words(const Arguments& a, napi_typedarray_type type, size_t length, napi_value& array) {
  napi_value buffer;
  void* data = nullptr;
  a.ok(napi_create_arraybuffer(a.env, 4 * length, &data, &buffer), "no memory for the result");
  a.ok(napi_create_typedarray(a.env, type, length, buffer, 0, &array), "value cannot be made");
  return static_cast<T*>(data);
}

/**
 * Copies the numbers of a repeated field. The arguments are the arguments of `read_run`, then the
 * size of a number in bytes.
 */
inline napi_value wire_numbers(Arguments& a) {
  const WireRun run = read_run(a);
  const double width = read_number(a, a.values[4], "expected a width");
  Arguments::need(width == 4 || width == 8, "the width is not 4 or 8");
  const size_t count = count_fixed(run, static_cast<size_t>(width));
  napi_value array;
  uint8_t* to = new_bytes(a, count * static_cast<size_t>(width), array);
  if (width == 4)
    copy_fixed<4>(run, count, to);
  else
    copy_fixed<8>(run, count, to);
  return array;
}

/**
 * Counts the varints of a repeated field. The arguments are the arguments of `read_run`. The tag of
 * a packed field is 0.
 */
inline napi_value wire_varints(Arguments& a) {
  const Varints found(read_run(a));
  return object_of(a, {{"count", found.count}, {"end", found.end}});
}

/**
 * Decodes the varints of several ranges. The arguments are the bytes, the ranges, the number of
 * varints. A range is two numbers: its start and its end. For a packed field, whose varints have no
 * tags, JavaScript adds 2^31 to the start. Returns undefined if a varint is not an int32.
 */
inline napi_value wire_integers(Arguments& a) {
  constexpr uint32_t kPacked = uint32_t{1} << 31;  // PACKED of packages/onnx
  const TypedArray bytes = typed_array(a, a.values[0], 1, "the bytes are not in a Uint8Array");
  const TypedArray ranges = typed_array(a, a.values[1], 4, "the ranges are not in a Uint32Array");
  const size_t count = read_position(a, a.values[2], bytes.length);
  const auto *from = static_cast<const uint8_t*>(bytes.data);
  const auto *range = static_cast<const uint32_t*>(ranges.data);
  napi_value array;
  int32_t* to = new_words<int32_t>(a, napi_int32_array, count, array);
  size_t done = 0;
  for (size_t index = 0; index + 1 < ranges.length; index += 2) {
    const size_t gap = range[index] >= kPacked ? 0 : 1;
    const size_t end = range[index + 1];
    Arguments::need(end <= bytes.length, "a range outside of the bytes");
    for (size_t at = range[index] % kPacked; at < end; at += gap) {
      int64_t value = 0;
      at = read_varint(from, at, end, value);
      Arguments::need(at != 0 && done < count, "the ranges do not hold as many integers");
      if (value != static_cast<int32_t>(value)) return nullptr;
      to[done++] = static_cast<int32_t>(value);
    }
  }
  Arguments::need(done == count, "the ranges do not hold as many integers");
  return array;
}

/**
 * Counts the adjacent strings of a repeated field. The arguments are the arguments of `read_run`.
 */
inline napi_value wire_count_strings(Arguments& a) {
  size_t count = 0;
  const size_t end = visit_strings(read_run(a), [&](size_t, size_t) { count++; });
  return object_of(a, {{"count", count}, {"end", end}});
}

/**
 * Finds the adjacent strings of a repeated field. The arguments are the arguments of `read_run`.
 */
inline napi_value wire_strings(Arguments& a) {
  const WireRun run = read_run(a);
  size_t count = 0;
  visit_strings(run, [&](size_t, size_t) { count++; });
  napi_value object, offsets, lengths;
  uint32_t* offset = new_words<uint32_t>(a, napi_uint32_array, count, offsets);
  uint32_t* length = new_words<uint32_t>(a, napi_uint32_array, count, lengths);
  // Another thread may write to shared bytes between the passes.
  size_t done = 0;
  visit_strings(run, [&](size_t start, size_t size) {
    Arguments::need(done < count, "the bytes changed while they were read");
    offset[done] = static_cast<uint32_t>(start);
    length[done++] = static_cast<uint32_t>(size);
  });
  Arguments::need(done == count, "the bytes changed while they were read");
  a.ok(napi_create_object(a.env, &object), "value cannot be made");
  set_property(a, object, "offsets", offsets);
  set_property(a, object, "lengths", lengths);
  return object;
}

}  // namespace brezel
