// Converts rows to bytes, as keys of a stage's cached results, and copies rows and results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "include/kernel.hpp"
#include "src/memory.hpp"
#include "src/stage.hpp"

namespace brezel {

struct Bytes {
  const uint8_t* data;
  size_t count;
};

/** Returns the number of values, sparse entries or bytes of a row. */
inline uint32_t entries_of(const SlotType& type, const Column& column, uint32_t row) {
  if (type.kind == Kind::dense) return type.size;
  return column.offsets[type.offsets_of(row + 1)] - column.offsets[type.offsets_of(row)];
}

/** Returns the bytes of one value or sparse entry. */
constexpr size_t width_of(const SlotType& type) { return is_bytes(type.kind) ? 1 : bytes_of(type.dtype); }

inline Bytes values_of(const SlotType& type, const Column& column, uint32_t row) {
  const size_t first = type.kind == Kind::dense ? size_t{row} * type.size : column.offsets[type.offsets_of(row)];
  return {column.bytes() + first * width_of(type), entries_of(type, column, row) * width_of(type)};
}

inline Bytes ids_of(const SlotType& type, const Column& column, uint32_t row) {
  return {reinterpret_cast<const uint8_t*>(column.ids + column.offsets[row]),
          entries_of(type, column, row) * sizeof(uint32_t)};
}

/**
 * Returns whether a key must contain where each text of a row ends. A key needs these ends if a row
 * has several texts, because 'ab', 'c' and 'a', 'bc' have the same bytes.
 */
inline bool has_ends(const SlotType& type) { return type.kind == Kind::text && type.size > 1; }

/**
 * Returns whether the key of a row is a copy. A single text or dense input is not copied: its bytes
 * in the column are the key.
 */
inline bool is_key_copied(const Stage& stage) {
  if (stage.inputs.size() != 1) return true;
  const SlotType& only = stage.slots[stage.inputs[0]];
  return only.kind == Kind::sparse || has_ends(only);
}

/**
 * Appends the inputs of a stage for one row to the first `used` bytes of `room`. The number of
 * entries precedes each input, so equal bytes mean equal inputs. Returns the number of used bytes.
 */
inline size_t append_key(const Stage& stage, const Column* columns, uint32_t row, Buffer& room, size_t used,
                         GrowthCounter& growth) {
  const auto add = [&](Bytes bytes) {
    uint8_t* to = room.extend<uint8_t>(used + bytes.count, used, growth) + used;
    if (bytes.count) memcpy(to, bytes.data, bytes.count);
    used += bytes.count;
  };
  for (const uint32_t slot : stage.inputs) {
    const SlotType& type = stage.slots[slot];
    const Column& column = columns[slot];
    const uint32_t entries = entries_of(type, column, row);
    add({reinterpret_cast<const uint8_t*>(&entries), sizeof entries});
    if (type.kind == Kind::sparse) add(ids_of(type, column, row));
    for (uint32_t text = 1; has_ends(type) && text < type.size; text++) {
      const uint32_t* texts = column.offsets + type.offsets_of(row);
      const uint32_t end = texts[text] - texts[0];
      add({reinterpret_cast<const uint8_t*>(&end), sizeof end});
    }
    add(values_of(type, column, row));
  }
  return used;
}

/** Returns the key of the first row of a stage's inputs. */
inline Bytes key_of(const Stage& stage, const Column* columns, Buffer& room, GrowthCounter& growth) {
  if (!is_key_copied(stage)) return values_of(stage.slots[stage.inputs[0]], columns[stage.inputs[0]], 0);
  const size_t used = append_key(stage, columns, 0, room, 0, growth);
  return {room.data<uint8_t>(), used};
}

/**
 * Copies byte ranges into a block of memory, each to a 64-byte boundary. Without a block, only
 * computes the size that the block needs.
 */
class Placer {
 public:
  explicit Placer(void* memory) : memory_(static_cast<uint8_t*>(memory)) {}
  size_t used() const { return used_; }

