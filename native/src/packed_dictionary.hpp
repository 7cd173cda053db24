// A dictionary with open keys as bytes. JavaScript writes it and kernels read it.
//
//   row = entry* in the order of the caller's keys
//   entry  = tag u8, key text, value
//   text   = bytes u32, UTF-8
//   value  = float64 | int64 | text | list: count u32, text*
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/utf8.hpp"

namespace brezel {

enum class EntryTag : uint8_t { number, integer, text, list };

/** Checks packed dictionaries from JavaScript. Kernels read them afterwards without checks. */
class PackedReader {
 public:
  PackedReader(const uint8_t* bytes, size_t length) : at_(bytes), left_(length) {}
  bool is_done() const { return left_ == 0; }

  bool entry() {
    if (left_ == 0 || at_[0] > static_cast<uint8_t>(EntryTag::list)) return false;
    const auto tag = static_cast<EntryTag>(at_[0]);
    skip(1);
    if (!text()) return false;
    switch (tag) {
      case EntryTag::text:
        return text();
      case EntryTag::list:
        return list();
      default:
        return number();
    }
  }

 private:
  void skip(size_t bytes) {
    at_ += bytes;
    left_ -= bytes;
  }
  bool number() {
    if (left_ < 8) return false;
    skip(8);
    return true;
  }
  bool count(uint32_t& count) {
    if (left_ < sizeof count) return false;
    memcpy(&count, at_, sizeof count);
    skip(sizeof count);
    return true;
  }
  bool text() {
    uint32_t bytes;
    if (!count(bytes) || bytes > left_ || !is_valid_utf8(at_, bytes)) return false;
    skip(bytes);
    return true;
  }
  bool list() {
    uint32_t texts;
    if (!count(texts)) return false;
    for (; texts > 0; texts--)
      if (!text()) return false;
    return true;
  }

  const uint8_t* at_;
  size_t left_;
};

inline bool is_packed_dictionary(const uint8_t* bytes, size_t length) {
  PackedReader reader(bytes, length);
  while (!reader.is_done()) {
    if (!reader.entry()) return false;
  }
  return true;
}

}  // namespace brezel
