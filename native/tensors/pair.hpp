#pragma once

#include "include/attributes.hpp"
#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"
#include "primitives/elementwise.hpp"
#include "primitives/strided.hpp"

BREZEL_ISA_BEGIN

/**
 * Applies an operation to two tensors with broadcasting: 0 add, 1 subtract, 2 multiply, 3 divide.
 * Tensors: out, a, b, of f32 or f64. Numbers: operation, axes, sizes of the result, then the steps
 * of a and the steps of b along each axis.
 */
struct PairTensor {
  static void check(const TensorArguments& a) {
    a.arity(3, 2);
    a.need(a.whole(0) < kTensorOperationCount, "no such operation");
    const uint64_t axes = a.whole(1);
    a.need(axes <= kMostAxes, "too many axes");
    const Element element = a.operands[0].element;
    a.need(element == Element::f32 || element == Element::f64, "no such operation");
    uint64_t count = 1;
    for (uint64_t at = 0; at < axes; at++) count = a.count(count, a.whole(2 + at));
    a.tensor(0, element, count);
    for (size_t which = 1; which <= 2; which++) {
      a.need(a.has(which) && a.operands[which].element == element, "tensors of different types");
      uint64_t last = 0;
      for (uint64_t at = 0; at < axes && count; at++)
        last += (a.whole(2 + at) - 1) * a.whole(2 + which * axes + at);
      a.need(count == 0 || last < a.operands[which].length, "steps leave the tensor");
    }
  }

  struct Add {
    template <class T>
    ALWAYS_INLINE_MEMBER static T of(T a, T b) {
      return a + b;
    }
  };
  struct Subtract {
    template <class T>
    ALWAYS_INLINE_MEMBER static T of(T a, T b) {
      return a - b;
    }
  };
  struct Multiply {
    template <class T>
    ALWAYS_INLINE_MEMBER static T of(T a, T b) {
      return a * b;
    }
  };
  struct Divide {
    template <class T>
    ALWAYS_INLINE_MEMBER static T of(T a, T b) {
      return a / b;
    }
  };

  template <class Operation, class T>
  static void line(const T* a, size_t a_step, const T* b, size_t b_step, size_t count, T* out) {
    if (a_step == 1 && b_step == 1) {
      for (size_t at = 0; at < count; at++) out[at] = Operation::of(a[at], b[at]);
    } else if (a_step == 1 && b_step == 0) {
      const T value = *b;
      for (size_t at = 0; at < count; at++) out[at] = Operation::of(a[at], value);
    } else if (a_step == 0 && b_step == 1) {
      const T value = *a;
      for (size_t at = 0; at < count; at++) out[at] = Operation::of(value, b[at]);
    } else {
      for (size_t at = 0; at < count; at++) out[at] = Operation::of(a[at * a_step], b[at * b_step]);
    }
  }

  template <class Operation, class T>
  static void combine(TensorRun& r) {
    const StridedWalk walk(r.arguments.numbers + 2, r.size(1), 2);
    const T *a = r.in<T>(1), *b = r.in<T>(2);
    T* out = r.out<T>();
    walk.each_line([&](const size_t* places) {
      line<Operation>(a + places[0], walk.steps[0][walk.axes - 1], b + places[1], walk.steps[1][walk.axes - 1],
                      walk.sizes[walk.axes - 1], out);
      out += walk.sizes[walk.axes - 1];
    });
  }

  template <class T>
  static void operate(TensorRun& r) {
    switch (TensorOperation{static_cast<int32_t>(r.size(0))}) {
      case TensorOperation::add:
        return combine<Add, T>(r);
      case TensorOperation::subtract:
        return combine<Subtract, T>(r);
      case TensorOperation::multiply:
        return combine<Multiply, T>(r);
      default:
        return combine<Divide, T>(r);
    }
  }

  static void run(TensorRun& r) {
    if (r.element() == Element::f32) return operate<float>(r);
    operate<double>(r);
  }
};

BREZEL_ISA_END
