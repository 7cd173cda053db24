// Builds dictionaries in the steps of packages/text: select-grams, number-grams, place-entries,
// word-table, gram-table and build-dictionary.
#include "src/dictionary_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "primitives/hash.hpp"
#include "src/blobs.hpp"

using namespace brezel;
using baseline::bucket_of, baseline::hash_16_bytes, baseline::hash_gram, baseline::load_u64, baseline::mix;

namespace {

constexpr uint32_t kMagic = 0x474E5A42, kVersion = 1, kHeaderFields = 25;
constexpr int32_t kNoNode = -1;
constexpr uint32_t kLargestGram = 64;
constexpr size_t kDirectCells = 1 << 21;
constexpr uint32_t kDirectMost = 4;
constexpr int kMostSeeds = 8;
constexpr uint32_t kFirstSeed = 0x42A3C96D;
constexpr double kLoadFactor = 0.72;
constexpr uint64_t kLongestChain = 16;
constexpr uint32_t kBucketCells = 16, kOverflowCell = 15;
constexpr uint32_t kWordsPerBucket = 3, kWordNodesCell = 12, kGramsPerBucket = 5, kGramNodesCell = 10;
constexpr uint32_t kShortWordBytes = 15, kMostWordBytes = (1 << 24) - 1, kPoolPadding = 64;
constexpr uint32_t kLongWordMark = 0xFF, kEmptyWordMark = 0xFE;

// ---- grams that can match

struct SelectedGrams {
  uint32_t count = 0, min_n = 1, max_n = 1;
  std::vector<size_t> starts;
  std::vector<uint32_t> columns;
  /**
   * The n-grams of size n have the indices from `by_size[n - 1]` up to but not including
   * `by_size[n]`.
   */
  std::vector<uint32_t> by_size{0};
  std::vector<uint8_t> used_tokens;
};

bool has_sound_sizes(const DictionarySource& source) {
  uint64_t count = 0, length = 0;
  for (size_t size = 1; size <= source.gram_counts.size(); size++) {
    count += source.gram_counts[size - 1];
    length += source.gram_counts[size - 1] * uint64_t{size};
  }
  const uint32_t tokens = source.tokens.count();
  return source.min_n >= 1 && source.min_n <= source.max_n && count == source.columns_length &&
         length == source.grams_length && source.column_count <= INT32_MAX &&
         std::all_of(source.grams, source.grams + source.grams_length, [&](uint32_t token) { return token < tokens; });
}

/** Returns whether all selected columns exist and no n-gram is too long. */
bool select_grams(const DictionarySource& source, SelectedGrams& selected) {
  const uint32_t tokens = source.tokens.count();
  std::vector<uint8_t> matchable(tokens, 1);
  for (uint32_t token = 0; token < tokens && !source.of_words; token++)
    matchable[token] = single_code_point(source.tokens.at(token)) >= 0;
  selected.used_tokens.assign(tokens, 0);
  size_t start = 0, gram = 0;
  for (uint32_t size = 1; size <= source.gram_counts.size(); size++) {
    const size_t end = gram + source.gram_counts[size - 1];
    for (; gram < end; gram++, start += size) {
      if (size < source.min_n || size > source.max_n) continue;
      const uint32_t *first = source.grams + start, *last = first + size;
      if (!std::all_of(first, last, [&](uint32_t token) { return matchable[token]; })) continue;
      if (source.columns[gram] >= source.column_count) return false;
      for (const uint32_t* token = first; token < last; token++) selected.used_tokens[*token] = 1;
      selected.starts.push_back(start);
      selected.columns.push_back(source.columns[gram]);
      selected.max_n = size;
    }
    selected.by_size.push_back(static_cast<uint32_t>(selected.starts.size()));
  }
  selected.count = static_cast<uint32_t>(selected.starts.size());
  selected.by_size.push_back(selected.count);
  selected.min_n = std::min(source.min_n, selected.max_n);
  return selected.max_n <= kLargestGram;
}

// ---- numbers of grams and of their prefixes

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
    size_t at = hash_gram(static_cast<uint32_t>(parent), static_cast<uint32_t>(symbol), 0) & mask;
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

void number_characters(const SelectedGrams& selected, NumberedGrams& numbered) {
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

void number_grams(const DictionarySource& source, const SelectedGrams& selected, NumberedGrams& numbered) {
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

// ---- places in buckets

struct Placement {
  uint32_t seed = kFirstSeed, buckets = 0;
  std::vector<uint32_t> homes, places;
  std::vector<uint8_t> overflow;
};

/** Sorts entries by home bucket (the bucket that the hash selects) with a stable counting sort. */
std::vector<uint32_t> by_home(const std::vector<uint32_t>& homes, uint32_t buckets) {
  std::vector<uint32_t> next(size_t{buckets} + 1, 0), order(homes.size());
  for (const uint32_t home : homes) next[home + 1]++;
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (uint32_t entry = 0; entry < homes.size(); entry++) order[next[homes[entry]]++] = entry;
  return order;
}

/**
 * Places entries in buckets with room for `slots` entries each, in order of home buckets. Returns
 * false if a probe chain gets too long.
 */
bool place(Placement& to, uint32_t slots) {
  const uint64_t buckets = to.buckets;
  std::vector<uint8_t> used(buckets, 0);
  // may exceed the number of buckets, because the last buckets overflow into the first ones
  uint64_t bucket = 0;
  for (const uint32_t entry : by_home(to.homes, to.buckets)) {
    const uint64_t home = to.homes[entry];
    bucket = std::max(bucket, home);
    while (used[bucket % buckets] == slots)
      if (++bucket - home >= kLongestChain) return false;
    const uint64_t target = bucket % buckets;
    to.places[entry] = static_cast<uint32_t>(target * slots + used[target]++);
    for (uint64_t passed = home; passed < bucket; passed++) to.overflow[passed % buckets] = 1;
  }
  return true;
}

/**
 * Places entries in buckets in order of decreasing frequency. An entry goes to the first bucket
 * with room, from its home bucket on.
 */
bool place_by_frequency(Placement& to, uint32_t slots, const std::vector<int32_t>& frequencies) {
  std::vector<uint8_t> used(to.buckets, 0);
  std::vector<uint32_t> order(to.homes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return frequencies[a] > frequencies[b]; });
  for (const uint32_t entry : order) {
    uint32_t bucket = to.homes[entry];
    for (uint64_t passed = 0; used[bucket] == slots; passed++) {
      if (passed >= kLongestChain) return false;
      to.overflow[bucket] = 1;
      bucket = bucket + 1 == to.buckets ? 0 : bucket + 1;
    }
    to.places[entry] = bucket * slots + used[bucket]++;
  }
  return true;
}

/**
 * Distributes entries over buckets with the first seed for which no probe chain is too long.
 * Returns false if no such seed exists, which only happens with keys that were chosen to collide.
 */
template <class HashOf>
bool place_entries(Placement& to, size_t entries, uint32_t slots, const std::vector<int32_t>* frequencies,
                   HashOf hash_of) {
  to.buckets = static_cast<uint32_t>(std::ceil(static_cast<double>(entries) / (slots * kLoadFactor)));
  to.homes.resize(entries);
  to.places.resize(entries);
  for (int attempt = 0; attempt < kMostSeeds; attempt++, to.seed = mix(to.seed + 0x9E3779B9u)) {
    for (size_t entry = 0; entry < entries; entry++) to.homes[entry] = bucket_of(hash_of(entry, to.seed), to.buckets);
    to.overflow.assign(to.buckets, 0);
    if (frequencies ? place_by_frequency(to, slots, *frequencies) : place(to, slots)) return true;
  }
  if (!frequencies) return false;
  // In a large table, the order by frequency makes long chains more likely for any keys, so the
  // entries are placed without it.
  to.seed = kFirstSeed;
  return place_entries(to, entries, slots, nullptr, hash_of);
}

// ---- tables

using FrequencyOf = std::function<int32_t(int32_t node)>;

/** Words as 16-byte blocks, padded with zeros. Byte 15 of a short word is its length. */
struct WordBlocks {
  std::vector<uint8_t> bytes;
  std::vector<size_t> starts;
  std::vector<uint32_t> lengths;

  void add(std::string_view word) {
    starts.push_back(bytes.size());
    lengths.push_back(static_cast<uint32_t>(word.size()));
    bytes.resize(bytes.size() + std::max<size_t>(16, (word.size() + 15) & ~size_t{15}), 0);
    if (!word.empty()) memcpy(bytes.data() + starts.back(), word.data(), word.size());
    if (word.size() <= kShortWordBytes) bytes[starts.back() + 15] = static_cast<uint8_t>(word.size());
  }
  uint32_t hash(size_t word, uint32_t seed) const {
    const uint8_t *at = bytes.data() + starts[word], *end = at + std::max(16u, lengths[word]);
    uint32_t h = seed;
    for (; at < end; at += 16) h = hash_16_bytes(load_u64(at), load_u64(at + 8), h);
    return lengths[word] <= kShortWordBytes ? h : mix(h ^ lengths[word]);
  }
};

bool build_words(const DictionarySource& source, const SelectedGrams& selected, const NumberedGrams& numbered,
                 const FrequencyOf& frequency_of, BuiltDictionary& built, uint32_t& seed) {
  WordBlocks blocks;
  std::vector<int32_t> nodes;
  for (uint32_t token = 0; token < selected.used_tokens.size(); token++) {
    if (!selected.used_tokens[token]) continue;
    if (source.tokens.at(token).size() > kMostWordBytes) return false;
    blocks.add(source.tokens.at(token));
    nodes.push_back(numbered.symbols[token]);
  }
  if (nodes.empty()) return true;
  std::vector<int32_t> frequencies;
  if (frequency_of) std::transform(nodes.begin(), nodes.end(), std::back_inserter(frequencies), frequency_of);
  Placement placed;
  if (!place_entries(placed, nodes.size(), kWordsPerBucket, frequency_of ? &frequencies : nullptr,
                     [&](size_t word, uint32_t with) { return blocks.hash(word, with); }))
    return false;
  seed = placed.seed;
  built.words.assign(size_t{placed.buckets} * kBucketCells, 0);
  for (uint32_t bucket = 0; bucket < placed.buckets; bucket++) {
    int32_t* cells = &built.words[size_t{bucket} * kBucketCells];
    for (uint32_t slot = 0; slot < kWordsPerBucket; slot++)
      cells[slot * 4 + 3] = static_cast<int32_t>(kEmptyWordMark << 24);
    cells[kOverflowCell] = placed.overflow[bucket];
  }
  for (size_t word = 0; word < nodes.size(); word++) {
    int32_t* cells = &built.words[size_t{placed.places[word] / kWordsPerBucket} * kBucketCells];
    const uint32_t slot = placed.places[word] % kWordsPerBucket, length = blocks.lengths[word];
    const uint8_t* block = blocks.bytes.data() + blocks.starts[word];
    if (length <= kShortWordBytes) {
      memcpy(cells + slot * 4, block, 16);
    } else {
      cells[slot * 4] = static_cast<int32_t>(blocks.hash(word, placed.seed));
      cells[slot * 4 + 1] = 0;
      cells[slot * 4 + 2] = static_cast<int32_t>(built.pool.size());
      cells[slot * 4 + 3] = static_cast<int32_t>(length | kLongWordMark << 24);
      built.pool.insert(built.pool.end(), block, block + length);
    }
    cells[kWordNodesCell + slot] = nodes[word];
  }
  return true;
}

bool build_grams(const GramSet& set, const FrequencyOf& frequency_of, BuiltDictionary& built, uint32_t& seed) {
  if (set.size() == 0) return true;
  std::vector<int32_t> frequencies;
  if (frequency_of) std::transform(set.nodes.begin(), set.nodes.end(), std::back_inserter(frequencies), frequency_of);
  Placement placed;
  if (!place_entries(placed, set.size(), kGramsPerBucket, frequency_of ? &frequencies : nullptr,
                     [&](size_t gram, uint32_t with) {
                       return hash_gram(static_cast<uint32_t>(set.parents[gram]),
                                        static_cast<uint32_t>(set.symbols[gram]), with);
                     }))
    return false;
  seed = placed.seed;
  built.grams.assign(size_t{placed.buckets} * kBucketCells, kNoNode);
  for (uint32_t bucket = 0; bucket < placed.buckets; bucket++)
    built.grams[size_t{bucket} * kBucketCells + kOverflowCell] = placed.overflow[bucket];
  for (size_t gram = 0; gram < set.size(); gram++) {
    int32_t* cells = &built.grams[size_t{placed.places[gram] / kGramsPerBucket} * kBucketCells];
    const uint32_t slot = placed.places[gram] % kGramsPerBucket;
    cells[slot * 2] = set.parents[gram];
    cells[slot * 2 + 1] = set.symbols[gram];
    cells[kGramNodesCell + slot] = set.nodes[gram];
  }
  return true;
}

/**
 * Builds the table from code points to symbols. It has pages of 256 code points, and pages of zeros
 * are stored once.
 */
void build_alphabet(const DictionarySource& source, const NumberedGrams& numbered, BuiltDictionary& built) {
  std::vector<std::vector<int32_t>> pages(kPageCount);
  for (uint32_t token = 0; token < source.tokens.count(); token++) {
    if (numbered.symbols[token] == 0) continue;
    const auto code = static_cast<uint32_t>(single_code_point(source.tokens.at(token)));
    auto& page = pages[code >> 8];
    page.resize(kPageSize, 0);
    page[code & 255] = numbered.symbols[token];
  }
  built.symbol_page_index.assign(kPageCount, 0);
  int64_t zeros = -1;
  for (uint32_t at = 0; at < kPageCount; at++) {
    const auto next = static_cast<uint16_t>(built.symbol_pages.size() / kPageSize);
    if (!pages[at].empty()) {
      built.symbol_pages.insert(built.symbol_pages.end(), pages[at].begin(), pages[at].end());
    } else if (zeros < 0) {
      zeros = next;
      built.symbol_pages.resize(built.symbol_pages.size() + kPageSize, 0);
    }
    built.symbol_page_index[at] = pages[at].empty() ? static_cast<uint16_t>(zeros) : next;
  }
}

// ---- the blob

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

/**
 * Returns the sections in the order of the blob, each with the index of the header field that holds
 * the section's offset.
 */
std::vector<std::pair<uint32_t, std::pair<const void*, size_t>>> sections(const BuiltDictionary& built) {
  const auto bytes = [](const auto& list) {
    return std::pair<const void*, size_t>{list.data(), list.size() * sizeof(list[0])};
  };
  std::vector<std::pair<uint32_t, std::pair<const void*, size_t>>> all{
      {7, bytes(built.words)},   {9, bytes(built.grams)},
      {10, bytes(built.pool)},   {12, bytes(built.aliases)},
      {16, bytes(built.symbol_page_index)}, {17, bytes(built.symbol_pages)},
  };
  for (uint32_t size = 0; size < built.direct.size(); size++) all.push_back({20 + size, bytes(built.direct[size])});
  return all;
}

}  // namespace

void BuiltDictionary::write(uint8_t* to) const {
  memcpy(to, header.data(), header.size() * 4);
  for (const auto& [field, content] : sections(*this))
    if (content.second > 0) memcpy(to + header[field], content.first, content.second);
}

bool brezel::build_dictionary(const DictionarySource& source, BuiltDictionary& built) {
  SelectedGrams selected;
  if (!has_sound_sizes(source) || !select_grams(source, selected)) return false;
  NumberedGrams numbered(source.column_count);
  number_grams(source, selected, numbered);
  const auto& aliases = numbered.nodes.aliases;
  FrequencyOf frequency_of;
  if (source.frequency)
    frequency_of = [&](int32_t node) {
      const auto columns = static_cast<int32_t>(source.column_count);
      const int32_t column = node < columns ? node : aliases[static_cast<size_t>(node - columns)];
      return column == kNoNode ? 0 : source.frequency[column];
    };
  uint32_t word_seed = 0, gram_seed = 0;
  if (source.of_words) {
    if (!build_words(source, selected, numbered, frequency_of, built, word_seed)) return false;
  } else {
    build_alphabet(source, numbered, built);
  }
  if (!build_grams(numbered.set, frequency_of, built, gram_seed)) return false;
  const size_t pool_bytes = built.pool.size();
  if (pool_bytes > 0) built.pool.resize(pool_bytes + kPoolPadding, 0);
  built.aliases = std::move(numbered.nodes.aliases);
  built.direct = std::move(numbered.direct);
  auto& header = built.header;
  header.assign(kHeaderFields, 0);
  header[0] = kMagic;
  header[1] = kVersion;
  header[2] = source.column_count;
  header[3] = selected.min_n;
  header[4] = selected.max_n;
  header[5] = source.column_count + static_cast<uint32_t>(built.aliases.size());
  header[6] = static_cast<uint32_t>(built.words.size() / kBucketCells);
  header[8] = static_cast<uint32_t>(built.grams.size() / kBucketCells);
  header[11] = static_cast<uint32_t>(pool_bytes);
  header[13] = word_seed;
  header[14] = gram_seed;
  header[15] = numbered.alphabet;
  header[18] = static_cast<uint32_t>(built.symbol_pages.size() / kPageSize);
  header[19] = static_cast<uint32_t>(built.direct.size());
  built.bytes = aligned(kHeaderFields * 4);
  for (const auto& [field, content] : sections(built)) {
    header[field] = static_cast<uint32_t>(built.bytes);
    built.bytes = aligned(built.bytes + content.second);
    if (built.bytes > UINT32_MAX) return false;
  }
  header[24] = static_cast<uint32_t>(built.bytes);
  return true;
}
