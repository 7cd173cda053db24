// Walks blocks of rows through linked forests. First it compares all nodes in the top levels of a
// tree with all rows, in order and without a gather. Then it lists the rows that are not at a leaf,
// and continues only these rows, in full vectors.
#pragma once

#include "isa/region.hpp"
#include "primitives/forest_lanes.hpp"
#include "primitives/forest_sums.hpp"
#include "primitives/linked_walks.hpp"
#include "primitives/simd.hpp"
#include "src/forest_blob.hpp"

BREZEL_ISA_BEGIN

#if BREZEL_LEVEL >= 5
constexpr uint32_t kTopEnds = 1 << kTopLevels;
constexpr uint32_t kBlocksInList = kWalksInList / kVectorFloats;

/**
 * The first `kTopLevels` levels of a tree. A leaf in these levels is repeated, so that every path
 * reaches the last level. The children of node `i` are at `2i` (high) and `2i + 1` (low).
 */
struct TreeTop {
  // for each exit of the top: the payload of its leaf, or the index of the next node
  alignas(64) uint32_t ends[kTopEnds];
  uint32_t leaves = 0;                  // bit i says whether end i is a leaf
  float thresholds[kTopEnds];
  uint32_t columns[kTopEnds];

  TreeTop(const LinkedTrees& trees, const ForestNode* nodes) {
    uint32_t places[2 * kTopEnds];
    places[1] = 0;
    for (uint32_t at = 1; at < kTopEnds; at++) {
      const ForestNode& node = nodes[places[at]];
      thresholds[at] = node.threshold;
      columns[at] = node.link & trees.column_mask();
      places[2 * at] = node.link >> trees.column_bits;
      places[2 * at + 1] = places[2 * at] + !trees.is_leaf(node);  // a leaf fills both children
    }
    for (uint32_t end = 0; end < kTopEnds; end++) {
      const uint32_t place = places[kTopEnds + end];
      const bool is_leaf = trees.is_leaf(nodes[place]);
      ends[end] = is_leaf ? nodes[place].payload() : place;
      leaves |= uint32_t{is_leaf} << end;
    }
  }

  /**
   * Walks `count` blocks of rows to the last level of the top. For each row, writes to `reached`
   * the index in `ends` at which the row arrives.
   */
  template <uint32_t count>
  ALWAYS_INLINE_MEMBER void walk(const ForestBlocks& blocks, uint32_t first, IndexLanes (&reached)[count]) const {
    IndexLanes is_low[count];  // bit i of a lane says whether node i leads its row to the low child
    for (uint32_t block = 0; block < count; block++) is_low[block] = broadcast(0);
#pragma GCC unroll 32
    for (uint32_t at = 1; at < kTopEnds; at++) {
      const float* column = blocks.block(first) + size_t{columns[at]} * kVectorFloats;
#pragma GCC unroll 4
      for (uint32_t block = 0; block < count; block++) {
        const FloatLanes values = load_lanes(column + block * blocks.columns * kVectorFloats);
        is_low[block] = set_bits(is_low[block], at_most(values, thresholds[at]), 1u << at);
      }
    }
    for (uint32_t block = 0; block < count; block++) {
      IndexLanes at = broadcast(1);
      for (uint32_t level = 0; level < kTopLevels; level++) at = add_lanes(twice(at), bit_at(is_low[block], at));
      reached[block] = subtract(at, broadcast(kTopEnds));
    }
  }
};

/** Walks the rows of some blocks through one tree at a time. */
struct BlockWalks {
  const LinkedTrees& trees;
  const ForestBlocks& blocks;
  uint32_t first_block, block_count;
  const ForestNode* nodes;
  alignas(64) uint32_t payloads[kWalksInList];
  uint32_t rows[kWalksInList], places[kWalksInList];  // the open walks: their rows and node indices
  uint32_t open = 0;

  BlockWalks(const LinkedTrees& trees, const ForestBlocks& blocks, uint32_t first)
      : trees(trees),
        blocks(blocks),
        first_block(first),
        block_count(blocks.count - first < kBlocksInList ? blocks.count - first : kBlocksInList) {}

