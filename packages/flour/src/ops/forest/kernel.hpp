#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/tree_walk.hpp"

BREZEL_ISA_BEGIN

/**
 * Runs a forest with N nodes, T trees, W leaf weights and C targets. Reads a row of f32 or f64, and
 * writes C numbers of the same dtype. The attribute selects how the weights of the reached leaves
 * are combined for each target (`Aggregate`).
 *
 * Parameters: i32 feature[N], f64 threshold[N], i32 mode[N] (TreeMode), i32 true[N], i32 false[N],
 * i32 missingTrue[N], i32 roots[T], i32 leafStart[N + 1], i32 leafTarget[W], f64 leafWeight[W], f64
 * base[C], i32 memberStart[N + 1], f64 members[M].
 */
struct ForestKernel {
  /** The arrays of a forest, and the sets that nodes test. */
  struct Arrays : ForestArrays<double> {
    const int32_t* member_start;
    const double* members;
  };

  template <class Source>
  static Arrays arrays(const Source& s) {
    return {{s.template parameter<int32_t>(0), s.template parameter<double>(1), s.template parameter<TreeMode>(2),
             s.template parameter<int32_t>(3), s.template parameter<int32_t>(4), s.template parameter<int32_t>(5),
             s.template parameter<int32_t>(6), s.template parameter<int32_t>(7), s.template parameter<int32_t>(8),
             s.template parameter<double>(9), s.template parameter<double>(10)},
            s.template parameter<int32_t>(11),
            s.template parameter<double>(12)};
  }

  static void check(Signature& s) {
    s.arity(1, 13, 1);
    s.attribute_below(0, kAggregateCount);
    const SlotType &in = s.inputs[0], &out = s.outputs[0];
    s.need(in.kind == Kind::dense && (in.dtype == DType::f32 || in.dtype == DType::f64), "expected dense floats");
    s.dense(out, in.dtype);
    const uint64_t nodes = s.parameters[0]->bytes() / 4, weights = s.parameters[8]->bytes() / 4,
                   members = s.parameters[12]->bytes() / 8;
    s.need_parameter(nodes < kMaxSize && weights < kMaxSize && members < kMaxSize, "parameter of a wrong length");
    for (const size_t array : {0, 2, 3, 4, 5}) s.parameter_bytes(array, nodes * 4);
    s.parameter_bytes(1, nodes * 8);
    s.need_parameter(s.parameters[6]->bytes() % 4 == 0, "parameter of a wrong length");
    s.parameter_bytes(7, (nodes + 1) * 4);
    s.parameter_bytes(8, weights * 4);
    s.parameter_bytes(9, weights * 8);
    s.parameter_bytes(10, uint64_t{out.size} * 8);
    s.parameter_bytes(11, (nodes + 1) * 4);
    s.parameter_bytes(12, members * 8);
    const Arrays forest = arrays(s);
    check_nodes(s, forest, static_cast<int32_t>(nodes));
    check_starts(s, forest.leaf_start, nodes, weights);
    check_starts(s, forest.member_start, nodes, members);
    for (uint64_t at = 0; at < weights; at++) {
      const int32_t target = forest.leaf_target[at];
      s.need_parameter(target >= 0 && static_cast<uint32_t>(target) < out.size, "target out of range");
    }
    for (size_t tree = 0; tree < s.parameters[6]->bytes() / 4; tree++) {
      s.need_parameter(forest.roots[tree] >= 0 && static_cast<uint64_t>(forest.roots[tree]) < nodes,
                       "root out of range");
    }
  }

  static void check_nodes(Signature& s, const Arrays& forest, int32_t nodes) {
    for (int32_t at = 0; at < nodes; at++) {
      s.need_parameter(forest.mode[at] >= TreeMode::leq && forest.mode[at] <= TreeMode::member,
                       "unknown mode of a tree node");
      if (forest.mode[at] == TreeMode::leaf) continue;
      s.need_parameter(forest.feature[at] >= 0 && static_cast<uint32_t>(forest.feature[at]) < s.inputs[0].size,
                       "feature out of range");
      const bool is_ahead =
          forest.yes[at] > at && forest.yes[at] < nodes && forest.no[at] > at && forest.no[at] < nodes;
      s.need_parameter(is_ahead, "a child's number is not greater than its parent's");
    }
  }

  static void check_starts(Signature& s, const int32_t* starts, uint64_t nodes, uint64_t end) {
    s.need_parameter(starts[0] == 0 && starts[nodes] == static_cast<int64_t>(end), "starts out of range");
    for (uint64_t at = 0; at < nodes; at++) s.need_parameter(starts[at] <= starts[at + 1], "starts do not grow");
  }

