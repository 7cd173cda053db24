// The top of a linked tree: its most visited branches, in any shape. A kernel compares all branches
// of the top with all rows of several blocks, in order and without a gather. Each row has a mask
// with one bit for each exit of the top. A comparison clears the exits that the row cannot reach,
// so the lowest set bit is the exit of the row (QuickScorer).
#pragma once

#include "isa/region.hpp"
#include "primitives/forest_lanes.hpp"
#include "primitives/forest_sums.hpp"
#include "primitives/linked_walks.hpp"
#include "primitives/simd.hpp"
#include "src/forest_blob.hpp"

BREZEL_ISA_BEGIN

constexpr uint32_t kTopExits = 32;
constexpr uint32_t kTopBlocks = 4;  // blocks that share the loads of a branch
/**
 * A branch belongs to the top if its children are among the first `kTopNodes` nodes of the tree.
 * Children are stored in pairs, and the root takes the place of the first pair. So the top has at
 * most 31 branches. Oven stores the children of the most visited branches first (linked-layout.ts).
 */
constexpr uint32_t kTopNodes = 2 * kTopExits;

struct TreeTop {
  // for each exit: the payload of its leaf, or the index of the next node
  alignas(64) uint32_t ends[kTopExits + 1];
  uint64_t leaves = 0;  // bit i says whether exit i is a leaf
  uint32_t count = 0;
  float thresholds[kTopNodes];
  uint32_t columns[kTopNodes];
  uint32_t kept[kTopNodes];  // the exits that remain possible after the low child

  /**
   * Reads the top of a tree with `size` nodes. Has no branches, because half of them would be
   * mispredicted. The exits are in the order of a traversal that visits the high child first.
   *
   * If two branches of an invalid blob have the same children, the top may have too many exits.
   * Then the only exit is the root.
   */
  TreeTop(const LinkedTrees& trees, const ForestNode* nodes, uint32_t size) {
    const uint32_t limit = size < kTopNodes ? size : kTopNodes;
    // An exit gets two imaginary children after all nodes, the first with one exit, the second with
    // none, so that the loop needs no branch.
    uint32_t exits[kTopNodes + 2], first[kTopNodes + 2], children[kTopNodes];
    exits[kTopNodes] = 1;
    exits[kTopNodes + 1] = 0;
    for (uint32_t at = limit; at-- > 0;) {
      const uint32_t child = nodes[at].link >> trees.column_bits;
      children[at] = !trees.is_leaf(nodes[at]) && child + 1 < limit ? child : kTopNodes;
      exits[at] = exits[children[at]] + exits[children[at] + 1];
      exits[at] = exits[at] < kTopExits + 1 ? exits[at] : kTopExits + 1;
      first[at] = kTopExits;  // of a node that is not in the tree
    }
    __builtin_memset(ends, 0, sizeof(ends));
    if (exits[0] > kTopExits) return;
    first[0] = 0;
    for (uint32_t at = 0; at < limit; at++) {
      const ForestNode& node = nodes[at];
      const uint32_t child = children[at];
      const bool is_leaf = trees.is_leaf(node);
      // If the node is a branch, its exits overwrite this entry later.
      ends[first[at]] = is_leaf ? node.payload() : at;
      leaves |= uint64_t{is_leaf} << first[at];
      thresholds[count] = node.threshold;
      columns[count] = node.link & trees.column_mask();
      kept[count] = ~static_cast<uint32_t>(((uint64_t{1} << exits[child]) - 1) << first[at]);
      count += child != kTopNodes;
      first[child] = first[at];
      first[child + 1] = first[at] + exits[child];
    }
  }

  /**
   * Finds the exits of `count_blocks` blocks of rows. `values` are the values of the first block,
   * and `step` is the distance to the next block.
   */
  template <uint32_t count_blocks>
  ALWAYS_INLINE_MEMBER void find_exits(const float* values, size_t step, IndexLanes (&exits)[count_blocks]) const {
    for (uint32_t block = 0; block < count_blocks; block++) exits[block] = broadcast(~0u);
    for (uint32_t at = 0; at < count; at++) {
      const float* column = values + size_t{columns[at]} * kVectorFloats;
#pragma GCC unroll 4
      for (uint32_t block = 0; block < count_blocks; block++)
        exits[block] = keep_bits(exits[block], load_lanes(column + block * step), thresholds[at], kept[at]);
    }
    for (uint32_t block = 0; block < count_blocks; block++) exits[block] = lowest_bit(exits[block]);
  }
};

BREZEL_ISA_END
