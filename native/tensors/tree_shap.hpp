#pragma once

#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"
#include "primitives/tree_shap.hpp"

BREZEL_ISA_BEGIN

/**
 * For each row, adds to `out` the contribution of each feature to the score of a forest. The
 * contributions are exact path-dependent TreeSHAP, as
 * packages/flour/src/ops/tree-ensemble/tree-shap.ts defines it. Each sum adds in the same order as
 * that file, so the bits are equal.
 *
 * Tensors:
 * - out f64 [rows, columns]
 * - features f64 [rows, columns]
 * - edges i32 [edges, 8]: `ShapEdge`, with the first test of the split, and the outcome of the
 *   split that takes the edge
 * - tables f64: the constants of all edges
 * - values f64 [edges]: the value of the leaf at the end of the edge, or 0
 * - tests i32 [tests, 5]: `ShapTest`; a passed or failed test leads to a later test, given by its
 *   index, or to an outcome of the split, given as -1 - outcome
 * - thresholds f64 [tests]
 * - trees i32 [trees, 4]: `ShapTree`, with the number of quadrature nodes and the start in tables
 *
 * Numbers: rows, columns, edges, tests, trees, deepest.
 */
struct TreeShapTensor {
  static constexpr size_t kEdge = 8, kTest = 5, kTree = 4;
  static constexpr uint64_t kMostSize = 1 << 16;

  static void check(const TensorArguments& a) {
    a.arity(8, 6);
    const uint64_t rows = a.whole(0), columns = a.whole(1), edges = a.whole(2), tests = a.whole(3), trees = a.whole(4),
                   deepest = a.whole(5);
    a.tensor(0, Element::f64, a.count(rows, columns));
    a.tensor(1, Element::f64, a.count(rows, columns));
    a.tensor(2, Element::i32, a.count(edges, kEdge));
    a.need(a.has(3) && a.operands[3].element == Element::f64, "expected tables of f64");
    a.tensor(4, Element::f64, edges);
    a.tensor(5, Element::i32, a.count(tests, kTest));
    a.tensor(6, Element::f64, tests);
    a.tensor(7, Element::i32, a.count(trees, kTree));
    check_tests(a, columns, tests);
    check_trees(a, trees, edges, a.operands[3].length);
    check_edges(a, edges, columns, tests, deepest);
  }

  static void check_tests(const TensorArguments& a, uint64_t columns, uint64_t tests) {
    const auto* test = static_cast<const ShapTest*>(a.operands[5].data);
    bool fits = true;
    for (uint64_t at = 0; at < tests; at++, test++) {
      fits &= is_below(test->column, columns) & is_below(test->mode, 6);
      for (const int32_t next : {test->passed, test->failed})
        fits &= (next < 0) | ((static_cast<uint64_t>(next) > at) & is_below(next, tests));
    }
    a.need(fits, "test out of range");
  }

  static void check_trees(const TensorArguments& a, uint64_t trees, uint64_t edges, uint64_t length) {
    const auto* tree = static_cast<const ShapTree*>(a.operands[7].data);
    const auto* edge = static_cast<const ShapEdge*>(a.operands[2].data);
    for (uint64_t at = 0; at < trees; at++, tree++) {
      a.need(is_below(tree->first, edges) && tree->end > tree->first && is_below(tree->end, edges + 1), "no such edges");
      a.need(tree->size >= 1 && is_below(tree->size, kMostSize), "size out of range");
      a.need(tree->size <= 2 || tree->size % 4 == 0, "size out of range");
      a.need(tree->table >= 0, "no such table");
      const uint64_t width = kShapLists * static_cast<uint64_t>(tree->size);
      const uint64_t numbers = static_cast<uint64_t>(tree->end - tree->first) * width;
      a.need(static_cast<uint64_t>(tree->table) + numbers <= length, "no such table");
      a.need(a.whole(0) == 1 || edge[tree->first].depth == 1, "a tree starts at depth 1");
    }
  }

  /**
   * Checks that the edges refer only to existing depths, columns and tests. The loops have no
   * branches, because the checks must be fast compared with the short walk of a single row.
   */
  static void check_edges(const TensorArguments& a, uint64_t edges, uint64_t columns, uint64_t tests,
                          uint64_t deepest) {
    const auto* edge = static_cast<const ShapEdge*>(a.operands[2].data);
    bool fits = true;
    int32_t above = 0;
    if (a.whole(0) == 1) return check_order(a, columns, tests);
    for (uint64_t at = 0; at < edges; at++, edge++) {
      fits &= (edge->depth >= 1) & (edge->depth <= above + 1) & is_below(edge->depth, deepest + 1);
      fits &= is_below(edge->column, columns) & is_below(edge->test, tests);
      fits &= is_below(edge->before, static_cast<uint64_t>(edge->depth));
      above = edge->depth;
    }
    a.need(fits, "edge out of range");
  }