  void walk(uint32_t tree) {
    nodes = trees.nodes + trees.first_nodes[tree];
    open = 0;
    const TreeTop top(trees, nodes);
    uint32_t block = 0;
    for (; block + 2 <= block_count; block += 2) start<2>(top, block);
    if (block < block_count) start<1>(top, block);
    while (open > 0) {
      const uint32_t count = open;
      uint32_t from = 0;
      open = 0;
      for (; from + kVectorFloats < count; from += 2 * kVectorFloats) go_on<2>(from, count);
      if (from < count) go_on<1>(from, count);
    }
  }

 private:
  /**
   * Adds walks to the list of open walks. The new list overwrites the start of the old one. It
   * never overwrites an entry that was not read yet, because it is never longer than the part that
   * was read.
   */
  ALWAYS_INLINE_MEMBER void list(MaskLanes which, IndexLanes row, IndexLanes place) {
    store_some(rows + open, which, row);
    open += store_some(places + open, which, place);
  }

  template <uint32_t count>
  ALWAYS_INLINE_MEMBER void start(const TreeTop& top, uint32_t block) {
    IndexLanes reached[count];
    top.walk<count>(blocks, first_block + block, reached);
    for (uint32_t at = 0; at < count; at++) {
      const IndexLanes end = pick_32(top.ends, reached[at]);
      const uint32_t first_row = (block + at) * kVectorFloats;
      store_lanes(payloads + first_row, end);
      const IndexLanes is_leaf = bit_at(broadcast(top.leaves), reached[at]);
      list(is_zero(is_leaf), add_lanes(broadcast(first_row), lane_numbers()), end);
    }
  }

  /** Returns the index of each row's first value in the blocks. */
  ALWAYS_INLINE_MEMBER IndexLanes first_values(IndexLanes row) const {
    const auto block_values = static_cast<uint32_t>(blocks.columns * kVectorFloats);
    const IndexLanes lane = mask_bits(row, broadcast(kVectorFloats - 1));
    return add_lanes(multiply(shift_right(row, 4), broadcast(block_values)), lane);
  }

  /**
   * Makes `kLaterSteps` steps of `vectors` full vectors of open walks, starting at list index
   * `from`. `count` is the length of the list.
   */
  template <uint32_t vectors>
  ALWAYS_INLINE_MEMBER void go_on(uint32_t from, uint32_t count) {
    const float* values = blocks.block(first_block);
    const IndexLanes column_mask = broadcast(trees.column_mask());
    IndexLanes row[vectors], at[vectors], first[vectors], link[vectors];
    FloatLanes threshold[vectors];
    for (uint32_t one = 0; one < vectors; one++) {
      const MaskLanes known = first_lanes(count - from - one * kVectorFloats);
      row[one] = load_some(rows + from + one * kVectorFloats, known);
      at[one] = load_some(places + from + one * kVectorFloats, known);
      first[one] = first_values(row[one]);
      gather_nodes(nodes, at[one], threshold[one], link[one]);
    }
    for (uint32_t step = 0; step < kLaterSteps; step++) {
      for (uint32_t one = 0; one < vectors; one++) {
        const IndexLanes column = mask_bits(link[one], column_mask);
        const FloatLanes value = as_floats(gather(values, add_lanes(first[one], shift_left(column, 4))));
        at[one] = add_one(shift_right(link[one], trees.column_bits), at_most(value, threshold[one]));
        gather_nodes(nodes, at[one], threshold[one], link[one]);
      }
    }
    for (uint32_t one = 0; one < vectors; one++) {
      const MaskLanes known = first_lanes(count - from - one * kVectorFloats);
      const MaskLanes is_leaf = is_zero(mask_bits(link[one], column_mask));
      scatter(payloads, known & is_leaf, row[one], threshold[one]);
      list(known & ~is_leaf, row[one], at[one]);
    }
  }
};

static void add_trees_of_blocks(const ForestBlob& forest, const LinkedTrees& trees, const ForestBlocks& blocks) {
  const size_t sums_of_block = size_t{forest.targets} * kVectorFloats;
  for (uint32_t first = 0; first < blocks.count; first += kBlocksInList) {
    BlockWalks walks(trees, blocks, first);
    for (uint32_t tree = 0; tree < forest.trees; tree++) {
      walks.walk(tree);
      for (uint32_t block = 0; block < walks.block_count; block++) {
        const IndexLanes payload = load_lanes(walks.payloads + block * kVectorFloats);
        add_leaves_of_block(forest, tree, payload, blocks.sums + (first + block) * sums_of_block);
      }
    }
  }
}
#endif

BREZEL_ISA_END
