// The blobs of packed forests (README section 3), and the scan that makes walks safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace brezel {

/**
 * A branch of a tree. If `x <= threshold`, a walk continues at the low child. `link` holds the
 * index of a column, and in linked forests also the index of a child.
 */
struct ForestNode {
  float threshold;
  uint32_t link;

  /**
   * Returns the payload of a leaf. A leaf of a linked forest stores it in place of the threshold.
   */
  uint32_t payload() const { return __builtin_bit_cast(uint32_t, threshold); }
};

constexpr uint32_t kNanColumn = 0xFFFFFFFFu;
constexpr uint32_t kNanIsLow = 1u << 31;
// limits the indices of gathers, which are below this number times the rows of a block
constexpr uint32_t kMaxForestColumns = 1u << 20;
constexpr uint32_t kMinPerfectDepth = 3, kMaxPerfectDepth = 20;
constexpr uint32_t kPerfectMagic = 0x50465A42, kLinkedMagic = 0x4C465A42;

struct ForestBlob {
  uint32_t magic, trees, targets, columns, features, form, weight_rows;
  const uint32_t* sources;       // feature of each column, or nullptr if rows are read unchanged
  const ForestNode* nodes;       // a perfect forest has `1 << form` for each tree
  const uint32_t* leaves;        // a perfect forest has `1 << form` for each tree
  const uint32_t* first_nodes;   // replaces `leaves` in linked forests; [trees + 1]
  const uint32_t* depths;        // in linked forests
  const uint32_t* tree_targets;  // used if leaves hold weights
  const float* weight_table;     // used if leaves hold rows of weights
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
