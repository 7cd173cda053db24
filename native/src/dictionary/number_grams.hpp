// Numbers n-grams and their prefixes (number-grams in packages/text).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "primitives/hash.hpp"
#include "src/dictionary/builder.hpp"
#include "src/dictionary/select_grams.hpp"

namespace brezel {

constexpr int32_t kNoNode = -1;
constexpr size_t kDirectCells = 1 << 21;
constexpr uint32_t kDirectMost = 4;

/** N-grams in order of insertion, and a map from (parent, symbol) to node. */
class GramSet {
 public:
  std::vector<int32_t> parents, symbols, nodes;

  size_t size() const { return nodes.size(); }
  int32_t find(int32_t parent, int32_t symbol) const {
    const uint32_t entry = index_[slot(parent, symbol)];
    return entry ? nodes[entry - 1] : kNoNode;
  }
  void add(int32_t parent, int32_t symbol, int32_t node) {
    if (4 * (size() + 1) > index_.size()) grow();
    const size_t at = slot(parent, symbol);
    parents.push_back(parent);
    symbols.push_back(symbol);
    nodes.push_back(node);
    index_[at] = static_cast<uint32_t>(size());
  }

 private:
  size_t slot(int32_t parent, int32_t symbol) const {
    const size_t mask = index_.size() - 1;
    size_t at = baseline::hash_gram(static_cast<uint32_t>(parent), static_cast<uint32_t>(symbol), 0) & mask;
    while (index_[at] && (parents[index_[at] - 1] != parent || symbols[index_[at] - 1] != symbol)) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    index_.assign(2 * index_.size(), 0);
    for (size_t entry = 0; entry < size(); entry++)
      index_[slot(parents[entry], symbols[entry])] = static_cast<uint32_t>(entry + 1);
  }
  std::vector<uint32_t> index_ = std::vector<uint32_t>(4096, 0);
};

/**
 * Numbers the nodes. The first n-gram of a column has the column's number. All other nodes get
 * numbers above the numbers of all columns.
 */
class NodeNumbers {
 public:
  explicit NodeNumbers(uint32_t columns) : taken_(columns, 0) {}
  std::vector<int32_t> aliases;

  uint32_t count() const { return static_cast<uint32_t>(taken_.size() + aliases.size()); }
  int32_t of_column(uint32_t column) {
    if (taken_[column]) return add(static_cast<int32_t>(column));
    taken_[column] = 1;
    return static_cast<int32_t>(column);
  }
  int32_t of_prefix() { return add(kNoNode); }

 private:
  int32_t add(int32_t alias) {
    aliases.push_back(alias);
    return static_cast<int32_t>(count() - 1);
  }
  std::vector<uint8_t> taken_;
};

/** The nodes of all n-grams, and how to find the node of an n-gram. */
struct NumberedGrams {
  explicit NumberedGrams(uint32_t columns) : nodes(columns) {}
  NodeNumbers nodes;
  /** One entry for each token: the node of a word, or kNoNode; the symbol of a character, or 0. */
  std::vector<int32_t> symbols;
  uint32_t alphabet = 0;
  std::vector<std::vector<int32_t>> direct;
  GramSet set;
};

/** Numbers the n-grams of one size, and the prefixes of this size that longer n-grams have. */
template <class Find, class Add>
void number_level(uint32_t size, const SelectedGrams& selected, NodeNumbers& nodes, std::vector<int32_t>& prefixes,
                  Find find, Add add) {
  const uint32_t end = selected.by_size[size];
  for (uint32_t gram = selected.by_size[size - 1]; gram < end; gram++)
    // an n-gram that is listed twice counts in its first column
    if (find(gram) == kNoNode) add(gram, nodes.of_column(selected.columns[gram]));
  for (uint32_t gram = end; gram < selected.count; gram++) {
    int32_t node = find(gram);
    if (node == kNoNode) {
      node = nodes.of_prefix();
      add(gram, node);
    }
    prefixes[gram] = node;
  }
}

/** Numbers the characters, and creates the tables that short n-grams index directly. */
inline void number_characters(const SelectedGrams& selected, NumberedGrams& numbered) {
  int32_t last = 0;
  for (size_t token = 0; token < selected.used_tokens.size(); token++)
    if (selected.used_tokens[token]) numbered.symbols[token] = ++last;
  numbered.alphabet = static_cast<uint32_t>(last) + 1;
  size_t cells = numbered.alphabet;
  for (uint32_t size = 1; size <= std::min(selected.max_n, kDirectMost) && cells <= kDirectCells; size++) {
    numbered.direct.emplace_back(cells, kNoNode);
    cells *= numbered.alphabet;
  }
}

/** Numbers all n-grams and their prefixes. */
inline void number_grams(const DictionarySource& source, const SelectedGrams& selected, NumberedGrams& numbered) {
  // no structured binding, because lambdas of clang before 16 cannot capture one
  auto& nodes = numbered.nodes;
  auto& symbols = numbered.symbols;
  auto& direct = numbered.direct;
  auto& set = numbered.set;
  symbols.assign(source.tokens.count(), source.of_words ? kNoNode : 0);
  if (!source.of_words) number_characters(selected, numbered);
  std::vector<int32_t> prefixes(selected.count);
  const auto token_of = [&](uint32_t gram, uint32_t at) { return source.grams[selected.starts[gram] + at]; };
  for (uint32_t size = 1; size <= selected.max_n; size++) {
    if (size <= direct.size()) {
      const auto cell = [&](uint32_t gram) -> int32_t& {
        size_t index = 0;
        for (uint32_t at = 0; at < size; at++) index = index * numbered.alphabet + symbols[token_of(gram, at)];
        return direct[size - 1][index];
      };
      number_level(size, selected, nodes, prefixes, cell, [&](uint32_t gram, int32_t node) { cell(gram) = node; });
    } else if (size > 1) {
      const auto symbol = [&](uint32_t gram) { return symbols[token_of(gram, size - 1)]; };
      number_level(
          size, selected, nodes, prefixes, [&](uint32_t gram) { return set.find(prefixes[gram], symbol(gram)); },
          [&](uint32_t gram, int32_t node) { set.add(prefixes[gram], symbol(gram), node); });
    } else {
      const auto node_of = [&](uint32_t gram) -> int32_t& { return symbols[token_of(gram, 0)]; };
      number_level(size, selected, nodes, prefixes, node_of,
                   [&](uint32_t gram, int32_t node) { node_of(gram) = node; });
      // Words that occur only after the first position of an n-gram also get a node.
      for (size_t token = 0; token < symbols.size(); token++)
        if (selected.used_tokens[token] && symbols[token] == kNoNode) symbols[token] = nodes.of_prefix();
    }
  }
}

}  // namespace brezel
