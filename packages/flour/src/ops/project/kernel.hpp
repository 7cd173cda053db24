#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/matrix.hpp"

BREZEL_ISA_BEGIN

/**
 * Projects each row, sparse or dense, on C components, and writes C numbers of f32. The parameters
 * are the weights, feature-major f32 [size * C], and optionally a mean, f32 [size], and a scale,
 * f32 [C]. The first attribute is 1 if the kernel has a mean, and the second is 1 if it has a
 * scale. With a mean, the input is dense.
 */
struct ProjectKernel {
  static void check(Signature& s) {
    s.need(s.attributes.size() == 2, "wrong number of attributes");
    s.attribute_below(0, 2);
    s.attribute_below(1, 2);
    const int32_t has_mean = s.attributes[0], has_scale = s.attributes[1];
    s.arity(1, static_cast<size_t>(1 + has_mean + has_scale), 2);
    s.vector(s.inputs[0]);
    s.dense(s.outputs[0], DType::f32);
    s.parameter_bytes(0, uint64_t{s.inputs[0].size} * s.outputs[0].size * 4);
    if (has_mean) {
      s.dense(s.inputs[0], DType::f32);
      s.parameter_bytes(1, uint64_t{s.inputs[0].size} * 4);
    }
    if (has_scale) s.parameter_bytes(static_cast<size_t>(1 + has_mean), uint64_t{s.outputs[0].size} * 4);
  }

  static const float* center(Run& r) {
    const size_t features = r.input_type(0).size;
    const float *in = r.dense<float>(0), *mean = r.parameter<float>(1);
    float* centered = r.scratch.sums.reserve<float>(r.rows * features, *r.scratch.growth);
    for (size_t row = 0; row < r.rows; row++) {
      for (size_t at = 0; at < features; at++) centered[row * features + at] = in[row * features + at] - mean[at];
    }
    return centered;
  }

  static void run(Run& r) {
    const size_t outputs = r.output_type().size;
    Column source = r.input(0);
    if (r.attribute(0)) source.values = center(r);
    float* out = r.write_dense<float>();
    multiply_rows(source, r.input_type(0), r.parameter<float>(0), r.rows, outputs, out);
    if (!r.attribute(1)) return;
    const float* scale = r.parameter<float>(static_cast<size_t>(1 + r.attribute(0)));
    for (size_t row = 0; row < r.rows; row++, out += outputs) {
      for (size_t output = 0; output < outputs; output++) out[output] = out[output] / scale[output];
    }
  }
};

BREZEL_ISA_END
