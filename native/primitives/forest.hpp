// Runs packed forests: prepares rows, walks to leaves, and adds the leaves to sums in the order of
// the trees.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/forest_lanes.hpp"
#include "primitives/forest_sums.hpp"
#include "primitives/linked_blocks.hpp"
#include "primitives/linked_walks.hpp"
#include "primitives/perfect_blocks.hpp"
#include "primitives/simd.hpp"
#include "primitives/tree_walk.hpp"
#include "src/forest_blob.hpp"

BREZEL_ISA_BEGIN

/**
 * Walks trees in groups of `walks` trees, starting at `tree`, and adds the leaves to `sums`. If the
 * last group is incomplete, stops before this group. Returns the index of the first tree that was
 * not walked.
 */
template <uint32_t walks, uint32_t fixed_depth>
ALWAYS_INLINE uint32_t add_groups(const ForestBlob& forest, const PerfectTrees& trees, uint32_t tree,
                                  const float* values, float* sums) {
  for (; tree + walks <= forest.trees; tree += walks) {
    uint32_t payloads[walks];
    trees.walk_trees<walks, fixed_depth>(tree, values, payloads);
    if (forest.targets == 1 && !forest.weight_rows) {
      float sum = sums[0];  // a register, because each addition waits for the previous one
      for (uint32_t walk = 0; walk < walks; walk++) sum = sum + __builtin_bit_cast(float, payloads[walk]);
      sums[0] = sum;
    } else {
      for (uint32_t walk = 0; walk < walks; walk++) add_leaf(forest, tree + walk, payloads[walk], sums);
    }
  }
  return tree;
}

/**
 * Walks all trees for one row, ten trees in parallel. Ten walks are enough to hide the latency of
 * memory loads.
 */
template <uint32_t fixed_depth>
static void add_trees_in_groups(const ForestBlob& forest, const PerfectTrees& trees, const float* values,
                                float* sums) {
  uint32_t tree = add_groups<10, fixed_depth>(forest, trees, 0, values, sums);
  tree = add_groups<4, fixed_depth>(forest, trees, tree, values, sums);
  add_groups<1, fixed_depth>(forest, trees, tree, values, sums);
}

static void add_trees_of_row(const ForestBlob& forest, const PerfectTrees& trees, const float* values, float* sums) {
  using Add = void (*)(const ForestBlob&, const PerfectTrees&, const float*, float*);
  static constexpr Add kOfDepth[] = {add_trees_in_groups<3>, add_trees_in_groups<4>, add_trees_in_groups<5>,
                                     add_trees_in_groups<6>, add_trees_in_groups<7>, add_trees_in_groups<8>,
                                     add_trees_in_groups<9>, add_trees_in_groups<10>};
  const uint32_t at = trees.depth - kMinPerfectDepth;
  (at < sizeof(kOfDepth) / sizeof(Add) ? kOfDepth[at] : add_trees_in_groups<0>)(forest, trees, values, sums);
}

/**
 * Walks several rows in parallel through one tree, then through the next tree. So one tree stays in
 * the cache for all rows.
 */
template <class Trees>
static void add_trees_of_groups(const ForestBlob& forest, const Trees& trees, const float* rows, size_t width,
                                uint32_t groups, float* sums) {
  for (uint32_t tree = 0; tree < forest.trees; tree++) {
    for (size_t first = 0; first < size_t{groups} * kRowWalks; first += kRowWalks) {
      uint32_t payloads[kRowWalks];
      trees.walk_rows(tree, rows + first * width, width, payloads);
      for (uint32_t walk = 0; walk < kRowWalks; walk++)
        add_leaf(forest, tree, payloads[walk], sums + (first + walk) * forest.targets);
    }
  }
}

/**
 * Adds the leaves of all trees to `sums`, for any number of rows. The caller sets `sums` to zero.
 */
