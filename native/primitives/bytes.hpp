// Unaligned little-endian loads, and selection without a branch.
#pragma once

#include "isa/region.hpp"

BREZEL_ISA_BEGIN

ALWAYS_INLINE uint64_t load_u64(const void* from) {
  uint64_t value;
  __builtin_memcpy(&value, from, 8);
  return value;
}

ALWAYS_INLINE uint32_t load_u32(const void* from) {
  uint32_t value;
  __builtin_memcpy(&value, from, 4);
  return value;
}

ALWAYS_INLINE bool bytes_equal(const uint8_t* a, const uint8_t* b, size_t count) {
  return __builtin_memcmp(a, b, count) == 0;
}

/** Returns `value` with all bytes after the first `length` (0 to 8) set to zero. */
ALWAYS_INLINE uint64_t low_bytes(uint64_t value, uint32_t length) {
#if BREZEL_LEVEL >= 2
  return _bzhi_u64(value, length * 8);
#else
  return length == 0 ? 0 : value & (~uint64_t{0} >> (64 - 8 * length));
#endif
}

/**
 * Returns `a` or `b` without a branch. Use it where a processor cannot predict the branch: a wrong
 * prediction costs as much as a dozen instructions.
 */
ALWAYS_INLINE uint32_t select(bool choose_a, uint32_t a, uint32_t b) {
  return b ^ ((a ^ b) & (0u - static_cast<uint32_t>(choose_a)));
}

BREZEL_ISA_END
