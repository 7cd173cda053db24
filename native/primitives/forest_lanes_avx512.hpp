// Vectors of 16 rows for walks through forests (forest_lanes.hpp).
#pragma once

#include "isa/region.hpp"
#include "src/forest_blob.hpp"

BREZEL_ISA_BEGIN

#if BREZEL_LEVEL >= 5
using FloatLanes = __m512;
using IndexLanes = __m512i;
using MaskLanes = __mmask16;

ALWAYS_INLINE FloatLanes load_lanes(const float* from) { return _mm512_loadu_ps(from); }
ALWAYS_INLINE void store_lanes(float* to, FloatLanes from) { _mm512_storeu_ps(to, from); }
ALWAYS_INLINE void store_lanes(uint32_t* to, IndexLanes from) { _mm512_storeu_si512(to, from); }
ALWAYS_INLINE FloatLanes add_lanes(FloatLanes a, FloatLanes b) { return _mm512_add_ps(a, b); }
ALWAYS_INLINE FloatLanes as_floats(IndexLanes bits) { return _mm512_castsi512_ps(bits); }
ALWAYS_INLINE IndexLanes broadcast(uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }
ALWAYS_INLINE IndexLanes subtract(IndexLanes a, IndexLanes b) { return _mm512_sub_epi32(a, b); }
ALWAYS_INLINE IndexLanes mask_bits(IndexLanes a, IndexLanes b) { return _mm512_and_si512(a, b); }
ALWAYS_INLINE IndexLanes shift_right(IndexLanes a, uint32_t by) {
  return _mm512_srl_epi32(a, _mm_cvtsi32_si128(static_cast<int>(by)));
}
ALWAYS_INLINE IndexLanes twice(IndexLanes at) { return _mm512_add_epi32(at, at); }
ALWAYS_INLINE MaskLanes at_most(FloatLanes value, FloatLanes threshold) {
  return _mm512_cmp_ps_mask(value, threshold, _CMP_LE_OQ);
}
ALWAYS_INLINE MaskLanes at_most(FloatLanes value, float threshold) { return at_most(value, _mm512_set1_ps(threshold)); }
/** Adds one to the lanes where `low` is set. */
ALWAYS_INLINE IndexLanes add_one(IndexLanes at, MaskLanes low) {
  return _mm512_mask_add_epi32(at, low, at, _mm512_set1_epi32(1));
}
/**
 * Clears all bits except `kept` in the lanes whose value is at most `threshold`. Other lanes, and
 * lanes with NaN, stay unchanged.
 */
ALWAYS_INLINE IndexLanes keep_bits(IndexLanes bits, FloatLanes value, float threshold, uint32_t kept) {
  return _mm512_mask_and_epi32(bits, at_most(value, threshold), bits, broadcast(kept));
}
/** Returns the index of the lowest set bit in each lane. Every lane must have a set bit. */
ALWAYS_INLINE IndexLanes lowest_bit(IndexLanes bits) {
  const IndexLanes lowest = mask_bits(bits, subtract(broadcast(0), bits));
  return subtract(broadcast(31), _mm512_lzcnt_epi32(lowest));
}
ALWAYS_INLINE IndexLanes load_lanes(const uint32_t* from) { return _mm512_loadu_si512(from); }
ALWAYS_INLINE IndexLanes add_lanes(IndexLanes a, IndexLanes b) { return _mm512_add_epi32(a, b); }
ALWAYS_INLINE IndexLanes gather(const void* words, IndexLanes at) { return _mm512_i32gather_epi32(at, words, 4); }
/**
 * Loads the thresholds and links of nodes. One gather of whole nodes is cheaper than two gathers of
 * halves.
 */
ALWAYS_INLINE void gather_nodes(const ForestNode* nodes, IndexLanes at, FloatLanes& threshold, IndexLanes& link) {
  const __m512i first = _mm512_i32gather_epi64(_mm512_castsi512_si256(at), nodes, 8);
  const __m512i last = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(at, 1), nodes, 8);
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  threshold = as_floats(_mm512_permutex2var_epi32(first, even, last));
  link = _mm512_permutex2var_epi32(first, _mm512_add_epi32(even, broadcast(1)), last);
}
/** Loads one value of each lane's row. Every lane may read a different column. */
ALWAYS_INLINE FloatLanes gather_values(const float* block, IndexLanes column) {
  const IndexLanes lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_i32gather_ps(_mm512_add_epi32(_mm512_slli_epi32(column, 4), lane), block, 4);
}

