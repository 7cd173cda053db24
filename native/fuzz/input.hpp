// Reads the input of a fuzz target front to back. Missing bytes read as 0, so every input is valid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "src/stage.hpp"

namespace brezel {

class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t bytes) : at_(data), left_(bytes) {}

  template <class T>
  T next() {
    T value{};
    const size_t count = std::min(sizeof value, left_);
    if (count) memcpy(&value, at_, count);
    skip(count);
    return value;
  }
  /** Reads a 16-bit length, and then as many int32. */
  std::vector<int32_t> numbers() {
    std::vector<int32_t> list(std::min<size_t>(next<uint16_t>(), left_ / 4));
    for (int32_t& number : list) number = next<int32_t>();
    return list;
  }
  /** Reads a 32-bit length, and then as many bytes. */
  std::vector<uint8_t> bytes() {
    const size_t count = std::min<size_t>(next<uint32_t>(), left_);
    std::vector<uint8_t> list(at_, at_ + count);
    skip(count);
    return list;
  }
  std::vector<uint8_t> rest() {
    std::vector<uint8_t> list(at_, at_ + left_);
    skip(left_);
    return list;
  }

 private:
  void skip(size_t count) {
    at_ += count;
    left_ -= count;
  }
  const uint8_t* at_;
  size_t left_;
};

/** A stage program with its parameters, and the bytes from which rows are built. */
struct FuzzStage {
  std::vector<int32_t> slots, instructions, inputs, outputs;
  std::vector<std::vector<uint8_t>> parameters;
  std::vector<uint8_t> rows;

  /** Reads the format that fuzz/write-seeds.mjs writes. */
  explicit FuzzStage(FuzzInput input)
      : slots(input.numbers()), instructions(input.numbers()), inputs(input.numbers()), outputs(input.numbers()) {
    parameters.resize(input.next<uint8_t>());
    for (auto& parameter : parameters) parameter = input.bytes();
    rows = input.rest();
  }
};

}  // namespace brezel
