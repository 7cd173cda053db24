// Vectors of eight rows for walks through forests (forest_lanes.hpp).
#pragma once

#include "isa/region.hpp"

BREZEL_ISA_BEGIN

#if BREZEL_LEVEL == 2
using FloatLanes = __m256;
using IndexLanes = __m256i;
using MaskLanes = uint32_t;  // a bit for each lane

ALWAYS_INLINE FloatLanes load_lanes(const float* from) { return _mm256_loadu_ps(from); }
ALWAYS_INLINE void store_lanes(float* to, FloatLanes from) { _mm256_storeu_ps(to, from); }
ALWAYS_INLINE void store_lanes(uint32_t* to, IndexLanes from) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), from);
}
ALWAYS_INLINE FloatLanes add_lanes(FloatLanes a, FloatLanes b) { return _mm256_add_ps(a, b); }
ALWAYS_INLINE FloatLanes as_floats(IndexLanes bits) { return _mm256_castsi256_ps(bits); }
ALWAYS_INLINE IndexLanes broadcast(uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
ALWAYS_INLINE IndexLanes subtract(IndexLanes a, IndexLanes b) { return _mm256_sub_epi32(a, b); }
ALWAYS_INLINE IndexLanes mask_bits(IndexLanes a, IndexLanes b) { return _mm256_and_si256(a, b); }
ALWAYS_INLINE IndexLanes add_lanes(IndexLanes a, IndexLanes b) { return _mm256_add_epi32(a, b); }
ALWAYS_INLINE IndexLanes load_lanes(const uint32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
/**
 * Clears all bits except `kept` in the lanes whose value is at most `threshold`. Other lanes, and
 * lanes with NaN, stay unchanged.
 */
ALWAYS_INLINE IndexLanes keep_bits(IndexLanes bits, FloatLanes value, float threshold, uint32_t kept) {
  const __m256 is_low = _mm256_cmp_ps(value, _mm256_set1_ps(threshold), _CMP_LE_OQ);
  return _mm256_andnot_si256(mask_bits(_mm256_castps_si256(is_low), broadcast(~kept)), bits);
}
/**
 * Returns the index of the lowest set bit in each lane. Every lane must have a set bit. The bit is
 * a power of two, so the exponent of the bit as a float is the index.
 */
ALWAYS_INLINE IndexLanes lowest_bit(IndexLanes bits) {
  const IndexLanes lowest = mask_bits(bits, subtract(broadcast(0), bits));
  const IndexLanes power = _mm256_castps_si256(_mm256_cvtepi32_ps(lowest));  // bit 31 gives -2^31
  return subtract(mask_bits(_mm256_srli_epi32(power, 23), broadcast(0xFF)), broadcast(127));
}
ALWAYS_INLINE IndexLanes lane_numbers() { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
/** Returns the lanes in which the bit of `bits` with index `at` is set. */
ALWAYS_INLINE MaskLanes has_bit(uint32_t bits, IndexLanes at) {
  const IndexLanes shifted = _mm256_slli_epi32(_mm256_srlv_epi32(broadcast(bits), at), 31);
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(shifted)));
}
/** For each lane, returns the number of `table` with index `at`. The table has 32 numbers. */
ALWAYS_INLINE IndexLanes pick_32(const uint32_t* table, IndexLanes at) {
  const auto eight = [&](int first) { return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(load_lanes(table + first), at)); };
  const __m256 bit_3 = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28)), bit_4 = _mm256_castsi256_ps(_mm256_slli_epi32(at, 27));
  const __m256 low = _mm256_blendv_ps(eight(0), eight(8), bit_3), high = _mm256_blendv_ps(eight(16), eight(24), bit_3);
  return _mm256_castps_si256(_mm256_blendv_ps(low, high, bit_4));
}
/** For each set of lanes, the indices of these lanes, without gaps. */
struct LaneLists {
  uint64_t lists[256];
  constexpr LaneLists() : lists{} {
    for (uint32_t lanes = 0; lanes < 256; lanes++) {
      uint32_t count = 0;
      for (uint32_t lane = 0; lane < 8; lane++)
        if (lanes >> lane & 1) lists[lanes] |= uint64_t{lane} << (8 * count++);
    }
  }
};
constexpr LaneLists kLaneLists;
/**
 * Stores the lanes that `which` selects, without gaps, and then unspecified numbers up to a full
 * vector. Returns the number of selected lanes.
 */
ALWAYS_INLINE uint32_t store_some(uint32_t* to, MaskLanes which, IndexLanes from) {
  const __m128i list = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kLaneLists.lists + which));
  store_lanes(to, _mm256_permutevar8x32_epi32(from, _mm256_cvtepu8_epi32(list)));
  return static_cast<uint32_t>(__builtin_popcount(which));
}
#endif

BREZEL_ISA_END
