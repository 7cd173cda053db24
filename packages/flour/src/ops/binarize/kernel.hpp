#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Writes 1 for each number above the threshold and 0 for each other number. The input and the
 * output are dense numbers of the same dtype. The parameter holds the threshold as one f32.
 */
struct BinarizeKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 0);
    const SlotType& in = s.inputs[0];
    s.need(in.kind == Kind::dense && in.dtype != DType::label && in.dtype != DType::boolean, "expected dense numbers");
    s.need(in == s.outputs[0], "output type differs from the input's");
    s.parameter_bytes(0, 4);
  }

  template <class T>
  static void binarize(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    const double threshold = r.parameter<float>(0)[0];
    const T* in = r.dense<T>(0);
    T* out = r.write_dense<T>();
    for (size_t at = 0; at < count; at++) out[at] = static_cast<double>(in[at]) > threshold ? T{1} : T{0};
  }

  static void run(Run& r) {
    switch (r.input_type(0).dtype) {
      case DType::f64:
        return binarize<double>(r);
      case DType::i64:
        return binarize<int64_t>(r);
      case DType::i32:
        return binarize<int32_t>(r);
      default:
        return binarize<float>(r);
    }
  }
};

BREZEL_ISA_END
