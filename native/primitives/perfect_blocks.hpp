// Walks blocks of rows through perfect forests. The kernel compares each node in the top levels of
// a tree with all rows of several blocks, in order and without a gather. Each row has a mask with
// one bit for each exit of the top. A comparison clears the exits that the row cannot reach, so the
// lowest set bit is the exit of the row (QuickScorer).
#pragma once

#include "isa/region.hpp"
#include "primitives/forest_lanes.hpp"
#include "primitives/forest_sums.hpp"
#include "primitives/forest_walks.hpp"
#include "primitives/simd.hpp"
#include "src/forest_blob.hpp"

BREZEL_ISA_BEGIN

#if BREZEL_LEVEL >= 2
constexpr uint32_t kBlocksAtOnce = 4;  // blocks that share the loads of a node
constexpr uint32_t kRowsAtOnce = 8;    // scalar walks in parallel, enough to hide their latency

/**
 * Returns a mask of the exits that a row can still reach after it takes the low child of node `at`.
 * `levels` is the number of levels in the top of the tree. Exits have the order of the nodes below
 * the top, high before low.
 */
constexpr uint32_t exits_after_low(uint32_t at, uint32_t levels) {
  const uint32_t level = 31 - static_cast<uint32_t>(__builtin_clz(at));
  const uint32_t exits = 1u << (levels - level);
  const uint32_t first = (at - (1u << level)) * exits;
  return ~(((1u << exits / 2) - 1) << first);
}

/** A perfect tree, and the blocks of rows that walk through it. */
struct PerfectWalks {
  const ForestNode* nodes;
  const uint32_t* leaves;
  uint32_t depth;
  const float* values;  // of the first block
  size_t step;          // from a block to the next

  /**
   * Writes the payload of the leaf that each row of `count` blocks reaches. `levels` is the number
   * of levels in the top of the tree.
   */
  template <uint32_t levels, uint32_t count>
  ALWAYS_INLINE_MEMBER void walk(IndexLanes (&payloads)[count]) const {
    IndexLanes at[count];  // first the exits that are possible, then the node of each row
    for (uint32_t block = 0; block < count; block++) at[block] = broadcast(~0u);
#pragma GCC unroll 32
    for (uint32_t node = 1; node < 1u << levels; node++) {
      const float* column = values + size_t{nodes[node].link} * kVectorFloats;
#pragma GCC unroll 4
      for (uint32_t block = 0; block < count; block++) {
        const FloatLanes values = load_lanes(column + block * step);
        at[block] = keep_bits(at[block], values, nodes[node].threshold, exits_after_low(node, levels));
      }
    }
    for (uint32_t block = 0; block < count; block++)
      at[block] = add_lanes(lowest_bit(at[block]), broadcast(1u << levels));
    walk_below<levels>(at);
    for (uint32_t block = 0; block < count; block++) payloads[block] = at[block];
  }

 private:
#if BREZEL_LEVEL >= 5
  /**
   * Walks the levels below the top. If a level fits, its thresholds, columns and leaves come from
   * registers, and a gather loads only the values of the rows. At the start, `at` holds the node of
   * each row; at the end, it holds the payload of the row's leaf.
   */
  template <uint32_t level, uint32_t count>
  ALWAYS_INLINE_MEMBER void walk_below(IndexLanes (&at)[count]) const {
    if (level == depth) {
      for (uint32_t block = 0; block < count; block++) at[block] = pick_number<level>(leaves, at[block]);
    } else if constexpr (level >= kTopLevels && level < kShuffledLevels) {
      for (uint32_t block = 0; block < count; block++) {
        const IndexLanes word = twice(at[block]);
        const FloatLanes threshold = as_floats(pick_word<level>(nodes, word));
        const IndexLanes column = pick_word<level>(nodes, subtract(word, broadcast(~0u)));
        at[block] = add_one(word, at_most(gather_values(values + block * step, column), threshold));
      }
      walk_below<level + 1>(at);
    } else {
      walk_single_rows(level, at);
    }
  }
#else
  // On many processors, eight loads are faster than a gather (docs/adr/0036-tree-tops.md).
  template <uint32_t level, uint32_t count>
  ALWAYS_INLINE_MEMBER void walk_below(IndexLanes (&at)[count]) const {
    walk_single_rows(level, at);
  }
#endif

