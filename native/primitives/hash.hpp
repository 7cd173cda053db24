// The hashes of the dictionary blob. A hash only selects a bucket. Comparing keys decides whether
// an entry matches.
#pragma once

#include "isa/region.hpp"
#include "primitives/bytes.hpp"

BREZEL_ISA_BEGIN

constexpr uint32_t kC0 = 0x9E3779B1u, kC1 = 0x85EBCA77u, kC2 = 0xC2B2AE3Du, kC3 = 0x27D4EB2Fu;

ALWAYS_INLINE uint32_t rotate_left(uint32_t value, int by) { return value << by | value >> (32 - by); }

/** Mixes the bits of a hash with the finalizer of MurmurHash3. */
ALWAYS_INLINE uint32_t mix(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85EBCA6Bu;
  h ^= h >> 13;
  h *= 0xC2B2AE35u;
  return h ^ h >> 16;
}

ALWAYS_INLINE uint32_t hash_16_bytes(uint64_t low, uint64_t high, uint32_t seed) {
  const auto w0 = static_cast<uint32_t>(low), w1 = static_cast<uint32_t>(low >> 32);
  const auto w2 = static_cast<uint32_t>(high), w3 = static_cast<uint32_t>(high >> 32);
  return mix(w0 * kC0 ^ rotate_left(w1 * kC1, 8) ^ rotate_left(w2 * kC2, 16) ^ rotate_left(w3 * kC3, 24) ^ seed);
}

ALWAYS_INLINE uint32_t hash_gram(uint32_t parent, uint32_t symbol, uint32_t seed) {
  return mix(parent * kC0 ^ rotate_left(symbol * kC1, 16) ^ seed);
}

ALWAYS_INLINE uint32_t bucket_of(uint32_t hash, uint32_t buckets) {
  return static_cast<uint32_t>(uint64_t{hash} * buckets >> 32);
}

/** Returns the hash of a word of more than 15 bytes. It chains the hashes of 16-byte pieces. */
static uint32_t hash_long_word(const uint8_t* word, uint32_t length, uint32_t seed) {
  uint32_t h = seed;
  for (uint32_t at = 0; at < length; at += 16) {
    const uint32_t left = length - at < 16 ? length - at : 16;
    const uint64_t low = low_bytes(load_u64(word + at), left < 8 ? left : 8);
    const uint64_t high = low_bytes(load_u64(word + at + 8), left < 8 ? 0 : left - 8);
    h = hash_16_bytes(low, high, h);
  }
  return mix(h ^ length);
}

BREZEL_ISA_END
