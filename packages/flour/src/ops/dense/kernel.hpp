#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"
#include "primitives/matrix.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes one layer of a neural network with C outputs, from a sparse or dense row. The output is
 * f32 [C]. The parameters are the weights, feature-major f32 [size * C], and the bias, f32 [C]. The
 * attribute is the activation: 0 none, 1 relu, 2 tanh, 3 sigmoid.
 */
struct DenseKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 1);
    s.vector(s.inputs[0]);
    s.dense(s.outputs[0], DType::f32);
    s.parameter_bytes(0, uint64_t{s.inputs[0].size} * s.outputs[0].size * 4);
    s.parameter_bytes(1, uint64_t{s.outputs[0].size} * 4);
    s.attribute_below(0, kActivationCount);
  }

  template <class Function>
  static void finish(const float* bias, size_t rows, size_t outputs, float* out, Function activate) {
    for (size_t row = 0; row < rows; row++, out += outputs) {
      for (size_t output = 0; output < outputs; output++) out[output] = activate(out[output] + bias[output]);
    }
  }

  static void run(Run& r) {
    const size_t outputs = r.output_type().size;
    float* out = r.write_dense<float>();
    multiply_rows(r.input(0), r.input_type(0), r.parameter<float>(0), r.rows, outputs, out);
    const float* bias = r.parameter<float>(1);
    switch (Activation{r.attribute(0)}) {
      case Activation::none:
        return finish(bias, r.rows, outputs, out, [](float value) { return value; });
      case Activation::relu:
        return finish(bias, r.rows, outputs, out,
                      [](float value) { return value > 0 || value != value ? value : 0.0f; });
      case Activation::tanh:
        return finish(bias, r.rows, outputs, out, [](float value) { return static_cast<float>(tanh_f64(value)); });
      default:
        return finish(bias, r.rows, outputs, out, [](float value) { return static_cast<float>(sigmoid_f64(value)); });
    }
  }
};

BREZEL_ISA_END
