// Reads entries of packed dictionaries (src/packed_dictionary.hpp), and derives features from them
// as scikit-learn does.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/bytes.hpp"
#include "primitives/numbers.hpp"
#include "primitives/numerals.hpp"
#include "src/packed_dictionary.hpp"

BREZEL_ISA_BEGIN

struct Entry {
  EntryTag tag;
  ByteRange key;
  const uint8_t* value;

  double number() const {
    const uint64_t bits = load_u64(value);
    if (tag == EntryTag::integer) return static_cast<double>(static_cast<int64_t>(bits));
    return __builtin_bit_cast(double, bits);
  }
};

ALWAYS_INLINE uint32_t length_of(ByteRange text) { return static_cast<uint32_t>(text.to - text.from); }

/** Sets `text` to the text whose length starts at `from`. Returns the end of the text. */
static const uint8_t* read_text(const uint8_t* from, ByteRange& text) {
  text.from = from + 4;
  text.to = text.from + load_u32(from);
  return text.to;
}

/** Returns the number of texts of an entry. An entry with a number has no texts. */
ALWAYS_INLINE uint32_t texts_of(const Entry& entry) {
  if (entry.tag == EntryTag::list) return load_u32(entry.value);
  return entry.tag == EntryTag::text ? 1 : 0;
}
ALWAYS_INLINE const uint8_t* first_text(const Entry& entry) {
  return entry.tag == EntryTag::list ? entry.value + 4 : entry.value;
}

/** Reads the entry that starts at `from`. Returns the start of the next entry. */
static const uint8_t* read_entry(const uint8_t* from, Entry& entry) {
  entry.tag = static_cast<EntryTag>(*from);
  entry.value = read_text(from + 1, entry.key);
  if (entry.tag == EntryTag::number || entry.tag == EntryTag::integer) return entry.value + 8;
  const uint8_t* at = first_text(entry);
  ByteRange text;
  for (uint32_t left = texts_of(entry); left > 0; left--) at = read_text(at, text);
  return at;
}

/**
 * Returns the maximal number of features in `bytes` bytes. Every feature has at least the four
 * bytes of a text's length.
 */
ALWAYS_INLINE size_t most_features(size_t bytes) { return bytes / 4; }

/**
 * Calls `feature(name, length, number)` for each feature of a row. The feature of a number is named
 * by its key. The feature of a text is named by the key, the separator and the text, and its number
 * is 1.
 */
template <class Feature>
static void each_feature(ByteRange row, ByteRange separator, Scratch& scratch, Feature& feature) {
  const size_t room = size_t{length_of(row)} + length_of(separator) + kPadding;
  auto* name = scratch.joined.reserve<uint8_t>(room, *scratch.growth);
  Entry entry;
  for (const uint8_t* at = row.from; at < row.to;) {
    at = read_entry(at, entry);
    const uint32_t key = length_of(entry.key), before = key + length_of(separator);
    if (entry.tag == EntryTag::number || entry.tag == EntryTag::integer) {
      feature(entry.key.from, key, entry.number());
      continue;
    }
    __builtin_memcpy(name, entry.key.from, key);
    __builtin_memcpy(name + key, separator.from, length_of(separator));
    const uint8_t* value = first_text(entry);
    for (uint32_t left = texts_of(entry); left > 0; left--) {
      ByteRange text;
      value = read_text(value, text);
      __builtin_memcpy(name + before, text.from, length_of(text));
      feature(name, before + length_of(text), 1.0);
    }
  }
}

static void sift_down(uint64_t* heap, size_t at, size_t count) {
  const uint64_t value = heap[at];
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && heap[child + 1] > heap[child]) child++;
    if (heap[child] <= value) break;
    heap[at] = heap[child];
  }
  heap[at] = value;
}

/**
 * Sorts keys in ascending order, in O(n log n). Most rows have at most 32 keys, for which an
 * insertion sort is faster than a heap sort.
 */
static void sort_keys(uint64_t* keys, size_t count) {
  if (count <= 32) {
    for (size_t next = 1; next < count; next++) {
      const uint64_t key = keys[next];
      size_t at = next;
      for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
      keys[at] = key;
    }
    return;
  }
  for (size_t at = count / 2; at-- > 0;) sift_down(keys, at, count);
  for (size_t last = count - 1; last > 0; last--) {
    const uint64_t greatest = keys[0];
    keys[0] = keys[last];
    keys[last] = greatest;
    sift_down(keys, 0, last);
  }
}

/**
 * Sums a row's values by column. It adds the values of a column in the order in which they arrive,
 * and returns the columns in ascending order.
 */
struct ColumnSums {
  uint64_t* keys;  // column << 32 | index of the value
  float* values;
  uint32_t count = 0;

  void add(uint32_t column, float value) {
    keys[count] = uint64_t{column} << 32 | count;
    values[count++] = value;
  }

  /** Writes the sums and returns the number of columns. */
  uint32_t finish(uint32_t* ids, float* sums) {
    sort_keys(keys, count);
    uint32_t columns = 0;
    for (uint32_t at = 0; at < count; at++) {
      const auto column = static_cast<uint32_t>(keys[at] >> 32);
      if (columns == 0 || ids[columns - 1] != column) {
        ids[columns] = column;
        sums[columns++] = 0;
      }
      sums[columns - 1] += values[static_cast<uint32_t>(keys[at])];
    }
    return columns;
  }
};

/**
 * Runs a kernel that reads dictionaries and writes sparse rows. For each feature of a row, it calls
 * `rule(sums, name, length, number)`, which adds a value to a column of `sums`.
 */
template <class Rule>
static void sum_features(Run& r, ByteRange separator, const Rule& rule) {
  const Column& in = r.input(0);
  const size_t most = most_features(in.offsets[r.rows]);
  uint32_t* offsets = r.write_offsets();
  uint32_t* ids = r.write_ids(most);
  auto* values = r.write_values<float>(most);
  struct Adding {
    const Rule& rule;
    ColumnSums sums;
    void operator()(const uint8_t* name, uint32_t length, double number) { rule(sums, name, length, number); }
  };
  offsets[0] = 0;
  for (uint32_t row = 0; row < r.rows; row++) {
    const ByteRange bytes{in.bytes() + in.offsets[row], in.bytes() + in.offsets[row + 1]};
    const size_t room = most_features(length_of(bytes));
    Adding adding{rule,
                  {r.scratch.keys.reserve<uint64_t>(room, *r.scratch.growth),
                   r.scratch.sums.reserve<float>(room, *r.scratch.growth)}};
    each_feature(bytes, separator, r.scratch, adding);
    offsets[row + 1] = offsets[row] + adding.sums.finish(ids + offsets[row], values + offsets[row]);
  }
}

BREZEL_ISA_END
