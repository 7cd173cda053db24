// Walks of decision trees. A walk is a chain of dependent loads, so several walks run in parallel.
#pragma once

#include <limits>
#include <type_traits>
#include <vector>

#include "include/attributes.hpp"
#include "isa/region.hpp"
#include "src/memory.hpp"

BREZEL_ISA_BEGIN

/**
 * A tree node prepared for walking. Every comparison is converted to `x <= threshold`, except tests
 * of equality and membership. A leaf links
 * to itself, so a walk that reaches a leaf early continues there without a test.
 *
 * If every leaf has one weight and all leaves of a tree have one target, `threshold` of a leaf is
 * its weight.
 */
template <class Real>
struct TreeNode {
  Real threshold;
  uint32_t feature;  // if bit 31 is set, a NaN leads to the `yes` child
  // the children `no` and `yes`; an index selects one, because a processor cannot predict a branch
  // here
  uint32_t next[2];
};

template <class Real>
struct Forest {
  // whether a node tests EQ, NEQ or membership, which `<=` cannot express; then walks use the
  // original nodes
  uint32_t has_equality;
  uint32_t weight_in_leaf;
  uint64_t depths_offset;   // one u32 for each tree
  uint64_t targets_offset;  // one u32 for each tree, if leaves hold weights
  uint64_t nodes_offset;

  const uint32_t* depths() const { return at<uint32_t>(depths_offset); }
  const uint32_t* targets() const { return at<uint32_t>(targets_offset); }
  const TreeNode<Real>* nodes() const { return at<TreeNode<Real>>(nodes_offset); }

 private:
  template <class T>
  const T* at(uint64_t offset) const {
    return reinterpret_cast<const T*>(reinterpret_cast<const uint8_t*>(this) + offset);
  }
};

/** The arrays of a forest, as its parameters store them. */
template <class Real>
struct ForestArrays {
  const int32_t* feature;
  const Real* threshold;
  const TreeMode* mode;
  const int32_t *yes, *no, *missing_yes, *roots, *leaf_start, *leaf_target;
  const Real *leaf_weight, *base;
};

/**
 * Returns the greatest number below `value`, because `x < value` equals `x <= ` that number. For
 * -infinity and NaN it returns NaN, because no number is <= NaN.
 */
template <class Real>
static Real next_below(Real value) {
  using Bits = std::conditional_t<sizeof(Real) == 4, uint32_t, uint64_t>;
  if (value != value || value == -std::numeric_limits<Real>::infinity()) return std::numeric_limits<Real>::quiet_NaN();
  if (value == 0) return -__builtin_bit_cast(Real, Bits{1});
  const auto bits = __builtin_bit_cast(Bits, value);
  return __builtin_bit_cast(Real, value > 0 ? bits - 1 : bits + 1);
}

template <class Real>
static TreeNode<Real> make_node(const ForestArrays<Real>& forest, uint32_t at, bool weight_in_leaf) {
  const TreeMode mode = forest.mode[at];
  if (mode == TreeMode::leaf)
    return {weight_in_leaf ? forest.leaf_weight[forest.leaf_start[at]] : Real{0}, 0, {at, at}};
  const Real threshold = forest.threshold[at];
  const auto feature = static_cast<uint32_t>(forest.feature[at]);
  const auto yes = static_cast<uint32_t>(forest.yes[at]), no = static_cast<uint32_t>(forest.no[at]);
  const uint32_t missing = forest.missing_yes[at] == 1 ? 1u << 31 : 0;
  // For numbers, x > t equals "not x <= t". If the threshold is NaN, neither comparison is true.
  const bool is_swapped = (mode == TreeMode::gt || mode == TreeMode::gte) && threshold == threshold;
  const bool is_below = mode == TreeMode::lt || mode == TreeMode::gte;
  const Real limit = is_below ? next_below(threshold) : threshold;
  if (is_swapped) return {limit, feature | (missing ^ 1u << 31), {yes, no}};
  return {limit, feature | missing, {no, yes}};
}

