// Vector operations for walks of several rows in parallel, with one row in each lane. A block holds
// its rows column by column, with `kVectorFloats` values for each column.
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
ALWAYS_INLINE MaskLanes choose(MaskLanes low, MaskLanes if_low, MaskLanes if_high) {
  return static_cast<MaskLanes>((if_low & low) | (if_high & ~low));
}
/** Adds one to the lanes where `low` is set. */
ALWAYS_INLINE IndexLanes add_one(IndexLanes at, MaskLanes low) {
  return _mm512_mask_add_epi32(at, low, at, _mm512_set1_epi32(1));
}
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

// Operations for walks that list their unfinished walks (linked_blocks.hpp).
ALWAYS_INLINE IndexLanes add_lanes(IndexLanes a, IndexLanes b) { return _mm512_add_epi32(a, b); }
ALWAYS_INLINE IndexLanes multiply(IndexLanes a, IndexLanes b) { return _mm512_mullo_epi32(a, b); }
ALWAYS_INLINE IndexLanes shift_left(IndexLanes a, uint32_t by) {
  return _mm512_sll_epi32(a, _mm_cvtsi32_si128(static_cast<int>(by)));
}
ALWAYS_INLINE IndexLanes load_lanes(const uint32_t* from) { return _mm512_loadu_si512(from); }
ALWAYS_INLINE IndexLanes lane_numbers() {
  return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
ALWAYS_INLINE MaskLanes is_zero(IndexLanes a) { return _mm512_testn_epi32_mask(a, a); }
/** Sets the bits `more` in the lanes that `which` selects. */
ALWAYS_INLINE IndexLanes set_bits(IndexLanes bits, MaskLanes which, uint32_t more) {
  return _mm512_mask_or_epi32(bits, which, bits, broadcast(more));
}
/** Returns 0 or 1 in each lane: the bit of `bits` with index `at`. */
ALWAYS_INLINE IndexLanes bit_at(IndexLanes bits, IndexLanes at) {
  return _mm512_and_si512(_mm512_srlv_epi32(bits, at), broadcast(1));
}
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
/** Stores the lanes that `which` selects, without gaps. Returns the number of stored lanes. */
ALWAYS_INLINE uint32_t store_some(uint32_t* to, MaskLanes which, IndexLanes from) {
  _mm512_mask_compressstoreu_epi32(to, which, from);
  return static_cast<uint32_t>(__builtin_popcount(which));
}
ALWAYS_INLINE void scatter(uint32_t* to, MaskLanes which, IndexLanes at, FloatLanes from) {
  _mm512_mask_i32scatter_ps(to, which, at, from, 4);
}

/**
 * Number of top tree levels that fit in registers. Reading a node there takes a shuffle, which
 * costs less than a gather.
 */
constexpr uint32_t kShuffledLevels = 7;

ALWAYS_INLINE IndexLanes load_words(const ForestNode* nodes) { return _mm512_loadu_si512(nodes); }

/**
 * For each lane, returns one of the 32-bit words of `8 << levels` nodes. The low bits of `at` are
 * the index of the word.
 */
template <uint32_t levels>
ALWAYS_INLINE IndexLanes pick_word(const ForestNode* nodes, IndexLanes at) {
  if constexpr (levels == 0) {
    return _mm512_permutexvar_epi32(at, load_words(nodes));
  } else if constexpr (levels == 1) {
    return _mm512_permutex2var_epi32(load_words(nodes), at, load_words(nodes + 8));
  } else {
    const MaskLanes is_upper = _mm512_test_epi32_mask(at, broadcast(8u << levels));
    return _mm512_mask_blend_epi32(is_upper, pick_word<levels - 1>(nodes, at),
                                   pick_word<levels - 1>(nodes + (4u << levels), at));
  }
}

#elif BREZEL_LEVEL == 2
using FloatLanes = __m256;
using IndexLanes = __m256i;
using MaskLanes = __m256;

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
ALWAYS_INLINE IndexLanes shift_right(IndexLanes a, uint32_t by) {
  return _mm256_srl_epi32(a, _mm_cvtsi32_si128(static_cast<int>(by)));
}
ALWAYS_INLINE IndexLanes twice(IndexLanes at) { return _mm256_add_epi32(at, at); }
ALWAYS_INLINE MaskLanes at_most(FloatLanes value, FloatLanes threshold) {
  return _mm256_cmp_ps(value, threshold, _CMP_LE_OQ);
}
ALWAYS_INLINE MaskLanes at_most(FloatLanes value, float threshold) { return at_most(value, _mm256_set1_ps(threshold)); }
ALWAYS_INLINE MaskLanes choose(MaskLanes low, MaskLanes if_low, MaskLanes if_high) {
  return _mm256_blendv_ps(if_high, if_low, low);
}
ALWAYS_INLINE IndexLanes add_one(IndexLanes at, MaskLanes low) {
  return _mm256_sub_epi32(at, _mm256_castps_si256(low));  // a set lane is -1
}
ALWAYS_INLINE IndexLanes gather(const void* words, IndexLanes at) {
  return _mm256_i32gather_epi32(static_cast<const int*>(words), at, 4);
}
ALWAYS_INLINE void gather_nodes(const ForestNode* nodes, IndexLanes at, FloatLanes& threshold, IndexLanes& link) {
  threshold = _mm256_i32gather_ps(&nodes->threshold, at, 8);
  link = _mm256_i32gather_epi32(reinterpret_cast<const int*>(&nodes->link), at, 8);
}
ALWAYS_INLINE FloatLanes gather_values(const float* block, IndexLanes column) {
  const IndexLanes lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_i32gather_ps(block, _mm256_add_epi32(_mm256_slli_epi32(column, 3), lane), 4);
}

constexpr uint32_t kShuffledLevels = 4;

ALWAYS_INLINE IndexLanes load_words(const ForestNode* nodes) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(nodes));
}

/**
 * For each lane, returns one of the 32-bit words of `8 << levels` nodes. The low bits of `at` are
 * the index of the word.
 */
template <uint32_t levels>
ALWAYS_INLINE IndexLanes pick_word(const ForestNode* nodes, IndexLanes at) {
  static_assert(levels == 0);
  const __m256 lower = as_floats(_mm256_permutevar8x32_epi32(load_words(nodes), at));
  const __m256 upper = as_floats(_mm256_permutevar8x32_epi32(load_words(nodes + 4), at));
  return _mm256_castps_si256(_mm256_blendv_ps(lower, upper, as_floats(_mm256_slli_epi32(at, 28))));
}
#endif

BREZEL_ISA_END
