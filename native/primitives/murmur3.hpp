// MurmurHash3_x86_32 (Austin Appleby, public domain): the hash of scikit-learn's and ML.NET's
// hashed features.
#pragma once

#include "isa/region.hpp"
#include "primitives/bytes.hpp"
#include "primitives/hash.hpp"

BREZEL_ISA_BEGIN

/**
 * Returns the 32-bit MurmurHash3 of `bytes`. May read up to four bytes after the end, whose values
 * do not matter. Without this read, a loop over the last bytes would be necessary, and the
 * processor would mispredict its end most of the time.
 */
static uint32_t murmur3_32(const uint8_t* bytes, uint32_t length, uint32_t seed) {
  constexpr uint32_t c1 = 0xCC9E2D51u, c2 = 0x1B873593u;
  uint32_t h = seed, at = 0;
  for (; at + 4 <= length; at += 4) {
    h ^= rotate_left(load_u32(bytes + at) * c1, 15) * c2;
    h = rotate_left(h, 13) * 5 + 0xE6546B64u;
  }
  const uint32_t tail = load_u32(bytes + at) & ((uint32_t{1} << (length & 3) * 8) - 1);
  h ^= rotate_left(tail * c1, 15) * c2;  // no effect without a tail
  return mix(h ^ length);
}

BREZEL_ISA_END
