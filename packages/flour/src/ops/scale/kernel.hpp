#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/numbers.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes (x - offset) * factor for each value x of a row of f32, f64, i64 or i32. The output is
 * f32. The parameters are offsets and factors (f32): one for each column, or one for all columns.
 */
struct ScaleKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 0);
    const SlotType &in = s.inputs[0], &out = s.outputs[0];
    s.need(in.kind == Kind::dense && in.dtype != DType::label && in.dtype != DType::boolean, "expected dense numbers");
    s.dense(out, DType::f32, in.size);
    for (const Parameter* parameter : s.parameters) {
      const bool fits = parameter->bytes() == 4 || parameter->bytes() == uint64_t{in.size} * 4;
      s.need_parameter(fits, "parameter of a wrong length");
    }
  }

  /** Scales numbers of type T. Intermediate results have the type `Wide`. */
  template <class T, class Wide>
  static void scale(Run& r) {
    const uint32_t size = r.output_type().size;
    const size_t offset_step = r.call.parameters[0]->bytes() != 4, factor_step = r.call.parameters[1]->bytes() != 4;
    const float *offset = r.parameter<float>(0), *factor = r.parameter<float>(1);
    const T* in = r.dense<T>(0);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, in += size, out += size) {
      for (size_t column = 0; column < size; column++) {
        const Wide difference = convert<Wide, T>(in[column]) - static_cast<Wide>(offset[column * offset_step]);
        out[column] = static_cast<float>(difference * static_cast<Wide>(factor[column * factor_step]));
      }
    }
  }

  static void run(Run& r) {
    switch (r.input_type(0).dtype) {
      case DType::f64:
        return scale<double, double>(r);
      case DType::i64:
        return scale<int64_t, float>(r);
      case DType::i32:
        return scale<int32_t, float>(r);
      default:
        return scale<float, float>(r);
    }
  }
};

BREZEL_ISA_END
