// Products of whole matrices, computed with the tiles of products.hpp. Kernels of row programs and
// of tensor programs use them. Sums of f32 have lanes(columns) partial sums (README section 1);
// sums of other types add their terms in order.
#pragma once

#include "isa/region.hpp"
#include "primitives/products.hpp"

BREZEL_ISA_BEGIN

/**
 * The arguments of a product of row-major matrices, [rows, inner] times [inner, columns]. The
 * caller provides the working memory.
 */
template <class T>
struct MatrixProduct {
  const T *left, *right;
  size_t rows, inner, columns;
  bool is_transposed;  // whether the right matrix is [columns, inner]
  T* out;
  Buffer &panel, &terms;
  GrowthCounter& growth;
};

constexpr size_t kFewRows = 4;  // at most this many rows read the matrix once, from front to back
// from this number of rows, a contiguous copy of the panel saves time
constexpr size_t kPackedRows = 8;

template <class T, int Terms>
static void add_rows(const T* values, const T* weights, size_t columns, T* out) {
  for (size_t column = 0; column < columns; column++) {
    T sum = out[column];
    for (int term = 0; term < Terms; term++) sum = sum + values[term] * weights[term * columns + column];
    out[column] = sum;
  }
}

template <class T>
static void product_of_few_rows(const MatrixProduct<T>& p) {
  for (size_t row = 0; row < p.rows; row++) {
    T* out = p.out + row * p.columns;
    const T* left = p.left + row * p.inner;
    for (size_t column = 0; column < p.columns; column++) out[column] = 0;
    size_t term = 0;
    for (; term + 4 <= p.inner; term += 4) add_rows<T, 4>(left + term, p.right + term * p.columns, p.columns, out);
    for (; term < p.inner; term++) add_rows<T, 1>(left + term, p.right + term * p.columns, p.columns, out);
  }
}

template <class T>
static const T* packed_panel(const MatrixProduct<T>& p, size_t from, size_t count, size_t width) {
  T* panel = p.panel.template reserve<T>(p.inner * width, p.growth);
  if (p.is_transposed) {
    lay_columns(p.right + from * p.inner, p.inner, count, p.inner, width, panel);
    return panel;
  }
  for (size_t term = 0; term < p.inner; term++) {
    T* row = panel + term * width;
    __builtin_memcpy(row, p.right + term * p.columns + from, count * sizeof(T));
    for (size_t column = count; column < width; column++) row[column] = 0;
  }
  return panel;
}

template <class T>
static void wide_product(const MatrixProduct<T>& p) {
  const auto widths = PanelWidths::of<T>(p.columns);
  const size_t width = widths.vectors * kVectorOf<T>;
  for (size_t from = 0; from < p.columns; from += width) {
    const size_t left = p.columns - from, count = left < width ? left : width;
    const bool is_packed = p.is_transposed || p.rows >= kPackedRows || count < width;
    const T* panel = is_packed ? packed_panel(p, from, count, width) : p.right + from;
    product_rows<T>(
        widths.vectors, p.rows, [&](size_t row) { return p.left + row * p.inner; },
        PlainTerms{p.inner, is_packed ? width : p.columns}, panel,
        [&](size_t first, size_t rows, const T* sums, size_t step) {
          for (size_t at = 0; at < rows; at++)
            __builtin_memcpy(p.out + (first + at) * p.columns + from, sums + at * step, count * sizeof(T));
        });
  }
}

/**
 * Rounds `columns` up to a power of two: the number of outputs that share the lanes of a register.
 */
static size_t lane_outputs(size_t columns) {
  size_t outputs = 1;
  while (outputs < columns) outputs *= 2;
  return outputs;
}

/**
 * Computes a product with at most 8 columns. Several lanes hold partial sums of each output. Copies
 * the rows of the left matrix into the columns of a panel, so that a SIMD register holds values of
 * several rows.
 */
static void narrow_product(const MatrixProduct<float>& p) {
  const size_t term_step = p.is_transposed ? 1 : p.columns, column_step = p.is_transposed ? p.inner : 1;
  auto* table = p.terms.reserve<uint32_t>(2 * p.inner, p.growth);
  TableTerms terms{table, table + p.inner, 0, {}, 0};
  TermPlaces places(p.inner, kMostLanes / lane_outputs(p.columns), terms.ends);
  terms.lanes = places.lanes;
  for (size_t term = 0; term < p.inner; term++) {
    const size_t at = places.take();
    table[at] = static_cast<uint32_t>(term * term_step);
    table[p.inner + at] = static_cast<uint32_t>(term);
  }
  const auto widths = PanelWidths::of<float>(p.rows);
  terms.stride = widths.vectors * kVectorOf<float>;
  float* panel = p.panel.reserve<float>(p.inner * terms.stride, p.growth);
  for (size_t from = 0; from < p.rows; from += terms.stride) {
    const size_t left = p.rows - from, count = left < terms.stride ? left : terms.stride;
    lay_columns(p.left + from * p.inner, p.inner, count, p.inner, terms.stride, panel);
    product_rows<float>(
        widths.vectors, p.columns, [&](size_t column) { return p.right + column * column_step; }, terms, panel,
        [&](size_t first, size_t columns, const float* sums, size_t step) {
          for (size_t row = 0; row < count; row++) {
            for (size_t at = 0; at < columns; at++)
              p.out[(from + row) * p.columns + first + at] = sums[at * step + row];
          }
        });
  }
}

template <class T>
static void multiply_matrices(const MatrixProduct<T>& p) {
  if constexpr (__is_same(T, float)) {
    if (p.columns <= 8) return narrow_product(p);
  }
  if (p.rows < kFewRows && !p.is_transposed) {
    product_of_few_rows(p);
  } else {
    wide_product(p);
  }
}

BREZEL_ISA_END
