// The n-grams of one row, level by level: first nodes, then columns, then counts.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/counting.hpp"
#include "primitives/grams.hpp"
#include "primitives/hash.hpp"
#include "primitives/lookup.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

/**
 * Counts the n-grams of one row that have at least `min_n` symbols. The row has `total` symbols.
 */
template <class Symbol>
static void add_grams(const Dictionary& dictionary, uint32_t min_n, const Symbol* symbols, uint32_t total,
                      uint32_t unknown, uint32_t* nodes, RowCounter& counter, SparseOutput& output, Scratch& scratch) {
  for (uint32_t n = 1; n <= dictionary.max_n && n <= total; n++) {
    const uint32_t count = total - n + 1;
    if (n <= dictionary.direct_max) {
      // Lookups of longer n-grams start at the nodes of the last direct table, so that table is
      // always read. A shorter direct table is read only if its n-grams are counted.
      if (n < min_n && n < dictionary.direct_max) continue;
      read_direct_table(dictionary, n, symbols, count, nodes);
    } else if (n > 1) {
      if (dictionary.gram_buckets == 0) break;
      ask_grams(dictionary, symbols + n - 1, count, unknown, nodes, scratch);
      read_grams(dictionary, symbols + n - 1, count, unknown, nodes, scratch);
    }
    if (n < min_n) continue;
    auto* columns = scratch.occurrences.reserve<uint32_t>(size_t{count} + 16, *scratch.growth);
    counter.add(dictionary.columns, columns, columns_of(dictionary, nodes, count, columns), output, scratch);
  }
}

/** Appends the counts of all n-grams of one row to `output`. */
template <class Symbol>
static void count_grams(const Dictionary& dictionary, const Symbol* symbols, uint32_t total, uint32_t unknown,
                        uint32_t* nodes, bool is_binary, SparseOutput& output, Scratch& scratch) {
  RowCounter counter;
  add_grams(dictionary, dictionary.min_n, symbols, total, unknown, nodes, counter, output, scratch);
  finish_row(counter, is_binary, output);
}

/** Returns the node of the n-gram that has exactly these characters, or kNone. */
static uint32_t find_characters(const Dictionary& dictionary, const uint32_t* symbols, uint32_t count) {
  const uint32_t direct = count < dictionary.direct_max ? count : dictionary.direct_max;
  uint32_t node;
  read_direct_table(dictionary, direct, symbols, 1, &node);
  for (uint32_t at = direct; at < count && node != kNone; at++) {
    if (symbols[at] == 0 || dictionary.gram_buckets == 0) return kNone;
    const uint32_t hash = hash_gram(node, symbols[at], dictionary.gram_seed);
    node = find_gram(dictionary.grams, dictionary.gram_buckets, node, symbols[at],
                     bucket_of(hash, dictionary.gram_buckets));
  }
  return node;
}

BREZEL_ISA_END
