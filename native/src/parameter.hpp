// A parameter for kernels: bytes outside V8 that never change.
#pragma once

#include <cstddef>
#include <cstdint>

namespace brezel {

/** The scans that a parameter's bytes have passed; see src/blob_checks.hpp. */
enum Validated : uint32_t {
  kTextProgram = 1,
  kDictionary = 2,
  kTextMap = 4,
  kDictionaryLayout = 8,
  kPerfectForest = 16,
  kLinkedForest = 32,
};

/**
 * A parameter. Its bytes never change, so the result of one scan is valid for all stages and
 * threads.
 */
class Parameter {
 public:
  /** Creates a parameter. At least kPadding readable bytes must follow `data`. */
  Parameter(const void* data, size_t bytes) : data_(data), bytes_(bytes) {}
  const void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

  bool is_validated(uint32_t as) const { return __atomic_load_n(&validated_, __ATOMIC_ACQUIRE) & as; }
  void mark_validated(uint32_t as) { __atomic_fetch_or(&validated_, as, __ATOMIC_RELEASE); }

  /** Returns the length in bytes of the longest word of a dictionary that passed its scan. */
  uint32_t longest_word() const { return __atomic_load_n(&longest_word_, __ATOMIC_RELAXED); }
  /**
   * Sets the length of the longest word. Call it before `mark_validated`, which publishes it to
   * other threads.
   */
  void set_longest_word(uint32_t bytes) { __atomic_store_n(&longest_word_, bytes, __ATOMIC_RELAXED); }

 private:
  const void* data_;
  size_t bytes_;
  uint32_t longest_word_ = 0;
  // uses atomic builtins, because <atomic> slows down the compilation of every unit of kernels
  uint32_t validated_ = 0;
};

}  // namespace brezel
