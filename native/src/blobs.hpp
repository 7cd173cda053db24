// The blob formats of README section 3: where their sections lie, and the one scan after which lookups trust them.
#pragma once

namespace brezel {

constexpr uint32_t kPageCount = 4352;  // 0x110000 code points in pages of 256
constexpr uint32_t kPageSize = 256;

struct TextProgram {
  uint32_t mode, minimum_run, pages_total, total_bytes;
  const uint16_t* page_index;
  const int32_t* pages;
  const uint8_t* ascii_fold;
  const uint8_t* ascii_class;

  explicit TextProgram(const void* blob) {
    const auto* bytes = static_cast<const uint8_t*>(blob);
    const auto* header = static_cast<const uint32_t*>(blob);
    mode = header[2];
    minimum_run = header[3];
    page_index = reinterpret_cast<const uint16_t*>(bytes + header[4]);
    pages = reinterpret_cast<const int32_t*>(bytes + header[5]);
    pages_total = header[6];
    total_bytes = header[7];
    ascii_fold = bytes + header[8];
    ascii_class = ascii_fold + 128;
  }
  /** (folded - code) * 2 + (1 if the folded code point is in the class) */
  int32_t entry(uint32_t code) const { return pages[page_index[code >> 8] * kPageSize + (code & 255)]; }
};

/** Where a text map's code points start in its pool, times 32, and their number; or kNone: the code point stays. */
using TextMapEntry = uint32_t;

struct TextMap {
  uint32_t pages_total, pool_length, context_pages_total;
  TextMapEntry final_sigma, other_sigma;
  const uint16_t* page_index;
  const TextMapEntry* pages;
  const uint32_t* pool;
  const uint8_t* ascii;       // what an ASCII byte becomes
  const uint8_t* ascii_kept;  // 0 for one that goes
  const uint16_t* context_index;
  const uint8_t* context_pages;  // bit 0: cased, bit 1: case-ignorable

  explicit TextMap(const void* blob) {
    const auto* bytes = static_cast<const uint8_t*>(blob);
    const auto* header = static_cast<const uint32_t*>(blob);
    page_index = reinterpret_cast<const uint16_t*>(bytes + header[3]);
    pages = reinterpret_cast<const TextMapEntry*>(bytes + header[4]);
    pages_total = header[5];
    pool = reinterpret_cast<const uint32_t*>(bytes + header[6]);
    pool_length = header[7];
    ascii = bytes + header[8];
    ascii_kept = ascii + 128;
    context_index = reinterpret_cast<const uint16_t*>(bytes + header[9]);
    context_pages = bytes + header[10];
    context_pages_total = header[11];
    final_sigma = header[12];
    other_sigma = header[13];
  }
  TextMapEntry entry(uint32_t code) const { return pages[page_index[code >> 8] * kPageSize + (code & 255)]; }
  bool knows_sigma() const { return context_pages_total > 0; }
  uint8_t context(uint32_t code) const { return context_pages[context_index[code >> 8] * kPageSize + (code & 255)]; }
};

struct Dictionary {
  uint32_t columns, min_n, max_n, nodes;
  uint32_t word_buckets, gram_buckets, word_seed, gram_seed;
  uint32_t alphabet, direct_max, symbol_pages_total;
  uint32_t pool_bytes;
  const uint8_t* words;
  const uint8_t* grams;
  const uint8_t* pool;
  const uint32_t* aliases;
  const uint16_t* symbol_page_index;
  const uint32_t* symbol_pages;
  const uint32_t* direct[4];

