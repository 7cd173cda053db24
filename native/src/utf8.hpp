// Validates UTF-8 from callers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace brezel {

/**
 * Returns the number of bytes of the valid sequence at `from`, or 0 if it is invalid. Do not call
 * it for ASCII. Overlong forms and surrogates are invalid.
 */
inline size_t valid_sequence(const uint8_t* from, size_t left) {
  const uint32_t lead = from[0];
  const size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                        : (lead & 0xF0) == 0xE0       ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  if (length == 0 || length > left) return 0;
  for (size_t at = 1; at < length; at++) {
    if ((from[at] & 0xC0) != 0x80) return 0;
  }
  if (lead == 0xE0 && from[1] < 0xA0) return 0;
  if (lead == 0xED && from[1] > 0x9F) return 0;
  if (lead == 0xF0 && from[1] < 0x90) return 0;
  if (lead == 0xF4 && from[1] > 0x8F) return 0;
  return length;
}

inline bool is_valid_utf8(const uint8_t* bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    uint64_t eight;
    if (at + 8 <= length && (memcpy(&eight, bytes + at, 8), (eight & 0x8080808080808080ull) == 0)) {
      at += 8;
    } else if (bytes[at] < 0x80) {
      at++;
    } else {
      const size_t sequence = valid_sequence(bytes + at, length - at);
      if (sequence == 0) return false;
      at += sequence;
    }
  }
  return true;
}

}  // namespace brezel
