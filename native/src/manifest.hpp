// Checks that a FlatBuffer is safe to read: every table, list and string is inside it and aligned,
// and no two references have the same target. packages/fleet-file/src/validate.ts checks the
// meaning and reports the errors; a test compares the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "src/memory.hpp"

namespace brezel {

/**
 * The layout of one field. `bytes` is the size of the field, `element` the size of a list element,
 * and `table` the index of the table that the field points to, or -1.
 */
struct ManifestField {
  uint32_t bytes, element;
  bool is_list, is_bool, is_string;
  int32_t table;
};
using ManifestTables = std::vector<std::vector<ManifestField>>;

/**
 * Reads the layout. Each table has the number of its fields, then four numbers for each field:
 * bytes, bytes of an element, flags (1 list, 2 bool, 4 string), and the index of the table that the
 * field points to.
 */
inline ManifestTables read_tables(const int32_t* numbers, size_t count) {
  constexpr const char* kWrong = "not a description of tables";
  const auto need = [](bool holds) {
    if (!holds) throw NativeError{ErrorCode::argument, kWrong};
  };
  const auto is_size = [](int32_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; };
  ManifestTables tables;
  for (size_t at = 0; at < count;) {
    const int32_t fields = numbers[at++];
    need(fields >= 0 && static_cast<size_t>(fields) <= (count - at) / 4);
    auto& table = tables.emplace_back();
    for (int32_t field = 0; field < fields; field++, at += 4) {
      const int32_t flags = numbers[at + 2];
      need(is_size(numbers[at]) && is_size(numbers[at + 1]) && flags >= 0 && flags < 8);
      table.push_back({static_cast<uint32_t>(numbers[at]), static_cast<uint32_t>(numbers[at + 1]), (flags & 1) != 0,
                       (flags & 2) != 0, (flags & 4) != 0, numbers[at + 3]});
    }
  }
  for (const auto& table : tables)
    for (const ManifestField& field : table) need(field.table < static_cast<int32_t>(tables.size()));
  return tables;
}

class ManifestCheck {
 public:
  ManifestCheck(const uint8_t* data, size_t bytes, const ManifestTables& tables)
      : data_(data), bytes_(static_cast<int64_t>(bytes)), left_(bytes_), tables_(tables) {}

  bool is_sound(uint32_t root) {
    int64_t place;
    return is_inside(0, kOffset) && follow(0, place) && table(root, place, kDeepest);
  }

 private:
  static constexpr int64_t kOffset = 4;
  // maximal depth of nested tables; the fleet manifest is four deep
  static constexpr int kDeepest = 32;

  bool is_inside(int64_t from, int64_t bytes) const { return from >= 0 && from + bytes <= bytes_; }
  bool spend(int64_t bytes) { return (left_ -= bytes) >= 0; }
  template <class T>
  T read(int64_t place) const {
    T value;
    memcpy(&value, data_ + place, sizeof value);
    return value;
  }

  /**
   * Reads the offset at `place` and writes the position of its target to `target`. Returns whether
   * the target is after the offset, aligned, and inside the FlatBuffer.
   */
  bool follow(int64_t place, int64_t& target) const {
    target = place + read<uint32_t>(place);
    return target != place && target % 4 == 0 && is_inside(target, kOffset);
  }

  bool table(size_t name, int64_t table, int deepest) {
    if (deepest == 0 || !is_inside(table, 4)) return false;
    const int64_t vtable = table - read<int32_t>(table);
    if (vtable % 2 != 0 || !is_inside(vtable, 4)) return false;
    const int64_t vtable_bytes = read<uint16_t>(vtable), table_bytes = read<uint16_t>(vtable + 2);
    if (vtable_bytes < 4 || vtable_bytes % 2 != 0 || table_bytes < 4) return false;
    if (!is_inside(vtable, vtable_bytes) || !is_inside(table, table_bytes) || !spend(table_bytes)) return false;
    int64_t entry = 4;
    for (const ManifestField& known : tables_[name]) {
      if (entry + 2 > vtable_bytes) break;  // an absent field has its default
      const int64_t place = read<uint16_t>(vtable + entry);
      entry += 2;
      if (place == 0) continue;
      if (place < 4 || place + known.bytes > table_bytes || (table + place) % known.bytes != 0) return false;
      if (!field(known, table + place, deepest)) return false;
    }
    return true;
  }

  bool field(const ManifestField& field, int64_t place, int deepest) {
    int64_t target;
    if (field.is_list) return follow(place, target) && list(field, target, deepest);
    if (field.is_string) return follow(place, target) && string(target);
    if (field.table >= 0) return follow(place, target) && table(static_cast<size_t>(field.table), target, deepest - 1);
    return !field.is_bool || read<uint8_t>(place) <= 1;
  }

  bool list(const ManifestField& field, int64_t list, int deepest) {
    const int64_t bytes = int64_t{read<uint32_t>(list)} * field.element;
    if ((list + 4) % field.element != 0 || !is_inside(list + 4, bytes) || !spend(4 + bytes)) return false;
    if (!field.is_string && field.table < 0) return true;
    for (int64_t place = list + 4; place < list + 4 + bytes; place += kOffset) {
      int64_t target;
      if (!follow(place, target)) return false;
      if (field.table < 0 ? !string(target) : !table(static_cast<size_t>(field.table), target, deepest - 1))
        return false;
    }
    return true;
  }

  bool string(int64_t string) {
    const int64_t bytes = read<uint32_t>(string);
    return is_inside(string + 4, bytes + 1) && spend(4 + bytes + 1) && data_[string + 4 + bytes] == 0;
  }

  const uint8_t* data_;
  int64_t bytes_, left_;
  const ManifestTables& tables_;
};

}  // namespace brezel
