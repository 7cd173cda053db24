// From a text's symbols to its n-grams' columns and counts. Always in phases over whole arrays: compute all addresses
// and prefetch, then read. One lookup in a large dictionary is a cache miss of some 100 ns; a hundred of them at once
// are hardly more. The loops are functions of their own, not inlined: in one large function their variables would live
// in memory.

static void prefetch_buckets(const uint8_t* table, const uint32_t* buckets, uint32_t count) {
  for (uint32_t at = 0; at < count; at++) __builtin_prefetch(bucket_at(table, buckets[at]));
}

/** Nodes of single words. Phase one: keys and prefetches; phase two: lookups. */
[[gnu::noinline]] static void find_words(const Dictionary& dictionary, const FoldedText& text, const Tokens& tokens,
                                         uint32_t* nodes, Scratch& scratch) {
  auto* __restrict keys = scratch.keys.reserve<WordKey>(tokens.count, *scratch.growth);
  auto* __restrict buckets = scratch.buckets.reserve<uint32_t>(tokens.count, *scratch.growth);
  const uint8_t* words = dictionary.words;
  const uint32_t seed = dictionary.word_seed, bucket_count = dictionary.word_buckets;
  for (uint32_t token = 0; token < tokens.count; token++) {
    const uint32_t start = tokens.bounds[token * 2], length = tokens.bounds[token * 2 + 1] - start;
    keys[token] = key_of(text.bytes + start, length, seed);
  }
  // Alone in a loop, this is vectorized.
  for (uint32_t token = 0; token < tokens.count; token++)
    buckets[token] = bucket_of(hash_of(keys[token], seed), bucket_count);
  prefetch_buckets(words, buckets, tokens.count);
  for (uint32_t token = 0; token < tokens.count; token++) {
    const uint8_t* word = text.bytes + tokens.bounds[token * 2];
    if (keys[token].is_long()) [[unlikely]] {
      const bool can_be_known = tokens.bounds[token * 2 + 1] - tokens.bounds[token * 2] <= kMaxWordBytes;
      nodes[token] = can_be_known ? find_long_word(dictionary, keys[token], buckets[token], word) : kNone;
    } else {
      nodes[token] = find_short_word(words, bucket_count, keys[token], buckets[token]);
    }
  }
}

ALWAYS_INLINE bool is_known(uint32_t parent, uint32_t symbol, uint32_t unknown) {
  return static_cast<bool>(static_cast<uint32_t>(parent != kNone) & static_cast<uint32_t>(symbol != unknown));
}

/** nodes[i] of (n-1)-grams become those of n-grams, for `count` of them; `last` is the symbol that each one ends with.
 */
template <class Symbol>
[[gnu::noinline]] static void extend_grams(const Dictionary& dictionary, const Symbol* last, uint32_t count,
                                           uint32_t unknown, uint32_t* nodes, Scratch& scratch) {
  if (dictionary.gram_buckets == 0) {
    for (uint32_t at = 0; at < count; at++) nodes[at] = kNone;
    return;
  }
  auto* buckets = scratch.buckets.reserve<uint32_t>(count, *scratch.growth);
  const uint8_t* grams = dictionary.grams;
  const uint32_t seed = dictionary.gram_seed, bucket_count = dictionary.gram_buckets;
  for (uint32_t at = 0; at < count; at++) {  // alone in a loop, this is vectorized
    // Bucket 0 for what cannot be found: a line that was never needed would cost as much as one that was.
    const uint32_t bucket = bucket_of(hash_gram(nodes[at], last[at], seed), bucket_count);
    buckets[at] = select(is_known(nodes[at], last[at], unknown), bucket, 0);
  }
  prefetch_buckets(grams, buckets, count);
  for (uint32_t at = 0; at < count; at++) {
    const uint32_t node = find_gram(grams, bucket_count, nodes[at], last[at], buckets[at]);
    nodes[at] = select(is_known(nodes[at], last[at], unknown), node, kNone);
  }
}

