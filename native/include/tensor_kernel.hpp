// What a kernel of tensor programs sees. It is a struct with static functions, written once and
// compiled for each instruction set:
//   check(const TensorArguments&)  every time: element types, lengths and numbers come from JavaScript, which took them
//                                  from files
//   run(TensorRun&)                after it, unless the result has no elements; cannot leave its tensors. Scratch may
//                                  grow, which throws std::bad_alloc
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/memory.hpp"

namespace brezel {

enum class Element : uint8_t { none, f32, f64, i32, i64 };

/** A tensor's elements where JavaScript has them. `none`: the optional operand is left out. */
struct TensorData {
  Element element = Element::none;
  void* data = nullptr;
  uint64_t length = 0;
};

constexpr size_t kMostOperands = 8;
constexpr size_t kMostNumbers = 256;
constexpr size_t kMostAxes = 16;
constexpr double kMostElements = 1u << 31;  // places in a tensor fit in 32 bits

/**
 * The operands, of which the result comes first, and numbers: shapes and attributes, in the
 * kernel's order.
 */
struct TensorArguments {
  TensorData operands[kMostOperands];
  size_t operand_count = 0;
  double numbers[kMostNumbers];
  size_t number_count = 0;

  static void need(bool holds, const char* what) {
    if (!holds) throw NativeError{ErrorCode::argument, what};
  }
  void arity(size_t most_operands, size_t least_numbers) const {
    need(operand_count <= most_operands, "too many tensors");
    need(number_count >= least_numbers, "too few numbers");
  }
  /** A whole number of `numbers`, from `least` up. */
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
  /** Elements of such a shape. */
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

/** Working memory of these kernels, one a thread; what is in it never outlives a kernel's run. */
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
