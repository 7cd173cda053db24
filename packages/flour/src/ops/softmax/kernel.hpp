/** dense f32 or f64 -> the same. Attribute: 0 softmax, 1 ONNX-ML SOFTMAX_ZERO: entries equal to 0 take no part and stay 0. */
struct SoftmaxKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.real(s.inputs[0]);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    s.attribute_below(0, 2);
  }

  template <class T>
  static void softmax(const T* in, uint32_t size, bool keeps_zeros, double* powers, T* out) {
    const double top = greatest(in, size);
    double sum = 0;
    for (uint32_t at = 0; at < size; at++) {
      if (keeps_zeros && in[at] == 0) continue;
      powers[at] = exp_f64(in[at] - top);
      sum = sum + powers[at];
    }
    for (uint32_t at = 0; at < size; at++)
      out[at] = keeps_zeros && in[at] == 0 ? T{0} : static_cast<T>(powers[at] / sum);
  }

  template <class T>
  static void rows(Run& r) {
    const uint32_t size = r.output_type().size;
    const T* in = r.dense<T>(0);
    T* out = r.write_dense<T>();
    double* powers = r.scratch.sums.reserve<double>(size, *r.scratch.growth);
    for (uint32_t row = 0; row < r.rows; row++, in += size, out += size)
      softmax(in, size, r.attribute(0) == 1, powers, out);
  }

  static void run(Run& r) { return r.input_type(0).dtype == DType::f64 ? rows<double>(r) : rows<float>(r); }
};
