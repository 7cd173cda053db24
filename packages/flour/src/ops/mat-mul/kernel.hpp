#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Multiplies each row of n numbers by a matrix and writes C numbers. The row, the matrix and the
 * output have the same dtype: f64, i64 or i32. The parameter is the matrix, feature-major [n * C].
 * Sums run in index order, and integers wrap around.
 */
struct MatMulKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 0);
    const DType dtype = s.inputs[0].dtype;
    s.need(dtype == DType::f64 || dtype == DType::i64 || dtype == DType::i32, "expected float64 or integers");
    s.dense(s.inputs[0], dtype);
    s.dense(s.outputs[0], dtype);
    s.parameter_bytes(0, uint64_t{bytes_of(dtype)} * s.inputs[0].size * s.outputs[0].size);
  }

  template <class T>
  struct Product {
    const T* in;
    size_t features;
    const T* weights;
    size_t columns;
    T* out;
  };

  /**
   * Computes the sums of `Rows` rows and `Width` outputs together, so that each weight is read once
   * for all these rows.
   */
  template <size_t Rows, size_t Width, class T>
  static void tile(const Product<T>& p, size_t row, size_t column) {
    T sums[Rows][Width] = {};
    const T* in = p.in + row * p.features;
    const T* weights = p.weights + column;
    for (size_t feature = 0; feature < p.features; feature++, weights += p.columns) {
      for (size_t at = 0; at < Rows; at++) {
        const T value = in[at * p.features + feature];
        for (size_t lane = 0; lane < Width; lane++) sums[at][lane] = sums[at][lane] + value * weights[lane];
      }
    }
    T* out = p.out + row * p.columns + column;
    for (size_t at = 0; at < Rows; at++) {
      for (size_t lane = 0; lane < Width; lane++) out[at * p.columns + lane] = sums[at][lane];
    }
  }

  template <size_t Rows, class T>
  static void rows_at(const Product<T>& p, size_t row) {
    size_t column = 0;
    for (; column + 8 <= p.columns; column += 8) tile<Rows, 8>(p, row, column);
    for (; column + 2 <= p.columns; column += 2) tile<Rows, 2>(p, row, column);
    for (; column < p.columns; column++) tile<Rows, 1>(p, row, column);
  }

  template <class T>
  static void of_type(Run& r) {
    const Product<T> p{r.dense<T>(0), r.input_type(0).size, r.parameter<T>(0), r.output_type().size,
                       r.write_dense<T>()};
    size_t row = 0;
    for (; row + 4 <= r.rows; row += 4) rows_at<4>(p, row);
    for (; row < r.rows; row++) rows_at<1>(p, row);
  }

  static void run(Run& r) {
    switch (r.output_type().dtype) {
      case DType::i64:
        return of_type<uint64_t>(r);  // unsigned, so that sums wrap around
      case DType::i32:
        return of_type<uint32_t>(r);
      default:
        return of_type<double>(r);
    }
  }
};

BREZEL_ISA_END
