#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"
#include "primitives/numbers.hpp"

BREZEL_ISA_BEGIN

/**
 * Converts scores to probabilities, in f32 or f64. The first attribute is the form (`SoftmaxForm`).
 * With `keep_zeros`, the kernel skips entries equal to 0, which stay 0. The second attribute is
 * optional: it is the number of parts of the row, which the kernel converts separately.
 */
struct SoftmaxKernel {
  static void check(Signature& s) {
    s.arity(1, 0, s.attributes.size() == 2 ? 2 : 1);
    s.real(s.inputs[0]);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    s.attribute_below(0, kSoftmaxFormCount);
    const bool is_whole = s.attributes.size() == 1 || (s.attributes[1] > 0 && s.inputs[0].size % s.attributes[1] == 0);
    s.need(is_whole, "parts of different sizes");
  }

  template <class T>
  static void softmax(const T* in, uint32_t size, SoftmaxForm form, double* powers, T* out) {
    const bool keeps_zeros = form == SoftmaxForm::keep_zeros;
    const double top = greatest(in, size);
    double sum = 0;
    for (uint32_t at = 0; at < size; at++) {
      if (keeps_zeros && in[at] == 0) continue;
      powers[at] = exp_f64(in[at] - top);
      sum = sum + powers[at];
    }
    if (form == SoftmaxForm::logarithm) {
      const double rest = log_f64(sum);
      for (uint32_t at = 0; at < size; at++) out[at] = static_cast<T>(in[at] - top - rest);
      return;
    }
    for (uint32_t at = 0; at < size; at++)
      out[at] = keeps_zeros && in[at] == 0 ? T{0} : static_cast<T>(powers[at] / sum);
  }

  template <class T>
  static void rows(Run& r) {
    const uint32_t parts = r.call.attributes.size() == 2 ? static_cast<uint32_t>(r.attribute(1)) : 1;
    const uint32_t size = r.output_type().size / parts;
    const T* in = r.dense<T>(0);
    T* out = r.write_dense<T>();
    double* powers = r.scratch.sums.reserve<double>(size, *r.scratch.growth);
    for (size_t part = 0; part < size_t{r.rows} * parts; part++, in += size, out += size)
      softmax(in, size, SoftmaxForm{r.attribute(0)}, powers, out);
  }

  static void run(Run& r) { return r.input_type(0).dtype == DType::f64 ? rows<double>(r) : rows<float>(r); }
};

BREZEL_ISA_END
