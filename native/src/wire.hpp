// Repeated fields of protobuf messages. A run is a sequence of elements of one field, each with the
// same one-byte tag. The caller has read the tag of the first element. Each function reads the
// intact elements of a run and stops before another tag or a damaged element, which the caller
// then reads and reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace brezel {

/**
 * A run of adjacent elements of a repeated protobuf field: the position of the next element, the
 * end of the message, and the tag of the elements.
 */
struct WireRun {
  const uint8_t* bytes;
  size_t at;
  size_t end;
  uint8_t tag;

  /** Skips the tag of the next element. Returns false if the run ends here. */
  bool next() {
    if (at >= end || bytes[at] != tag) return false;
    at++;
    return true;
  }
};

/**
 * Returns the position after the varint at `at`, or 0 if it does not end within `most` bytes and
 * before `end`.
 */
inline size_t end_of_varint(const uint8_t* bytes, size_t at, size_t end, size_t most) {
  const size_t limit = end - at < most ? end : at + most;
  while (at < limit && bytes[at] >= 0x80) at++;
  return at < limit ? at + 1 : 0;
}

/** Returns the number of values in the run, each of `width` bytes. */
inline size_t count_fixed(WireRun run, size_t width) {
  size_t count = 0;
  do {
    if (run.end - run.at < width) break;
    run.at += width;
    count++;
  } while (run.next());
  return count;
}

/** Copies `count` numbers of `width` bytes. */
template <size_t width>
void copy_fixed(const WireRun& run, size_t count, uint8_t* to) {
  const uint8_t* from = run.bytes + run.at;
  for (size_t at = 0; at < count; at++) memcpy(to + at * width, from + at * (width + 1), width);
}

/** The varints of a run (adjacent elements of one field). With tag 0, the run is a packed field. */
struct Varints {
  size_t count = 0;
  size_t end;

  explicit Varints(WireRun run) : end(run.at) {
    const bool is_packed = run.tag == 0;
    while (run.at < run.end) {
      const size_t after = end_of_varint(run.bytes, run.at, run.end, 10);
      if (after == 0) return;
      end = run.at = after;
      count++;
      if (!is_packed && !run.next()) return;
    }
  }
};

/**
 * Reads a varint as int64. Returns the position after it, or 0 if it does not end within 10 bytes
 * and before `end`.
 */
inline size_t read_varint(const uint8_t* bytes, size_t at, size_t end, int64_t& value) {
  uint64_t bits = 0;
  for (unsigned shift = 0; shift < 70 && at < end; shift += 7) {
    const uint8_t byte = bytes[at++];
    if (shift < 64) bits |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) {
      value = static_cast<int64_t>(bits);
      return at;
    }
  }
  return 0;
}

/**
 * Calls `visit` with the position and the length of each string of the run. Returns the end of the
 * run.
 */
template <class Visit>
size_t visit_strings(WireRun run, Visit visit) {
  size_t done = run.at;
  do {
    const size_t start = end_of_varint(run.bytes, run.at, run.end, 5);
    int64_t length = 0;
    if (start == 0 || read_varint(run.bytes, run.at, start, length) == 0) break;
    if (length > UINT32_MAX || static_cast<uint64_t>(length) > run.end - start) break;
    visit(start, static_cast<size_t>(length));
    done = run.at = start + static_cast<size_t>(length);
  } while (run.next());
  return done;
}

}  // namespace brezel
