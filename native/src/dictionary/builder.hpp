// Builds the n-gram dictionary of README section 3 from encoded strings. packages/text defines the
// result: both builders give equal bytes for equal sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/string_table.hpp"

namespace brezel {

/** The content of a dictionary. Its pointers refer to memory of the caller. */
struct DictionarySource {
  bool of_words;
  const StringTable& tokens;
  /** Token indices of all n-grams, one n-gram after another, shortest first. */
  const uint32_t* grams;
  size_t grams_length;
  std::vector<uint32_t> gram_counts;
  /** The column of each n-gram. */
  const uint32_t* columns;
  size_t columns_length;
  uint32_t column_count, min_n, max_n;
  /** How often each column was counted in training, or nullptr. */
  const int32_t* frequency;
};

/** The sections of a dictionary, before they are written to one blob. */
struct BuiltDictionary {
  std::vector<uint32_t> header;
  std::vector<int32_t> words, grams, aliases, symbol_pages;
  std::vector<uint16_t> symbol_page_index;
  std::vector<uint8_t> pool;
  std::vector<std::vector<int32_t>> direct;
  size_t bytes = 0;

  /** Writes the blob to memory that has `bytes` zero bytes. */
  void write(uint8_t* to) const;
};

/**
 * Builds a dictionary. Returns false for a source that packages/text rejects. The builder in
 * packages/text then reports the reason.
 */
bool build_dictionary(const DictionarySource& source, BuiltDictionary& built);

}  // namespace brezel
