#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the squared distances of a row to the centers: dense f32 -> dense f32 [K]. The first
 * parameter holds the centers times -2, feature-major f32 [size * K]. The second parameter holds
 * the squared lengths of the centers, f32 [K].
 */
struct KMeansKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 0);
    s.dense(s.inputs[0], DType::f32);
    s.dense(s.outputs[0], DType::f32);
    s.parameter_bytes(0, uint64_t{s.inputs[0].size} * s.outputs[0].size * 4);
    s.parameter_bytes(1, uint64_t{s.outputs[0].size} * 4);
  }

  typedef float Floats __attribute__((vector_size(32)));
  typedef double Doubles __attribute__((vector_size(64)));
  // Number of clusters computed together. Clusters beyond the last one are read from the padding
  // and discarded.
  static constexpr size_t kClusters = 8;
  static constexpr size_t kRows = 4;      // computed together: their sums are independent

  /** Computes the squared distances of `rows` rows to the centers `from` to `from + count - 1`. */
  template <size_t rows>
  ALWAYS_INLINE_MEMBER static void measure(const float* in, size_t features, const float* weights, const float* norms,
                                           size_t clusters, size_t from, size_t count, float* out) {
    Floats sums[rows] = {};
    float squares[rows] = {};
    for (size_t at = 0; at < features; at++) {
      Floats weight;
      __builtin_memcpy(&weight, weights + at * clusters + from, sizeof(weight));
      const Doubles wide = __builtin_convertvector(weight, Doubles);
      for (size_t row = 0; row < rows; row++) {
        const float value = in[row * features + at];
        squares[row] = squares[row] + value * value;
        // The product of two float32 is exact.
        const Doubles sum = __builtin_convertvector(sums[row], Doubles) + static_cast<double>(value) * wide;
        sums[row] = __builtin_convertvector(sum, Floats);
      }
    }
    for (size_t row = 0; row < rows; row++) {
      for (size_t one = 0; one < count; one++)
        out[row * clusters + from + one] = norms[from + one] + (squares[row] + sums[row][one]);
    }
  }

  template <size_t rows>
  static void measure_all(const float* in, size_t features, const float* weights, const float* norms, size_t clusters,
                          float* out) {
    for (size_t from = 0; from < clusters; from += kClusters) {
      const size_t count = clusters - from < kClusters ? clusters - from : kClusters;
      measure<rows>(in, features, weights, norms, clusters, from, count, out);
    }
  }

  static void run(Run& r) {
    const size_t features = r.input_type(0).size, clusters = r.output_type().size;
    const float *in = r.dense<float>(0), *weights = r.parameter<float>(0), *norms = r.parameter<float>(1);
    float* out = r.write_dense<float>();
    size_t row = 0;
    for (; row + kRows <= r.rows; row += kRows)
      measure_all<kRows>(in + row * features, features, weights, norms, clusters, out + row * clusters);
    for (; row < r.rows; row++)
      measure_all<1>(in + row * features, features, weights, norms, clusters, out + row * clusters);
  }
};

BREZEL_ISA_END
