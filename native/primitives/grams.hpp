// Finds the nodes and columns of n-grams from a row's symbols. Each function processes a whole
// array. A lookup in a large dictionary causes a cache miss, which takes about 100 ns. A hundred
// cache misses in parallel take hardly longer than one. Each lookup therefore has two parts: an
// `ask_` function computes all addresses and prefetches them, and a `read_` function reads them.
// The loops are separate functions that are not inlined. In one large function, their variables
// would be in memory and not in registers.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/bytes.hpp"
#include "primitives/hash.hpp"
#include "primitives/lookup.hpp"
#include "primitives/simd.hpp"
#include "primitives/text.hpp"
#include "primitives/tokenize.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

/**
 * Prefetches a cache line into the second-level cache. In the first level, hundreds of prefetched
 * lines would evict each other and all other data.
 */
ALWAYS_INLINE void prefetch_line(const void* line) { __builtin_prefetch(line, 0, 2); }

static void prefetch_buckets(const uint8_t* table, const uint32_t* buckets, uint32_t count) {
  for (uint32_t at = 0; at < count; at++) prefetch_line(bucket_at(table, buckets[at]));
}

/** Computes the keys and buckets of single words, and prefetches the buckets. */
[[gnu::noinline]] static void ask_words(const Dictionary& dictionary, const FoldedText& text, const Tokens& tokens,
                                        Scratch& scratch) {
  const uint32_t count = tokens.count, seed = dictionary.word_seed, bucket_count = dictionary.word_buckets;
  auto* __restrict keys = scratch.keys.reserve<WordKey>(count, *scratch.growth);
  auto* __restrict buckets = scratch.buckets.reserve<uint32_t>(count, *scratch.growth);
  for (uint32_t token = 0; token < count; token++) {
    const uint32_t start = tokens.bounds[token * 2], length = tokens.bounds[token * 2 + 1] - start;
    keys[token] = key_of(text.bytes + start, length, seed);
  }
  // A separate loop lets the compiler vectorize this statement.
  for (uint32_t token = 0; token < count; token++) buckets[token] = bucket_of(hash_of(keys[token], seed), bucket_count);
  prefetch_buckets(dictionary.words, buckets, count);
}

/** Collects the lookups that need more than their first bucket. */
struct Unsettled {
  uint32_t* at;
  uint32_t count;
};

/** Looks up words that are long, or that may be in a later bucket. */
static void read_unsettled_words(const Dictionary& dictionary, const FoldedText& text, const Tokens& tokens,
                                 const WordKey* keys, const uint32_t* buckets, Unsettled unsettled, uint32_t* nodes) {
  for (uint32_t place = 0; place < unsettled.count; place++) {
    const uint32_t token = unsettled.at[place], start = tokens.bounds[token * 2];
    const WordKey& key = keys[token];
    if (!key.is_long()) {
      nodes[token] = find_short_word(dictionary.words, dictionary.word_buckets, key,
                                     next_bucket(buckets[token], dictionary.word_buckets));
    } else {
      const bool can_be_known = tokens.bounds[token * 2 + 1] - start <= kMaxWordBytes;
      nodes[token] = can_be_known ? find_long_word(dictionary, key, buckets[token], text.bytes + start) : kNone;
    }
  }
}

/** Reads the nodes of single words from their prefetched buckets. */
[[gnu::noinline]] static void read_words(const Dictionary& dictionary, const FoldedText& text, const Tokens& tokens,
                                         uint32_t* __restrict nodes, Scratch& scratch) {
  const uint32_t count = tokens.count;
  const auto* keys = scratch.keys.data<WordKey>();
  const auto* buckets = scratch.buckets.data<uint32_t>();
  Unsettled unsettled{scratch.unsettled.reserve<uint32_t>(size_t{count} + 1, *scratch.growth), 0};
  const uint8_t* words = dictionary.words;
  // Do not branch on the result of a lookup. The processor would mispredict the branch, and would
  // detect that only after the cache miss.
  for (uint32_t token = 0; token < count; token++) {
    const uint8_t* bucket = bucket_at(words, buckets[token]);
    const uint32_t matches = match_words(bucket, keys[token]);
    nodes[token] = select(matches != 0, word_node(bucket, matches), kNone);
    unsettled.at[unsettled.count] = token;
    unsettled.count += goes_on(bucket, matches) | keys[token].is_long();
  }
  read_unsettled_words(dictionary, text, tokens, keys, buckets, unsettled, nodes);
}

ALWAYS_INLINE bool is_known(uint32_t parent, uint32_t symbol, uint32_t unknown) {
  return static_cast<bool>(static_cast<uint32_t>(parent != kNone) & static_cast<uint32_t>(symbol != unknown));
}

/**
 * Computes the buckets of n-grams and prefetches them. nodes[i] is the node of the (n-1)-gram at
 * the start of n-gram i, and last[i] is the last symbol of n-gram i.
 */
template <class Symbol>
[[gnu::noinline]] static void ask_grams(const Dictionary& dictionary, const Symbol* last, uint32_t count,
                                        uint32_t unknown, const uint32_t* nodes, Scratch& scratch) {
  auto* __restrict buckets = scratch.buckets.reserve<uint32_t>(count, *scratch.growth);
  const uint32_t seed = dictionary.gram_seed, bucket_count = dictionary.gram_buckets;
  for (uint32_t at = 0; at < count; at++) {  // a separate loop, so that the compiler vectorizes it
    // An n-gram that cannot exist gets bucket 0. Fetching an unneeded line would cost as much as
    // fetching a needed one.
    const uint32_t bucket = bucket_of(hash_gram(nodes[at], last[at], seed), bucket_count);
    buckets[at] = select(is_known(nodes[at], last[at], unknown), bucket, 0);
  }
  prefetch_buckets(dictionary.grams, buckets, count);
}

