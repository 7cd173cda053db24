#pragma once

#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes (x - mean) / sqrt(variance + epsilon) * scale + bias in float64, rounded once. x is
 * [batch, channels, size]; the other tensors have one value for each channel. Tensors: out, in,
 * scale, bias, mean, variance, of f32. Numbers: batch, channels, size, epsilon.
 */
struct BatchNormTensor {
  static void check(const TensorArguments& a) {
    a.arity(6, 4);
    const uint64_t count = a.count(a.whole(0), a.whole(1), a.whole(2));
    a.tensor(0, Element::f32, count);
    a.tensor(1, Element::f32, count);
    for (size_t at = 2; at < 6; at++) a.tensor(at, Element::f32, a.whole(1));
  }

  static void run(TensorRun& r) {
    const float* in = r.in<float>(1);
    float* out = r.out<float>();
    const size_t size = r.size(2);
    for (size_t image = 0; image < r.size(0); image++) {
      for (size_t channel = 0; channel < r.size(1); channel++, in += size, out += size) {
        const double scale = r.in<float>(2)[channel], bias = r.in<float>(3)[channel], mean = r.in<float>(4)[channel];
        const double deviation = __builtin_sqrt(double{r.in<float>(5)[channel]} + r.number(3));
        for (size_t at = 0; at < size; at++)
          out[at] = static_cast<float>((double{in[at]} - mean) / deviation * scale + bias);
      }
    }
  }
};

BREZEL_ISA_END