  template <class T>
  T* put(const void* from, size_t bytes) {
    const size_t rounded = (bytes + 63) & ~size_t{63};
    uint8_t* to = memory_ ? memory_ + used_ : nullptr;
    used_ += rounded;
    if (!to) return nullptr;
    if (from && bytes) memcpy(to, from, bytes);
    memset(to + bytes, 0, rounded - bytes);
    return reinterpret_cast<T*>(to);
  }
  template <class T>
  const T* put(Bytes bytes) {
    return put<const T>(bytes.data, bytes.count);
  }

 private:
  uint8_t* memory_;
  size_t used_ = 0;
};

/** Copies a row of a column into the block of `placer`. */
inline Column place_row(Placer& placer, const SlotType& type, const Column& column, uint32_t row) {
  Column copy{};
  if (type.kind != Kind::dense) {
    const size_t count = type.offsets_of(1) + 1;
    const uint32_t* from = column.offsets + type.offsets_of(row);
    auto* offsets = placer.put<uint32_t>(nullptr, count * sizeof(uint32_t));
    for (size_t at = 0; offsets && at < count; at++) offsets[at] = from[at] - from[0];
    copy.offsets = offsets;
  }
  if (type.kind == Kind::sparse) copy.ids = placer.put<uint32_t>(ids_of(type, column, row));
  copy.values = placer.put<uint8_t>(values_of(type, column, row));
  return copy;
}

/** A row of a column. */
struct RowOf {
  const Column* column;
  uint32_t row;
};

/**
 * Writes the offsets of rows that `join_rows` joins, and returns the offsets. Throws std::bad_alloc
 * if 32 bits cannot count the entries.
 */
template <class RowAt>
uint32_t* join_offsets(const SlotType& type, RowAt row_at, uint32_t rows, SlotBuffers& to, GrowthCounter& growth) {
  auto* offsets = to.offsets.reserve<uint32_t>(type.offsets_of(rows) + 1, growth);
  const size_t each = type.offsets_of(1);
  uint64_t end = 0;
  offsets[0] = 0;
  for (uint32_t row = 0; row < rows; row++) {
    const auto [column, index] = row_at(row);
    const uint32_t* from = column->offsets + type.offsets_of(index);
    for (size_t at = 1; at <= each; at++) offsets[row * each + at] = static_cast<uint32_t>(end + from[at] - from[0]);
    end += from[each] - from[0];
    if (end > UINT32_MAX) throw std::bad_alloc();
  }
  return offsets;
}

/**
 * Copies rows of several columns into the buffers of one slot.
 * @param row_at returns the `RowOf` for each index below `rows`. The columns are not in `to`.
 */
template <class RowAt>
Column join_rows(const SlotType& type, RowAt row_at, uint32_t rows, SlotBuffers& to, GrowthCounter& growth) {
  Column joined{};
  const bool is_dense = type.kind == Kind::dense;
  if (!is_dense) joined.offsets = join_offsets(type, row_at, rows, to, growth);
  const size_t entries = is_dense ? size_t{rows} * type.size : joined.offsets[type.offsets_of(rows)];
  const auto copy = [&](Buffer& buffer, size_t bytes, auto bytes_at) {
    auto* next = buffer.reserve<uint8_t>(bytes + kPadding, growth);
    uint8_t* const start = next;
    for (uint32_t row = 0; row < rows; row++) {
      const auto [column, index] = row_at(row);
      const Bytes from = bytes_at(type, *column, index);
      if (from.count) memcpy(next, from.data, from.count);
      next += from.count;
    }
    memset(next, 0, kPadding);
    return start;
  };
  if (type.kind == Kind::sparse)
    joined.ids = reinterpret_cast<const uint32_t*>(copy(to.ids, entries * sizeof(uint32_t), ids_of));
  joined.values = copy(to.values, entries * width_of(type), values_of);
  return joined;
}

}  // namespace brezel