  /**
   * Walks each row from `level` to its leaf. At the start, `at` holds the node of each row; at the
   * end, it holds the payload of the row's leaf.
   */
  template <uint32_t count>
  ALWAYS_INLINE_MEMBER void walk_single_rows(uint32_t level, IndexLanes (&at)[count]) const {
    alignas(64) uint32_t numbers[count * kVectorFloats];
    for (uint32_t block = 0; block < count; block++) store_lanes(numbers + block * kVectorFloats, at[block]);
#pragma GCC unroll 1
    for (uint32_t first = 0; first < count * kVectorFloats; first += kRowsAtOnce)
      walk_rows_at_once(level, values + (first / kVectorFloats) * step + first % kVectorFloats, numbers + first);
    for (uint32_t block = 0; block < count; block++) at[block] = load_lanes(numbers + block * kVectorFloats);
  }

  /** Walks `kRowsAtOnce` rows from `level` to their leaves. */
  ALWAYS_INLINE_MEMBER void walk_rows_at_once(uint32_t level, const float* rows, uint32_t* numbers) const {
    uint32_t at[kRowsAtOnce];
#pragma GCC unroll 8
    for (uint32_t row = 0; row < kRowsAtOnce; row++) at[row] = scalar(numbers[row]);
    for (; level < depth; level++) {
#pragma GCC unroll 8
      for (uint32_t row = 0; row < kRowsAtOnce; row++) {
        const ForestNode& node = nodes[at[row]];
        at[row] = step_to(2 * at[row], rows[size_t{node.link} * kVectorFloats + row], node.threshold);
      }
    }
#pragma GCC unroll 8
    for (uint32_t row = 0; row < kRowsAtOnce; row++) numbers[row] = scalar(leaves[at[row] - (1u << depth)]);
  }
};

/** Adds the leaves of the trees from `first` to `last` to the sums of `count` blocks. */
template <uint32_t levels, uint32_t count>
ALWAYS_INLINE void add_trees_of_some_blocks(const ForestBlob& forest, uint32_t first, uint32_t last,
                                            const ForestBlocks& blocks, uint32_t block) {
  const size_t sums_of_block = size_t{forest.targets} * kVectorFloats;
  const size_t step = blocks.columns * kVectorFloats;
  for (uint32_t tree = first; tree < last; tree++) {
    const size_t start = size_t{tree} << forest.form;
    const PerfectWalks walks{forest.nodes + start, forest.leaves + start, forest.form, blocks.block(block), step};
    IndexLanes payloads[count];
    walks.walk<levels>(payloads);
    for (uint32_t at = 0; at < count; at++)
      add_leaves_of_block(forest, tree, payloads[at], blocks.sums + (block + at) * sums_of_block);
  }
}

/** Returns the number of trees that fit in the first-level cache together. */
ALWAYS_INLINE uint32_t trees_at_once(uint32_t depth) { return 4 + (32768 >> (depth + 3)); }

/**
 * Walks all blocks through `trees_at_once` trees, which stay in the cache, and then through the
 * next trees.
 */
template <uint32_t levels>
static void add_trees_from_top(const ForestBlob& forest, const ForestBlocks& blocks) {
  const uint32_t at_once = trees_at_once(forest.form);
  for (uint32_t first = 0; first < forest.trees; first += at_once) {
    const uint32_t last = forest.trees - first < at_once ? forest.trees : first + at_once;
    uint32_t block = 0;
    for (; block + kBlocksAtOnce <= blocks.count; block += kBlocksAtOnce)
      add_trees_of_some_blocks<levels, kBlocksAtOnce>(forest, first, last, blocks, block);
    for (; block < blocks.count; block++) add_trees_of_some_blocks<levels, 1>(forest, first, last, blocks, block);
  }
}

static void add_trees_of_blocks(const ForestBlob& forest, const PerfectTrees&, const ForestBlocks& blocks) {
  if (forest.form == 3) {
    add_trees_from_top<3>(forest, blocks);
  } else if (forest.form == 4) {
    add_trees_from_top<4>(forest, blocks);
  } else {
    add_trees_from_top<kTopLevels>(forest, blocks);
  }
}
#endif

BREZEL_ISA_END
