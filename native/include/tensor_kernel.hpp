// The interface between JavaScript and a kernel of tensor programs. The kernel is a struct with
// static functions. It is written once and compiled for each instruction set:
//   check(const TensorArguments&) runs at every call, because element types, lengths and numbers
//                                 come from JavaScript, which reads them from files
//   run(TensorRun&)               runs after `check`, unless the result has no elements. It
//                                 cannot access memory outside its tensors. Its scratch may grow,
//                                 which can throw std::bad_alloc
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/memory.hpp"

namespace brezel {

enum class Element : uint8_t { none, f32, f64, i32, i64 };

/**
 * The elements of a tensor, in memory that JavaScript owns. The element type `none` means that an
 * optional operand is missing.
 */
struct TensorData {
  Element element = Element::none;
  void* data = nullptr;
  uint64_t length = 0;
};

constexpr size_t kMostOperands = 8;
constexpr size_t kMostNumbers = 256;
constexpr size_t kMostAxes = 16;
constexpr double kMostElements = 1u << 31;  // an index into a tensor fits in 32 bits

/**
 * The arguments of a call of a tensor kernel. `operands` holds first the result, then the operands.
 * `numbers` holds the shapes and attributes, in the order that the kernel defines.
 */
struct TensorArguments {
  TensorData operands[kMostOperands];
  size_t operand_count = 0;
  double numbers[kMostNumbers];
  size_t number_count = 0;

  static void need(bool holds, const char* what) {
    if (!holds) throw_error(ErrorCode::argument, what);
  }
  void arity(size_t most_operands, size_t least_numbers) const {
    need(operand_count <= most_operands, "too many tensors");
    need(number_count >= least_numbers, "too few numbers");
  }
  /**
   * Returns the integer at index `at` of `numbers`. Throws if the number is not an integer, is less
   * than `least`, or exceeds `kMostElements`.
   */
  uint64_t whole(size_t at, double least = 0) const {
    need(at < number_count, "too few numbers");
    const double value = numbers[at];
    need(value >= least && value <= kMostElements, "number out of range");
    const auto count = static_cast<uint64_t>(value);
    need(static_cast<double>(count) == value, "expected a whole number");
    return count;
  }
  void tensor(size_t at, Element element, uint64_t length) const {
    need(at < operand_count && operands[at].element == element, "tensor of another element type");
    need(operands[at].length == length, "tensor of another length");
  }
  void optional_tensor(size_t at, Element element, uint64_t length) const {
    if (at < operand_count && operands[at].element != Element::none) tensor(at, element, length);
  }
  bool has(size_t at) const { return at < operand_count && operands[at].element != Element::none; }
  /** Returns the number of elements of a shape. Throws if a tensor with this shape is too large. */
  template <class... Sizes>
  static uint64_t count(Sizes... sizes) {
    uint64_t product = 1;
    for (const uint64_t size : {static_cast<uint64_t>(sizes)...}) {
      if (size == 0) return 0;
      product = product > (uint64_t{1} << 62) / size ? uint64_t{1} << 62 : product * size;
    }
    need(product <= uint64_t{1} << 31, "too many elements");
    return product;
  }
};

/**
 * Working memory of tensor kernels. Each thread has one `TensorScratch`, whose content is lost when
 * a kernel returns.
 */
struct TensorScratch {
  Buffer panel, terms, runs;
  GrowthCounter growth;
};

struct TensorRun {
  const TensorArguments& arguments;
  TensorScratch& scratch;

  template <class T>
  const T* in(size_t at) const {
    return arguments.has(at) ? static_cast<const T*>(arguments.operands[at].data) : nullptr;
  }
  template <class T>
  T* out(size_t at = 0) const {
    return arguments.has(at) ? static_cast<T*>(arguments.operands[at].data) : nullptr;
  }
  double number(size_t at) const { return arguments.numbers[at]; }
  size_t size(size_t at) const { return static_cast<size_t>(arguments.numbers[at]); }
  Element element() const { return arguments.operands[0].element; }
};

using TensorKernelRun = void (*)(TensorRun&);

struct TensorKernel {
  const char* name;
  void (*check)(const TensorArguments&);
};

}  // namespace brezel