// Operations for linked_blocks.hpp, which lists the walks that are not at a leaf.
ALWAYS_INLINE IndexLanes multiply(IndexLanes a, IndexLanes b) { return _mm512_mullo_epi32(a, b); }
ALWAYS_INLINE IndexLanes shift_left(IndexLanes a, uint32_t by) {
  return _mm512_sll_epi32(a, _mm_cvtsi32_si128(static_cast<int>(by)));
}
ALWAYS_INLINE IndexLanes lane_numbers() {
  return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
ALWAYS_INLINE MaskLanes is_zero(IndexLanes a) { return _mm512_testn_epi32_mask(a, a); }
/** Returns the lanes in which the bit of `bits` with index `at` is set. */
ALWAYS_INLINE MaskLanes has_bit(uint32_t bits, IndexLanes at) {
  return _mm512_test_epi32_mask(_mm512_srlv_epi32(broadcast(bits), at), broadcast(1));
}
/** For each lane, returns the number of `table` with index `at`. The table has 32 numbers. */
ALWAYS_INLINE IndexLanes pick_32(const uint32_t* table, IndexLanes at) {
  return _mm512_permutex2var_epi32(load_lanes(table), at, load_lanes(table + 16));
}
/** Returns a mask of the first `count` lanes, or of all lanes if `count` is larger. */
ALWAYS_INLINE MaskLanes first_lanes(uint32_t count) {
  return static_cast<MaskLanes>(count >= 16 ? 0xFFFF : (1u << count) - 1);
}
/** Loads the lanes that `which` selects. Other lanes are zero. */
ALWAYS_INLINE IndexLanes load_some(const uint32_t* from, MaskLanes which) {
  return _mm512_maskz_loadu_epi32(which, from);
}
/**
 * Stores the lanes that `which` selects, without gaps, and then unspecified numbers up to a full
 * vector. Returns the number of selected lanes. A store that compresses is a slow microprogram on
 * Zen 4.
 */
ALWAYS_INLINE uint32_t store_some(uint32_t* to, MaskLanes which, IndexLanes from) {
  store_lanes(to, _mm512_maskz_compress_epi32(which, from));
  return static_cast<uint32_t>(__builtin_popcount(which));
}
ALWAYS_INLINE void scatter(uint32_t* to, MaskLanes which, IndexLanes at, FloatLanes from) {
  _mm512_mask_i32scatter_ps(to, which, at, from, 4);
}

/**
 * Shuffles of registers can read the nodes of this many levels from the root. Deeper levels need a
 * gather.
 */
constexpr uint32_t kShuffledLevels = 8;

/**
 * For each lane, returns one of the first `1 << levels` numbers of `table`. The low bits of `at`
 * are the index of this number.
 */
template <uint32_t levels>
ALWAYS_INLINE IndexLanes pick_number(const uint32_t* table, IndexLanes at) {
  if constexpr (levels < 4) {
    const IndexLanes numbers = load_some(table, first_lanes(1u << levels));
    return _mm512_permutexvar_epi32(mask_bits(at, broadcast((1u << levels) - 1)), numbers);
  } else if constexpr (levels == 4) {
    return _mm512_permutexvar_epi32(at, load_lanes(table));
  } else if constexpr (levels == 5) {
    return pick_32(table, at);
  } else {
    const MaskLanes is_upper = _mm512_test_epi32_mask(at, broadcast(1u << (levels - 1)));
    return _mm512_mask_blend_epi32(is_upper, pick_number<levels - 1>(table, at),
                                   pick_number<levels - 1>(table + (1u << (levels - 1)), at));
  }
}

/**
 * For each lane, returns one of the two words of a node in a level of a perfect tree. The low bits
 * of `at` are the index of the word in the level.
 */
template <uint32_t level>
ALWAYS_INLINE IndexLanes pick_word(const ForestNode* tree, IndexLanes at) {
  return pick_number<level + 1>(reinterpret_cast<const uint32_t*>(tree + (1u << level)), at);
}
#endif

BREZEL_ISA_END
