// The few operations that compilers do not vectorize well, for each instruction set. All other code
// is plain C++.
#pragma once

#include "isa/region.hpp"
#include "primitives/bytes.hpp"

BREZEL_ISA_BEGIN

#if BREZEL_LEVEL >= 5
constexpr int kVectorFloats = 16;
#elif BREZEL_LEVEL == 2
constexpr int kVectorFloats = 8;
#else
constexpr int kVectorFloats = 4;
#endif

/** A table of 128 bytes that translates an ASCII byte to another byte. */
struct AsciiTable {
#if BREZEL_LEVEL >= 6
  __m512i low, high;
#elif BREZEL_LEVEL == 5
  __m512i rows[8];
#elif BREZEL_LEVEL == 2
  __m256i rows[8];
#else
  const uint8_t* bytes;
#endif
};

ALWAYS_INLINE AsciiTable load_ascii_table(const uint8_t* bytes) {
  AsciiTable table;
#if BREZEL_LEVEL >= 6
  table.low = _mm512_loadu_si512(bytes);
  table.high = _mm512_loadu_si512(bytes + 64);
#elif BREZEL_LEVEL == 5
  for (int row = 0; row < 8; row++) {
    table.rows[row] = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + row * 16)));
  }
#elif BREZEL_LEVEL == 2
  for (int row = 0; row < 8; row++) {
    table.rows[row] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + row * 16)));
  }
#else
  table.bytes = bytes;
#endif
  return table;
}

// A shuffle looks up sixteen entries and returns 0 where bit 7 of its index is set. Each row of the
// table translates its sixteen bytes, and the results are combined with OR. Adding 0x70 with
// saturation sets bit 7 of every index outside 0 to 15. Negative indices are large unsigned
// numbers, so the addition sets their bit 7 too.
#if BREZEL_LEVEL == 2
ALWAYS_INLINE __m256i translate_32(const AsciiTable& table, __m256i bytes) {
  __m256i result = _mm256_setzero_si256();
  for (int row = 0; row < 8; row++) {
    const __m256i in_row = _mm256_sub_epi8(bytes, _mm256_set1_epi8(static_cast<char>(row * 16)));
    const __m256i index = _mm256_adds_epu8(in_row, _mm256_set1_epi8(0x70));
    result = _mm256_or_si256(result, _mm256_shuffle_epi8(table.rows[row], index));
  }
  return result;
}
#elif BREZEL_LEVEL == 5
ALWAYS_INLINE __m512i translate_64(const AsciiTable& table, __m512i bytes) {
  __m512i result = _mm512_setzero_si512();
  for (int row = 0; row < 8; row++) {
    const __m512i in_row = _mm512_sub_epi8(bytes, _mm512_set1_epi8(static_cast<char>(row * 16)));
    const __m512i index = _mm512_adds_epu8(in_row, _mm512_set1_epi8(0x70));
    result = _mm512_or_si512(result, _mm512_shuffle_epi8(table.rows[row], index));
  }
  return result;
}
#elif BREZEL_LEVEL >= 6
ALWAYS_INLINE __m512i translate_64(const AsciiTable& table, __m512i bytes) {
  return _mm512_permutex2var_epi8(table.low, bytes, table.high);
}
#endif

/** Returns whether 64 bytes are all ASCII. */
ALWAYS_INLINE bool is_ascii_block(const uint8_t* from) {
#if BREZEL_LEVEL >= 5
  return _mm512_movepi8_mask(_mm512_loadu_si512(from)) == 0;
#else
  uint64_t all = 0;
  for (int at = 0; at < 64; at += 8) all |= load_u64(from + at);
  return (all & 0x8080808080808080ull) == 0;
#endif
}

/** Translates 64 ASCII bytes with a table. */
ALWAYS_INLINE void translate_block(const AsciiTable& table, const uint8_t* from, uint8_t* to) {
#if BREZEL_LEVEL >= 5
  _mm512_storeu_si512(to, translate_64(table, _mm512_loadu_si512(from)));
#elif BREZEL_LEVEL == 2
  for (int at = 0; at < 64; at += 32) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at), translate_32(table, bytes));
  }
#else
  for (int at = 0; at < 64; at++) to[at] = table.bytes[from[at]];
#endif
}

/**
 * Looks up 64 ASCII bytes in a table with entries 0 and 1. Returns the entry of byte i in bit i.
 */
ALWAYS_INLINE uint64_t test_block(const AsciiTable& table, const uint8_t* from) {
#if BREZEL_LEVEL >= 5
  const __m512i flags = translate_64(table, _mm512_loadu_si512(from));
  return _mm512_test_epi8_mask(flags, flags);
#elif BREZEL_LEVEL == 2
  uint64_t mask = 0;
  for (int at = 0; at < 64; at += 32) {
    const __m256i flags = translate_32(table, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at)));
    const auto bits = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_slli_epi16(flags, 7)));
    mask |= uint64_t{bits} << at;
  }
  return mask;
#else
  uint64_t mask = 0;
  for (int at = 0; at < 64; at++) mask |= uint64_t{table.bytes[from[at]]} << at;
  return mask;
#endif
}

#if BREZEL_LEVEL >= 5
/** Loads 16 symbols as 32-bit numbers. */
ALWAYS_INLINE __m512i widen_16(const uint32_t* from) { return _mm512_loadu_si512(from); }
ALWAYS_INLINE __m512i widen_16(const uint8_t* from) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
#endif

BREZEL_ISA_END
