/** dense f64 [n] -> dense f64 [C]. Parameter: f64[n * C] (feature-major). Each sum in plain order. */
struct MatMulKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 0);
    s.dense(s.inputs[0], DType::f64);
    s.dense(s.outputs[0], DType::f64);
    s.parameter_bytes(0, uint64_t{8} * s.inputs[0].size * s.outputs[0].size);
  }

  struct Product {
    const double* in;
    size_t features;
    const double* weights;
    size_t columns;
    double* out;
  };

  /** `Rows` times `Width` sums side by side: none waits for another, and what is read of the weights serves all rows. */
  template <size_t Rows, size_t Width>
  static void tile(const Product& p, size_t row, size_t column) {
    double sums[Rows][Width] = {};
    const double* in = p.in + row * p.features;
    const double* weights = p.weights + column;
    for (size_t feature = 0; feature < p.features; feature++, weights += p.columns) {
      for (size_t at = 0; at < Rows; at++) {
        const double value = in[at * p.features + feature];
        for (size_t lane = 0; lane < Width; lane++) sums[at][lane] = sums[at][lane] + value * weights[lane];
      }
    }
    double* out = p.out + row * p.columns + column;
    for (size_t at = 0; at < Rows; at++) {
      for (size_t lane = 0; lane < Width; lane++) out[at * p.columns + lane] = sums[at][lane];
    }
  }

  template <size_t Rows>
  static void rows_at(const Product& p, size_t row) {
    size_t column = 0;
    for (; column + 8 <= p.columns; column += 8) tile<Rows, 8>(p, row, column);
    for (; column + 2 <= p.columns; column += 2) tile<Rows, 2>(p, row, column);
    for (; column < p.columns; column++) tile<Rows, 1>(p, row, column);
  }

  static void run(Run& r) {
    const Product p{r.dense<double>(0), r.input_type(0).size, r.parameter<double>(0), r.output_type().size,
                    r.write_dense<double>()};
    size_t row = 0;
    for (; row + 4 <= r.rows; row += 4) rows_at<4>(p, row);
    for (; row < r.rows; row++) rows_at<1>(p, row);
  }
};
