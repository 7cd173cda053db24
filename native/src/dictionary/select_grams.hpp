// Selects the n-grams of a dictionary that can match (select-grams in packages/text).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/dictionary/builder.hpp"
#include "src/string_table.hpp"

namespace brezel {

constexpr uint32_t kLargestGram = 64;

/** The n-grams that can match, shortest first. */
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

/** Returns whether the sizes and indices of a source fit together. */
inline bool has_sound_sizes(const DictionarySource& source) {
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

/**
 * Selects the n-grams of `min_n` to `max_n` tokens that can match a text. Returns false if the
 * column of an n-gram does not exist, or if an n-gram is too long.
 */
inline bool select_grams(const DictionarySource& source, SelectedGrams& selected) {
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

}  // namespace brezel
