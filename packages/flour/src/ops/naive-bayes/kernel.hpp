#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/linear.hpp"
#include "primitives/posterior.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the class probabilities of naive Bayes for C classes (primitives/posterior.hpp) from a
 * sparse or dense row of f32. The parameters are the weights, feature-major f64 or f32 [size * C],
 * and the bias, f64 [C].
 *
 * The attributes are the output, whether the kernel binarizes the entries of the row, and the float
 * bits of the threshold. A binarized entry is 1 above the threshold, otherwise 0.
 */
struct NaiveBayesKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 3);
    s.vector(s.inputs[0]);
    const uint64_t classes = s.parameters[1]->bytes() / 8;
    check_posterior(s, 0, classes);
    const uint64_t weights = uint64_t{s.inputs[0].size} * classes, bytes = s.parameters[0]->bytes();
    s.need_parameter(bytes == weights * 8 || bytes == weights * 4, "parameter of a wrong length");
    s.parameter_bytes(1, classes * 8);
    s.attribute_below(1, 2);
  }

  template <class Weight, class Entries>
  static void add_entries(const Run& r, const float* values, Entries entries, size_t count, size_t classes,
                          double* sums) {
    const auto* weights = r.parameter<Weight>(0);
    const bool is_binary = r.attribute(1) == 1;
    const float threshold = __builtin_bit_cast(float, r.attribute(2));
    for (size_t term = 0; term < count; term++) {
      const Weight* row = weights + entries.feature(term) * classes;
      if (is_binary) {
        if (!(values[term] > threshold)) continue;
        for (size_t at = 0; at < classes; at++) sums[at] = sums[at] + double{row[at]};
      } else {
        const double value = values[term];
        for (size_t at = 0; at < classes; at++) sums[at] = sums[at] + value * double{row[at]};
      }
    }
  }

  static void run(Run& r) {
    const uint64_t weights = uint64_t{r.input_type(0).size} * (r.call.parameters[1]->bytes() / 8);
    return r.call.parameters[0]->bytes() == weights * 8 ? run_of<double>(r) : run_of<float>(r);
  }

  template <class Weight>
  static void run_of(Run& r) {
    const Column& in = r.input(0);
    const size_t size = r.input_type(0).size, classes = r.call.parameters[1]->bytes() / 8;
    const auto* bias = r.parameter<double>(1);
    auto* sums = r.scratch.sums.reserve<double>(classes, *r.scratch.growth);
    void* out = reserve_posterior(r);
    for (uint32_t row = 0; row < r.rows; row++) {
      for (size_t at = 0; at < classes; at++) sums[at] = 0;
      if (r.input_type(0).kind == Kind::sparse) {
        const size_t start = in.offsets[row];
        add_entries<Weight>(r, in.floats() + start, SparseEntries{in.ids + start}, in.offsets[row + 1] - start, classes, sums);
      } else {
        add_entries<Weight>(r, in.floats() + row * size, DenseEntries{}, size, classes, sums);
      }
      for (size_t at = 0; at < classes; at++) sums[at] = sums[at] + bias[at];
      write_posterior(PosteriorOutput{r.attribute(0)}, sums, classes, row, out);
    }
  }
};

BREZEL_ISA_END