  static void check_order(const TensorArguments& a, uint64_t columns, uint64_t tests) {
    const auto* tree = static_cast<const ShapTree*>(a.operands[7].data);
    bool fits = true;
    for (uint64_t at = 0; at < a.whole(4); at++, tree++) {
      const auto count = static_cast<uint32_t>(tree->end - tree->first);
      const auto* edge = static_cast<const ShapEdge*>(a.operands[2].data) + tree->first;
      for (uint32_t index = 0; index < count; index++, edge++) {
        fits &= (static_cast<uint32_t>(edge->parent) <= index) & (static_cast<uint32_t>(edge->same) <= index) &
                (static_cast<uint32_t>(edge->post) < count) & (static_cast<uint32_t>(edge->column) < columns) &
                (static_cast<uint32_t>(edge->test) < tests);
      }
    }
    a.need(fits, "edge out of range");
  }

  static bool is_below(int32_t number, uint64_t limit) { return number >= 0 && static_cast<uint64_t>(number) < limit; }

  template <size_t Lanes, size_t Size>
  static void add_tree(const ShapWalk& walk, const ShapTree& tree) {
    if constexpr (Lanes == 1) shap_add_tree_of_row<Size>(walk, tree);
    else shap_add_tree<Size>(walk, tree);
  }

  /**
   * Adds the contributions of the trees of a walk. Trees of up to 8 distinct features on a path run
   * code that is compiled for their number of quadrature nodes.
   */
  template <size_t Lanes>
  static void add_trees(const ShapWalk& walk, const ShapTree* trees, size_t count) {
    for (size_t at = 0; at < count; at++) {
      switch (trees[at].size) {
        case 1:
          add_tree<Lanes, 1>(walk, trees[at]);
          break;
        case 2:
          add_tree<Lanes, 2>(walk, trees[at]);
          break;
        case 4:
          add_tree<Lanes, 4>(walk, trees[at]);
          break;
        default:
          add_tree<Lanes, 0>(walk, trees[at]);
      }
    }
  }

  /** Explains `count` rows. Other lanes repeat the first row. */
  template <size_t Lanes>
  static void add_rows(const TensorRun& r, const ShapWalk& walk, size_t first, size_t count) {
    const size_t columns = r.size(1);
    const double* from = r.in<double>(1) + first * columns;
    double* out = r.out<double>() + first * columns;
    for (size_t column = 0; column < columns; column++) {
      for (size_t lane = 0; lane < Lanes; lane++) {
        const size_t row = lane < count ? lane : 0;
        walk.features[column * Lanes + lane] = from[row * columns + column];
        walk.into[column * Lanes + lane] = out[row * columns + column];
      }
    }
    if constexpr (Lanes == 1) shap_outcomes(walk, r.size(3));
    add_trees<Lanes>(walk, r.in<ShapTree>(7), r.size(4));
    for (size_t lane = 0; lane < count; lane++)
      for (size_t column = 0; column < columns; column++) out[lane * columns + column] = walk.into[column * Lanes + lane];
  }

  template <size_t Lanes>
  static ShapWalk walk_for(const TensorRun& r) {
    const size_t columns = r.size(1);
    size_t size = 1, edges = 0;
    const auto* trees = r.in<ShapTree>(7);
    for (size_t at = 0; at < r.size(4); at++) {
      size = larger(size, static_cast<size_t>(trees[at].size));
      edges = larger(edges, static_cast<size_t>(trees[at].end - trees[at].first));
    }
    // A walk of one row has an entry for each edge, other walks for each depth.
    const size_t entries = (Lanes == 1 ? edges : r.size(5)) + 1, stride = size * Lanes;
    auto* features = r.scratch.panel.reserve<double>(2 * columns * Lanes, r.scratch.growth);
    auto* products = r.scratch.terms.reserve<double>(2 * entries * stride, r.scratch.growth);
    auto* ones = r.scratch.runs.reserve<int64_t>(entries * (Lanes + 1) + r.size(3), r.scratch.growth);
    auto* others = ones + entries * Lanes;
    // The root of every tree has the product 1, and each row reaches it. No walk reads its sums.
    for (size_t at = 0; at < stride; at++) {
      products[at] = 1;
      products[entries * stride + at] = 0;
    }
    for (size_t lane = 0; lane < Lanes; lane++) ones[lane] = -1;
    return {r.in<ShapEdge>(2),
            r.in<double>(3),
            r.in<double>(4),
            r.in<double>(6),
            r.in<ShapTest>(5),
            features,
            features + columns * Lanes,
            products,
            products + entries * stride,
            ones,
            reinterpret_cast<int32_t*>(others),
            reinterpret_cast<int32_t*>(others + entries),
            reinterpret_cast<const double**>(others),
            stride};
  }

  static size_t larger(size_t one, size_t other) { return one > other ? one : other; }

  static void run(TensorRun& r) {
    const size_t rows = r.size(0);
    if (rows == 1) return add_rows<1>(r, walk_for<1>(r), 0, 1);
    const ShapWalk walk = walk_for<kShapLanes>(r);
    for (size_t row = 0; row < rows; row += kShapLanes)
      add_rows<kShapLanes>(r, walk, row, rows - row < kShapLanes ? rows - row : kShapLanes);
  }
};

BREZEL_ISA_END
