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

/** How a row's columns become entries: the attribute of the n-gram kernels. */
enum class Counting : int32_t { distinct, binary, occurrences };
constexpr int32_t kCountings = 3;

/** Counts the columns of a row: one entry for each distinct column. */
struct CountedColumns {
  const Dictionary& dictionary;
  SparseOutput& output;
  Scratch& scratch;
  RowCounter counter{};

  /** Returns memory for `count` columns and 16 more. */
  uint32_t* reserve(uint32_t count) {
    return scratch.occurrences.reserve<uint32_t>(size_t{count} + 16, *scratch.growth);
  }
  /** Counts columns that were written to the memory of `reserve`. */
  void add(const uint32_t* columns, uint32_t found) { counter.add(dictionary.columns, columns, found, output, scratch); }
};

/** Lists the columns of a row: one entry for each occurrence. */
struct ListedColumns {
  SparseOutput& output;
  Scratch& scratch;

  uint32_t* reserve(uint32_t count) {
    return output.ids.extend<uint32_t>(size_t{output.count} + count + 16, output.count, *scratch.growth) + output.count;
  }
  void add(const uint32_t*, uint32_t found) { output.count += found; }
};

/** Calls `fill` with the collector of a row's columns, and then ends the row. */
template <class Fill>
ALWAYS_INLINE void with_columns(const Dictionary& dictionary, Counting counting, SparseOutput& output, Scratch& scratch,
                                Fill fill) {
  if (counting == Counting::occurrences) {
    const uint32_t before = output.count;
    ListedColumns columns{output, scratch};
    fill(columns);
    float* values = output.values.extend<float>(size_t{output.count} + 1, before, *scratch.growth);
    for (uint32_t entry = before; entry < output.count; entry++) values[entry] = 1;
    return;
  }
  CountedColumns columns{dictionary, output, scratch};
  fill(columns);
  finish_row(columns.counter, counting == Counting::binary, output);
}

/**
 * Passes to `columns` the column of each n-gram of one row that has at least `min_n` symbols. The
 * row has `total` symbols.
 */
template <class Symbol, class Columns>
static void add_grams(const Dictionary& dictionary, uint32_t min_n, const Symbol* symbols, uint32_t total,
                      uint32_t unknown, uint32_t* nodes, Columns& columns, Scratch& scratch) {
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
    uint32_t* list = columns.reserve(count);
    columns.add(list, columns_of(dictionary, nodes, count, list));
  }
}

/** Appends the entries of all n-grams of one row to `output`. */
template <class Symbol>
static void count_grams(const Dictionary& dictionary, const Symbol* symbols, uint32_t total, uint32_t unknown,
                        uint32_t* nodes, Counting counting, SparseOutput& output, Scratch& scratch) {
  with_columns(dictionary, counting, output, scratch, [&](auto& columns) {
    add_grams(dictionary, dictionary.min_n, symbols, total, unknown, nodes, columns, scratch);
  });
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
