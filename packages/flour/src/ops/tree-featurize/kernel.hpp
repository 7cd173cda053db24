#pragma once

#include <vector>

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes features of a row of f32 with a forest. The attribute selects the output (`TreeOutput`).
 * `values` writes the value of the reached leaf of each tree, as dense f32. `leaves` writes a
 * sparse vector with a 1 for each reached leaf. `paths` writes a sparse vector with a 1 for each
 * branch on the paths to these leaves.
 *
 * Parameters for N nodes and T trees: feature i32[N], threshold f32[N], mode, true, false,
 * missingTrue (each i32[N], as in tree_ensemble), roots i32[T], number i32[N], value f32[N].
 */
struct TreeFeaturizeKernel {
  static void check(Signature& s) {
    s.arity(1, 9, 1);
    s.attribute_below(0, kTreeOutputCount);
    s.dense(s.inputs[0], DType::f32);
    const uint64_t nodes = s.parameters[0]->bytes() / 4, trees = s.parameters[6]->bytes() / 4;
    s.need_parameter(nodes < kMaxSize && trees < kMaxSize, "parameter of a wrong length");
    for (const size_t array : {0, 1, 2, 3, 4, 5, 7, 8}) s.parameter_bytes(array, nodes * 4);
    s.parameter_bytes(6, trees * 4);
    if (TreeOutput{s.attributes[0]} == TreeOutput::values) {
      s.dense(s.outputs[0], DType::f32, static_cast<uint32_t>(trees));
    } else {
      s.sparse(s.outputs[0]);
    }
    for (int32_t node = 0; node < static_cast<int32_t>(nodes); node++) check_node(s, node, static_cast<int32_t>(nodes));
    for (uint64_t tree = 0; tree < trees; tree++) {
      const int32_t root = s.parameter<int32_t>(6)[tree];
      s.need_parameter(root >= 0 && static_cast<uint64_t>(root) < nodes, "root out of range");
    }
  }

  static void check_node(const Signature& s, int32_t node, int32_t nodes) {
    const TreeMode mode = s.parameter<TreeMode>(2)[node];
    s.need_parameter(mode >= TreeMode::leq && mode <= TreeMode::leaf, "unknown mode of a tree node");
    const TreeOutput written = mode == TreeMode::leaf ? TreeOutput::leaves : TreeOutput::paths;
    const bool is_written = TreeOutput{s.attributes[0]} == written;
    if (is_written) {
      const int32_t number = s.parameter<int32_t>(7)[node];
      s.need_parameter(number >= 0 && static_cast<uint32_t>(number) < s.outputs[0].size, "number out of range");
    }
    if (mode == TreeMode::leaf) return;
    const int32_t feature = s.parameter<int32_t>(0)[node];
    s.need_parameter(feature >= 0 && static_cast<uint32_t>(feature) < s.inputs[0].size, "feature out of range");
    for (const size_t side : {3, 4}) {
      const int32_t child = s.parameter<int32_t>(side)[node];
      s.need_parameter(child > node && child < nodes, "a child's number is not greater than its parent's");
    }
  }

  /** Computes how many entries a row of a sparse output can have at most. */
  static void prepare(Signature& s, Memory& memory) {
    const uint64_t nodes = s.parameters[0]->bytes() / 4, trees = s.parameters[6]->bytes() / 4;
    const auto* mode = s.parameter<TreeMode>(2);
    const auto *yes = s.parameter<int32_t>(3), *no = s.parameter<int32_t>(4);
    std::vector<uint32_t> height(nodes);
    for (uint64_t node = nodes; node-- > 0;) {  // children have greater numbers
      if (mode[node] == TreeMode::leaf) continue;
      const uint32_t left = height[yes[node]], right = height[no[node]];
      height[node] = 1 + (left > right ? left : right);
    }
    const bool gives_paths = TreeOutput{s.attributes[0]} == TreeOutput::paths;
    uint64_t entries = gives_paths ? 0 : trees;
    if (gives_paths) {
      for (uint64_t tree = 0; tree < trees; tree++) entries += height[s.parameter<int32_t>(6)[tree]];
    }
    s.need_parameter(entries < kMaxSize / 256, "trees too deep");
    Memory result(sizeof(entries));
    __builtin_memcpy(result.data(), &entries, sizeof(entries));
    memory = static_cast<Memory&&>(result);
  }

  static bool holds(TreeMode mode, float value, float threshold) {
    switch (mode) {
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
      default:
        return value != threshold;
    }
  }

  /**
   * Returns the leaf that a row reaches from `node`. If `path` is not null, writes the numbers of
   * the branches above the leaf to it.
   */
  static uint32_t walk(const Run& r, uint32_t node, const float* row, uint32_t*& path) {
    const auto* feature = r.parameter<int32_t>(0);
    const auto* mode = r.parameter<TreeMode>(2);
    const auto *yes = r.parameter<int32_t>(3), *no = r.parameter<int32_t>(4), *missing = r.parameter<int32_t>(5);
    const auto* threshold = r.parameter<float>(1);
    while (mode[node] != TreeMode::leaf) {
      if (path) *path++ = static_cast<uint32_t>(r.parameter<int32_t>(7)[node]);
      const float value = row[feature[node]];
      const bool is_yes = value != value ? missing[node] == 1 : holds(mode[node], value, threshold[node]);
      node = static_cast<uint32_t>(is_yes ? yes[node] : no[node]);
    }
    return node;
  }

  static void write_values(Run& r, size_t trees) {
    const float *in = r.dense<float>(0), *value = r.parameter<float>(8);
    float* out = r.write_dense<float>();
    uint32_t* no_path = nullptr;
    for (uint32_t row = 0; row < r.rows; row++, in += r.input_type(0).size, out += trees) {
      for (size_t tree = 0; tree < trees; tree++)
        out[tree] = value[walk(r, static_cast<uint32_t>(r.parameter<int32_t>(6)[tree]), in, no_path)];
    }
  }

  static void run(Run& r) {
    const size_t trees = r.call.parameters[6]->bytes() / 4;
    const auto output = TreeOutput{r.attribute(0)};
    if (output == TreeOutput::values) return write_values(r, trees);
    const size_t room = *r.prepared<uint64_t>() * r.rows + 1;
    const float* in = r.dense<float>(0);
    uint32_t *offsets = r.write_offsets(), *ids = r.write_ids(room), *next = ids, *no_path = nullptr;
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++, in += r.input_type(0).size) {
      for (size_t tree = 0; tree < trees; tree++) {
        const auto root = static_cast<uint32_t>(r.parameter<int32_t>(6)[tree]);
        const uint32_t leaf = walk(r, root, in, output == TreeOutput::paths ? next : no_path);
        if (output == TreeOutput::leaves) *next++ = static_cast<uint32_t>(r.parameter<int32_t>(7)[leaf]);
      }
      offsets[row + 1] = static_cast<uint32_t>(next - ids);
    }
    float* values = r.write_values<float>(room);
    for (uint32_t at = 0; at < offsets[r.rows]; at++) values[at] = 1;
  }
};

BREZEL_ISA_END
