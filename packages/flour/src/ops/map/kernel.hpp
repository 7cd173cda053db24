#pragma once

#include <cmath>

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/hyperbolic.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"
#include "primitives/trigonometry.hpp"

BREZEL_ISA_BEGIN

/**
 * dense f32 or f64 -> the same, each value alone, in f64 and rounded once. Attributes: the function, in the order of `functions.ts`; from 31 on (those
 * with numbers of their own) float bits of alpha and beta.
 */
struct MapKernel {
  static constexpr int32_t plain = 31, all = 42;

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

  /** Functions whose answer has many digits, or several steps. */
  static double of_double(int32_t function, double x) {
    switch (function) {
      case 0:
        return exp_f64(x);
      case 1:
        return log_f64(x);
      case 2:
        return sigmoid_f64(x);
      case 3:
        return tanh_f64(x);
      case 12:
        return sin_f64(x);
      case 13:
        return cos_f64(x);
      case 14:
        return tan_f64(x);
      case 15:
        return asin_f64(x);
      case 16:
        return acos_f64(x);
      case 17:
        return atan_f64(x);
      case 18:
        return sinh_f64(x);
      case 19:
        return cosh_f64(x);
      case 20:
        return asinh_f64(x);
      case 21:
        return acosh_f64(x);
      case 22:
        return atanh_f64(x);
      case 23:
        return erf_f64(x);
      case 25:
        return softplus(x);
      case 26:
        return x / (1 + __builtin_fabs(x));
      case 27:
        return x * unit(x / 6 + 0.5);
      case 28:
        return 0.5 * x * (1 + erf_f64(x * 0.7071067811865476));
      case 29:
        return gelu_tanh(x);
      default:
        return x * tanh_f64(softplus(x));
    }
  }

  static double shaped(int32_t function, double x, double alpha, double beta) {
    switch (function - plain) {
      case 0:
        return x < 0 ? alpha * x : x;
      case 1:
        return x < 0 ? alpha * expm1_f64(x) : x;
      case 2:
        return beta * (x < 0 ? alpha * expm1_f64(x) : x);
      case 3:
        return x < 0 ? alpha * expm1_f64(x / alpha) : x;
      case 4:
        return unit(alpha * x + beta);
      case 5:
        return x > alpha ? x : 0;
      case 6:
        return x * sigmoid_f64(alpha * x);
      case 7:
        return x < -alpha ? x + beta : x > alpha ? x - beta : 0;
      case 8:
        return alpha * x + beta;
      case 9:
        return alpha * tanh_f64(beta * x);
      default:
        return alpha * softplus(beta * x);
    }
  }

  template <class T>
  static T value_of(int32_t function, T value) {
    switch (function) {
      case 4:
        return value > 0 || value != value ? value : T{0};
      case 5:
        return -value;
      case 6:
        return std::fabs(value);
      case 7:
        return std::sqrt(value);
      case 8:
        return T{1} / value;
      case 9:
        return value > 0 ? T{1} : value < 0 ? T{-1} : value;
      case 10:
        return std::floor(value);
      case 11:
        return std::ceil(value);
      case 24:
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
