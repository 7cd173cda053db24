// Tokens and their dictionary keys. A token is a maximal run of bytes whose class bits are set. It
// is stored as a byte range of the folded text.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/bytes.hpp"
#include "primitives/hash.hpp"
#include "primitives/text.hpp"

BREZEL_ISA_BEGIN

struct Tokens {
  uint32_t* bounds;  // start, end, start, end, ...
  uint32_t count;
};

/**
 * Writes the positions where the class bits change, in order. Starts and ends of tokens alternate.
 * Returns the number of positions.
 */
[[gnu::noinline]] static uint32_t find_bounds(const FoldedText& text, uint32_t* bounds) {
  uint32_t count = 0;
  uint64_t carry = 0;
  for (uint32_t start = 0; start < text.length; start += 64) {
    const uint64_t bits = text.class_bits[start / 64];
    uint64_t changes = bits ^ (bits << 1 | carry);
    carry = bits >> 63;
    const auto total = static_cast<uint32_t>(__builtin_popcountll(changes));
    // Writes eight positions at a time without a test. The next block overwrites extra positions.
    for (uint32_t done = 0; done < total; done += 8) {
      for (uint32_t at = 0; at < 8; at++) {
        bounds[count + done + at] = start + static_cast<uint32_t>(__builtin_ctzll(changes | uint64_t{1} << 63));
        changes &= changes - 1;
      }
    }
    count += total;
  }
  if (carry) bounds[count++] = text.length;
  return count;
}

static uint32_t count_code_points(const uint8_t* from, const uint8_t* end) {
  uint32_t count = 0;
  for (; from < end; from++) count += (*from & 0xC0) != 0x80;
  return count;
}

static Tokens tokenize(const FoldedText& text, uint32_t minimum_run, Scratch& scratch) {
  auto* bounds = scratch.bounds.reserve<uint32_t>(size_t{text.length} + 16, *scratch.growth);
  const uint32_t all = find_bounds(text, bounds) / 2;
  if (minimum_run <= 1) return {bounds, all};
  uint32_t count = 0;
  for (uint32_t token = 0; token < all; token++) {
    const uint32_t start = bounds[token * 2], end = bounds[token * 2 + 1];
    bounds[count * 2] = start;
    bounds[count * 2 + 1] = end;
    const uint32_t length = text.is_ascii ? end - start : count_code_points(text.bytes + start, text.bytes + end);
    count += length >= minimum_run;
  }
  return {bounds, count};
}

/**
 * The 16 bytes that identify a word in a word table. For a word of more than 15 bytes, the low half
 * is a hash, and the high half is the length and a mark.
 */
struct WordKey {
  uint64_t low, high;
  bool is_long() const { return high >> 56 == 0xFF; }
};

constexpr uint32_t kMaxWordBytes = 0xFFFFFF;

/** Returns the key of a word. 16 bytes at `word` must be readable even if the word is shorter. */
ALWAYS_INLINE WordKey key_of(const uint8_t* word, uint32_t length, uint32_t seed) {
  if (length > 15) [[unlikely]]
    return {hash_long_word(word, length, seed), uint64_t{(length & kMaxWordBytes) | 0xFF000000u} << 32};
  const uint64_t low = low_bytes(load_u64(word), length < 8 ? length : 8);
  const uint64_t high = low_bytes(load_u64(word + 8), length < 8 ? 0 : length - 8) | uint64_t{length} << 56;
  return {low, high};
}

ALWAYS_INLINE uint32_t hash_of(const WordKey& key, uint32_t seed) {
  return select(key.is_long(), static_cast<uint32_t>(key.low), hash_16_bytes(key.low, key.high, seed));
}

BREZEL_ISA_END
