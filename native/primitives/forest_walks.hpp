// Walks through packed forests (README section 3). A walk is a chain of dependent loads whose
// direction a processor cannot predict. So the code has no branches, and several walks run in
// parallel.
#pragma once

#include "isa/region.hpp"
#include "primitives/simd.hpp"
#include "src/forest_blob.hpp"

BREZEL_ISA_BEGIN

/**
 * Forces a number or a pointer into a scalar register. Otherwise compilers combine parallel walks
 * into gathers, which are slower in these loops.
 */
template <class Value>
ALWAYS_INLINE Value scalar(Value value) {
  asm("" : "+r"(value));
  return value;
}

/**
 * Makes one step of a walk. Returns the index of the next node: `high` for the high child,
 * `high + 1` for the low child.
 */
ALWAYS_INLINE uint32_t step_to(uint32_t high, float value, float threshold) {
  return scalar(high + (value <= threshold));
}

/**
 * Trees that are filled up to one common depth. The children of node `i` are at `2i` and `2i + 1`.
 */
struct PerfectTrees {
  static constexpr bool kHasBlocks = BREZEL_LEVEL >= 2;
  static constexpr uint32_t kLeastBlockRows = 2;
  const ForestNode* nodes;
  const uint32_t* leaves;
  uint32_t depth;

  explicit PerfectTrees(const ForestBlob& forest) : nodes(forest.nodes), leaves(forest.leaves), depth(forest.form) {}

  ALWAYS_INLINE_MEMBER uint32_t step(const ForestNode& node, uint32_t at, const float* values) const {
    return step_to(2 * at, values[node.link], node.threshold);
  }

  /**
   * Walks `walks` trees, starting at `tree`, for one row. Writes the leaf of each tree to
   * `payloads`. With a `fixed_depth` above 0, the offset of each tree is a constant in the
   * instructions, and needs no register.
   */
  template <uint32_t walks, uint32_t fixed_depth>
  ALWAYS_INLINE_MEMBER void walk_trees(uint32_t tree, const float* values, uint32_t (&payloads)[walks]) const {
    const uint32_t levels = fixed_depth ? fixed_depth : depth;
    const uint32_t width = 1u << levels;
    const ForestNode* first = scalar(nodes + size_t{tree} * width);
    size_t at[walks];  // 64 bits, so that no instruction extends an index
    for (uint32_t walk = 0; walk < walks; walk++) at[walk] = 1;
    for (uint32_t level = 0; level < levels; level++) {
      for (uint32_t walk = 0; walk < walks; walk++) {
        const ForestNode& node = (first + size_t{walk} * width)[at[walk]];
        // GCC loads an index into a vector register first if it may use AVX-512.
        const size_t column = BREZEL_LEVEL >= 5 ? scalar(size_t{node.link}) : node.link;
        at[walk] = scalar(2 * at[walk] + (values[column] <= node.threshold));
      }
    }
    const uint32_t* first_leaf = leaves + size_t{tree} * width - width;
    for (uint32_t walk = 0; walk < walks; walk++) payloads[walk] = scalar((first_leaf + size_t{walk} * width)[at[walk]]);
  }

  /**
   * Walks one tree for several rows. Writes the leaf of each row to `payloads`. Rows are `width`
   * numbers apart.
   */
  template <uint32_t walks>
  ALWAYS_INLINE_MEMBER void walk_rows(uint32_t tree, const float* rows, size_t width,
                                      uint32_t (&payloads)[walks]) const {
    const ForestNode* first = nodes + (size_t{tree} << depth);
    uint32_t at[walks];
    for (uint32_t walk = 0; walk < walks; walk++) at[walk] = 1;
    for (uint32_t level = 0; level < depth; level++) {
      for (uint32_t walk = 0; walk < walks; walk++) at[walk] = step(first[at[walk]], at[walk], rows + walk * width);
    }
    const uint32_t* first_leaf = leaves + (size_t{tree} << depth);
    for (uint32_t walk = 0; walk < walks; walk++) payloads[walk] = scalar(first_leaf[at[walk] - (1u << depth)]);
  }
};

BREZEL_ISA_END
