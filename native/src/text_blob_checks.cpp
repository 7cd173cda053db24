// Checks text programs, text maps and dictionaries.
#include <algorithm>
#include <vector>

#include "include/kernel.hpp"
#include "src/blob_checks.hpp"
#include "src/blobs.hpp"

using namespace brezel;

/**
 * The least and the greatest code point to which the entries of a page fold. Both are relative to
 * the page's first code point.
 */
struct FoldReach {
  int64_t least = 0, greatest = 0;

  explicit FoldReach(const int32_t* entries) {
    for (uint32_t low = 0; low < kPageSize; low++) {
      const int64_t folded = int64_t{low} + (entries[low] >> 1);
      least = std::min(least, folded);
      greatest = std::max(greatest, folded);
    }
  }
};

/**
 * Checks that folding stays inside Unicode. Most ranges of 256 code points share one page, so there
 * are few pages. Each page is scanned once, even if many ranges share it.
 */
static void validate_folding(const TextProgram& program) {
  // a 16-bit index reaches no more pages
  const uint32_t pages = std::min(program.pages_total, 1u << 16);
  std::vector<FoldReach> reaches;
  for (uint32_t page = 0; page < pages; page++) reaches.emplace_back(program.pages + page * kPageSize);
  for (uint32_t block = 0; block < kPageCount; block++) {
    BlobCheck::need(program.page_index[block] < program.pages_total, "page out of range in a text program");
    const FoldReach& reach = reaches[program.page_index[block]];
    const int64_t first = int64_t{block} * kPageSize;
    BlobCheck::need(first + reach.least >= 0 && first + reach.greatest <= 0x10FFFF,
                    "folding leaves Unicode in a text program");
  }
}

void brezel::validate_text_program(Parameter& blob) {
  if (blob.is_validated(kTextProgram)) return;
  const BlobCheck check(blob, 9);
  const auto* header = static_cast<const uint32_t*>(blob.data());
  check.need(header[0] == 0x4B545A42u && header[1] == 1, "not a text program of version 1");
  check.need(header[2] <= 1, "unknown mode of a text program");
  check.need(header[7] == check.bytes(), "text program of a wrong length");
  check.section(header[4], kPageCount, 2);
  check.section(header[5], uint64_t{header[6]} * kPageSize, 4);
  check.section(header[8], 256, 1);
  const TextProgram program(blob.data());
  for (uint32_t byte = 0; byte < 128; byte++)
    check.need(program.ascii_fold[byte] < 128 && program.ascii_class[byte] <= 1, "bad ASCII table of a text program");
  validate_folding(program);
  blob.mark_validated(kTextProgram);
}

static void validate_entry(const TextMap& map, TextMapEntry entry) {
  const bool is_inside = entry == kNone || uint64_t{entry >> 5} + (entry & 31) <= map.pool_length;
  BlobCheck::need(is_inside, "entry outside the pool of a text map");
}

void brezel::validate_text_map(Parameter& blob) {
  if (blob.is_validated(kTextMap)) return;
  const BlobCheck check(blob, 14);
  const auto* header = static_cast<const uint32_t*>(blob.data());
  check.need(header[0] == 0x4D545A42u && header[1] == 1, "not a text map of version 1");
  check.need(header[2] == check.bytes(), "text map of a wrong length");
  check.section(header[3], kPageCount, 2);
  check.section(header[4], uint64_t{header[5]} * kPageSize, 4);
  check.section(header[6], header[7], 4);
  check.section(header[8], 256, 1);
  check.section(header[9], header[11] ? kPageCount : 0, 2);
  check.section(header[10], uint64_t{header[11]} * kPageSize, 1);
  const TextMap map(blob.data());
  for (uint32_t byte = 0; byte < 128; byte++)
    check.need(map.ascii[byte] < 128 && map.ascii_kept[byte] <= 1, "bad ASCII table of a text map");
  for (uint32_t at = 0; at < map.pool_length; at++)
    check.need(map.pool[at] <= 0x10FFFF && map.pool[at] >> 11 != 0x1B, "no code point in the pool of a text map");
  for (uint32_t page = 0; page < kPageCount; page++) {
    check.need(map.page_index[page] < map.pages_total, "page out of range in a text map");
    check.need(!map.knows_sigma() || map.context_index[page] < map.context_pages_total,
               "page out of range in a text map");
  }
  for (uint64_t at = 0; at < uint64_t{map.pages_total} * kPageSize; at++) validate_entry(map, map.pages[at]);
  validate_entry(map, map.final_sigma);
  validate_entry(map, map.other_sigma);
  blob.mark_validated(kTextMap);
}

/** Checks that at least one bucket ends a chain. Otherwise a lookup would probe forever. */
static void validate_chains(const uint8_t* table, uint32_t buckets) {
  if (buckets == 0) return;
  for (uint64_t bucket = 0; bucket < buckets; bucket++) {
    uint32_t overflow;
    memcpy(&overflow, table + bucket * 64 + 60, 4);
    if (overflow != 1) return;
  }
  BlobCheck::need(false, "a dictionary table without an end");
}