/** Nodes of n-grams from the direct table. An unknown symbol (0) leads to an entry that is NONE. */
template <int n, class Symbol>
[[gnu::noinline]] static void read_direct(const uint32_t* table, uint32_t alphabet, const Symbol* symbols,
                                          uint32_t count, uint32_t* nodes) {
  uint32_t at = 0;
#if BREZEL_LEVEL == 5
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

/** The columns among `nodes`, in order: aliases resolved, what has no column left out. Room for 16 more than `count`.
 */
[[gnu::noinline]] static uint32_t columns_of(const Dictionary& dictionary, const uint32_t* nodes, uint32_t count,
                                             uint32_t* columns) {
  const bool has_aliases = dictionary.nodes != dictionary.columns;
  uint32_t kept = 0, at = 0;
#if BREZEL_LEVEL == 5
  const __m512i limit = _mm512_set1_epi32(static_cast<int>(dictionary.columns));
  for (; at < count; at += 16) {
    const uint32_t left = count - at;
    const __mmask16 present = left >= 16 ? 0xFFFF : static_cast<__mmask16>((1u << left) - 1);
    __m512i column = _mm512_maskz_loadu_epi32(present, nodes + at);
    __mmask16 is_column = _mm512_mask_cmplt_epu32_mask(present, column, limit);
    if (has_aliases && is_column != present) {
      const __mmask16 is_alias = _mm512_mask_cmpneq_epi32_mask(present & ~is_column, column, _mm512_set1_epi32(-1));
      column = _mm512_mask_i32gather_epi32(column, is_alias, _mm512_sub_epi32(column, limit), dictionary.aliases, 4);
      is_column = _mm512_mask_cmplt_epu32_mask(present, column, limit);
    }
    _mm512_storeu_si512(columns + kept, _mm512_maskz_compress_epi32(is_column, column));
    kept += static_cast<uint32_t>(__builtin_popcount(is_column));
  }
#else
  for (; at < count; at++) {
    uint32_t column = nodes[at];
    if (has_aliases && column >= dictionary.columns && column != kNone)
      column = dictionary.aliases[column - dictionary.columns];
    columns[kept] = column;
    kept += column != kNone;
  }
#endif
  return kept;
}

/**
 * Distinct columns of a row in order of first occurrence, with their counts. A table maps a column to its place among
 * them; its entries carry an epoch, those of an earlier row count as absent, so a row costs nothing to begin.
 */
struct Counted {
  uint32_t* ids;     // room for one more than there can be distinct columns
  uint32_t* counts;  // as `ids`; zeros from `distinct` on
  uint32_t distinct;
};

/**
 * A table as large as the dictionary, for small ones: it stays in the second-level cache. Counts lie in it until the
 * row ends.
 */
struct DirectTable {
  uint64_t* entries;  // epoch << 32 | count
  uint64_t epoch;

  /** Two stores a column and no branch: this loop takes about half the time of counting character n-grams. */
  [[gnu::noinline]] void add(const uint32_t* __restrict columns, uint32_t found, Counted& counted) const {
    uint64_t* __restrict table = entries;
    uint32_t* __restrict ids = counted.ids;
    const uint64_t fresh = epoch << 32;
    uint32_t distinct = counted.distinct;
    for (uint32_t at = 0; at < found; at++) {
      const uint32_t column = columns[at];
      const uint64_t entry = table[column];
      const bool is_new = entry < fresh;  // epochs only grow
      ids[distinct] = column;             // of no effect where the column is known
      table[column] = (is_new ? fresh : entry) + 1;
      distinct += is_new;
    }
    counted.distinct = distinct;
  }

  void finish(const Counted& counted) const {
    for (uint32_t place = 0; place < counted.distinct; place++)
      counted.counts[place] = static_cast<uint32_t>(entries[counted.ids[place]]);
  }
};

constexpr uint32_t kDirectColumns = 65536;  // half a megabyte of table

/** A hash table as large as the row needs, at most a quarter full. */
struct HashTable {
  uint64_t* entries;  // epoch << 32 | place
  uint32_t shift;     // 32 - log2(entries)
  uint32_t epoch;

  uint32_t slot_of(uint32_t column) const { return column * kC0 >> shift; }
  uint32_t next(uint32_t slot) const { return (slot + 1) & (~uint32_t{0} >> shift); }

  [[gnu::noinline]] void add(const uint32_t* __restrict columns, uint32_t found, Counted& counted) const {
    uint32_t* ids = counted.ids;
    uint32_t distinct = counted.distinct;
    for (uint32_t at = 0; at < found; at++) {
      const uint32_t column = columns[at];
      ids[distinct] = column;  // as if it were new: then its place is compared with itself
      for (uint32_t slot = slot_of(column);; slot = next(slot)) {
        const uint64_t entry = entries[slot];
        const bool is_new = entry >> 32 != epoch;
        const uint32_t place = select(is_new, distinct, static_cast<uint32_t>(entry));
        if (ids[place] != column) [[unlikely]]
          continue;
        entries[slot] = uint64_t{epoch} << 32 | place;
        counted.counts[place]++;
        distinct += is_new;
        break;
      }
    }
    counted.distinct = distinct;
  }

  /** Puts in again what was found before the table was made anew. */
  void restore(const Counted& counted) const {
    for (uint32_t place = 0; place < counted.distinct; place++) {
      uint32_t slot = slot_of(counted.ids[place]);
      while (entries[slot] >> 32 == epoch) slot = next(slot);
      entries[slot] = uint64_t{epoch} << 32 | place;
    }
  }
};

static DirectTable begin_direct(uint32_t columns, Scratch& scratch) {
  auto* entries = scratch.direct_table.reserve<uint64_t>(columns, *scratch.growth);
  if (scratch.direct_epoch == 0xFFFFFFFFu || columns > scratch.direct_entries) {
    if (columns > scratch.direct_entries) scratch.direct_entries = columns;
    __builtin_memset(entries, 0, size_t{scratch.direct_entries} * 8);  // no old epoch may be mistaken for a coming one
    scratch.direct_epoch = 0;
  }
  return {entries, ++scratch.direct_epoch};
}

/** Room for `most` distinct columns. */
static HashTable begin_hash(size_t most, Scratch& scratch) {
  uint32_t log2 = 8;
  while ((size_t{1} << log2) < most * 4 && log2 < 31) log2++;
  const size_t entries = size_t{1} << log2;
  auto* table = scratch.hash_table.reserve<uint64_t>(entries, *scratch.growth);
  if (scratch.hash_epoch == 0xFFFFFFFFu || entries > scratch.hash_entries) {
    if (entries > scratch.hash_entries) scratch.hash_entries = entries;
    __builtin_memset(table, 0, scratch.hash_entries * 8);
    scratch.hash_epoch = 0;
  }
  return {table, 32 - log2, ++scratch.hash_epoch};
}

/** Where a row's entries go: behind those of the rows before. */
struct SparseOutput {
  Buffer& ids;
  Buffer& values;
  uint32_t count;  // entries so far
};

/** Makes room for `found` more columns behind those that were counted. */
static void make_room(const Dictionary& dictionary, uint32_t found, SparseOutput& output, Counted& counted,
                      Scratch& scratch) {
  const size_t kept = size_t{output.count} + counted.distinct;
  const size_t left = dictionary.columns - counted.distinct, added = found < left ? found : left;
  counted.ids = output.ids.extend<uint32_t>(kept + added + 1, kept, *scratch.growth) + output.count;
  counted.counts = output.values.extend<uint32_t>(kept + added + 1, kept, *scratch.growth) + output.count;
  __builtin_memset(counted.counts + counted.distinct, 0, (added + 1) * 4);
}

/** Counts one row's columns, which come in several lists. */
struct RowCounter {
  Counted counted{};
  DirectTable direct{};
  HashTable hash{};
  size_t room = 0;  // distinct columns that `hash` was made for

  void add(const Dictionary& dictionary, const uint32_t* columns, uint32_t found, SparseOutput& output,
           Scratch& scratch) {
    make_room(dictionary, found, output, counted, scratch);
    if (dictionary.columns <= kDirectColumns) {
      if (!direct.entries) direct = begin_direct(dictionary.columns, scratch);
      direct.add(columns, found, counted);
      return;
    }
    const size_t most = size_t{counted.distinct} + found;
    if (most > room) {
      room = room ? most * 2 : most;
      hash = begin_hash(room, scratch);
      hash.restore(counted);
    }
    hash.add(columns, found, counted);
  }
};

/** All n-grams of one row of `total` symbols, appended to `output`. */
template <class Symbol>
static void count_grams(const Dictionary& dictionary, const Symbol* symbols, uint32_t total, uint32_t unknown,
                        uint32_t* nodes, bool is_binary, SparseOutput& output, Scratch& scratch) {
  RowCounter counter;
  for (uint32_t n = 1; n <= dictionary.max_n && n <= total; n++) {
    const uint32_t count = total - n + 1;
    if (n <= dictionary.direct_max) {
      // The last direct table is where chains through the gram table start; shorter ones are read only if they count.
      if (n < dictionary.min_n && n < dictionary.direct_max) continue;
      read_direct_table(dictionary, n, symbols, count, nodes);
    } else if (n > 1) {
      extend_grams(dictionary, symbols + n - 1, count, unknown, nodes, scratch);
    }
    if (n < dictionary.min_n) continue;
    auto* columns = scratch.occurrences.reserve<uint32_t>(size_t{count} + 16, *scratch.growth);
    counter.add(dictionary, columns, columns_of(dictionary, nodes, count, columns), output, scratch);
  }
  // Counts are whole numbers until now: float32 alone would stop at 2^24.
  const Counted& counted = counter.counted;
  if (counter.direct.entries) counter.direct.finish(counted);
  for (uint32_t place = 0; place < counted.distinct; place++) {
    const float value = is_binary ? 1.0f : static_cast<float>(counted.counts[place]);
    __builtin_memcpy(counted.counts + place, &value, 4);
  }
  output.count += counted.distinct;
}

/** Symbols of an ASCII text, 64 at a time; false, if it is none. Room for 64 more than `length`. */
static bool translate_ascii(const uint8_t* table_bytes, const uint8_t* from, uint32_t length, uint8_t* symbols) {
  const AsciiTable table = load_ascii_table(table_bytes);
  uint32_t at = 0;
  for (; at + 64 <= length; at += 64) {
    if (!is_ascii_block(from + at)) return false;
    translate_block(table, from + at, symbols + at);
  }
  for (; at < length; at++) {
    if (from[at] >= 0x80) return false;
    symbols[at] = table_bytes[from[at]];
  }
  return true;
}

/** A symbol a code point: 0 for one that is unknown, or whose folded form is not in the class. Returns how many. */
static uint32_t find_symbols(const TextProgram& program, const Dictionary& dictionary, const uint32_t* ascii,
                             const uint8_t* from, uint32_t length, uint32_t* symbols) {
  const uint8_t* end = from + length;
  uint32_t total = 0;
  while (from < end) {
    if (*from < 0x80) {
      symbols[total++] = ascii[*from++];
      continue;
    }
    uint32_t code;
    from = decode(from, code);
    const int32_t entry = program.entry(code);
    const uint32_t folded = code + static_cast<uint32_t>(entry >> 1);
    symbols[total++] = entry & 1 ? dictionary.symbol(folded) : 0;
  }
  return total;
}
