/**
 * Batches of row-major matrices [rows, inner] x [inner, columns]: f32 with lanes(columns), f64 and i32 (which wraps
 * around) in plain order. Tensors: out, left, right, and i32 which matrix of left and of right each batch takes.
 * Numbers: batches, rows, inner, columns, and 1 where those of right lie transposed, [columns, inner].
 */
struct MatMulTensor {
  static void check(const TensorArguments& a) {
    a.arity(5, 5);
    a.need(a.whole(4) <= 1, "transposed or not");
    const uint64_t batches = a.whole(0), rows = a.whole(1), inner = a.whole(2), columns = a.whole(3);
    const Element element = a.operands[0].element;
    a.need(element == Element::f32 || element == Element::f64 || element == Element::i32, "no such product");
    a.tensor(0, element, a.count(batches, rows, columns));
    check_matrices(a, 1, 3, batches, a.count(rows, inner));
    check_matrices(a, 2, 4, batches, a.count(inner, columns));
  }

  static void check_matrices(const TensorArguments& a, size_t at, size_t which, uint64_t batches, uint64_t size) {
    a.need(a.has(at) && a.operands[at].element == a.operands[0].element, "matrices of different element types");
    a.tensor(which, Element::i32, batches);
    const auto* matrices = static_cast<const int32_t*>(a.operands[which].data);
    for (uint64_t batch = 0; batch < batches; batch++) {
      const int64_t matrix = matrices[batch];
      a.need(matrix >= 0 && (static_cast<uint64_t>(matrix) + 1) * size <= a.operands[at].length, "no such matrix");
    }
  }

  template <class T>
  struct Product {
    const T *left, *right;
    size_t rows, inner, columns;
    bool is_transposed;  // right is [columns, inner]
    T* out;
    TensorScratch& scratch;
  };

  static constexpr size_t kFewRows = 4;    // which read the matrix once, from front to back
  static constexpr size_t kPackedRows = 8;  // from here on a copy of the panel that lies together pays

  template <class T>
  static void few_rows(const Product<T>& p) {
    for (size_t row = 0; row < p.rows; row++) {
      T* out = p.out + row * p.columns;
      const T* left = p.left + row * p.inner;
      for (size_t column = 0; column < p.columns; column++) out[column] = 0;
      size_t term = 0;
      for (; term + 4 <= p.inner; term += 4) add_terms<T, 4>(left + term, p.right + term * p.columns, p.columns, out);
      for (; term < p.inner; term++) add_terms<T, 1>(left + term, p.right + term * p.columns, p.columns, out);
    }
  }

  template <class T, int Terms>
  static void add_terms(const T* values, const T* weights, size_t columns, T* out) {
    for (size_t column = 0; column < columns; column++) {
      T sum = out[column];
      for (int term = 0; term < Terms; term++) sum = sum + values[term] * weights[term * columns + column];
      out[column] = sum;
    }
  }

  template <class T>
  static void wide(const Product<T>& p) {
    const auto widths = PanelWidths::of<T>(p.columns);
    const size_t width = widths.vectors * kVectorOf<T>;
    for (size_t from = 0; from < p.columns; from += width) {
      const size_t left = p.columns - from, count = left < width ? left : width;
      const bool is_packed = p.is_transposed || p.rows >= kPackedRows || count < width;
      const T* panel = is_packed ? packed(p, from, count, width) : p.right + from;
      product_rows<T>(
          widths.vectors, p.rows, [&](size_t row) { return p.left + row * p.inner; },
          PlainTerms{p.inner, is_packed ? width : p.columns}, panel,
          [&](size_t first, size_t rows, const T* sums, size_t step) {
            for (size_t at = 0; at < rows; at++)
              __builtin_memcpy(p.out + (first + at) * p.columns + from, sums + at * step, count * sizeof(T));
          });
    }
  }

  template <class T>
  static const T* packed(const Product<T>& p, size_t from, size_t count, size_t width) {
    T* panel = p.scratch.panel.template reserve<T>(p.inner * width, p.scratch.growth);
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

  /** Up to 8 columns, each sum in lanes: rows of the left side lie side by side in the panel. */
  static void narrow(const Product<float>& p) {
    const size_t term_step = p.is_transposed ? 1 : p.columns, column_step = p.is_transposed ? p.inner : 1;
    auto* table = p.scratch.terms.reserve<uint32_t>(2 * p.inner, p.scratch.growth);
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
    float* panel = p.scratch.panel.reserve<float>(p.inner * terms.stride, p.scratch.growth);
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

  /** Of how many outputs the lanes fill a register together. */
  static size_t lane_outputs(size_t columns) {
    size_t outputs = 1;
    while (outputs < columns) outputs *= 2;
    return outputs;
  }

  template <class T>
  static void batches(TensorRun& r) {
    const size_t rows = r.size(1), inner = r.size(2), columns = r.size(3);
    const auto *left = r.in<int32_t>(3), *right = r.in<int32_t>(4);
    for (size_t batch = 0; batch < r.size(0); batch++) {
      const Product<T> p{r.in<T>(1) + left[batch] * rows * inner,
                         r.in<T>(2) + right[batch] * inner * columns,
                         rows,
                         inner,
                         columns,
                         r.size(4) == 1,
                         r.out<T>() + batch * rows * columns,
                         r.scratch};
      if constexpr (__is_same(T, float)) {
        if (columns <= 8) {
          narrow(p);
          continue;
        }
      }
      if (rows < kFewRows && !p.is_transposed) {
        few_rows(p);
      } else {
        wide(p);
      }
    }
  }

  static void run(TensorRun& r) {
    if (r.element() == Element::f32) return batches<float>(r);
    if (r.element() == Element::f64) return batches<double>(r);
    batches<uint32_t>(r);
  }
};
