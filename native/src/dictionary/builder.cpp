// Builds the tables and the blob of a dictionary (word-table, gram-table and build-dictionary in
// packages/text).
#include "src/dictionary/builder.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "primitives/hash.hpp"
#include "src/blobs.hpp"
#include "src/dictionary/number_grams.hpp"
#include "src/dictionary/place_entries.hpp"
#include "src/dictionary/select_grams.hpp"

using namespace brezel;
using baseline::hash_16_bytes, baseline::hash_gram, baseline::load_u64, baseline::mix;

namespace {

constexpr uint32_t kMagic = 0x474E5A42, kVersion = 1, kHeaderFields = 25;
constexpr uint32_t kBucketCells = 16, kOverflowCell = 15;
constexpr uint32_t kWordsPerBucket = 3, kWordNodesCell = 12, kGramsPerBucket = 5, kGramNodesCell = 10;
constexpr uint32_t kShortWordBytes = 15, kMostWordBytes = (1 << 24) - 1, kPoolPadding = 64;
constexpr uint32_t kLongWordMark = 0xFF, kEmptyWordMark = 0xFE;

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
