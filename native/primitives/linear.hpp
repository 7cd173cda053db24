// Products of a row with a feature-major matrix [size, outputs], in the order of lane_sum.hpp.
// `Entries` returns the feature index of term j: the j-th id of a sparse row, or j for a dense row.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/lane_sum.hpp"

BREZEL_ISA_BEGIN

struct SparseEntries {
  const uint32_t* ids;
  size_t feature(size_t term) const { return ids[term]; }
};

struct DenseEntries {
  size_t feature(size_t term) const { return term; }
};

// how many terms ahead weights are prefetched: adding this many terms takes a few hundred
// nanoseconds, longer than a memory load
constexpr size_t kPrefetchAhead = 64;
// up to this many weights are not prefetched: they take a quarter of a megabyte, which stays in the
// second-level cache
constexpr size_t kNearWeights = 64 * 1024;

static void prefetch_weights(const float* weights, const uint32_t* ids, size_t from, size_t to) {
  for (size_t ahead = from; ahead < to; ahead++) __builtin_prefetch(weights + ids[ahead]);
}

/**
 * Computes one output of a sparse row: the dot product of `values` with `weights` at `ids`. `size`
 * is the number of weights.
 */
static float gather_dot(const float* values, const uint32_t* ids, const float* weights, size_t size, size_t count) {
  Float16 sums = zero_16();
  size_t at = 0;
  // how many of the terms have prefetched weights: all or none
  const size_t prefetched = size > kNearWeights ? count : 0;
  prefetch_weights(weights, ids, 0, prefetched < kPrefetchAhead ? prefetched : kPrefetchAhead);
  for (; at + 16 <= count; at += 16) {
    const size_t end = at + 16 + kPrefetchAhead;
    if (end <= prefetched) prefetch_weights(weights, ids, end - 16, end);
    add_products(sums, load_16(values + at), gather_16(weights, ids + at));
  }
  if (at < count) {
    float tail[16] = {};
    for (size_t lane = 0; at + lane < count; lane++) tail[lane] = values[at + lane] * weights[ids[at + lane]];
    add_terms(sums, load_16(tail));
  }
  float result;
  fold<1>(sums, &result);
  return result;
}

/** Returns how many lanes hold partial sums of each output, for 2 to 8 outputs. */
constexpr int lanes_of(int outputs) { return outputs == 2 ? 8 : outputs <= 4 ? 4 : 2; }

/**
 * Adds terms in groups of `lanes`, until fewer than `lanes` terms remain. Returns the index of the
 * first remaining term. The partial sum of term j and output c has index (j mod lanes) * outputs +
 * c.
 */
template <int outputs, class Entries>
static size_t add_lanes(const float* values, Entries entries, const float* weights, size_t count, float* sums) {
  constexpr int lanes = lanes_of(outputs);
  size_t at = 0;
  for (; at + lanes <= count; at += lanes) {
    for (int lane = 0; lane < lanes; lane++) {
      const float value = values[at + lane];
      const float* row = weights + entries.feature(at + lane) * outputs;
      for (int output = 0; output < outputs; output++) {
        sums[lane * outputs + output] = sums[lane * outputs + output] + value * row[output];
      }
    }
  }
  return at;
}

#if BREZEL_LEVEL >= 2
/**
 * For each of the 16 lanes, the index of the value that the lane multiplies by a weight. A value
 * fills as many adjacent lanes as there are outputs: with 2 outputs, the indices are 0, 0, 1, 1,
 * ...
 */
template <int outputs>
struct Places {
  int32_t of[16];
  constexpr Places() : of{} {
    for (int at = 0; at < lanes_of(outputs) * outputs; at++) of[at] = at / outputs;
  }
};

/**
 * Adds groups of terms of a dense row. The weights are already in the order of the partial sums, so
 * a group needs one permutation and one multiplication.
 */
