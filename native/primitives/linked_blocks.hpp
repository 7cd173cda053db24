// Walks blocks of rows through linked forests. First it compares the top of a tree with all rows.
// Then it lists the rows that are not at a leaf, and continues only these rows.
#pragma once

#include "isa/region.hpp"
#include "primitives/forest_lanes.hpp"
#include "primitives/forest_sums.hpp"
#include "primitives/linked_walks.hpp"
#include "primitives/simd.hpp"
#include "primitives/tree_tops.hpp"
#include "src/forest_blob.hpp"

BREZEL_ISA_BEGIN

constexpr uint32_t kBlocksInList = kWalksInList / kVectorFloats;
constexpr uint32_t kOpenAtOnce = 8;   // scalar walks in parallel, enough to hide their latency
constexpr uint32_t kStepsBelowTop = 2;  // steps between two tests for leaves, below the top

/** Walks the rows of some blocks through one tree at a time. */
struct BlockWalks {
  const LinkedTrees& trees;
  const ForestBlocks& blocks;
  uint32_t first_block, block_count;
  size_t step;  // from a block to the next
  const ForestNode* nodes = nullptr;
  alignas(64) uint32_t payloads[kWalksInList];
  // the open walks: their rows and node indices
  uint32_t rows[kWalksInList + kVectorFloats + kOpenAtOnce], places[kWalksInList + kVectorFloats + kOpenAtOnce];
  uint32_t open = 0;

  BlockWalks(const LinkedTrees& trees, const ForestBlocks& blocks, uint32_t first)
      : trees(trees),
        blocks(blocks),
        first_block(first),
        block_count(blocks.count - first < kBlocksInList ? blocks.count - first : kBlocksInList),
        step(blocks.columns * kVectorFloats) {}

  void walk(uint32_t tree) {
    const uint32_t first_node = trees.first_nodes[tree];
    nodes = trees.nodes + first_node;
    open = 0;
    const TreeTop top(trees, nodes, trees.first_nodes[tree + 1] - first_node);
    uint32_t block = 0;
    for (; block + kTopBlocks <= block_count; block += kTopBlocks) start<kTopBlocks>(top, block);
    for (; block < block_count; block++) start<1>(top, block);
    while (open > 0) go_on();
  }

 private:
  template <uint32_t count>
  ALWAYS_INLINE_MEMBER void start(const TreeTop& top, uint32_t block) {
    IndexLanes exits[count];
    top.find_exits<count>(blocks.block(first_block + block), step, exits);
    for (uint32_t at = 0; at < count; at++) {
      const IndexLanes end = pick_32(top.ends, exits[at]);
      const uint32_t first_row = (block + at) * kVectorFloats;
      store_lanes(payloads + first_row, end);
      const MaskLanes is_open = has_bit(~static_cast<uint32_t>(top.leaves), exits[at]);
      store_some(rows + open, is_open, add_lanes(broadcast(first_row), lane_numbers()));
      open += store_some(places + open, is_open, end);
    }
  }

  /**
   * Makes `kStepsBelowTop` steps of all open walks. Writes the payloads of the walks that reach a
   * leaf, and lists the others again.
   */
  ALWAYS_INLINE_MEMBER void go_on() {
    for (uint32_t more = 0; more < kOpenAtOnce; more++) {
      rows[open + more] = rows[open - 1];
      places[open + more] = places[open - 1];
    }
    const uint32_t count = open;
    open = 0;
    for (uint32_t from = 0; from < count; from += kOpenAtOnce) go_on_at_once(from, count);
  }

  ALWAYS_INLINE_MEMBER void go_on_at_once(uint32_t from, uint32_t count) {
    const float* values[kOpenAtOnce];
    uint32_t row[kOpenAtOnce], at[kOpenAtOnce];
    for (uint32_t walk = 0; walk < kOpenAtOnce; walk++) {
      row[walk] = rows[from + walk];
      values[walk] = blocks.block(first_block) + (row[walk] / kVectorFloats) * step + row[walk] % kVectorFloats;
      at[walk] = places[from + walk];
    }
    for (uint32_t made = 0; made < kStepsBelowTop; made++) {
      for (uint32_t walk = 0; walk < kOpenAtOnce; walk++) {
        const ForestNode& node = nodes[at[walk]];
        const float value = values[walk][size_t{node.link & trees.column_mask()} * kVectorFloats];
        at[walk] = step_to(node.link >> trees.column_bits, value, node.threshold);
      }
    }
    for (uint32_t walk = 0; walk < kOpenAtOnce; walk++) {
      const ForestNode& node = nodes[at[walk]];
      payloads[row[walk]] = node.payload();  // a later step overwrites this until the walk ends
      rows[open] = row[walk];
      places[open] = at[walk];
      open += scalar<uint32_t>(!trees.is_leaf(node)) & (from + walk < count);
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

BREZEL_ISA_END
