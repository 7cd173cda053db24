// Converts one row to bytes, as the key of a stage's cached result, and copies the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "include/kernel.hpp"
#include "src/memory.hpp"
#include "src/stage.hpp"

namespace brezel {

struct Bytes {
  const uint8_t* data;
  size_t count;
};

/** Returns the number of values, sparse entries or bytes of the first row. */
inline uint32_t entries_of(const SlotType& type, const Column& column) {
  return type.kind == Kind::dense ? type.size : column.offsets[type.offsets_of(1)] - column.offsets[0];
}

inline Bytes values_of(const SlotType& type, const Column& column) {
  const size_t width = is_bytes(type.kind) ? 1 : bytes_of(type.dtype);
  const size_t first = type.kind == Kind::dense ? 0 : column.offsets[0];
  return {column.bytes() + first * width, entries_of(type, column) * width};
}

inline Bytes ids_of(const SlotType& type, const Column& column) {
  return {reinterpret_cast<const uint8_t*>(column.ids + column.offsets[0]),
          entries_of(type, column) * sizeof(uint32_t)};
}

/**
 * Returns whether a key must contain where each text of a row ends. A key needs these ends if a row
 * has several texts, because 'ab', 'c' and 'a', 'bc' have the same bytes.
 */
inline bool has_ends(const SlotType& type) { return type.kind == Kind::text && type.size > 1; }

/**
 * Returns the first row of a stage's inputs as bytes, so that equal bytes mean equal inputs. A
 * single text or dense input is not copied. Other inputs are gathered in `room`, each after its
 * number of entries.
 */
inline Bytes key_of(const Stage& stage, const Column* columns, Buffer& room, GrowthCounter& growth) {
  if (stage.inputs.empty()) return {nullptr, 0};
  const SlotType& first = stage.slots[stage.inputs[0]];
  if (stage.inputs.size() == 1 && first.kind != Kind::sparse && !has_ends(first))
    return values_of(first, columns[stage.inputs[0]]);
  size_t used = 0;
  const auto add = [&](Bytes bytes) {
    uint8_t* to = room.extend<uint8_t>(used + bytes.count, used, growth) + used;
    if (bytes.count) memcpy(to, bytes.data, bytes.count);
    used += bytes.count;
  };
  for (const uint32_t slot : stage.inputs) {
    const uint32_t entries = entries_of(stage.slots[slot], columns[slot]);
    add({reinterpret_cast<const uint8_t*>(&entries), sizeof entries});
    if (stage.slots[slot].kind == Kind::sparse) add(ids_of(stage.slots[slot], columns[slot]));
    for (uint32_t text = 1; has_ends(stage.slots[slot]) && text < stage.slots[slot].size; text++) {
      const uint32_t end = columns[slot].offsets[text] - columns[slot].offsets[0];
      add({reinterpret_cast<const uint8_t*>(&end), sizeof end});
    }
    add(values_of(stage.slots[slot], columns[slot]));
  }
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

/** Copies the first row of a column into the block of `placer`. */
inline Column place_row(Placer& placer, const SlotType& type, const Column& column) {
  Column copy{};
  if (type.kind != Kind::dense) {
    const size_t count = type.offsets_of(1) + 1;
    auto* offsets = placer.put<uint32_t>(nullptr, count * sizeof(uint32_t));
    for (size_t at = 0; offsets && at < count; at++) offsets[at] = column.offsets[at] - column.offsets[0];
    copy.offsets = offsets;
  }
  if (type.kind == Kind::sparse) copy.ids = placer.put<uint32_t>(ids_of(type, column));
  copy.values = placer.put<uint8_t>(values_of(type, column));
  return copy;
}

}  // namespace brezel