/**
 * Looks up n-grams in their prefetched buckets. At the start, nodes[i] is the node of the
 * (n-1)-gram at the start of n-gram i. At the end, nodes[i] is the node of n-gram i.
 */
template <class Symbol>
[[gnu::noinline]] static void read_grams(const Dictionary& dictionary, const Symbol* last, uint32_t count,
                                         uint32_t unknown, uint32_t* nodes, Scratch& scratch) {
  const auto* buckets = scratch.buckets.data<uint32_t>();
  auto* __restrict unsettled = scratch.unsettled.reserve<uint64_t>(size_t{count} + 1, *scratch.growth);
  const uint8_t* grams = dictionary.grams;
  const uint32_t bucket_count = dictionary.gram_buckets;
  uint32_t left = 0;
  for (uint32_t at = 0; at < count; at++) {
    const uint32_t parent = nodes[at], symbol = last[at];
    const uint8_t* bucket = bucket_at(grams, buckets[at]);
    const uint32_t matches = match_grams(bucket, gram_pair(parent, symbol));
    const bool known = is_known(parent, symbol, unknown);
    nodes[at] = select(known & (matches != 0), gram_node(bucket, matches), kNone);
    unsettled[left] = gram_pair(parent, at);
    left += known & goes_on(bucket, matches);
  }
  for (uint32_t place = 0; place < left; place++) {
    const auto at = static_cast<uint32_t>(unsettled[place] >> 32);
    __builtin_prefetch(bucket_at(grams, next_bucket(buckets[at], bucket_count)));
  }
  for (uint32_t place = 0; place < left; place++) {
    const auto parent = static_cast<uint32_t>(unsettled[place]), at = static_cast<uint32_t>(unsettled[place] >> 32);
    nodes[at] = find_gram(grams, bucket_count, parent, last[at], next_bucket(buckets[at], bucket_count));
  }
}

/**
 * Reads the nodes of n-grams from the direct table, which has one entry for each sequence of n
 * symbols. The entry is kNone for an n-gram with an unknown symbol (0).
 */
template <int n, class Symbol>
[[gnu::noinline]] static void read_direct(const uint32_t* table, uint32_t alphabet, const Symbol* symbols,
                                          uint32_t count, uint32_t* nodes) {
  uint32_t at = 0;
#if BREZEL_LEVEL >= 5
  const __m512i radix = _mm512_set1_epi32(static_cast<int>(alphabet));
  for (; at + 16 <= count; at += 16) {
    __m512i index = widen_16(symbols + at);
    for (int place = 1; place < n; place++) {
      index = _mm512_add_epi32(_mm512_mullo_epi32(index, radix), widen_16(symbols + at + place));
    }
    _mm512_storeu_si512(nodes + at, _mm512_i32gather_epi32(index, table, 4));
  }
#endif
  for (; at < count; at++) {
    uint32_t index = symbols[at];
    for (int place = 1; place < n; place++) index = index * alphabet + symbols[at + place];
    nodes[at] = table[index];
  }
}

template <class Symbol>
static void read_direct_table(const Dictionary& dictionary, uint32_t n, const Symbol* symbols, uint32_t count,
                              uint32_t* nodes) {
  const uint32_t* table = dictionary.direct[n - 1];
  switch (n) {
    case 1:
      return read_direct<1>(table, dictionary.alphabet, symbols, count, nodes);
    case 2:
      return read_direct<2>(table, dictionary.alphabet, symbols, count, nodes);
    case 3:
      return read_direct<3>(table, dictionary.alphabet, symbols, count, nodes);
    default:
      return read_direct<4>(table, dictionary.alphabet, symbols, count, nodes);
  }
}

/**
 * Writes the columns of `nodes` in order, and returns their number. It resolves aliases and drops
 * nodes without a column. `columns` needs room for `count` + 16. Every node and alias is checked
 * here, because a dictionary from a file is not scanned before use.
 */
[[gnu::noinline]] static uint32_t columns_of(const Dictionary& dictionary, const uint32_t* nodes, uint32_t count,
                                             uint32_t* columns) {
  const bool has_aliases = dictionary.nodes != dictionary.columns;
  uint32_t kept = 0, at = 0;
#if BREZEL_LEVEL >= 5
  const __m512i limit = _mm512_set1_epi32(static_cast<int>(dictionary.columns));
  const __m512i all = _mm512_set1_epi32(static_cast<int>(dictionary.nodes));
  for (; at < count; at += 16) {
    const uint32_t left = count - at;
    const __mmask16 present = left >= 16 ? 0xFFFF : static_cast<__mmask16>((1u << left) - 1);
    __m512i column = _mm512_maskz_loadu_epi32(present, nodes + at);
    __mmask16 is_column = _mm512_mask_cmplt_epu32_mask(present, column, limit);
    if (has_aliases && is_column != present) {
      const __mmask16 is_alias = _mm512_mask_cmplt_epu32_mask(present & ~is_column, column, all);
      column = _mm512_mask_i32gather_epi32(column, is_alias, _mm512_sub_epi32(column, limit), dictionary.aliases, 4);
      is_column = _mm512_mask_cmplt_epu32_mask(present, column, limit);
    }
    _mm512_storeu_si512(columns + kept, _mm512_maskz_compress_epi32(is_column, column));
    kept += static_cast<uint32_t>(__builtin_popcount(is_column));
  }
#else
  for (; at < count; at++) {
    uint32_t column = nodes[at];
    if (has_aliases && column >= dictionary.columns && column < dictionary.nodes)
      column = dictionary.aliases[column - dictionary.columns];
    columns[kept] = column;
    kept += column < dictionary.columns;
  }
#endif
  return kept;
}

BREZEL_ISA_END