/** Prepares a checked forest for walking. */
template <class Real>
static void prepare_forest(const ForestArrays<Real>& forest, size_t nodes, size_t trees, Memory& memory) {
  const uint64_t depths_offset = 64, targets_offset = (depths_offset + trees * 4 + 63) & ~uint64_t{63},
                 nodes_offset = (targets_offset + trees * 4 + 63) & ~uint64_t{63};
  Memory laid_out(nodes_offset + nodes * sizeof(TreeNode<Real>));
  auto* start = static_cast<uint8_t*>(laid_out.data());
  Forest<Real> ready{0, 1, depths_offset, targets_offset, nodes_offset};
  std::vector<uint32_t> height(nodes), target(nodes);
  for (size_t at = nodes; at-- > 0;) {  // the children of a node have greater indices
    const TreeMode mode = forest.mode[at];
    ready.has_equality |= mode == TreeMode::eq || mode == TreeMode::neq || mode == TreeMode::member;
    if (mode == TreeMode::leaf) {
      const int32_t first = forest.leaf_start[at];
      if (forest.leaf_start[at + 1] - first != 1) ready.weight_in_leaf = 0;
      else target[at] = static_cast<uint32_t>(forest.leaf_target[first]);
    } else {
      const uint32_t yes = forest.yes[at], no = forest.no[at];
      height[at] = 1 + (height[yes] > height[no] ? height[yes] : height[no]);
      if (target[yes] != target[no]) ready.weight_in_leaf = 0;
      target[at] = target[yes];
    }
  }
  auto* depths = reinterpret_cast<uint32_t*>(start + depths_offset);
  auto* targets = reinterpret_cast<uint32_t*>(start + targets_offset);
  for (size_t tree = 0; tree < trees; tree++) {
    depths[tree] = height[forest.roots[tree]];
    targets[tree] = target[forest.roots[tree]];
  }
  auto* ready_nodes = reinterpret_cast<TreeNode<Real>*>(start + nodes_offset);
  for (size_t at = 0; at < nodes; at++)
    ready_nodes[at] = make_node(forest, static_cast<uint32_t>(at), ready.weight_in_leaf);
  __builtin_memcpy(start, &ready, sizeof(ready));
  memory = static_cast<Memory&&>(laid_out);
}

template <bool has_nan, class Real, class T>
ALWAYS_INLINE uint32_t step(const TreeNode<Real>* nodes, uint32_t at, const T* row) {
  const TreeNode<Real>& node = nodes[at];
  const T value = row[node.feature & 0x7FFFFFFF];
  uint32_t is_yes = value <= node.threshold;
  if constexpr (has_nan) is_yes |= static_cast<uint32_t>(value != value) & node.feature >> 31;
  return node.next[is_yes];
}

constexpr uint32_t kWalks = 8;

/** Walks up to `kWalks` trees for one row and writes their leaves. */
template <bool has_nan, class Real, class T>
static void walk_trees(const TreeNode<Real>* nodes, const int32_t* roots, const uint32_t* depths, uint32_t count,
                       const T* row, uint32_t* leaves) {
  uint32_t at[kWalks], depth = 0;
  for (uint32_t walk = 0; walk < kWalks; walk++) {
    const uint32_t tree = walk < count ? walk : 0;
    at[walk] = static_cast<uint32_t>(roots[tree]);
    if (depths[tree] > depth) depth = depths[tree];
  }
  for (uint32_t level = 0, moved = 1; level < depth && moved; level++) {
    moved = 0;
    for (uint32_t walk = 0; walk < kWalks; walk++) {
      const uint32_t next = step<has_nan>(nodes, at[walk], row);
      moved |= next ^ at[walk];
      at[walk] = next;
    }
  }
  for (uint32_t walk = 0; walk < kWalks; walk++) leaves[walk] = at[walk];
}

/** Walks one tree for `kWalks` rows and writes their leaves. */
template <bool has_nan, class Real, class T>
static void walk_rows(const TreeNode<Real>* nodes, int32_t root, uint32_t depth, const T* rows, size_t features,
                      uint32_t* leaves) {
  uint32_t at[kWalks];
  for (uint32_t walk = 0; walk < kWalks; walk++) at[walk] = static_cast<uint32_t>(root);
  for (uint32_t level = 0, moved = 1; level < depth && moved; level++) {
    moved = 0;
    for (uint32_t walk = 0; walk < kWalks; walk++) {
      const uint32_t next = step<has_nan>(nodes, at[walk], rows + walk * features);
      moved |= next ^ at[walk];
      at[walk] = next;
    }
  }
  for (uint32_t walk = 0; walk < kWalks; walk++) leaves[walk] = at[walk];
}

