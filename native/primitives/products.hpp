// Computes many sums of products: rows of factors times the columns of a panel. A SIMD register
// holds the sums of adjacent columns. A sum has up to 16 partial sums, its lanes (README section
// 1), which are computed one after another. Lanes that are added to each other are computed close
// together, so that at most five partial sums are stored at a time.
#pragma once

#include "isa/region.hpp"
#include "primitives/matrix.hpp"

BREZEL_ISA_BEGIN

template <class T>
struct VectorType {
  typedef T type __attribute__((vector_size(kVectorFloats * 4)));
};
template <class T>
using Vector = typename VectorType<T>::type;
template <class T>
constexpr size_t kVectorOf = kVectorFloats * 4 / sizeof(T);

constexpr size_t kMostLanes = 16;
constexpr int kPanelVectors = kTileVectors;

/**
 * The terms of a sum that adds them in order: term `at` is factor `at` times row `at` of the panel.
 * The panel is a matrix, and a SIMD register reads adjacent columns of it.
 */
struct PlainTerms {
  size_t count, stride;

  static constexpr size_t positions() { return 1; }
  size_t begin(size_t) const { return 0; }
  size_t end(size_t) const { return count; }
  size_t factor(size_t at) const { return at; }
  size_t row(size_t at) const { return at * stride; }
};

/**
 * The terms of a sum that has a partial sum in each lane. `factors` and `rows` hold the factor of
 * each term and its row in the panel, lane after lane.
 */
struct TableTerms {
  const uint32_t *factors, *rows;
  size_t lanes;
  // position p in the order of lanes has the terms from ends[p] up to ends[p + 1]
  size_t ends[kMostLanes + 1];
  size_t stride;

  size_t positions() const { return lanes; }
  size_t begin(size_t position) const { return ends[position]; }
  size_t end(size_t position) const { return ends[position + 1]; }
  size_t factor(size_t at) const { return factors[at]; }
  size_t row(size_t at) const { return rows[at] * stride; }
};

/**
 * Assigns the terms of a sum to lanes. Each call of `take` returns the index in the table at which
 * the next term is stored.
 */
struct TermPlaces {
  size_t lanes;
  size_t next[kMostLanes];
  size_t term = 0;

  /**
   * Prepares the lanes of `count` terms. There are at most `most_lanes` lanes, and each has at
   * least one term.
   */
  TermPlaces(size_t count, size_t most_lanes, size_t* ends) : lanes(1) {
    while (lanes < most_lanes && lanes < count) lanes *= 2;
    ends[0] = 0;
    for (size_t position = 0; position < lanes; position++) {
      size_t lane = 0;  // the position with its bits reversed
      for (size_t bit = 1, mirrored = lanes / 2; bit < lanes; bit *= 2, mirrored /= 2)
        if (position & bit) lane += mirrored;
      next[lane] = ends[position];
      ends[position + 1] = ends[position] + (count + lanes - 1 - lane) / lanes;
    }
  }
  size_t take() { return next[term++ & (lanes - 1)]++; }
};

template <class T>
ALWAYS_INLINE Vector<T> load_panel(const T* from) {
  Vector<T> result;
  __builtin_memcpy(&result, from, sizeof(result));
  return result;
}

/**
 * Transposes `columns` lines of `terms` numbers into a panel: a row-major matrix with `width`
 * columns, in which each line is a column. Lines are `step` numbers apart. Sets the other columns
 * of the panel to zero. The copy works in blocks, so that the written rows stay in the cache.
 */
template <class T>
static void lay_columns(const T* from, size_t step, size_t columns, size_t terms, size_t width, T* panel) {
  constexpr size_t kBlock = 16;
  for (size_t first = 0; first < terms; first += kBlock) {
    const size_t end = first + kBlock < terms ? first + kBlock : terms;
    for (size_t column = 0; column < columns; column++) {
      for (size_t term = first; term < end; term++) panel[term * width + column] = from[column * step + term];
    }
    for (size_t column = columns; column < width; column++) {
      for (size_t term = first; term < end; term++) panel[term * width + column] = 0;
    }
  }
}

