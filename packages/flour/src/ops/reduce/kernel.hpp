/**
 * dense f32 -> dense f32, each of its entries from as many neighbours. Attribute: 0 sum 1 mean 2 max 3 logsumexp
 * 4 product 5 sum of squares 6 min 7 sum of absolute values 8 length. Sums and products in plain order.
 */
struct ReduceKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.dense(s.inputs[0], DType::f32);
    s.dense(s.outputs[0], DType::f32);
    s.need(s.outputs[0].size > 0 && s.inputs[0].size % s.outputs[0].size == 0, "parts of different sizes");
    s.attribute_below(0, 9);
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

  static float product(const float* values, size_t count) {
    float total = 1;
    for (size_t at = 0; at < count; at++) total = total * values[at];
    return total;
  }

  static float sum_of_squares(const float* values, size_t count) {
    float total = 0;
    for (size_t at = 0; at < count; at++) {
      const float square = values[at] * values[at];
      total = total + square;
    }
    return total;
  }

  static float sum_of_absolutes(const float* values, size_t count) {
    float total = 0;
    for (size_t at = 0; at < count; at++) total = total + __builtin_fabsf(values[at]);
    return total;
  }

  static float least(const float* values, size_t count) {
    float best = values[0];
    for (size_t at = 1; at < count; at++) best = values[at] < best ? values[at] : best;
    return best;
  }

  static float value_of(int32_t reduction, const float* in, size_t size) {
    switch (reduction) {
      case 0:
        return sum(in, size);
      case 1:
        return static_cast<float>(sum(in, size) / static_cast<double>(size));
      case 2:
        return greatest(in, size);
      case 3:
        return log_sum_exp(in, size);
      case 4:
        return product(in, size);
      case 5:
        return sum_of_squares(in, size);
      case 6:
        return least(in, size);
      case 7:
        return sum_of_absolutes(in, size);
      default:
        return __builtin_sqrtf(sum_of_squares(in, size));
    }
  }

  static void run(Run& r) {
    const size_t parts = r.output_type().size, size = r.input_type(0).size / parts;
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (size_t at = 0; at < r.rows * parts; at++, in += size) out[at] = value_of(r.attribute(0), in, size);
  }
};
