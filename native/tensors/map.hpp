#pragma once

#include "include/attributes.hpp"
#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"
#include "primitives/hyperbolic.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"

BREZEL_ISA_BEGIN

/**
 * Applies a function to each f32 element. It computes in float64 and rounds once. Tensors: out, in.
 * Numbers: function, alpha, beta. Functions have the order of packages/tensors/src/kernels.ts.
 */
struct MapTensor {
  static void check(const TensorArguments& a) {
    a.arity(2, 3);
    a.need(a.whole(0) < kTensorFunctionCount, "no such function");
    a.tensor(0, Element::f32, a.operands[0].length);
    a.tensor(1, Element::f32, a.operands[0].length);
  }

  static double unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

  template <class Function>
  static void each(TensorRun& r, const Function& function) {
    const float* in = r.in<float>(1);
    float* out = r.out<float>();
    const size_t count = r.arguments.operands[0].length;
    for (size_t at = 0; at < count; at++) out[at] = static_cast<float>(function(double{in[at]}));
  }

  /**
   * Applies a function to vectors of float64. Use it for functions that are slow for single
   * numbers.
   */
  template <class Function>
  static void vectors(TensorRun& r, const Function& function) {
    map_doubles(r.in<float>(1), r.arguments.operands[0].length, r.out<float>(), function);
  }

  static void run(TensorRun& r) {
    const double alpha = r.number(1), beta = r.number(2);
    switch (TensorFunction{static_cast<int32_t>(r.size(0))}) {
      case TensorFunction::relu:
        return each(r, [](double x) { return x > 0 || x != x ? x : 0; });
      case TensorFunction::leaky_relu:
        return each(r, [=](double x) { return x < 0 ? alpha * x : x; });
      case TensorFunction::sigmoid:
        return vectors(r, [](DoubleVector x) { return sigmoid_f64(x); });
      case TensorFunction::tanh:
        return vectors(r, [](DoubleVector x) { return tanh_f64(x); });
      case TensorFunction::exp:
        return vectors(r, [](DoubleVector x) { return exp_f64(x); });
      case TensorFunction::erf:
        return vectors(r, [](DoubleVector x) { return erf_f64(x); });
      case TensorFunction::sqrt:
        return each(r, [](double x) { return __builtin_sqrt(x); });
      case TensorFunction::gelu:
        return vectors(r, [](DoubleVector x) { return 0.5 * x * (1.0 + erf_f64(x * 0.7071067811865476)); });
      case TensorFunction::gelu_tanh:
        return vectors(r, [](DoubleVector x) {
          return 0.5 * x * (1.0 + tanh_f64(0.7978845608028654 * (x + 0.044715 * x * x * x)));
        });
      case TensorFunction::hard_sigmoid:
        return each(r, [=](double x) { return unit(alpha * x + beta); });
      case TensorFunction::hard_swish:
        return each(r, [](double x) { return x * unit(x / 6 + 0.5); });
      case TensorFunction::swish:
        return vectors(r, [=](DoubleVector x) { return x * sigmoid_f64(alpha * x); });
      case TensorFunction::clip:
        return each(r, [=](double x) {
          const double raised = x < alpha ? alpha : x;
          return raised > beta ? beta : raised;
        });
      default:  // reciprocal
        return each(r, [](double x) { return 1 / x; });
    }
  }
};

BREZEL_ISA_END