/**
 * Computes the sums of `Rows` rows with `Vectors` vectors of panel columns. The factors of row i
 * begin at `factors[i]`.
 */
template <class T, int Rows, int Vectors, class Terms>
static void product_tile(const T* const* factors, const Terms& terms, const T* panel, T* out) {
  Vector<T> waiting[5][Rows][Vectors];
  size_t depth = 0;
  for (size_t position = 0; position < terms.positions(); position++) {
    Vector<T> sums[Rows][Vectors] = {};
    for (size_t at = terms.begin(position), end = terms.end(position); at < end; at++) {
      const T* from = panel + terms.row(at);
      const size_t factor = terms.factor(at);
      Vector<T> weights[Vectors];
      for (int vector = 0; vector < Vectors; vector++) weights[vector] = load_panel(from + vector * kVectorOf<T>);
      for (int row = 0; row < Rows; row++) {
        const T value = factors[row][factor];
        for (int vector = 0; vector < Vectors; vector++)
          sums[row][vector] = sums[row][vector] + value * weights[vector];
      }
    }
    for (size_t carry = position; carry & 1; carry >>= 1) {
      depth--;
      for (int row = 0; row < Rows; row++) {
        for (int vector = 0; vector < Vectors; vector++)
          sums[row][vector] = waiting[depth][row][vector] + sums[row][vector];
      }
    }
    __builtin_memcpy(waiting[depth++], sums, sizeof(sums));
  }
  __builtin_memcpy(out, waiting[0], sizeof(waiting[0]));
}

/**
 * Computes the sums of `rows` rows, a few rows at a time. For each group it calls `store(first,
 * count, sums, width)`, where `sums` is [count, width]. `factors_of(row)` returns the factors of a
 * row.
 */
template <class T, int Vectors, class Terms, class FactorsOf, class Store>
static void product_rows_of(size_t rows, const FactorsOf& factors_of, const Terms& terms, const T* panel,
                            const Store& store) {
  constexpr size_t kWidth = Vectors * kVectorOf<T>;
  T sums[kTileRows * kWidth];
  const T* factors[kTileRows];
  size_t row = 0;
  for (; row + kTileRows <= rows; row += kTileRows) {
    for (size_t at = 0; at < kTileRows; at++) factors[at] = factors_of(row + at);
    product_tile<T, kTileRows, Vectors>(factors, terms, panel, sums);
    store(row, kTileRows, sums, kWidth);
  }
  for (; row < rows; row++) {
    factors[0] = factors_of(row);
    product_tile<T, 1, Vectors>(factors, terms, panel, sums);
    store(row, size_t{1}, sums, kWidth);
  }
}

template <class T, class Terms, class FactorsOf, class Store>
static void product_rows(size_t vectors, size_t rows, const FactorsOf& factors_of, const Terms& terms, const T* panel,
                         const Store& store) {
  if constexpr (kPanelVectors == 4) {
    if (vectors == 4) return product_rows_of<T, 4>(rows, factors_of, terms, panel, store);
    if (vectors == 3) return product_rows_of<T, 3>(rows, factors_of, terms, panel, store);
  }
  if (vectors == 2) return product_rows_of<T, 2>(rows, factors_of, terms, panel, store);
  product_rows_of<T, 1>(rows, factors_of, terms, panel, store);
}

/** Splits the columns of a matrix into panels (groups of adjacent columns) of equal width. */
struct PanelWidths {
  size_t panels, vectors;

  template <class T>
  static PanelWidths of(size_t columns) {
    const size_t all = (columns + kVectorOf<T> - 1) / kVectorOf<T>;
    const size_t panels = (all + kPanelVectors - 1) / kPanelVectors;
    return {panels, panels ? (all + panels - 1) / panels : 0};
  }
};

BREZEL_ISA_END
