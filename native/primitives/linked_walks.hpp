// Walks through linked forests. Their trees are deep and ragged, so most rows reach a leaf long
// before the deepest row. All walks first make some steps without testing for a leaf. Then the
// walks that are not at a leaf are listed and continue in parallel.
#pragma once

#include "isa/region.hpp"
#include "primitives/forest_sums.hpp"
#include "primitives/forest_walks.hpp"
#include "src/forest_blob.hpp"

BREZEL_ISA_BEGIN

/**
 * Trees whose nodes link to their children. The low child follows the high child. A leaf links to
 * itself.
 */
struct LinkedTrees {
  static constexpr bool kHasBlocks = true;
  // With fewer rows, reading the top of a tree takes longer than it saves.
  static constexpr uint32_t kLeastBlockRows = BREZEL_LEVEL >= 2 ? 16 : 32;
  const ForestNode* nodes;
  const uint32_t* first_nodes;
  const uint32_t* depths;
  uint32_t column_bits;

  explicit LinkedTrees(const ForestBlob& forest)
      : nodes(forest.nodes),
        first_nodes(forest.first_nodes),
        depths(forest.depths),
        column_bits(forest.form) {}

  uint32_t column_mask() const { return (1u << column_bits) - 1; }

  ALWAYS_INLINE_MEMBER bool is_leaf(const ForestNode& node) const { return (node.link & column_mask()) == 0; }

  ALWAYS_INLINE_MEMBER uint32_t step(const ForestNode& node, const float* values) const {
    return step_to(node.link >> column_bits, values[node.link & column_mask()], node.threshold);
  }

  /**
   * Returns the number of steps that walks through trees `from` to `to` make before they test for
   * leaves. For balanced trees it is the full depth. For ragged trees it is three quarters of the
   * depth of a balanced tree with the same number of leaves, and at least 4.
   */
  uint32_t untested_steps(uint32_t from, uint32_t to) const {
    uint64_t depth = 0;
    for (uint32_t tree = from; tree < to; tree++) depth += depths[tree];
    depth /= to - from;
    const uint32_t leaves = (first_nodes[to] - first_nodes[from]) / (2 * (to - from));
    const uint32_t balanced = leaves < 2 ? 0 : 31 - static_cast<uint32_t>(__builtin_clz(leaves));
    if (depth <= balanced + 2) return static_cast<uint32_t>(depth);
    return balanced < 6 ? 4 : balanced * 3 / 4;
  }
};

constexpr uint32_t kWalksInList = 256;  // limits the lists, which are on the stack
constexpr uint32_t kWalksAtOnce = 10;   // enough parallel walks to hide the latency of their loads
constexpr uint32_t kLaterSteps = 4;     // steps between two tests for leaves

/** The walks of one row through many trees, starting at tree `first`. */
struct WalksOfRow {
  const LinkedTrees& trees;
  uint32_t first;
  const float* values;

  ALWAYS_INLINE_MEMBER const ForestNode* root(uint32_t walk) const {
    return trees.nodes + trees.first_nodes[first + walk];
  }
  ALWAYS_INLINE_MEMBER const float* row(uint32_t) const { return values; }
};

/** The walks of many rows through one tree. Rows are `width` numbers apart. */
struct WalksOfTree {
  const ForestNode* nodes;
  const float* rows;
  size_t width;

  ALWAYS_INLINE_MEMBER const ForestNode* root(uint32_t) const { return nodes; }
  ALWAYS_INLINE_MEMBER const float* row(uint32_t walk) const { return rows + walk * width; }
};

/**
 * Makes `steps` steps of the first `kWalksAtOnce` walks in `open`. If `count`, the number of open
 * walks, is smaller, `open` continues with copies, whose results are ignored. Writes the walks that
 * are not at a leaf to `still`, and returns their number.
 */
