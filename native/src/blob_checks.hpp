// Scans of parameters that have a layout (blobs). A scan throws an error that names the defect of a
// blob. Kernels trust a blob that passed its scan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/memory.hpp"
#include "src/parameter.hpp"

namespace brezel {

/**
 * Checks one blob. `need` throws an error that names the defect. Read a field of the blob only
 * after its check.
 */
class BlobCheck {
 public:
  BlobCheck(const Parameter& blob, size_t header_words) : bytes_(blob.bytes()) {
    need(bytes_ >= header_words * 4, "blob shorter than its header");
    header_bytes_ = header_words * 4;
  }
  static void need(bool holds, const char* what) {
    if (!holds) throw_error(ErrorCode::parameter, what);
  }
  /**
   * Checks that a section of `count` elements is inside the blob, aligned, and after the header.
   */
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
/**
 * Checks the header and the sections of a dictionary. After this check, its sizes are safe to read.
 */
void validate_dictionary_layout(Parameter& blob);
void validate_dictionary(Parameter& blob);
void validate_perfect_forest(Parameter& blob);
void validate_linked_forest(Parameter& blob);

}  // namespace brezel
