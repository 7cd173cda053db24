#pragma once

#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"
#include "primitives/numbers.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the softmax of each group in float64: divides e^(x - max) by the sum of these powers in
 * the group. The shape is [outer, size, inner], and a group is the elements along the second axis.
 * Tensors: out, in, of f32. Numbers: kind (0 softmax, 1 its logarithm), outer, size, inner.
 */
struct SoftmaxTensor {
  static void check(const TensorArguments& a) {
    a.arity(2, 4);
    a.need(a.whole(0) <= 1, "no such kind");
    const uint64_t count = a.count(a.whole(1), a.whole(2), a.whole(3));
    a.tensor(0, Element::f32, count);
    a.tensor(1, Element::f32, count);
  }

  static double greatest(const float* in, size_t size, size_t step) {
    double most = in[0];
    for (size_t at = 0; at < size; at++) most = in[at * step] > most ? in[at * step] : most;
    return most;
  }

  static void group(const float* in, size_t size, size_t step, double* powers, bool is_log, float* out) {
    const double most = greatest(in, size, step);
    for (size_t at = 0; at < size; at++) powers[at] = double{in[at * step]} - most;
    for (size_t at = 0; at < size; at += kDoubles) {
      DoubleVector some;
      __builtin_memcpy(&some, powers + at, sizeof(some));
      some = exp_f64(some);
      __builtin_memcpy(powers + at, &some, sizeof(some));
    }
    double total = 0;
    for (size_t at = 0; at < size; at++) total = total + powers[at];
    if (is_log) {
      total = log_f64(total);
      for (size_t at = 0; at < size; at++) out[at * step] = static_cast<float>(double{in[at * step]} - most - total);
    } else {
      for (size_t at = 0; at < size; at++) out[at * step] = static_cast<float>(powers[at] / total);
    }
  }

  static void run(TensorRun& r) {
    const size_t size = r.size(2), inner = r.size(3);
    auto* powers = r.scratch.panel.reserve<double>(size + kDoubles, r.scratch.growth);
    for (size_t outer = 0; outer < r.size(1); outer++) {
      for (size_t at = 0; at < inner; at++) {
        const size_t from = outer * size * inner + at;
        group(r.in<float>(1) + from, size, inner, powers, r.number(0) == 1, r.out<float>() + from);
      }
    }
  }
};

BREZEL_ISA_END