template <int outputs>
static size_t add_lanes(const float* values, DenseEntries, const float* weights, size_t count, float* sums) {
  static constexpr Places<outputs> kPlaces;
  constexpr size_t lanes = lanes_of(outputs);
  size_t at = 0;
#if BREZEL_LEVEL >= 5
  const __m512i places = _mm512_loadu_si512(kPlaces.of);
  __m512 all = _mm512_setzero_ps();
  for (; at + lanes <= count; at += lanes) {
    const __m512 spread = _mm512_permutexvar_ps(places, _mm512_maskz_loadu_ps((1 << lanes) - 1, values + at));
    all = _mm512_add_ps(all, _mm512_mul_ps(spread, _mm512_loadu_ps(weights + at * outputs)));
  }
  _mm512_storeu_ps(sums, all);
#else
  const __m256i low_places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kPlaces.of));
  const __m256i high_places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kPlaces.of + 8));
  __m256 low = _mm256_setzero_ps(), high = _mm256_setzero_ps();
  for (; at + lanes <= count; at += lanes) {
    // only `lanes` of the 8 are used; the padding makes the load safe
    const __m256 some = _mm256_loadu_ps(values + at);
    const float* row = weights + at * outputs;
    low = _mm256_add_ps(low, _mm256_mul_ps(_mm256_permutevar8x32_ps(some, low_places), _mm256_loadu_ps(row)));
    high = _mm256_add_ps(high, _mm256_mul_ps(_mm256_permutevar8x32_ps(some, high_places), _mm256_loadu_ps(row + 8)));
  }
  _mm256_storeu_ps(sums, low);
  _mm256_storeu_ps(sums + 8, high);
#endif
  return at;
}
#endif

/** Computes 2 to 8 outputs. Each output is the sum of `lanes_of(outputs)` partial sums. */
template <int outputs, class Entries>
static void dot_few(const float* values, Entries entries, const float* weights, size_t count, float* results) {
  float sums[16] = {};
  size_t at = add_lanes<outputs>(values, entries, weights, count, sums);
  for (int lane = 0; at < count; at++, lane++) {
    const float* row = weights + entries.feature(at) * outputs;
    for (int output = 0; output < outputs; output++) {
      sums[lane * outputs + output] = sums[lane * outputs + output] + values[at] * row[output];
    }
  }
  for (int step = lanes_of(outputs) / 2; step >= 1; step /= 2) {
    for (int part = 0; part < step * outputs; part++) sums[part] = sums[part] + sums[part + step * outputs];
  }
  for (int output = 0; output < outputs; output++) results[output] = sums[output];
}

/**
 * Computes more than 8 outputs. Each sum adds its terms in order. A SIMD register holds the sums of
 * several outputs.
 */
template <class Entries>
static void dot_many(const float* values, Entries entries, const float* weights, size_t count, size_t outputs,
                     float* __restrict results) {
  for (size_t output = 0; output < outputs; output++) results[output] = 0;
  for (size_t term = 0; term < count; term++) {
    const float value = values[term];
    const float* __restrict row = weights + entries.feature(term) * outputs;
    for (size_t output = 0; output < outputs; output++) results[output] = results[output] + value * row[output];
  }
}

template <class Entries>
static void dot_outputs(const float* values, Entries entries, const float* weights, size_t count, size_t outputs,
                        float* results) {
  switch (outputs) {
    case 2:
      return dot_few<2>(values, entries, weights, count, results);
    case 3:
      return dot_few<3>(values, entries, weights, count, results);
    case 4:
      return dot_few<4>(values, entries, weights, count, results);
    case 5:
      return dot_few<5>(values, entries, weights, count, results);
    case 6:
      return dot_few<6>(values, entries, weights, count, results);
    case 7:
      return dot_few<7>(values, entries, weights, count, results);
    case 8:
      return dot_few<8>(values, entries, weights, count, results);
    default:
      return dot_many(values, entries, weights, count, outputs, results);
  }
}

/**
 * Computes the outputs of a linear model for row `row` of `column` and writes them to `results`.
 */
ALWAYS_INLINE void dot_row(const Column& column, const SlotType& type, const float* weights, size_t row, size_t outputs,
                           float* results) {
  if (type.kind == Kind::sparse) {
    const size_t start = column.offsets[row], count = column.offsets[row + 1] - start;
    const float* values = column.floats() + start;
    if (outputs == 1) {
      results[0] = gather_dot(values, column.ids + start, weights, type.size, count);
    } else {
      dot_outputs(values, SparseEntries{column.ids + start}, weights, count, outputs, results);
    }
  } else {
    const float* values = column.floats() + row * type.size;
    if (outputs == 1) {
      results[0] = dot(values, weights, type.size);
    } else {
      dot_outputs(values, DenseEntries{}, weights, type.size, outputs, results);
    }
  }
}

BREZEL_ISA_END
