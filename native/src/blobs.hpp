// The blob formats of README section 3: the offsets of their sections, and the scan that makes
// lookups safe.
#pragma once

#include <cstddef>
#include <cstdint>

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
  /**
   * Returns the entry of a code point: (folded - code) * 2, plus 1 if the folded code point is in
   * the class.
   */
  int32_t entry(uint32_t code) const { return pages[page_index[code >> 8] * kPageSize + (code & 255)]; }
};

/**
 * The replacement of a code point in a text map. The low five bits are its number of code points.
 * The other bits are its index in the pool of replacement code points. kNone leaves the code point
 * unchanged.
 */
using TextMapEntry = uint32_t;

struct TextMap {
  uint32_t pages_total, pool_length, context_pages_total;
  TextMapEntry final_sigma, other_sigma;
  const uint16_t* page_index;
  const TextMapEntry* pages;
  const uint32_t* pool;
  const uint8_t* ascii;       // replaces an ASCII byte
  const uint8_t* ascii_kept;  // 0 drops an ASCII byte
  const uint16_t* context_index;
  const uint8_t* context_pages;  // bit 0 means cased, bit 1 means case-ignorable

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

}  // namespace brezel