/** Checks the table of words. Returns the length in bytes of the longest word. */
static uint32_t validate_word_table(const Dictionary& dictionary) {
  uint32_t longest = 0;
  for (uint64_t bucket = 0; bucket < dictionary.word_buckets; bucket++) {
    const uint8_t* start = dictionary.words + bucket * 64;
    for (uint32_t place = 0; place < 3; place++) {
      uint32_t key[4], node;
      memcpy(key, start + place * 16, 16);
      memcpy(&node, start + 48 + place * 4, 4);
      const uint32_t tag = key[3] >> 24;
      if (tag == 0xFE) continue;
      BlobCheck::need(tag <= 15 || tag == 0xFF, "bad word key in a dictionary");
      BlobCheck::need(node < dictionary.nodes, "node out of range in a dictionary");
      const uint32_t bytes = tag == 0xFF ? key[3] & 0xFFFFFF : tag;
      longest = std::max(longest, bytes);
      if (tag != 0xFF) continue;
      BlobCheck::need(uint64_t{key[2]} + bytes <= dictionary.pool_bytes, "word outside the pool");
    }
  }
  return longest;
}

static void validate_gram_table(const Dictionary& dictionary) {
  for (uint64_t bucket = 0; bucket < dictionary.gram_buckets; bucket++) {
    const auto* words = reinterpret_cast<const uint32_t*>(dictionary.grams + bucket * 64);
    for (uint32_t place = 0; place < 5; place++) {
      const bool is_empty = words[place * 2] == kNone && words[place * 2 + 1] == kNone;
      BlobCheck::need(is_empty || words[10 + place] < dictionary.nodes, "node out of range in a dictionary");
    }
  }
}

static void validate_alphabet(const BlobCheck& check, const Dictionary& dictionary, const uint32_t* header) {
  check.need(dictionary.direct_max >= 1 && dictionary.direct_max <= 4, "bad number of direct tables");
  check.section(header[16], kPageCount, 2);
  check.section(header[17], uint64_t{dictionary.symbol_pages_total} * kPageSize, 4);
  uint64_t entries = 1;
  for (uint32_t n = 0; n < dictionary.direct_max; n++) {
    // cannot overflow: the section check of the previous table bounds the factor `entries` to 2^30
    entries *= dictionary.alphabet;
    check.section(header[20 + n], entries, 4);
  }
  for (uint32_t page = 0; page < kPageCount; page++)
    check.need(dictionary.symbol_page_index[page] < dictionary.symbol_pages_total, "symbol page out of range");
  for (uint64_t at = 0; at < uint64_t{dictionary.symbol_pages_total} * kPageSize; at++)
    check.need(dictionary.symbol_pages[at] < dictionary.alphabet, "symbol out of range in a dictionary");
}

static void validate_direct_tables(const Dictionary& dictionary) {
  uint64_t entries = 1;
  for (uint32_t n = 0; n < dictionary.direct_max; n++) {
    entries *= dictionary.alphabet;
    for (uint64_t at = 0; at < entries; at++) {
      const uint32_t node = dictionary.direct[n][at];
      BlobCheck::need(node < dictionary.nodes || node == kNone, "node out of range in a direct table");
    }
  }
}

/**
 * Checks that the sections are where the header says, and that lookups end and stay inside the
 * blob. It does not scan the tables of words and n-grams, which may have tens of megabytes. Use it
 * for kernels that check a node before they use it as an index, as `columns_of` does.
 */
void brezel::validate_dictionary_layout(Parameter& blob) {
  if (blob.is_validated(kDictionaryLayout)) return;
  const BlobCheck check(blob, 25);
  const auto* header = static_cast<const uint32_t*>(blob.data());
  check.need(header[0] == 0x474E5A42u && header[1] == 1, "not a dictionary of version 1");
  check.need(header[24] == check.bytes(), "dictionary of a wrong length");
  const Dictionary dictionary(blob.data());
  check.need(dictionary.min_n >= 1 && dictionary.min_n <= dictionary.max_n && dictionary.max_n <= 64,
             "bad n of a dictionary");
  check.need(dictionary.columns <= dictionary.nodes && dictionary.columns <= kMaxSize,
             "more columns than nodes in a dictionary");
  check.need(dictionary.nodes < kNone, "too many nodes in a dictionary");
  check.section(header[7], dictionary.word_buckets, 64);
  check.section(header[9], dictionary.gram_buckets, 64);
  check.section(header[10], dictionary.pool_bytes, 1);
  check.section(header[12], dictionary.nodes - dictionary.columns, 4);
  validate_chains(dictionary.words, dictionary.word_buckets);
  validate_chains(dictionary.grams, dictionary.gram_buckets);
  if (dictionary.alphabet) {
    validate_alphabet(check, dictionary, header);
  } else {
    check.need(dictionary.direct_max == 0, "direct tables in a word dictionary");
  }
  blob.mark_validated(kDictionaryLayout);
}

/** Checks the whole dictionary. Use it for kernels that trust every node. */
void brezel::validate_dictionary(Parameter& blob) {
  if (blob.is_validated(kDictionary)) return;
  validate_dictionary_layout(blob);
  const Dictionary dictionary(blob.data());
  for (uint32_t at = 0; at < dictionary.nodes - dictionary.columns; at++)
    BlobCheck::need(dictionary.aliases[at] < dictionary.columns || dictionary.aliases[at] == kNone,
                    "alias out of range");
  blob.set_longest_word(validate_word_table(dictionary));
  validate_gram_table(dictionary);
  validate_direct_tables(dictionary);
  blob.mark_validated(kDictionary);
}
