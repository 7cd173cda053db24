// Counts how often each column occurs in a row.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/bytes.hpp"
#include "primitives/hash.hpp"

BREZEL_ISA_BEGIN

/**
 * The distinct columns of a row in order of first occurrence, with their counts.
 *
 * A table maps a column to its index in this list. Each row has a new epoch, and a table entry with
 * an older epoch counts as absent. So the table is not cleared between rows.
 */
struct Counted {
  uint32_t* ids;     // has room for one more than the possible number of distinct columns
  uint32_t* counts;  // has the same room; zeros from index `distinct`
  uint32_t distinct;
};

/**
 * Counts columns in a table with one entry for each column of the dictionary. It is for
 * dictionaries whose table fits in the second-level cache. The counts stay in the table until the
 * row ends.
 */
struct DirectTable {
  uint64_t* entries;  // epoch << 32 | count
  uint64_t epoch;

  /**
   * Counts columns, with two stores and no branch for each column. The loop must be fast: it takes
   * about half of the time of counting character n-grams.
   */
  [[gnu::noinline]] void add(const uint32_t* __restrict columns, uint32_t found, Counted& counted) const {
    uint64_t* __restrict table = entries;
    uint32_t* __restrict ids = counted.ids;
    const uint64_t fresh = epoch << 32;
    uint32_t distinct = counted.distinct;
    for (uint32_t at = 0; at < found; at++) {
      const uint32_t column = columns[at];
      const uint64_t entry = table[column];
      const bool is_new = entry < fresh;  // epochs only grow
      ids[distinct] = column;             // the next column overwrites it if the column was known
      table[column] = (is_new ? fresh : entry) + 1;
      distinct += is_new;
    }
    counted.distinct = distinct;
  }

  void finish(const Counted& counted) const {
    const uint64_t* __restrict table = entries;
    const uint32_t* __restrict ids = counted.ids;
    uint32_t* __restrict counts = counted.counts;
    const uint32_t distinct = counted.distinct;
    for (uint32_t place = 0; place < distinct; place++) counts[place] = static_cast<uint32_t>(table[ids[place]]);
  }
};

constexpr uint32_t kDirectColumns = 65536;  // the table has half a megabyte

/**
 * Counts columns in a hash table that is sized for the row. At most a quarter of its entries are
 * used.
 */
struct HashTable {
  uint64_t* entries;  // epoch << 32 | index
  uint32_t shift;     // 32 - log2(entries)
  uint32_t epoch;

  uint32_t slot_of(uint32_t column) const { return column * kC0 >> shift; }
  uint32_t next(uint32_t slot) const { return (slot + 1) & (~uint32_t{0} >> shift); }

  /**
   * Counts columns. If `is_signed`, bit 31 of a column means that its count decreases by one. Such
   * counts are two's complement.
   */
  template <bool is_signed>
  [[gnu::noinline]] void add(const uint32_t* __restrict columns, uint32_t found, Counted& counted) const {
    uint64_t* __restrict table = entries;
    uint32_t* __restrict ids = counted.ids;
    uint32_t* __restrict counts = counted.counts;
    uint32_t distinct = counted.distinct;
    for (uint32_t at = 0; at < found; at++) {
      const uint32_t column = is_signed ? columns[at] & kMaxSize : columns[at];
      const uint32_t change = is_signed ? 1 - (columns[at] >> 31 << 1) : 1;
      ids[distinct] = column;  // so the comparison below finds a new column equal to itself
      for (uint32_t slot = slot_of(column);; slot = next(slot)) {
        const uint64_t entry = table[slot];
        const bool is_new = entry >> 32 != epoch;
        const uint32_t place = select(is_new, distinct, static_cast<uint32_t>(entry));
        if (ids[place] != column) [[unlikely]]
          continue;
        table[slot] = uint64_t{epoch} << 32 | place;
        counts[place] += change;
        distinct += is_new;
        break;
      }
    }
    counted.distinct = distinct;
  }

  /**
   * Inserts the columns that the row has counted so far. Call this function on a new table that
   * replaces a smaller one.
   */
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
    // the epoch starts again, so entries with old epochs must go
    __builtin_memset(entries, 0, size_t{scratch.direct_entries} * 8);
    scratch.direct_epoch = 0;
  }
  return {entries, ++scratch.direct_epoch};
}

/** Returns an empty table with room for `most` distinct columns. */
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

/** The output of a sparse kernel. A row's entries follow the entries of earlier rows. */
struct SparseOutput {
  Buffer& ids;
  Buffer& values;
  uint32_t count;  // number of entries of the earlier rows
};

/**
 * Makes room in the output for `found` more columns, after the columns that the row has counted so
 * far.
 */
static void make_room(uint32_t columns, uint32_t found, SparseOutput& output, Counted& counted, Scratch& scratch) {
  const size_t kept = size_t{output.count} + counted.distinct;
  const size_t left = columns - counted.distinct, added = found < left ? found : left;
  counted.ids = output.ids.extend<uint32_t>(kept + added + 1, kept, *scratch.growth) + output.count;
  counted.counts = output.values.extend<uint32_t>(kept + added + 1, kept, *scratch.growth) + output.count;
  __builtin_memset(counted.counts + counted.distinct, 0, (added + 1) * 4);
}

/** Counts how often each column occurs in a row. The caller passes the columns in several lists. */
struct RowCounter {
  Counted counted{};
  DirectTable direct{};
  HashTable hash{};
  size_t room = 0;  // the number of distinct columns that `hash` has room for

  /**
   * Counts the columns of one list. `all` is the number of columns of the output. For `is_signed`,
   * see HashTable.
   */
  template <bool is_signed = false>
  void add(uint32_t all, const uint32_t* columns, uint32_t found, SparseOutput& output, Scratch& scratch) {
    make_room(all, found, output, counted, scratch);
    if (!is_signed && all <= kDirectColumns) {
      if (!direct.entries) direct = begin_direct(all, scratch);
      direct.add(columns, found, counted);
      return;
    }
    const size_t most = size_t{counted.distinct} + found;
    if (most > room) {
      room = room ? most * 2 : most;
      hash = begin_hash(room, scratch);
      hash.restore(counted);
    }
    hash.add<is_signed>(columns, found, counted);
  }
};

/**
 * Converts the row's counts to float32 values. During counting they are integers, because float32
 * cannot count beyond 2^24.
 */
template <bool is_signed = false>
static void finish_row(const RowCounter& counter, bool is_binary, SparseOutput& output) {
  uint32_t* counts = counter.counted.counts;
  const uint32_t distinct = counter.counted.distinct;
  output.count += distinct;
  if (!is_binary && counter.direct.entries) counter.direct.finish(counter.counted);
  for (uint32_t place = 0; place < distinct; place++) {
    const float count =
        is_signed ? static_cast<float>(static_cast<int32_t>(counts[place])) : static_cast<float>(counts[place]);
    const float value = is_binary ? 1.0f : count;
    __builtin_memcpy(counts + place, &value, 4);
  }
}

BREZEL_ISA_END
