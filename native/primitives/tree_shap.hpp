// Walks of TreeSHAP: of one row, and of several rows in the lanes of a vector. Both compute each
// number in the order of packages/flour/src/ops/tree-ensemble/tree-shap.ts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * An edge of a tree. A row takes the edge if the split above it has the outcome `outcome`; `test`
 * is the first test of this split. `before` is the depth of the nearest edge above that tests the
 * same column, or 0 without such an edge.
 *
 * Only walks of one row use the last three numbers. Their indices count from the first edge of the
 * tree.
 * - `parent`: 1 + the index of the edge above, or 0 at the root.
 * - `same`: 1 + the index of the nearest edge above that tests the same column, or 0 without one.
 * - `post` is not about this edge: edge i holds the index of the edge that comes i-th in postorder.
 */
struct ShapEdge {
  int32_t depth, column, before, test, outcome, parent, same, post;
};
struct ShapTest {
  int32_t column, mode, missing, passed, failed;
};
struct ShapTree {
  int32_t first, end, size, table;
};

/** The number of rows that one walk explains: one row in each lane of a vector. */
#if BREZEL_LEVEL >= 5
constexpr size_t kShapLanes = 8;
#elif BREZEL_LEVEL == 2
constexpr size_t kShapLanes = 4;
#else
constexpr size_t kShapLanes = 2;
#endif

/**
 * How a row relates to an edge: the row takes the edge, misses it, or is `lost`, because it missed
 * an edge above that tests the same column. The number selects a list of the edge's constants.
 */
struct ShapState {
  enum : size_t { lost = 0, taken = 1, missed = 2 };
};
/**
 * The number of lists of constants per edge: for each state, a list of ratios and a list of
 * weights.
 */
constexpr size_t kShapLists = 6;
constexpr size_t kShapRatios = 0, kShapWeights = 3;

/** The arrays of a TreeSHAP call, and the state of a walk. */
struct ShapWalk {
  const ShapEdge* edges;
  const double *tables, *values, *thresholds;
  const ShapTest* tests;
  /**
   * For each column: the value of the column in each row (`features`), and its contributions
   * (`into`).
   */
  double *features, *into;
  /**
   * The product of factors, and the sum over leaves, for each quadrature node of each depth. In a
   * walk of one row, the arrays hold these numbers for each edge of a tree.
   */
  double *products, *sums;
  /** For each depth or edge: -1 if the row takes all edges of the feature so far, otherwise 0. */
  int64_t* ones;
  /** For each depth: the edge of the current path. */
  int32_t* path;
  /** In walks of one row: the outcome of each test. */
  int32_t* outcomes;
  /** In walks of one row: the weights of each edge of a tree. */
  const double** weights;
  /** The number of elements of one depth in `products` and `sums`. */
  size_t stride;
};

ALWAYS_INLINE bool shap_test_passes(const ShapTest& test, double value, double threshold) {
  if (value != value) return test.missing == 1;
  switch (test.mode) {
    case 0:
      return value <= threshold;
    case 1:
      return value < threshold;
    case 2:
      return value >= threshold;
    case 3:
      return value > threshold;
    case 4:
      return value == threshold;
    default:
      return value != threshold;
  }
}

/** Returns whether a row takes an edge. `features` points to the row's lane. */
ALWAYS_INLINE bool shap_takes(const ShapWalk& walk, const ShapEdge& edge, const double* features) {
  int32_t next = edge.test;
  do {
    const ShapTest& test = walk.tests[next];
    const double value = features[static_cast<size_t>(test.column) * kShapLanes];
    next = shap_test_passes(test, value, walk.thresholds[next]) ? test.passed : test.failed;
  } while (next >= 0);
  return -1 - next == edge.outcome;
}

/**
 * How many numbers of a list are computed together. A list has 1 number, 2 numbers or a multiple of
 * 4. `Size` is the length of the list, or 0 if this length is known only at run time.
 */
template <size_t Size>
constexpr size_t kShapPart = Size == 1 || Size == 2 ? Size : 4;

// ---- one row

/**
 * Returns a ShapState without a branch. `before` is -1 if the row takes all edges above that test
 * this column, and `one` is -1 if the row also takes this edge; otherwise they are 0.
 */
ALWAYS_INLINE size_t shap_state(int64_t before, int64_t one) {
  return static_cast<size_t>(before & (2 + one));
}

/**
 * Computes the outcome of each test for the row. A test leads only to tests with a greater index,
 * so the last test is computed first.
 */
