#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/forest.hpp"
#include "primitives/forest_walks.hpp"
#include "primitives/linked_walks.hpp"
#include "primitives/tree_walk.hpp"
#include "src/blob_checks.hpp"
#include "src/forest_blob.hpp"

BREZEL_ISA_BEGIN

/**
 * Adds the weights of the leaves that a row of f32 reaches, for each of C targets. The kernel adds
 * the trees in order, and then `base`. The forest has N nodes, T trees and W leaf weights.
 *
 * Parameters: feature, threshold, mode, true, false, missingTrue (each [N]), roots [T], leafStart
 * [N + 1], leafTarget, leafWeight (each [W]), base [C].
 */
struct TreeEnsembleKernel {
  static void check(Signature& s) {
    s.arity(1, 11, 0);
    s.dense(s.inputs[0], DType::f32);
    s.dense(s.outputs[0], DType::f32);
    const uint64_t nodes = s.parameters[0]->bytes() / 4, weights = s.parameters[8]->bytes() / 4;
    s.need_parameter(nodes < kMaxSize && weights < kMaxSize, "parameter of a wrong length");
    for (size_t array = 0; array < 6; array++) s.parameter_bytes(array, nodes * 4);
    s.need_parameter(s.parameters[6]->bytes() % 4 == 0, "parameter of a wrong length");
    s.parameter_bytes(7, (nodes + 1) * 4);
    s.parameter_bytes(8, weights * 4);
    s.parameter_bytes(9, weights * 4);
    s.parameter_bytes(10, uint64_t{s.outputs[0].size} * 4);
    check_nodes(s, arrays(s), static_cast<int32_t>(nodes), static_cast<int32_t>(weights));
  }

  static void check_nodes(Signature& s, const ForestArrays<float>& forest, int32_t nodes, int32_t weights) {
    for (int32_t at = 0; at < nodes; at++) {
      s.need_parameter(forest.leaf_start[at] >= 0 && forest.leaf_start[at] <= forest.leaf_start[at + 1],
                       "leafStart does not grow");
      s.need_parameter(forest.mode[at] >= TreeMode::leq && forest.mode[at] <= TreeMode::leaf,
                       "unknown mode of a tree node");
      if (forest.mode[at] == TreeMode::leaf) continue;
      s.need_parameter(forest.feature[at] >= 0 && static_cast<uint32_t>(forest.feature[at]) < s.inputs[0].size,
                       "feature out of range");
      s.need_parameter(forest.yes[at] > at && forest.yes[at] < nodes,
                       "a child's number is not greater than its parent's");
      s.need_parameter(forest.no[at] > at && forest.no[at] < nodes,
                       "a child's number is not greater than its parent's");
    }
    s.need_parameter(forest.leaf_start[nodes] >= 0 && forest.leaf_start[nodes] <= weights, "leafStart out of range");
    for (int32_t at = 0; at < weights; at++) {
      const int32_t target = forest.leaf_target[at];
      s.need_parameter(target >= 0 && static_cast<uint32_t>(target) < s.outputs[0].size, "target out of range");
    }
    for (size_t tree = 0; tree < s.parameters[6]->bytes() / 4; tree++) {
      s.need_parameter(forest.roots[tree] >= 0 && forest.roots[tree] < nodes, "root out of range");
    }
  }

  template <class Source>
  static ForestArrays<float> arrays(const Source& s) {
    return {s.template parameter<int32_t>(0), s.template parameter<float>(1),   s.template parameter<TreeMode>(2),
            s.template parameter<int32_t>(3), s.template parameter<int32_t>(4), s.template parameter<int32_t>(5),
            s.template parameter<int32_t>(6), s.template parameter<int32_t>(7), s.template parameter<int32_t>(8),
            s.template parameter<float>(9),   s.template parameter<float>(10)};
  }

  static void prepare(Signature& s, Memory& memory) {
    prepare_forest(arrays(s), s.parameters[0]->bytes() / 4, s.parameters[6]->bytes() / 4, memory);
  }

  static void run(Run& r) {
    const ForestArrays<float> forest = arrays(r);
    const auto trees = static_cast<uint32_t>(r.call.parameters[6]->bytes() / 4);
    const uint32_t features = r.input_type(0).size, outputs = r.output_type().size;
    const float* in = r.dense<float>(0);
    float* sums = r.write_dense<float>();
    __builtin_memset(sums, 0, size_t{r.rows} * outputs * 4);
    add_trees(*r.prepared<Forest<float>>(), forest, trees, in, features, r.rows, sums, outputs);
    for (uint32_t row = 0; row < r.rows; row++, sums += outputs) {
      for (uint32_t output = 0; output < outputs; output++) sums[output] = sums[output] + forest.base[output];
    }
  }
};

/** Checks the blob of a packed forest, padded or linked (native/README.md, section 3). */
static void check_forest(Signature& s, void (*validate)(Parameter&)) {
  s.arity(1, 1, 0);
  s.dense(s.inputs[0], DType::f32);
  s.dense(s.outputs[0], DType::f32);
  validate(*s.parameters[0]);
  const ForestBlob forest(s.parameter<void>(0));
  s.need(forest.targets == s.outputs[0].size, "the forest has another number of targets");
  s.need(forest.features <= s.inputs[0].size, "the forest reads more features than there are");
}

/** Computes `tree_ensemble` with trees that are padded to the same depth. */
struct PerfectForestKernel {
  static void check(Signature& s) { check_forest(s, validate_perfect_forest); }
  static void run(Run& r) { run_forest<PerfectTrees>(r); }
};

/** Computes `tree_ensemble` with packed nodes that contain links to their children. */
struct LinkedForestKernel {
  static void check(Signature& s) { check_forest(s, validate_linked_forest); }
  static void run(Run& r) { run_forest<LinkedTrees>(r); }
};

BREZEL_ISA_END
