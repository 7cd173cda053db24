// The blobs of packed forests (README section 3), and the scan that makes walks safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace brezel {

/**
 * A branch. Numbers `x <= threshold` go to the low child. `link` holds a column, and in linked
 * forests also a child.
 */
struct ForestNode {
  float threshold;
  uint32_t link;

  /** Returns the payload that a leaf of a linked forest stores in place of a threshold. */
  uint32_t payload() const { return __builtin_bit_cast(uint32_t, threshold); }
};

constexpr uint32_t kNanColumn = 0xFFFFFFFFu;
constexpr uint32_t kNanIsLow = 1u << 31;
// this times the rows of a block is an index of a gather
constexpr uint32_t kMaxForestColumns = 1u << 20;
constexpr uint32_t kMinPerfectDepth = 3, kMaxPerfectDepth = 20;
constexpr uint32_t kPerfectMagic = 0x50465A42, kLinkedMagic = 0x4C465A42;

struct ForestBlob {
  uint32_t magic, trees, targets, columns, features, form, weight_rows;
  const uint32_t* sources;       // feature of each column; nullptr: rows are read unchanged
  const ForestNode* nodes;       // perfect: `1 << form` a tree
  const uint32_t* leaves;        // perfect: `1 << form` a tree
  const uint32_t* first_nodes;   // linked, in place of `leaves`: [trees + 1]
  const uint32_t* depths;        // linked
  const uint32_t* tree_targets;  // if leaves hold weights
  const float* weight_table;     // if leaves hold rows of weights
  const float* base;

  explicit ForestBlob(const void* blob) {
    const auto* bytes = static_cast<const uint8_t*>(blob);
    const auto* header = static_cast<const uint32_t*>(blob);
    const auto words = [&](int field) { return reinterpret_cast<const uint32_t*>(bytes + header[field]); };
    magic = header[0];
    trees = header[2];
    targets = header[3];
    columns = header[4];
    features = header[5];
    form = header[6];
    weight_rows = header[7];
    sources = words(8);
    nodes = reinterpret_cast<const ForestNode*>(words(9));
    leaves = first_nodes = words(10);
    depths = words(11);
    tree_targets = words(12);
    weight_table = reinterpret_cast<const float*>(words(13));
    base = reinterpret_cast<const float*>(words(14));
  }
};

}  // namespace brezel