static void shap_outcomes(const ShapWalk& walk, size_t tests) {
  for (size_t at = tests; at-- > 0;) {
    const ShapTest& test = walk.tests[at];
    const double value = walk.features[test.column], threshold = walk.thresholds[at];
    bool passes;
    if (test.mode > 1) passes = shap_test_passes(test, value, threshold);
    else
      passes = (value < threshold) | ((test.mode == 0) & (value == threshold)) |
               ((test.missing == 1) & (value != value));
    const int32_t next = passes ? test.passed : test.failed;
    walk.outcomes[at] = next < 0 ? -1 - next : walk.outcomes[next];
  }
}

/**
 * Adds the contributions of a tree for one row. Entry 0 of `products`, `sums` and `ones` belongs to
 * the root, and entry 1 + i to the edge i of the tree. Two loops without branches are faster than
 * one walk.
 */
template <size_t Size>
static void shap_add_tree_of_row(const ShapWalk& walk, const ShapTree& tree) {
  const size_t size = Size ? Size : static_cast<size_t>(tree.size);
  const ShapEdge* edges = walk.edges + tree.first;
  const double *tables = walk.tables + tree.table, *values = walk.values + tree.first;
  const auto count = static_cast<size_t>(tree.end - tree.first);
  const double* table = tables;
  double *products = walk.products + size, *sums = walk.sums + size;
  const int32_t* outcomes = walk.outcomes;
  int64_t* ones = walk.ones;
  const double** weights = walk.weights;
  // The walk of a tree with another size may overwrite the products of the root.
  for (size_t node = 0; node < size; node++) walk.products[node] = 1;
  for (size_t at = 0; at < count; at++, table += kShapLists * size, products += size, sums += size) {
    const ShapEdge& edge = edges[at];
    const int64_t before = ones[edge.same];
    const int64_t one = before & -int64_t{outcomes[edge.test] == edge.outcome};
    const double* ratios = table + shap_state(before, one) * size;
    ones[at + 1] = one;
    weights[at] = ratios + kShapWeights * size;
    const double* above = walk.products + static_cast<size_t>(edge.parent) * size;
    const double value = values[at];
    for (size_t node = 0; node < size; node += kShapPart<Size>) {
      double product[kShapPart<Size>];
      for (size_t part = 0; part < kShapPart<Size>; part++) product[part] = above[node + part] * ratios[node + part];
      for (size_t part = 0; part < kShapPart<Size>; part++) products[node + part] = product[part];
      for (size_t part = 0; part < kShapPart<Size>; part++) sums[node + part] = product[part] * value;
    }
  }
  double* into = walk.into;
  for (size_t visit = 0; visit < count; visit++) {
    const auto at = static_cast<size_t>(edges[visit].post);
    const double* weight = weights[at];
    const double* sum = walk.sums + (at + 1) * size;
    double* above = walk.sums + static_cast<size_t>(edges[at].parent) * size;
    double terms[4] = {};
    for (size_t node = 0; node < size; node += kShapPart<Size>) {
      double copied[kShapPart<Size>];
      for (size_t part = 0; part < kShapPart<Size>; part++) copied[part] = sum[node + part];
      for (size_t part = 0; part < kShapPart<Size>; part++) terms[part] += weight[node + part] * copied[part];
      for (size_t part = 0; part < kShapPart<Size>; part++) above[node + part] += copied[part];
    }
    into[edges[at].column] += (terms[0] + terms[2]) + (terms[1] + terms[3]);
  }
}

// ---- one row for each lane of a vector

using ShapVector = double __attribute__((vector_size(8 * kShapLanes)));
using ShapMask = int64_t __attribute__((vector_size(8 * kShapLanes)));

ALWAYS_INLINE ShapVector shap_load(const double* from) {
  ShapVector vector;
  memcpy(&vector, from, sizeof vector);
  return vector;
}
ALWAYS_INLINE ShapMask shap_load(const int64_t* from) {
  ShapMask mask;
  memcpy(&mask, from, sizeof mask);
  return mask;
}
template <class T, class Vector>
ALWAYS_INLINE void shap_store(T* to, Vector vector) {
  memcpy(to, &vector, sizeof vector);
}
/** Returns `yes` in the lanes of the mask, and `no` in all others. */
ALWAYS_INLINE ShapVector shap_select(ShapMask mask, ShapVector yes, ShapVector no) {
  return reinterpret_cast<ShapVector>((reinterpret_cast<ShapMask>(yes) & mask) |
                                      (reinterpret_cast<ShapMask>(no) & ~mask));
}

