// Calls kernels of tensor programs, one call for each node. The kernels read and write typed arrays
// in JavaScript's memory.
#pragma once

#include <node_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "include/tensor_kernel.hpp"
#include "src/boundary/values.hpp"
#include "src/dispatch.hpp"
#include "src/memory.hpp"

namespace brezel {

inline napi_value tensor_kernels(Arguments& a) {
  return names(a, kTensorKernelCount, [](uint32_t at) { return kTensorKernels[at]->name; });
}

inline Element element_of(napi_typedarray_type type) {
  switch (type) {
    case napi_float32_array:
      return Element::f32;
    case napi_float64_array:
      return Element::f64;
    case napi_int32_array:
      return Element::i32;
    case napi_bigint64_array:
      return Element::i64;
    default:
      throw NativeError{ErrorCode::argument, "no kernel takes tensors of such an array"};
  }
}

inline void read_operands(const Arguments& a, napi_value list, TensorArguments& arguments) {
  uint32_t length = 0;
  Arguments::need(is_array(a, list), "expected an array of tensors");
  a.ok(napi_get_array_length(a.env, list, &length), "expected an array of tensors");
  Arguments::need(length >= 1 && length <= kMostOperands, "too many tensors");
  arguments.operand_count = length;
  napi_value operands[kMostOperands];
  // Reading an element may run a getter, which may detach an array that was read before. So lengths
  // are read after all elements.
  for (uint32_t at = 0; at < length; at++)
    a.ok(napi_get_element(a.env, list, at, &operands[at]), "tensor cannot be read");
  for (uint32_t at = 0; at < length; at++) {
    if (at > 0 && is_undefined(a, operands[at])) continue;
    TypedArray array;
    Arguments::need(read_typed_array(a, operands[at], array), "expected a typed array");
    arguments.operands[at] = {element_of(array.type), array.data, array.length};
  }
}

inline void read_shape(const Arguments& a, napi_value value, TensorArguments& arguments) {
  TypedArray array;
  Arguments::need(read_typed_array(a, value, array) && array.type == napi_float64_array, "expected a Float64Array");
  Arguments::need(array.length <= kMostNumbers, "too many numbers");
  arguments.number_count = array.length;
  // read a copy that no other thread can change
  if (array.length) memcpy(arguments.numbers, array.data, array.length * sizeof(double));
}

/**
 * The thread frees its tensor scratch after a call if the scratch has more than this many bytes.
 */
constexpr size_t kKeptTensorScratch = size_t{64} << 20;

/**
 * Runs a kernel. The arguments are: instruction set, kernel, tensors, numbers. The first tensor
 * receives the result.
 */
inline napi_value tensor_run(Arguments& a) {
  const InstructionSet& isa = instruction_set(read_string(a, a.values[0], "expected an instruction set"));
  const double number = read_number(a, a.values[1], "expected a kernel");
  Arguments::need(number >= 0 && number < kTensorKernelCount, "no such kernel");
  const auto kernel = static_cast<uint32_t>(number);
  Arguments::need(kernel == number, "no such kernel");
  TensorArguments arguments;
  read_operands(a, a.values[2], arguments);
  read_shape(a, a.values[3], arguments);
  kTensorKernels[kernel]->check(arguments);
  // an empty result may have other sizes that are huge
  if (arguments.operands[0].length == 0) return nullptr;
  TensorScratch& scratch = a.here.tensors;
  TensorRun run{arguments, scratch};
  isa.kernels().tensors[kernel](run);
  if (scratch.growth.bytes > kKeptTensorScratch) scratch = TensorScratch();
  return nullptr;
}

}  // namespace brezel
