/** dense f32 -> dense f32 [1]. Attribute: 0 sum 1 mean 2 max 3 logsumexp. Sums in plain order. */
struct ReduceKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.dense(s.inputs[0], DType::f32);
    s.dense(s.outputs[0], DType::f32, 1);
    s.attribute_below(0, 4);
  }

  static float sum(const float* values, size_t count) {
    float total = 0;
    for (size_t at = 0; at < count; at++) total = total + values[at];
    return total;
  }

  static float log_sum_exp(const float* values, size_t count) {
    const double top = greatest(values, count);
    if (top == __builtin_inf() || top == -__builtin_inf())
      return static_cast<float>(top);  // no difference to it is a number
    if (__builtin_isinf(top)) return static_cast<float>(top);
    double total = 0;
    for (size_t at = 0; at < count; at++) total = total + exp_f64(values[at] - top);
    return static_cast<float>(top + log_f64(total));
  }

  static void run(Run& r) {
    const size_t size = r.input_type(0).size;
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, in += size) {
      switch (r.attribute(0)) {
        case 0:
          out[row] = sum(in, size);
          break;
        case 1:
          out[row] = static_cast<float>(sum(in, size) / static_cast<double>(size));
          break;
        case 2:
          out[row] = greatest(in, size);
          break;
        default:
          out[row] = log_sum_exp(in, size);
          break;
      }
    }
  }
};
