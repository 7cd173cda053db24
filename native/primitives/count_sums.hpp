// Sums of integer weights over the counts of a sparse row. Integer addition gives the same sum in
// any order. Sums are unsigned, so that they wrap around for unchecked weights from a
// file.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/linear.hpp"

BREZEL_ISA_BEGIN

/** The entries of one row. */
struct Counts {
  const uint32_t* ids;
  const float* values;
  size_t count;
};

constexpr float kMostCount = 16777216.0f;  // float32 numbers hold every integer up to 2^24

/** Returns the count that a value stands for: its integer part from 0 to 2^24, and 0 for NaN. */
ALWAYS_INLINE int64_t count_of(float value) {
  const float at_least = value > 0 ? value : 0;
  return static_cast<int32_t>(at_least < kMostCount ? at_least : kMostCount);
}

static void prefetch_integers(const int32_t* weights, const uint32_t* ids, size_t from, size_t to) {
  for (size_t ahead = from; ahead < to; ahead++) __builtin_prefetch(weights + ids[ahead]);
}

/** Returns the sum of the weights at `ids`. `size` is the number of weights. */
static uint64_t sum_occurrences(const uint32_t* ids, const int32_t* weights, size_t size, size_t count) {
  int64_t sums[8] = {};
  size_t at = 0;
  const size_t prefetched = size > kNearWeights ? count : 0;
  prefetch_integers(weights, ids, 0, prefetched < kPrefetchAhead ? prefetched : kPrefetchAhead);
  for (; at + 8 <= count; at += 8) {
    const size_t end = at + 8 + kPrefetchAhead;
    if (end <= prefetched) prefetch_integers(weights, ids, end - 8, end);
    for (int lane = 0; lane < 8; lane++) sums[lane] += weights[ids[at + lane]];
  }
  for (; at < count; at++) sums[0] += weights[ids[at]];
  uint64_t sum = 0;
  for (const int64_t part : sums) sum += static_cast<uint64_t>(part);
  return sum;
}

/** Returns the sum of `count * weight` of a row. */
static uint64_t sum_counts(const Counts& row, const int32_t* weights, size_t size) {
  uint64_t sum = 0;
  const size_t prefetched = size > kNearWeights ? row.count : 0;
  prefetch_integers(weights, row.ids, 0, prefetched < kPrefetchAhead ? prefetched : kPrefetchAhead);
  for (size_t at = 0; at < row.count; at++) {
    if (at + kPrefetchAhead < prefetched) __builtin_prefetch(weights + row.ids[at + kPrefetchAhead]);
    sum += static_cast<uint64_t>(count_of(row.values[at]) * weights[row.ids[at]]);
  }
  return sum;
}

/** Adds the sums of one row to `sums`, which has one sum for each output. */
static void add_counts(const Counts& row, bool each, const int32_t* weights, size_t size, size_t outputs,
                       uint64_t* __restrict sums) {
  if (outputs == 1) {
    sums[0] += each ? sum_occurrences(row.ids, weights, size, row.count) : sum_counts(row, weights, size);
    return;
  }
  for (size_t at = 0; at < row.count; at++) {
    const int64_t count = each ? 1 : count_of(row.values[at]);
    const int32_t* __restrict own = weights + size_t{row.ids[at]} * outputs;
    for (size_t output = 0; output < outputs; output++) sums[output] += static_cast<uint64_t>(count * own[output]);
  }
}

BREZEL_ISA_END