/** Returns the rows that take an edge. Most splits have one test, `<` or `<=`. */
ALWAYS_INLINE ShapMask shap_taken(const ShapWalk& walk, const ShapEdge& edge) {
  const ShapTest& test = walk.tests[edge.test];
  ShapMask taken;
  if (test.passed >= 0 || test.failed >= 0 || test.mode > 1) {
    for (size_t lane = 0; lane < kShapLanes; lane++)
      taken[lane] = -int64_t{shap_takes(walk, edge, walk.features + lane)};
    return taken;
  }
  const ShapMask none = {};
  const ShapVector values = shap_load(walk.features + static_cast<size_t>(test.column) * kShapLanes);
  const ShapVector threshold = walk.thresholds[edge.test] - ShapVector{};
  // No comparison with NaN is true.
  const ShapMask is_below = test.mode == 1 ? values < threshold : values <= threshold;
  const ShapMask is_missing = values != values;
  const ShapMask passed = test.missing == 1 ? is_below | is_missing : is_below;
  const bool is_passed = -1 - test.passed == edge.outcome, is_failed = -1 - test.failed == edge.outcome;
  return (is_passed ? passed : none) | (is_failed ? ~passed : none);
}

template <size_t Size>
ALWAYS_INLINE void shap_leave(const ShapWalk& walk, const ShapTree& tree, int32_t open) {
  const size_t size = Size ? Size : static_cast<size_t>(tree.size);
  const auto depth = static_cast<size_t>(open);
  const int32_t at = walk.path[open];
  const ShapEdge& edge = walk.edges[at];
  const double* table = walk.tables + tree.table + static_cast<size_t>(at - tree.first) * kShapLists * size;
  const double *taken = table + (kShapWeights + ShapState::taken) * size,
               *missed = table + (kShapWeights + ShapState::missed) * size;
  const ShapMask before = shap_load(walk.ones + static_cast<size_t>(edge.before) * kShapLanes);
  const ShapMask ones = shap_load(walk.ones + depth * kShapLanes);
  const double* sums = walk.sums + depth * walk.stride;
  double *above = walk.sums + (depth - 1) * walk.stride,
         *into = walk.into + static_cast<size_t>(edge.column) * kShapLanes;
  const ShapVector zero = {};
  ShapVector terms[4] = {};
  for (size_t first = 0; first < size; first += kShapPart<Size>) {
    for (size_t part = 0; part < kShapPart<Size>; part++) {
      const size_t node = first + part;
      const ShapVector sum = shap_load(sums + node * kShapLanes);
      const ShapVector weight = shap_select(ones, taken[node] - zero, missed[node] - zero);
      terms[part] += shap_select(before, weight, zero) * sum;
      shap_store(above + node * kShapLanes, shap_load(above + node * kShapLanes) + sum);
    }
  }
  shap_store(into, shap_load(into) + ((terms[0] + terms[2]) + (terms[1] + terms[3])));
}

template <size_t Size>
static void shap_add_tree(const ShapWalk& walk, const ShapTree& tree) {
  const size_t size = Size ? Size : static_cast<size_t>(tree.size);
  const double* table = walk.tables + tree.table;
  const ShapVector zero = {};
  int32_t open = 0;
  for (int32_t at = tree.first; at < tree.end; at++, table += kShapLists * size) {
    const ShapEdge& edge = walk.edges[at];
    for (; open >= edge.depth; open--) shap_leave<Size>(walk, tree, open);
    open = edge.depth;
    walk.path[open] = at;
    const auto depth = static_cast<size_t>(open);
    const ShapMask before = shap_load(walk.ones + static_cast<size_t>(edge.before) * kShapLanes);
    const ShapMask ones = shap_taken(walk, edge) & before;
    shap_store(walk.ones + depth * kShapLanes, ones);
    const double* above = walk.products + (depth - 1) * walk.stride;
    double *products = walk.products + depth * walk.stride, *sums = walk.sums + depth * walk.stride;
    const ShapVector lost = table[ShapState::lost * size] - zero, value = walk.values[at] - zero;
    for (size_t node = 0; node < size; node++) {
      const ShapVector took = table[ShapState::taken * size + node] - zero;
      const ShapVector missed = table[ShapState::missed * size + node] - zero;
      const ShapVector ratio = shap_select(before, shap_select(ones, took, missed), lost);
      const ShapVector product = shap_load(above + node * kShapLanes) * ratio;
      shap_store(products + node * kShapLanes, product);
      shap_store(sums + node * kShapLanes, product * value);
    }
  }
  for (; open > 0; open--) shap_leave<Size>(walk, tree, open);
}

BREZEL_ISA_END