template <class Walks>
ALWAYS_INLINE uint32_t go_on(const LinkedTrees& trees, const Walks& walks, const uint32_t* open, uint32_t count,
                             uint32_t steps, uint32_t* places, uint32_t* still) {
  const ForestNode* root[kWalksAtOnce];
  const float* values[kWalksAtOnce];
  uint32_t number[kWalksAtOnce], at[kWalksAtOnce], left = 0;
  for (uint32_t walk = 0; walk < kWalksAtOnce; walk++) {
    number[walk] = open[walk];
    root[walk] = walks.root(number[walk]);
    values[walk] = walks.row(number[walk]);
    at[walk] = places[number[walk]];
  }
  for (uint32_t step = 0; step < steps; step++) {
    for (uint32_t walk = 0; walk < kWalksAtOnce; walk++) at[walk] = trees.step(root[walk][at[walk]], values[walk]);
  }
  for (uint32_t walk = 0; walk < kWalksAtOnce; walk++) {
    const ForestNode& node = root[walk][at[walk]];
    // About half of the walks are at a leaf here, so a processor would mispredict a branch half the
    // time.
    const uint32_t is_open = scalar<uint32_t>(!trees.is_leaf(node));
    places[number[walk]] = node.payload() ^ ((node.payload() ^ at[walk]) & (0 - is_open));
    still[left] = number[walk];
    left += is_open & (walk < count);
  }
  return left;
}

/**
 * Continues up to `kWalksInList` walks until each walk is at a leaf, and writes the payloads of the
 * leaves.
 */
template <class Walks>
static void walk_to_leaves(const LinkedTrees& trees, const Walks& walks, uint32_t count, uint32_t steps,
                           uint32_t* payloads) {
  uint32_t open[kWalksInList + kWalksAtOnce];
  for (uint32_t walk = 0; walk < count; walk++) {
    open[walk] = walk;
    payloads[walk] = 0;  // holds the node index until the walk reaches a leaf
  }
  while (count > 0) {
    for (uint32_t more = 0; more < kWalksAtOnce; more++) open[count + more] = open[count - 1];
    uint32_t still = 0;
    for (uint32_t from = 0; from < count; from += kWalksAtOnce)
      still += go_on(trees, walks, open + from, count - from, steps, payloads, open + still);
    count = still;
    steps = kLaterSteps;
  }
}

/**
 * Adds the leaves of all trees to one row's sums. It walks the row through up to `kWalksInList`
 * trees at a time.
 */
static void add_trees_of_row(const ForestBlob& forest, const LinkedTrees& trees, const float* values, float* sums) {
  uint32_t payloads[kWalksInList];
  for (uint32_t first = 0; first < forest.trees; first += kWalksInList) {
    const uint32_t count = forest.trees - first < kWalksInList ? forest.trees - first : kWalksInList;
    const uint32_t steps = trees.untested_steps(first, first + count);
    walk_to_leaves(trees, WalksOfRow{trees, first, values}, count, steps, payloads);
    if (forest.targets == 1 && !forest.weight_rows) {
      float sum = sums[0];  // a register, because each addition waits for the previous one
      for (uint32_t walk = 0; walk < count; walk++) sum = sum + __builtin_bit_cast(float, payloads[walk]);
      sums[0] = sum;
    } else {
      for (uint32_t walk = 0; walk < count; walk++) add_leaf(forest, first + walk, payloads[walk], sums);
    }
  }
}

/**
 * Adds the leaves of all trees to the sums of many rows. It walks up to `kWalksInList` rows through
 * one tree and then through the next tree, so that a tree stays in the cache for all these rows.
 */
static void add_trees_of_groups(const ForestBlob& forest, const LinkedTrees& trees, const float* rows, size_t width,
                                uint32_t groups, float* sums) {
  uint32_t payloads[kWalksInList];
  for (size_t left = size_t{groups} * kRowWalks; left > 0;) {
    const auto count = static_cast<uint32_t>(left < kWalksInList ? left : kWalksInList);
    for (uint32_t tree = 0; tree < forest.trees; tree++) {
      const WalksOfTree walks{trees.nodes + trees.first_nodes[tree], rows, width};
      walk_to_leaves(trees, walks, count, trees.untested_steps(tree, tree + 1), payloads);
      for (uint32_t row = 0; row < count; row++) add_leaf(forest, tree, payloads[row], sums + row * forest.targets);
    }
    left -= count;
    rows += count * width;
    sums += size_t{count} * forest.targets;
  }
}

BREZEL_ISA_END
