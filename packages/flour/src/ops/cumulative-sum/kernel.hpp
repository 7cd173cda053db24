#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/numbers.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the running sums of a row of numbers. The attributes are two flags. With the first flag,
 * the sum at an element does not include this element. With the second flag, the sums start at the
 * last element.
 */
struct CumulativeSumKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 2);
    s.dense(s.inputs[0], s.inputs[0].dtype);
    s.need(s.inputs[0].dtype < DType::boolean, "expected a dense slot of numbers");
    s.dense(s.outputs[0], s.inputs[0].dtype, s.inputs[0].size);
    s.attribute_below(0, 2);
    s.attribute_below(1, 2);
  }

  template <class T>
  static void of_type(Run& r) {
    const size_t size = r.output_type().size;
    const bool is_exclusive = r.attribute(0) == 1, is_reverse = r.attribute(1) == 1;
    const T* in = r.dense<T>(0);
    T* out = r.write_dense<T>();
    for (size_t row = 0; row < r.rows; row++, in += size, out += size) {
      size_t before = is_reverse ? size - 1 : 0;
      out[before] = is_exclusive ? T{0} : in[before];
      for (size_t step = 1; step < size; step++) {
        const size_t to = is_reverse ? before - 1 : before + 1;
        out[to] = plus(out[before], in[is_exclusive ? before : to]);
        before = to;
      }
    }
  }

  static void run(Run& r) {
    switch (r.input_type(0).dtype) {
      case DType::f64:
        return of_type<double>(r);
      case DType::i64:
        return of_type<int64_t>(r);
      case DType::i32:
        return of_type<int32_t>(r);
      default:
        return of_type<float>(r);
    }
  }
};

BREZEL_ISA_END
