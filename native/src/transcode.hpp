// Transcodes text from UTF-16 to UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/region.hpp"
#include "primitives/text.hpp"

#if defined(BREZEL_X86)
#include <emmintrin.h>
#endif

namespace brezel {

/** Copies code units while they are ASCII, 16 at a time. Returns the number of copied units. */
inline size_t narrow_ascii(const char16_t* from, size_t count, uint8_t* to) {
  size_t at = 0;
#if defined(BREZEL_X86)
  const __m128i high_bits = _mm_set1_epi16(static_cast<short>(0xFF80));
  for (; at + 16 <= count; at += 16) {
    const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at + 8));
    const __m128i high = _mm_and_si128(_mm_or_si128(a, b), high_bits);
    if (_mm_movemask_epi8(_mm_cmpeq_epi16(high, _mm_setzero_si128())) != 0xFFFF) break;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), _mm_packus_epi16(a, b));
  }
#endif
  for (; at < count && from[at] < 0x80; at++) to[at] = static_cast<uint8_t>(from[at]);
  return at;
}

/** Returns the maximal number of bytes that `count` UTF-16 units need as UTF-8. */
constexpr size_t utf8_room(size_t count) { return count * 3; }

/** Transcodes text; a lone surrogate becomes U+FFFD. Returns the end of the written bytes. */
inline uint8_t* utf16_to_utf8(const char16_t* from, size_t count, uint8_t* to) {
  for (size_t at = 0; at < count;) {
    const size_t ascii = narrow_ascii(from + at, count - at, to);
    at += ascii;
    to += ascii;
    for (; at < count && from[at] >= 0x80; at++) {
      uint32_t code = from[at];
      if ((code & 0xF800) == 0xD800) {
        const bool is_pair = code < 0xDC00 && at + 1 < count && (from[at + 1] & 0xFC00) == 0xDC00;
        code = is_pair ? 0x10000 + ((code - 0xD800) << 10) + (from[++at] - 0xDC00) : 0xFFFD;
      }
      to += baseline::encode(code, to);
    }
  }
  return to;
}

}  // namespace brezel
