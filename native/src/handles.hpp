// Handles: numbers that JavaScript holds instead of pointers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "src/memory.hpp"

namespace brezel {

enum class HandleKind : uint64_t { file = 0, parameter = 1, stage = 2, plan = 3 };

/**
 * Finds objects by handle. Handle = generation * 2^22 + kind * 2^20 + index, an integer below 2^53.
 * Each use detects a released handle, a handle of another kind, and a number that is not a handle.
 */
template <class T, HandleKind kind>
class HandleTable {
 public:
  uint32_t add(T value) {
    if (free_.empty()) {
      if (places_.size() > kIndexMask) throw NativeError{ErrorCode::handle, "too many handles"};
      // Reserve room for the later release now, so that releasing never allocates.
      if (free_.capacity() <= places_.size()) free_.reserve(2 * places_.size() + 16);
      places_.push_back({std::move(value), 1, true});
      return static_cast<uint32_t>(places_.size() - 1);
    }
    const uint32_t index = free_.back();
    free_.pop_back();
    places_[index].value = std::move(value);
    places_[index].is_used = true;
    return index;
  }
  double handle(uint32_t index) const {
    return static_cast<double>(places_[index].generation << 22 | static_cast<uint64_t>(kind) << 20 | index);
  }
  /**
   * Returns the object, or nullptr for a stale handle. The pointer is valid until the table
   * changes.
   */
  T* find(double handle) {
    if (!(handle >= 0 && handle < 9007199254740992.0)) return nullptr;
    const auto bits = static_cast<uint64_t>(handle);
    const uint64_t index = bits & kIndexMask;
    if (static_cast<double>(bits) != handle || index >= places_.size()) return nullptr;
    Place& place = places_[index];
    if (!place.is_used || bits >> 22 != place.generation || (bits >> 20 & 3) != static_cast<uint64_t>(kind))
      return nullptr;
    return &place.value;
  }
  static uint32_t index_of(double handle) { return static_cast<uint32_t>(static_cast<uint64_t>(handle) & kIndexMask); }
  void remove(uint32_t index) {
    Place& place = places_[index];
    place.value = T{};
    place.is_used = false;
    // after the last generation, the index is never used again
    if (++place.generation >> 31) return;
    free_.push_back(index);
  }

 private:
  static constexpr uint64_t kIndexMask = (1 << 20) - 1;
  struct Place {
    T value;
    uint64_t generation;
    bool is_used;
  };
  std::vector<Place> places_;
  std::vector<uint32_t> free_;
};

}  // namespace brezel
