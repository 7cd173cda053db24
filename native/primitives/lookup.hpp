// Lookups in the two hash tables of a dictionary, which have 64-byte buckets. A lookup nearly
// always reads one cache line.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/bytes.hpp"
#include "primitives/hash.hpp"
#include "primitives/text.hpp"
#include "primitives/tokenize.hpp"
#include "src/blob_checks.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

ALWAYS_INLINE const uint8_t* bucket_at(const uint8_t* table, uint32_t bucket) { return table + size_t{bucket} * 64; }
ALWAYS_INLINE uint32_t next_bucket(uint32_t bucket, uint32_t buckets) { return bucket + 1 == buckets ? 0 : bucket + 1; }

/**
 * Returns whether `word` equals the word that a long key points to. The key's pool offset is
 * checked here, because it may be invalid.
 */
static bool is_same_word(const Dictionary& dictionary, const uint8_t* key, const WordKey& sought, const uint8_t* word) {
  if (load_u32(key) != static_cast<uint32_t>(sought.low) || load_u32(key + 12) != sought.high >> 32) return false;
  const uint32_t start = load_u32(key + 8), length = static_cast<uint32_t>(sought.high >> 32) & kMaxWordBytes;
  return uint64_t{start} + length <= dictionary.pool_bytes && bytes_equal(dictionary.pool + start, word, length);
}

static uint32_t find_long_word(const Dictionary& dictionary, const WordKey& key, uint32_t bucket, const uint8_t* word) {
  for (;;) {
    const uint8_t* start = bucket_at(dictionary.words, bucket);
    for (uint32_t place = 0; place < 3; place++) {
      if (is_same_word(dictionary, start + place * 16, key, word)) return load_u32(start + 48 + place * 4);
    }
    if (load_u32(start + 60) != 1) return kNone;
    bucket = next_bucket(bucket, dictionary.word_buckets);
  }
}

/**
 * Returns whether to look in the next bucket for an entry that this bucket lacks. The test compiles
 * to one branch, which is nearly always predicted correctly.
 */
ALWAYS_INLINE bool goes_on(const uint8_t* bucket, uint32_t matches) {
  return (matches | (load_u32(bucket + 60) ^ 1)) == 0;
}

/** Compares the three keys of a bucket with `key`. Returns the result in bits 0, 2 and 4. */
ALWAYS_INLINE uint32_t match_words(const uint8_t* bucket, const WordKey& key) {
#if BREZEL_LEVEL >= 5
  const __m512i keys = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(&key)));
  const uint32_t halves = _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(bucket), keys);
  return halves & halves >> 1 & 0x15;
#else
  uint32_t matches = 0;
  for (uint32_t place = 0; place < 3; place++) {
    const uint64_t differs = (load_u64(bucket + place * 16) ^ key.low) | (load_u64(bucket + place * 16 + 8) ^ key.high);
    matches |= static_cast<uint32_t>(differs == 0) << (2 * place);
  }
  return matches;
#endif
}

// Returns the node of the matching key; at most one key matches. Without a match it returns another
// number of the bucket, which the caller must ignore.
ALWAYS_INLINE uint32_t word_node(const uint8_t* bucket, uint32_t matches) {
  return load_u32(bucket + 48 + 2 * __builtin_ctz(matches | 0x40));
}
ALWAYS_INLINE uint32_t gram_node(const uint8_t* bucket, uint32_t matches) {
  return load_u32(bucket + 40 + 4 * __builtin_ctz(matches | 32));
}

ALWAYS_INLINE uint64_t gram_pair(uint32_t parent, uint32_t symbol) { return parent | uint64_t{symbol} << 32; }

// `words` and `buckets` are passed by value. Through a reference, the compiler would load them
// again after every store.

ALWAYS_INLINE uint32_t find_short_word(const uint8_t* words, uint32_t buckets, const WordKey& key, uint32_t bucket) {
  for (;;) {
    const uint8_t* start = bucket_at(words, bucket);
    const uint32_t matches = match_words(start, key);
    if (!goes_on(start, matches)) return select(matches != 0, word_node(start, matches), kNone);
    bucket = next_bucket(bucket, buckets);
  }
}

/** Compares the five pairs of a bucket with `pair`. Returns the result in bits 0 to 4. */
ALWAYS_INLINE uint32_t match_grams(const uint8_t* bucket, uint64_t pair) {
#if BREZEL_LEVEL >= 5
  const __m512i line = _mm512_loadu_si512(bucket);
  return _mm512_cmpeq_epi64_mask(line, _mm512_set1_epi64(static_cast<int64_t>(pair))) & 0x1F;
#else
  uint32_t matches = 0;
  for (uint32_t place = 0; place < 5; place++)
    matches |= static_cast<uint32_t>(load_u64(bucket + place * 8) == pair) << place;
  return matches;
#endif
}

/**
 * Returns the node of the n-gram (parent, symbol). If both are unknown, the pair equals the mark of
 * an empty entry and the result is arbitrary.
 */
ALWAYS_INLINE uint32_t find_gram(const uint8_t* grams, uint32_t buckets, uint32_t parent, uint32_t symbol,
                                 uint32_t bucket) {
  const uint64_t pair = gram_pair(parent, symbol);
  for (;;) {
    const uint8_t* start = bucket_at(grams, bucket);
    const uint32_t matches = match_grams(start, pair);
    if (!goes_on(start, matches)) return select(matches != 0, gram_node(start, matches), kNone);
    bucket = next_bucket(bucket, buckets);
  }
}

/**
 * Looks up one word and returns its node. The function has no separate prefetch, so use it for stop
 * words only.
 */
static uint32_t find_word(const Dictionary& dictionary, const uint8_t* word, uint32_t length) {
  if (dictionary.word_buckets == 0 || length > kMaxWordBytes) return kNone;
  const WordKey key = key_of(word, length, dictionary.word_seed);
  const uint32_t bucket = bucket_of(hash_of(key, dictionary.word_seed), dictionary.word_buckets);
  return key.is_long() ? find_long_word(dictionary, key, bucket, word)
                       : find_short_word(dictionary.words, dictionary.word_buckets, key, bucket);
}

/** Removes the tokens that are stop words. */
static void drop_stop_words(const Dictionary& stop_words, const FoldedText& text, Tokens& tokens) {
  uint32_t count = 0;
  for (uint32_t token = 0; token < tokens.count; token++) {
    const uint32_t start = tokens.bounds[token * 2], end = tokens.bounds[token * 2 + 1];
    tokens.bounds[count * 2] = start;
    tokens.bounds[count * 2 + 1] = end;
    count += find_word(stop_words, text.bytes + start, end - start) == kNone;
  }
  tokens.count = count;
}

/** Checks that a parameter is a dictionary of single words, as for stop words and keys. */
static void need_words(Signature& s, size_t parameter) {
  validate_dictionary(*s.parameters[parameter]);
  const Dictionary words(s.parameter<void>(parameter));
  s.need(words.alphabet == 0 && words.max_n == 1, "expected a dictionary of single words");
}

BREZEL_ISA_END
