// Vectors of four rows for walks through forests (forest_lanes.hpp): SSE2 or NEON.
#pragma once

#include "isa/region.hpp"

BREZEL_ISA_BEGIN

#if BREZEL_LEVEL == 0
using FloatLanes = float __attribute__((vector_size(16)));
using IndexLanes = uint32_t __attribute__((vector_size(16)));
using MaskLanes = uint32_t;  // a bit for each lane

template <class Lanes, class Number>
ALWAYS_INLINE Lanes load_vector(const Number* from) {
  Lanes lanes;
  __builtin_memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}
ALWAYS_INLINE FloatLanes load_lanes(const float* from) { return load_vector<FloatLanes>(from); }
ALWAYS_INLINE IndexLanes load_lanes(const uint32_t* from) { return load_vector<IndexLanes>(from); }
ALWAYS_INLINE void store_lanes(float* to, FloatLanes from) { __builtin_memcpy(to, &from, sizeof(from)); }
ALWAYS_INLINE void store_lanes(uint32_t* to, IndexLanes from) { __builtin_memcpy(to, &from, sizeof(from)); }
ALWAYS_INLINE FloatLanes add_lanes(FloatLanes a, FloatLanes b) { return a + b; }
ALWAYS_INLINE IndexLanes add_lanes(IndexLanes a, IndexLanes b) { return a + b; }
ALWAYS_INLINE FloatLanes as_floats(IndexLanes bits) { return reinterpret_cast<FloatLanes>(bits); }
ALWAYS_INLINE IndexLanes broadcast(uint32_t value) { return IndexLanes{value, value, value, value}; }
ALWAYS_INLINE IndexLanes lane_numbers() { return IndexLanes{0, 1, 2, 3}; }
/**
 * Clears all bits except `kept` in the lanes whose value is at most `threshold`. Other lanes, and
 * lanes with NaN, stay unchanged.
 */
ALWAYS_INLINE IndexLanes keep_bits(IndexLanes bits, FloatLanes value, float threshold, uint32_t kept) {
  const auto is_low = reinterpret_cast<IndexLanes>(value <= FloatLanes{threshold, threshold, threshold, threshold});
  return bits & (~is_low | kept);
}
/** Returns the index of the lowest set bit in each lane. Every lane must have a set bit. */
ALWAYS_INLINE IndexLanes lowest_bit(IndexLanes bits) {
  for (int lane = 0; lane < 4; lane++) bits[lane] = static_cast<uint32_t>(__builtin_ctz(bits[lane]));
  return bits;
}
/** Returns the lanes in which the bit of `bits` with index `at` is set. */
ALWAYS_INLINE MaskLanes has_bit(uint32_t bits, IndexLanes at) {
  MaskLanes lanes = 0;
  for (int lane = 0; lane < 4; lane++) lanes |= (bits >> at[lane] & 1) << lane;
  return lanes;
}
/** For each lane, returns the number of `table` with index `at`. */
ALWAYS_INLINE IndexLanes pick_32(const uint32_t* table, IndexLanes at) {
  return IndexLanes{table[at[0]], table[at[1]], table[at[2]], table[at[3]]};
}
/**
 * Stores the lanes that `which` selects, without gaps, and then unspecified numbers up to a full
 * vector. Returns the number of selected lanes.
 */
ALWAYS_INLINE uint32_t store_some(uint32_t* to, MaskLanes which, IndexLanes from) {
  uint32_t count = 0;
  for (int lane = 0; lane < 4; lane++) {
    to[count] = from[lane];
    count += which >> lane & 1;
  }
  return count;
}
#endif

BREZEL_ISA_END
