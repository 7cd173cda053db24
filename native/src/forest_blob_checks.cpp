// Checks packed forests.
#include <algorithm>
#include <vector>

#include "include/kernel.hpp"
#include "src/blob_checks.hpp"
#include "src/forest_blob.hpp"

using namespace brezel;

static void validate_forest_columns(const ForestBlob& forest) {
  for (uint32_t column = 0; column < forest.columns; column++) {
    const uint32_t source = forest.sources[column];
    BlobCheck::need(source == kNanColumn || (source & ~kNanIsLow) < forest.features, "feature out of range");
  }
}

/**
 * Checks the parts that perfect and linked forests have in common: the header, columns, targets and
 * weights.
 */
static ForestBlob validate_forest_header(const BlobCheck& check, const Parameter& blob, uint32_t magic) {
  const auto* header = static_cast<const uint32_t*>(blob.data());
  BlobCheck::need(header[0] == magic && header[1] == 1, "no forest of this kind and version");
  BlobCheck::need(header[15] == check.bytes(), "blob of another length than it says");
  const uint64_t trees = header[2], targets = header[3], weight_rows = header[7];
  check.section(header[8], header[4], 4);
  check.section(header[12], weight_rows ? 0 : trees, 4);
  check.section(header[13], weight_rows, targets * 4);
  check.section(header[14], targets, 4);
  const ForestBlob forest(header);
  BlobCheck::need(forest.columns <= kMaxForestColumns && forest.features <= kMaxForestColumns,
                  "a forest of too many columns");
  validate_forest_columns(forest);
  for (uint32_t tree = 0; !weight_rows && tree < forest.trees; tree++)
    BlobCheck::need(forest.tree_targets[tree] < forest.targets, "target out of range");
  return forest;
}

static void validate_leaf(const ForestBlob& forest, uint32_t payload) {
  BlobCheck::need(!forest.weight_rows || payload < forest.weight_rows, "row of weights out of range");
}

void brezel::validate_perfect_forest(Parameter& blob) {
  if (blob.is_validated(kPerfectForest)) return;
  const BlobCheck check(blob, 16);
  const ForestBlob forest = validate_forest_header(check, blob, kPerfectMagic);
  BlobCheck::need(forest.form >= kMinPerfectDepth && forest.form <= kMaxPerfectDepth, "depth out of range");
  const auto* header = static_cast<const uint32_t*>(blob.data());
  const uint64_t places = uint64_t{forest.trees} << forest.form;
  check.section(header[9], places, sizeof(ForestNode));
  check.section(header[10], places, 4);
  // A forest that has only leaves uses no column. But a walk reads the first column anyway, so
  // every row has at least one.
  const uint32_t columns = std::max({forest.columns, forest.columns ? 0 : forest.features, 1u});
  for (uint64_t place = 0; place < places; place++) {
    BlobCheck::need(forest.nodes[place].link < columns, "column out of range");
    validate_leaf(forest, forest.leaves[place]);
  }
  blob.mark_validated(kPerfectForest);
}

/**
 * Checks one tree. Children have greater indices than their parents, so walks end. A walk from any
 * node reaches a leaf after at most `depth` nodes.
 */
static void validate_linked_tree(const ForestBlob& forest, uint32_t tree, std::vector<uint32_t>& heights) {
  const uint64_t size = forest.first_nodes[tree + 1] - forest.first_nodes[tree];
  const ForestNode* nodes = forest.nodes + forest.first_nodes[tree];
  heights.assign(size, 0);
  for (uint64_t at = size; at-- > 0;) {
    const uint32_t column = nodes[at].link & ((1u << forest.form) - 1);
    const uint64_t child = nodes[at].link >> forest.form;
    BlobCheck::need(column < forest.columns, "column out of range");
    if (column == 0) {
      BlobCheck::need(child == at, "a leaf leads elsewhere");
      validate_leaf(forest, nodes[at].payload());
      continue;
    }
    BlobCheck::need(child > at && child + 1 < size, "a child's number is not greater than its parent's");
    heights[at] = 1 + std::max(heights[child], heights[child + 1]);
  }
  BlobCheck::need(size > 0 && heights[0] == forest.depths[tree], "depth of a tree is wrong");
}

void brezel::validate_linked_forest(Parameter& blob) {
  if (blob.is_validated(kLinkedForest)) return;
  const BlobCheck check(blob, 16);
  const ForestBlob forest = validate_forest_header(check, blob, kLinkedMagic);
  BlobCheck::need(forest.form >= 1 && forest.form <= 20, "bits of a column out of range");
  const auto* header = static_cast<const uint32_t*>(blob.data());
  check.section(header[10], uint64_t{forest.trees} + 1, 4);
  check.section(header[11], forest.trees, 4);
  check.section(header[9], forest.first_nodes[forest.trees], sizeof(ForestNode));
  BlobCheck::need(forest.columns > 0 && forest.sources[0] == kNanColumn, "column 0 is not NaN");
  BlobCheck::need(forest.first_nodes[0] == 0, "the first tree starts elsewhere");
  for (uint32_t tree = 0; tree < forest.trees; tree++)
    BlobCheck::need(forest.first_nodes[tree] < forest.first_nodes[tree + 1], "trees out of order");
  std::vector<uint32_t> heights;
  for (uint32_t tree = 0; tree < forest.trees; tree++) validate_linked_tree(forest, tree, heights);
  blob.mark_validated(kLinkedForest);
}
