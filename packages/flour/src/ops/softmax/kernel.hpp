/** dense -> dense. Attribute: 0 softmax, 1 ONNX-ML SOFTMAX_ZERO: entries equal to 0 take no part and stay 0. */
struct SoftmaxKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.dense(s.inputs[0], DType::f32);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    s.attribute_below(0, 2);
  }

  static void softmax(const float* in, uint32_t size, bool keeps_zeros, double* powers, float* out) {
    const double top = greatest(in, size);
    double sum = 0;
    for (uint32_t at = 0; at < size; at++) {
      if (keeps_zeros && in[at] == 0) continue;
      powers[at] = exp_f64(in[at] - top);
      sum = sum + powers[at];
    }
    for (uint32_t at = 0; at < size; at++)
      out[at] = keeps_zeros && in[at] == 0 ? 0.0f : static_cast<float>(powers[at] / sum);
  }

  static void run(Run& r) {
    const uint32_t size = r.output_type().size;
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    double* powers = r.scratch.sums.reserve<double>(size, *r.scratch.growth);
    for (uint32_t row = 0; row < r.rows; row++, in += size, out += size)
      softmax(in, size, r.attribute(0) == 1, powers, out);
  }
};
