#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Replaces missing numbers of a row. The input and the output have the same dtype. The first
 * parameter holds the replacements: one for each column, or one for all columns. The second
 * parameter holds the number that stands for a missing value. If the second parameter is empty, no
 * number is missing.
 */
struct ImputeKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 0);
    const SlotType& in = s.inputs[0];
    s.need(in.kind == Kind::dense && in.dtype != DType::label && in.dtype != DType::boolean, "expected dense numbers");
    s.need(in == s.outputs[0], "output type differs from the input's");
    const uint64_t element = bytes_of(in.dtype), values = s.parameters[0]->bytes(), missing = s.parameters[1]->bytes();
    s.need_parameter(values == element || values == in.size * element, "parameter of a wrong length");
    s.need_parameter(missing == element || missing == 0, "parameter of a wrong length");
  }

  template <class T>
  static void impute(Run& r) {
    const uint32_t size = r.output_type().size;
    const bool has_missing = r.call.parameters[1]->bytes() != 0;
    const size_t step = r.call.parameters[0]->bytes() != sizeof(T);
    const T* values = r.parameter<T>(0);
    const T missing = has_missing ? r.parameter<T>(1)[0] : T{};
    const bool is_nan = missing != missing;
    const T* in = r.dense<T>(0);
    T* out = r.write_dense<T>();
    for (uint32_t row = 0; row < r.rows; row++, in += size, out += size) {
      for (size_t column = 0; column < size; column++) {
        const T value = in[column];
        const bool is_missing = has_missing && (value == missing || (is_nan && value != value));
        out[column] = is_missing ? values[column * step] : value;
      }
    }
  }

  static void run(Run& r) {
    switch (r.input_type(0).dtype) {
      case DType::f64:
        return impute<double>(r);
      case DType::i64:
        return impute<int64_t>(r);
      case DType::i32:
        return impute<int32_t>(r);
      default:
        return impute<float>(r);
    }
  }
};

BREZEL_ISA_END