  explicit Dictionary(const void* blob) {
    const auto* bytes = static_cast<const uint8_t*>(blob);
    const auto* header = static_cast<const uint32_t*>(blob);
    columns = header[2];
    min_n = header[3];
    max_n = header[4];
    nodes = header[5];
    word_buckets = header[6];
    words = bytes + header[7];
    gram_buckets = header[8];
    grams = bytes + header[9];
    pool = bytes + header[10];
    pool_bytes = header[11];
    aliases = reinterpret_cast<const uint32_t*>(bytes + header[12]);
    word_seed = header[13];
    gram_seed = header[14];
    alphabet = header[15];
    symbol_page_index = reinterpret_cast<const uint16_t*>(bytes + header[16]);
    symbol_pages = reinterpret_cast<const uint32_t*>(bytes + header[17]);
    symbol_pages_total = header[18];
    direct_max = header[19];
    for (int n = 0; n < 4; n++) direct[n] = reinterpret_cast<const uint32_t*>(bytes + header[20 + n]);
  }
  uint32_t symbol(uint32_t code) const { return symbol_pages[symbol_page_index[code >> 8] * kPageSize + (code & 255)]; }
};

/** Checks of one blob. `need` names what is wrong; nothing of the blob is believed before it was checked. */
class BlobCheck {
 public:
  BlobCheck(const Parameter& blob, size_t header_words) : bytes_(blob.bytes()) {
    need(bytes_ >= header_words * 4, "blob shorter than its header");
    header_bytes_ = header_words * 4;
  }
  static void need(bool holds, const char* what) {
    if (!holds) throw NativeError{ErrorCode::parameter, what};
  }
  /** A section of `count` elements lies inside, aligned and behind the header. */
  void section(uint32_t offset, uint64_t count, uint64_t element_bytes) const {
    need(offset % 64 == 0 && offset >= header_bytes_, "blob section is not aligned");
    need(count <= bytes_ && offset + count * element_bytes <= bytes_, "blob section out of range");
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_;
  size_t header_bytes_;
};

/** The least and the greatest code point that the entries of a page fold to, counted from the page's first. */
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

/** Pages are few, and most blocks of Unicode share one: each is looked through once, not for all that it stands for. */
inline void validate_folding(const TextProgram& program) {
  const uint32_t pages = std::min(program.pages_total, 1u << 16);  // that an index can name
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

inline void validate_text_program(Parameter& blob) {
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

inline void validate_entry(const TextMap& map, TextMapEntry entry) {
  const bool is_inside = entry == kNone || uint64_t{entry >> 5} + (entry & 31) <= map.pool_length;
  BlobCheck::need(is_inside, "entry outside the pool of a text map");
}

inline void validate_text_map(Parameter& blob) {
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

/** Some bucket must end a chain, or probing would go round for ever. */
inline void validate_chains(const uint8_t* table, uint32_t buckets) {
  if (buckets == 0) return;
  for (uint64_t bucket = 0; bucket < buckets; bucket++) {
    uint32_t overflow;
    memcpy(&overflow, table + bucket * 64 + 60, 4);
    if (overflow != 1) return;
  }
  BlobCheck::need(false, "a dictionary table without an end");
}

inline void validate_word_table(const Dictionary& dictionary) {
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
      if (tag != 0xFF) continue;
      BlobCheck::need(uint64_t{key[2]} + (key[3] & 0xFFFFFF) <= dictionary.pool_bytes, "word outside the pool");
    }
  }
}

inline void validate_gram_table(const Dictionary& dictionary) {
  for (uint64_t bucket = 0; bucket < dictionary.gram_buckets; bucket++) {
    const auto* words = reinterpret_cast<const uint32_t*>(dictionary.grams + bucket * 64);
    for (uint32_t place = 0; place < 5; place++) {
      const bool is_empty = words[place * 2] == kNone && words[place * 2 + 1] == kNone;
      BlobCheck::need(is_empty || words[10 + place] < dictionary.nodes, "node out of range in a dictionary");
    }
  }
}

inline void validate_alphabet(const BlobCheck& check, const Dictionary& dictionary, const uint32_t* header) {
  check.need(dictionary.direct_max >= 1 && dictionary.direct_max <= 4, "bad number of direct tables");
  check.section(header[16], kPageCount, 2);
  check.section(header[17], uint64_t{dictionary.symbol_pages_total} * kPageSize, 4);
  uint64_t entries = 1;
  for (uint32_t n = 0; n < dictionary.direct_max; n++) {
    entries *= dictionary.alphabet;  // below 2^30 * 2^32 here: the section check bounds each power before the next
    check.section(header[20 + n], entries, 4);
  }
  for (uint32_t page = 0; page < kPageCount; page++)
    check.need(dictionary.symbol_page_index[page] < dictionary.symbol_pages_total, "symbol page out of range");
  for (uint64_t at = 0; at < uint64_t{dictionary.symbol_pages_total} * kPageSize; at++)
    check.need(dictionary.symbol_pages[at] < dictionary.alphabet, "symbol out of range in a dictionary");
}

inline void validate_direct_tables(const Dictionary& dictionary) {
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
 * That the sections are where the header says, and that lookups end and stay inside. Not what the tables hold, which may be tens of megabytes: for
 * kernels that look at a node before they use it as an index, as `columns_of` does.
 */
inline void validate_dictionary_layout(Parameter& blob) {
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

/** All of it, for kernels that believe what they find. */
inline void validate_dictionary(Parameter& blob) {
  if (blob.is_validated(kDictionary)) return;
  validate_dictionary_layout(blob);
  const Dictionary dictionary(blob.data());
  for (uint32_t at = 0; at < dictionary.nodes - dictionary.columns; at++)
    BlobCheck::need(dictionary.aliases[at] < dictionary.columns || dictionary.aliases[at] == kNone,
                    "alias out of range");
  validate_word_table(dictionary);
  validate_gram_table(dictionary);
  validate_direct_tables(dictionary);
  blob.mark_validated(kDictionary);
}

}  // namespace brezel