  static bool compare(const Arrays& forest, int32_t node, double value) {
    const double threshold = forest.threshold[node];
    switch (forest.mode[node]) {
      case TreeMode::leq:
        return value <= threshold;
      case TreeMode::lt:
        return value < threshold;
      case TreeMode::gte:
        return value >= threshold;
      case TreeMode::gt:
        return value > threshold;
      case TreeMode::eq:
        return value == threshold;
      case TreeMode::neq:
        return value != threshold;
      default:
        for (int32_t at = forest.member_start[node]; at < forest.member_start[node + 1]; at++) {
          if (forest.members[at] == value) return true;
        }
        return false;
    }
  }

  template <class T>
  static int32_t walk(const Arrays& forest, int32_t node, const T* features) {
    while (forest.mode[node] != TreeMode::leaf) {
      const T value = features[forest.feature[node]];
      const bool is_taken = value != value ? forest.missing_yes[node] == 1 : compare(forest, node, value);
      node = is_taken ? forest.yes[node] : forest.no[node];
    }
    return node;
  }

  static void prepare(Signature& s, Memory& memory) {
    prepare_forest<double>(arrays(s), s.parameters[0]->bytes() / 4, s.parameters[6]->bytes() / 4, memory);
  }

  /** Combines the results of the trees for one row, one number per target. */
  template <class T>
  struct Scores {
    Aggregate aggregate;
    T* scores;
    uint8_t* is_scored;

    void start(uint32_t targets) const {
      __builtin_memset(is_scored, 0, targets);
      for (uint32_t target = 0; target < targets; target++) scores[target] = 0;
    }

    void join(int32_t target, double leaf) const {
      const T weight = static_cast<T>(leaf);
      T& score = scores[target];
      if (aggregate == Aggregate::sum || aggregate == Aggregate::average) {
        score = score + weight;
      } else if (!is_scored[target] || (aggregate == Aggregate::min ? weight < score : weight > score)) {
        score = weight;
        is_scored[target] = 1;
      }
    }

    void join_leaf(const Arrays& forest, uint32_t leaf) const {
      for (int32_t at = forest.leaf_start[leaf]; at < forest.leaf_start[leaf + 1]; at++)
        join(forest.leaf_target[at], forest.leaf_weight[at]);
    }
  };

  /**
   * Walks all trees for one row, several trees alternately. Combines their results in the order of
   * the trees.
   */
  template <bool has_nan, class T>
  static void join_trees(const Forest<double>& ready, const Arrays& forest, uint32_t trees, const T* row,
                         const Scores<T>& scores) {
    for (uint32_t tree = 0; tree < trees; tree += kWalks) {
      const uint32_t count = trees - tree < kWalks ? trees - tree : kWalks;
      uint32_t leaves[kWalks];
      walk_trees<has_nan>(ready.nodes(), forest.roots + tree, ready.depths() + tree, count, row, leaves);
      for (uint32_t walk = 0; walk < count; walk++) {
        if (ready.weight_in_leaf)
          scores.join(static_cast<int32_t>(ready.targets()[tree + walk]), ready.nodes()[leaves[walk]].threshold);
        else
          scores.join_leaf(forest, leaves[walk]);
      }
    }
  }

  template <class T>
  static void join_row(const Forest<double>& ready, const Arrays& forest, uint32_t trees, const T* row, bool has_nan,
                       const Scores<T>& scores) {
    if (!ready.has_equality)
      return has_nan ? join_trees<true>(ready, forest, trees, row, scores)
                     : join_trees<false>(ready, forest, trees, row, scores);
    for (uint32_t tree = 0; tree < trees; tree++)
      scores.join_leaf(forest, static_cast<uint32_t>(walk(forest, forest.roots[tree], row)));
  }

  template <class T>
  static void add_up(Run& r) {
    const Arrays forest = arrays(r);
    const auto& ready = *r.prepared<Forest<double>>();
    const auto trees = static_cast<uint32_t>(r.call.parameters[6]->bytes() / 4);
    const uint32_t features = r.input_type(0).size, targets = r.output_type().size;
    const auto aggregate = Aggregate{r.attribute(0)};
    const bool is_mean = aggregate == Aggregate::average;
    const T* in = r.dense<T>(0);
    const bool has_nan = any_nan(in, size_t{r.rows} * features);
    Scores<T> scores{aggregate, r.write_dense<T>(), r.scratch.sums.reserve<uint8_t>(targets, *r.scratch.growth)};
    for (uint32_t row = 0; row < r.rows; row++, in += features, scores.scores += targets) {
      scores.start(targets);
      join_row(ready, forest, trees, in, has_nan, scores);
      for (uint32_t target = 0; target < targets; target++) {
        const T score = scores.scores[target];
        scores.scores[target] = (is_mean ? score / static_cast<T>(trees) : score) + static_cast<T>(forest.base[target]);
      }
    }
  }

  static void run(Run& r) { r.input_type(0).dtype == DType::f64 ? add_up<double>(r) : add_up<float>(r); }
};

BREZEL_ISA_END
