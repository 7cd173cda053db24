// Scans of parameters that have a layout. Each throws what is wrong with a blob; kernels trust a
// blob that passed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/memory.hpp"
#include "src/parameter.hpp"

namespace brezel {

/**
 * Checks of one blob. `need` names what is wrong; nothing of the blob is believed before it was
 * checked.
 */
class BlobCheck {
 public:
  BlobCheck(const Parameter& blob, size_t header_words) : bytes_(blob.bytes()) {
    need(bytes_ >= header_words * 4, "blob shorter than its header");
    header_bytes_ = header_words * 4;
  }
  static void need(bool holds, const char* what) {
    if (!holds) throw NativeError{ErrorCode::parameter, what};
  }
  /** A section of `count` elements lies inside, aligned and behind the header. */
  void section(uint32_t offset, uint64_t count, uint64_t element_bytes) const {
    need(offset % 64 == 0 && offset >= header_bytes_, "blob section is not aligned");
    need(count <= bytes_ && offset + count * element_bytes <= bytes_, "blob section out of range");
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_;
  size_t header_bytes_;
};

void validate_text_program(Parameter& blob);
void validate_text_map(Parameter& blob);
/** Checks the header and the sections of a dictionary, which is enough to read its sizes. */
void validate_dictionary_layout(Parameter& blob);
void validate_dictionary(Parameter& blob);
void validate_perfect_forest(const Parameter& blob);
void validate_linked_forest(const Parameter& blob);

}  // namespace brezel