/** Walks one tree with nodes of any comparison mode. Returns the leaf. */
static uint32_t walk_original(const ForestArrays<float>& forest, uint32_t at, const float* row) {
  while (forest.mode[at] != TreeMode::leaf) {
    const float value = row[forest.feature[at]], threshold = forest.threshold[at];
    bool is_yes = false;
    if (value != value) {
      is_yes = forest.missing_yes[at] == 1;
    } else {
      switch (forest.mode[at]) {
        case TreeMode::leq:
          is_yes = value <= threshold;
          break;
        case TreeMode::lt:
          is_yes = value < threshold;
          break;
        case TreeMode::gte:
          is_yes = value >= threshold;
          break;
        case TreeMode::gt:
          is_yes = value > threshold;
          break;
        case TreeMode::eq:
          is_yes = value == threshold;
          break;
        case TreeMode::neq:
          is_yes = value != threshold;
          break;
        case TreeMode::leaf:
        case TreeMode::member:  // only the kernel `forest` has sets
          break;
      }
    }
    at = static_cast<uint32_t>(is_yes ? forest.yes[at] : forest.no[at]);
  }
  return at;
}

ALWAYS_INLINE void add_leaf(const ForestArrays<float>& forest, uint32_t leaf, float* sums) {
  for (int32_t at = forest.leaf_start[leaf]; at < forest.leaf_start[leaf + 1]; at++) {
    sums[forest.leaf_target[at]] = sums[forest.leaf_target[at]] + forest.leaf_weight[at];
  }
}

template <class T>
static bool any_nan(const T* values, size_t count) {
  bool found = false;
  for (size_t at = 0; at < count; at++) found |= values[at] != values[at];
  return found;
}

ALWAYS_INLINE void add_ready_leaf(const Forest<float>& ready, const ForestArrays<float>& forest, uint32_t tree,
                                  uint32_t leaf, float* sums) {
  if (ready.weight_in_leaf) {
    float& sum = sums[ready.targets()[tree]];
    sum = sum + ready.nodes()[leaf].threshold;
  } else {
    add_leaf(forest, leaf, sums);
  }
}

/** Adds the leaves of all trees to one row's `sums`, in order. Several trees run in parallel. */
template <bool has_nan>
static void add_trees_to_row(const Forest<float>& ready, const ForestArrays<float>& forest, uint32_t trees, const float* row,
                             float* sums) {
  for (uint32_t tree = 0; tree < trees; tree += kWalks) {
    const uint32_t count = trees - tree < kWalks ? trees - tree : kWalks;
    uint32_t leaves[kWalks];
    walk_trees<has_nan>(ready.nodes(), forest.roots + tree, ready.depths() + tree, count, row, leaves);
    for (uint32_t walk = 0; walk < count; walk++) add_ready_leaf(ready, forest, tree + walk, leaves[walk], sums);
  }
}

/**
 * Adds the leaves of all trees to the sums of `groups * kWalks` rows, one tree after the other.
 * Several rows walk in parallel, so that a tree stays in the cache for all of them.
 */
template <bool has_nan>
static void add_trees_to_rows(const Forest<float>& ready, const ForestArrays<float>& forest, uint32_t trees, const float* rows,
                              uint32_t features, uint32_t groups, float* sums, uint32_t outputs) {
  for (uint32_t tree = 0; tree < trees; tree++) {
    for (size_t first = 0; first < size_t{groups} * kWalks; first += kWalks) {
      uint32_t leaves[kWalks];
      walk_rows<has_nan>(ready.nodes(), forest.roots[tree], ready.depths()[tree], rows + first * features, features,
                         leaves);
      for (uint32_t walk = 0; walk < kWalks; walk++)
        add_ready_leaf(ready, forest, tree, leaves[walk], sums + (first + walk) * outputs);
    }
  }
}

/** Adds the leaves of all trees to the sums of a block of rows. */
static void add_trees(const Forest<float>& ready, const ForestArrays<float>& forest, uint32_t trees, const float* in,
                      uint32_t features, uint32_t rows, float* sums, uint32_t outputs) {
  if (ready.has_equality) {
    for (uint32_t row = 0; row < rows; row++, in += features, sums += outputs) {
      for (uint32_t tree = 0; tree < trees; tree++) {
        add_leaf(forest, walk_original(forest, static_cast<uint32_t>(forest.roots[tree]), in), sums);
      }
    }
    return;
  }
  const bool has_nan = any_nan(in, size_t{rows} * features);
  const uint32_t groups = rows / kWalks;
  (has_nan ? add_trees_to_rows<true> : add_trees_to_rows<false>)(ready, forest, trees, in, features, groups, sums,
                                                                 outputs);
  for (size_t row = size_t{groups} * kWalks; row < rows; row++) {
    (has_nan ? add_trees_to_row<true> : add_trees_to_row<false>)(ready, forest, trees, in + row * features,
                                                                 sums + row * outputs);
  }
}

BREZEL_ISA_END
