// The input of walks through packed forests (values of rows), and their output (sums of leaves).
#pragma once

#include "isa/region.hpp"
#include "primitives/forest_lanes.hpp"
#include "primitives/simd.hpp"
#include "src/forest_blob.hpp"

BREZEL_ISA_BEGIN

constexpr uint32_t kRowWalks = 16;  // rows that walk in parallel

/**
 * Copies from one row the values that the trees compare. NaN becomes -infinity in a column whose
 * NaN leads to the low child. `step` is the distance between two values in `to`.
 */
ALWAYS_INLINE void copy_row(const ForestBlob& forest, const float* row, float* to, size_t step) {
  for (uint32_t column = 0; column < forest.columns; column++) {
    const uint32_t source = forest.sources[column];
    const bool is_nan = source == kNanColumn;
    float value = row[is_nan ? 0 : source & ~kNanIsLow];
    if (source & kNanIsLow && value != value) value = -__builtin_inff();
    to[column * step] = is_nan ? __builtin_nanf("") : value;
  }
}

/** Adds the weights of a leaf of `tree` to the sums of one row. */
ALWAYS_INLINE void add_leaf(const ForestBlob& forest, uint32_t tree, uint32_t payload, float* sums) {
  if (forest.weight_rows) {
    const float* weights = forest.weight_table + size_t{payload} * forest.targets;
    for (uint32_t target = 0; target < forest.targets; target++) sums[target] = sums[target] + weights[target];
  } else {
    float& sum = sums[forest.tree_targets[tree]];
    sum = sum + __builtin_bit_cast(float, payload);
  }
}

/**
 * Rows in blocks of `kVectorFloats` rows. `values` holds the rows of a block column by column.
 * `sums` holds their sums target by target, or row by row if the forest has `weight_rows`.
 */
struct ForestBlocks {
  uint32_t count;
  size_t columns;
  float* values;
  float* sums;

  const float* block(uint32_t at) const { return values + size_t{at} * columns * kVectorFloats; }
};

ALWAYS_INLINE void add_leaves_of_block(const ForestBlob& forest, uint32_t tree, IndexLanes payload, float* sums) {
  if (!forest.weight_rows) {
    float* sum = sums + size_t{forest.tree_targets[tree]} * kVectorFloats;
    store_lanes(sum, add_lanes(load_lanes(sum), as_floats(payload)));
    return;
  }
  uint32_t rows[kVectorFloats];
  store_lanes(rows, payload);
  for (int lane = 0; lane < kVectorFloats; lane++) {
    const float* weights = forest.weight_table + size_t{rows[lane]} * forest.targets;
    // here the sums are row-major
    float* row_sums = sums + size_t{static_cast<uint32_t>(lane)} * forest.targets;
    for (uint32_t target = 0; target < forest.targets; target++) row_sums[target] = row_sums[target] + weights[target];
  }
}

BREZEL_ISA_END
