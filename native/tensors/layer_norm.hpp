#pragma once

#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Normalizes groups of adjacent elements to mean 0 and standard deviation 1, multiplies by scale
 * and adds bias. It computes in float64, adds the terms of a sum in order, and rounds once.
 * Tensors: out, in, scale, bias (optional), f64 means and f64 inverse deviations (optional).
 * Numbers: groups, size, epsilon, kind. Kind 0 is this normalization. Kind 1 divides by the root
 * mean square and does not subtract the mean.
 */
struct LayerNormTensor {
  static void check(const TensorArguments& a) {
    a.arity(6, 4);
    const uint64_t groups = a.whole(0), size = a.whole(1, 1), count = a.count(groups, size);
    a.need(a.whole(3) <= 1, "no such kind");
    a.tensor(0, Element::f32, count);
    a.tensor(1, Element::f32, count);
    a.tensor(2, Element::f32, size);
    a.optional_tensor(3, Element::f32, size);
    a.optional_tensor(4, Element::f64, groups);
    a.optional_tensor(5, Element::f64, groups);
  }

  struct Norm {
    const float *in, *scale, *bias;
    float* out;
    double *means, *inverses;
    size_t size;
    double epsilon;
    bool has_mean;
  };

  /** Computes `Groups` groups in parallel, so that their sums do not wait for each other. */
  template <size_t Groups>
  static void normalize(const Norm& n, size_t first) {
    const float* in = n.in + first * n.size;
    double mean[Groups] = {}, square[Groups] = {}, divisor[Groups];
    if (n.has_mean) {
      for (size_t at = 0; at < n.size; at++)
        for (size_t group = 0; group < Groups; group++) mean[group] = mean[group] + double{in[group * n.size + at]};
      for (size_t group = 0; group < Groups; group++) mean[group] = mean[group] / static_cast<double>(n.size);
    }
    for (size_t at = 0; at < n.size; at++) {
      for (size_t group = 0; group < Groups; group++) {
        const double away = double{in[group * n.size + at]} - mean[group];
        square[group] = square[group] + away * away;
      }
    }
    for (size_t group = 0; group < Groups; group++) {
      divisor[group] = __builtin_sqrt(square[group] / static_cast<double>(n.size) + n.epsilon);
      if (n.has_mean) divisor[group] = 1 / divisor[group];
      if (n.means) n.means[first + group] = mean[group];
      if (n.inverses) n.inverses[first + group] = divisor[group];
      write(n, first + group, mean[group], divisor[group]);
    }
  }

  static void write(const Norm& n, size_t group, double mean, double divisor) {
    const float* in = n.in + group * n.size;
    float* out = n.out + group * n.size;
    for (size_t at = 0; at < n.size; at++) {
      const double away = double{in[at]} - mean;
      const double product = (n.has_mean ? away * divisor : away / divisor) * double{n.scale[at]};
      out[at] = static_cast<float>(n.bias ? product + double{n.bias[at]} : product);
    }
  }

  static void run(TensorRun& r) {
    const Norm norm{r.in<float>(1),   r.in<float>(2),   r.in<float>(3), r.out<float>(),
                    r.out<double>(4), r.out<double>(5), r.size(1),      r.number(2),
                    r.number(3) == 0};
    size_t group = 0;
    for (; group + 8 <= r.size(0); group += 8) normalize<8>(norm, group);
    for (; group < r.size(0); group++) normalize<1>(norm, group);
  }
};

BREZEL_ISA_END