template <class Trees>
static void add_trees_of_rows(Run& r, const ForestBlob& forest, const Trees& trees, const float* in, uint32_t rows,
                              float* sums) {
  size_t width = r.input_type(0).size;
  if (forest.columns) {
    float* copies = r.scratch.columns.template reserve<float>(size_t{rows} * forest.columns, *r.scratch.growth);
    for (uint32_t row = 0; row < rows; row++)
      copy_row(forest, in + row * width, copies + size_t{row} * forest.columns, 1);
    in = copies;
    width = forest.columns;
  }
  const uint32_t groups = rows / kRowWalks;
  add_trees_of_groups(forest, trees, in, width, groups, sums);
  for (size_t row = size_t{groups} * kRowWalks; row < rows; row++)
    add_trees_of_row(forest, trees, in + row * width, sums + row * forest.targets);
}

/**
 * Copies rows into blocks, column by column. Lanes after the last row hold copies of the last row.
 */
static void fill_blocks(const ForestBlob& forest, const float* in, uint32_t rows, size_t width,
                        const ForestBlocks& blocks) {
  for (uint32_t row = 0; row < blocks.count * kVectorFloats; row++) {
    const float* from = in + (row < rows ? row : rows - 1) * width;
    float* to = blocks.values + size_t{row / kVectorFloats} * blocks.columns * kVectorFloats + row % kVectorFloats;
    if (forest.columns) {
      copy_row(forest, from, to, kVectorFloats);
    } else {
      for (size_t column = 0; column < blocks.columns; column++) to[column * kVectorFloats] = from[column];
    }
  }
}

static void read_sums(const ForestBlob& forest, const ForestBlocks& blocks, uint32_t rows, float* out) {
  const uint32_t targets = forest.targets;
  for (uint32_t row = 0; row < rows; row++) {
    const float* sums = blocks.sums + size_t{row / kVectorFloats} * targets * kVectorFloats;
    const uint32_t lane = row % kVectorFloats;
    for (uint32_t target = 0; target < targets; target++) {
      out[size_t{row} * targets + target] =
          forest.weight_rows ? sums[size_t{lane} * targets + target] : sums[size_t{target} * kVectorFloats + lane];
    }
  }
}

/**
 * Sums the leaves for all rows in full blocks of `kVectorFloats` rows, and for the rows of a last
 * block that is at least half full. Returns the number of these rows.
 */
template <class Trees>
static uint32_t add_trees_of_full_blocks(Run& r, const ForestBlob& forest, const Trees& trees, const float* in,
                                         float* sums) {
  const uint32_t count = (r.rows + kVectorFloats / 2) / kVectorFloats;
  if (count == 0) return 0;
  const uint32_t rows = r.rows < count * kVectorFloats ? r.rows : count * kVectorFloats;
  const size_t columns = forest.columns ? forest.columns : forest.features ? forest.features : 1;
  const size_t sum_count = size_t{count} * forest.targets * kVectorFloats;
  ForestBlocks blocks{count, columns, nullptr, nullptr};
  blocks.values = r.scratch.columns.template reserve<float>(count * columns * kVectorFloats, *r.scratch.growth);
  blocks.sums = r.scratch.sums.template reserve<float>(sum_count, *r.scratch.growth);
  __builtin_memset(blocks.sums, 0, sum_count * 4);
  fill_blocks(forest, in, rows, r.input_type(0).size, blocks);
  add_trees_of_blocks(forest, trees, blocks);
  read_sums(forest, blocks, rows, sums);
  return rows;
}

/**
 * Sums the leaves of all trees in order, and then adds the base. The input and the output are
 * dense, and the output has one number for each target.
 */
template <class Trees>
static void run_forest(Run& r) {
  const ForestBlob forest(r.parameter<void>(0));
  const Trees trees(forest);
  const float* in = r.dense<float>(0);
  float* out = r.write_dense<float>();
  uint32_t row = 0;
  if constexpr (Trees::kHasBlocks) {
    if (r.rows >= Trees::kLeastBlockRows) row = add_trees_of_full_blocks(r, forest, trees, in, out);
  }
  float* rest = out + size_t{row} * forest.targets;
  __builtin_memset(rest, 0, size_t{r.rows - row} * forest.targets * 4);
  if (row < r.rows)
    add_trees_of_rows(r, forest, trees, in + size_t{row} * r.input_type(0).size, r.rows - row, rest);
  for (row = 0; row < r.rows; row++, out += forest.targets)
    for (uint32_t target = 0; target < forest.targets; target++) out[target] = out[target] + forest.base[target];
}

BREZEL_ISA_END
