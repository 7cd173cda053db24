#pragma once

#include <cmath>

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/hyperbolic.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"
#include "primitives/trigonometry.hpp"

BREZEL_ISA_BEGIN

/**
 * Applies a function to each value of a row of f32 or f64. The kernel computes in f64 and rounds
 * the result once. The first attribute is the function (`attributes.hpp`). If the function takes
 * the numbers alpha and beta, two more attributes hold their float bits.
 */
struct MapKernel {
  static constexpr int32_t plain = static_cast<int32_t>(MapFunction::leaky_relu), all = kMapFunctionCount;

  static void check(Signature& s) {
    s.need(s.attributes.size() >= 1, "wrong number of attributes");
    s.attribute_below(0, all);
    s.arity(1, 0, s.attributes[0] < plain ? 1 : 3);
    s.real(s.inputs[0]);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
  }

  static double unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

  static double softplus(double x) { return (x > 0 || x != x ? x : 0) + log1p_f64(exp_f64(-__builtin_fabs(x))); }

  static double gelu_tanh(double x) {
    return 0.5 * x * (1 + tanh_f64(0.7978845608028654 * (x + 0.044715 * x * x * x)));
  }

  /** Computes, in float64, the functions that need several operations. */
  static double of_double(int32_t function, double x) {
    switch (MapFunction{function}) {
      case MapFunction::exp:
        return exp_f64(x);
      case MapFunction::log:
        return log_f64(x);
      case MapFunction::sigmoid:
        return sigmoid_f64(x);
      case MapFunction::tanh:
        return tanh_f64(x);
      case MapFunction::sin:
        return sin_f64(x);
      case MapFunction::cos:
        return cos_f64(x);
      case MapFunction::tan:
        return tan_f64(x);
      case MapFunction::asin:
        return asin_f64(x);
      case MapFunction::acos:
        return acos_f64(x);
      case MapFunction::atan:
        return atan_f64(x);
      case MapFunction::sinh:
        return sinh_f64(x);
      case MapFunction::cosh:
        return cosh_f64(x);
      case MapFunction::asinh:
        return asinh_f64(x);
      case MapFunction::acosh:
        return acosh_f64(x);
      case MapFunction::atanh:
        return atanh_f64(x);
      case MapFunction::erf:
        return erf_f64(x);
      case MapFunction::softplus:
        return softplus(x);
      case MapFunction::softsign:
        return x / (1 + __builtin_fabs(x));
      case MapFunction::hard_swish:
        return x * unit(x / 6 + 0.5);
      case MapFunction::gelu:
        return 0.5 * x * (1 + erf_f64(x * 0.7071067811865476));
      case MapFunction::gelu_tanh:
        return gelu_tanh(x);
      default:
        return x * tanh_f64(softplus(x));
    }
  }

  static double shaped(int32_t function, double x, double alpha, double beta) {
    switch (MapFunction{function}) {
      case MapFunction::leaky_relu:
        return x < 0 ? alpha * x : x;
      case MapFunction::elu:
        return x < 0 ? alpha * expm1_f64(x) : x;
      case MapFunction::selu:
        return beta * (x < 0 ? alpha * expm1_f64(x) : x);
      case MapFunction::celu:
        return x < 0 ? alpha * expm1_f64(x / alpha) : x;
      case MapFunction::hard_sigmoid:
        return unit(alpha * x + beta);
      case MapFunction::thresholded_relu:
        return x > alpha ? x : 0;
      case MapFunction::swish:
        return x * sigmoid_f64(alpha * x);
      case MapFunction::shrink:
        return x < -alpha ? x + beta : x > alpha ? x - beta : 0;
      case MapFunction::affine:
        return alpha * x + beta;
      case MapFunction::scaled_tanh:
        return alpha * tanh_f64(beta * x);
      default:
        return alpha * softplus(beta * x);
    }
  }

  template <class T>
  static T value_of(int32_t function, T value) {
    switch (MapFunction{function}) {
      case MapFunction::relu:
        return value > 0 || value != value ? value : T{0};
      case MapFunction::negate:
        return -value;
      case MapFunction::abs:
        return std::fabs(value);
      case MapFunction::sqrt:
        return std::sqrt(value);
      case MapFunction::reciprocal:
        return T{1} / value;
      case MapFunction::sign:
        return value > 0 ? T{1} : value < 0 ? T{-1} : value;
      case MapFunction::floor:
        return std::floor(value);
      case MapFunction::ceil:
        return std::ceil(value);
      case MapFunction::round:
        return std::nearbyint(value);
      default:
        return static_cast<T>(of_double(function, value));
    }
  }

  template <class T>
  static void map(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    const int32_t function = r.attribute(0);
    const T* in = r.dense<T>(0);
    T* out = r.write_dense<T>();
    if (function < plain) {
      for (size_t at = 0; at < count; at++) out[at] = value_of(function, in[at]);
      return;
    }
    const double alpha = __builtin_bit_cast(float, r.attribute(1)), beta = __builtin_bit_cast(float, r.attribute(2));
    for (size_t at = 0; at < count; at++) out[at] = static_cast<T>(shaped(function, in[at], alpha, beta));
  }

  static void run(Run& r) { return r.input_type(0).dtype == DType::f64 ? map<double>(r) : map<float>(r); }
};

BREZEL_ISA_END
