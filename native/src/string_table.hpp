// Encoded lists of strings in the format of the object store: u32 count, u32 offsets[count + 1],
// then UTF-8 bytes. Offset 0 is the first of these bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "src/checksum.hpp"
#include "src/memory.hpp"
#include "src/utf8.hpp"

namespace brezel {

/** A list of strings. It reads the bytes of the caller, which need not be aligned. */
class StringTable {
 public:
  StringTable(const uint8_t* bytes, size_t length) {
    if (length < 8) return;
    memcpy(&count_, bytes, 4);
    const size_t head = 4 + 4 * (size_t{count_} + 1);
    if (head > length) return;
    offsets_.resize(size_t{count_} + 1);
    memcpy(offsets_.data(), bytes + 4, 4 * offsets_.size());
    text_ = bytes + head;
    is_sound_ = offsets_.front() == 0 && offsets_.back() == length - head;
    for (uint32_t at = 0; at < count_ && is_sound_; at++)
      is_sound_ = offsets_[at] <= offsets_[at + 1] && offsets_[at + 1] <= length - head && is_text(at);
  }

  /**
   * Returns false if the table is malformed or contains invalid UTF-8. In that case do not call
   * other functions.
   */
  bool is_sound() const { return is_sound_; }
  uint32_t count() const { return count_; }
  std::string_view at(uint32_t index) const {
    return {reinterpret_cast<const char*>(text_) + offsets_[index], offsets_[index + 1] - offsets_[index]};
  }

 private:
  bool is_text(uint32_t index) const {
    return is_valid_utf8(text_ + offsets_[index], offsets_[index + 1] - offsets_[index]);
  }
  bool is_sound_ = false;
  uint32_t count_ = 0;
  std::vector<uint32_t> offsets_;
  const uint8_t* text_ = nullptr;
};

/**
 * Byte strings at given offsets of a buffer. The caller ensures that all of them are inside the
 * buffer.
 */
class PlacedStrings {
 public:
  PlacedStrings(const uint8_t* bytes, const uint32_t* offsets, const uint32_t* lengths, uint32_t count)
      : bytes_(bytes), offsets_(offsets), lengths_(lengths), count_(count) {}

  uint32_t count() const { return count_; }
  std::string_view at(uint32_t index) const {
    return {reinterpret_cast<const char*>(bytes_) + offsets_[index], lengths_[index]};
  }

 private:
  const uint8_t* bytes_;
  const uint32_t *offsets_, *lengths_;
  uint32_t count_;
};

/**
 * The distinct strings of a list in order of first occurrence, and for each string of the list its
 * index among the distinct strings. `List` has the functions `count` and `at` of `StringTable`.
 */
template <class List>
struct DistinctStrings {
  std::vector<uint32_t> firsts;  // list index of the first occurrence of each distinct string
  std::vector<int32_t> numbers;  // index of the distinct string, for each string of the list

  explicit DistinctStrings(const List& table) : numbers(table.count()) {
    size_t slots = 16;
    while (slots < 2 * size_t{table.count()}) slots *= 2;
    // hash table with linear probing: index + 1, or 0 if free
    std::vector<uint32_t> index(slots, 0);
    // random, so that a file cannot contain strings chosen for equal hashes
    const uint64_t seed = std::random_device{}();
    for (uint32_t at = 0; at < table.count(); at++) {
      const std::string_view text = table.at(at);
      const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
      Xxh64 sum(seed);
      sum.stripes(bytes, text.size() / 32);
      size_t slot = sum.digest(bytes + text.size() / 32 * 32, text.size() % 32) & (slots - 1);
      while (index[slot] && table.at(firsts[index[slot] - 1]) != text) slot = (slot + 1) & (slots - 1);
      if (!index[slot]) {
        firsts.push_back(at);
        index[slot] = static_cast<uint32_t>(firsts.size());
      }
      numbers[at] = static_cast<int32_t>(index[slot] - 1);
    }
  }
};

/**
 * Encodes a list of `count` strings. `text_of` returns each string. `allocate` returns the memory
 * for a number of bytes. All strings together must have at most 4 GiB.
 */
template <class TextOf, class Allocate>
void encode_strings(uint32_t count, TextOf text_of, Allocate allocate) {
  size_t total = 0;
  for (uint32_t at = 0; at < count; at++) total += text_of(at).size();
  if (total > UINT32_MAX) throw NativeError{ErrorCode::argument, "a list of strings exceeds 4 GiB"};
  uint8_t* bytes = allocate(4 + 4 * (size_t{count} + 1) + total);
  uint8_t *head = bytes + 4, *text = head + 4 * (size_t{count} + 1);
  memcpy(bytes, &count, 4);
  uint32_t end = 0;
  for (uint32_t at = 0; at < count; at++) {
    memcpy(head + 4 * size_t{at}, &end, 4);
    const std::string_view from = text_of(at);
    if (!from.empty()) memcpy(text + end, from.data(), from.size());
    end += static_cast<uint32_t>(from.size());
  }
  memcpy(head + 4 * size_t{count}, &end, 4);
}

/** Returns the code point of a text with exactly one code point, or -1. */
inline int64_t single_code_point(std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  if (text.empty() || text.size() > 4) return -1;
  if (bytes[0] < 0x80) return text.size() == 1 ? bytes[0] : -1;
  if (valid_sequence(bytes, text.size()) != text.size()) return -1;
  uint32_t code = bytes[0] & (0x7F >> text.size());
  for (size_t at = 1; at < text.size(); at++) code = code << 6 | (bytes[at] & 0x3F);
  return code;
}

}  // namespace brezel
