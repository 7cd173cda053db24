/**
 * dense f32 -> dense f32, each value alone. Attribute: 0 exp 1 log 2 sigmoid 3 tanh 4 relu 5 neg 6 abs 7 sqrt
 * 8 reciprocal 9 sign 10 floor 11 ceil.
 */
struct MapKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.dense(s.inputs[0], DType::f32);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    s.attribute_below(0, 12);
  }

  static float value_of(int32_t function, float value) {
    switch (function) {
      case 0:
        return static_cast<float>(exp_f64(value));
      case 1:
        return static_cast<float>(log_f64(value));
      case 2:
        return static_cast<float>(sigmoid_f64(value));
      case 3:
        return static_cast<float>(tanh_f64(value));
      case 4:
        return value > 0 || value != value ? value : 0.0f;
      case 5:
        return -value;
      case 6:
        return __builtin_fabsf(value);
      case 7:
        return __builtin_sqrtf(value);
      case 8:
        return 1.0f / value;
      case 9:
        return value > 0 ? 1.0f : value < 0 ? -1.0f : value;
      case 10:
        return __builtin_floorf(value);
      default:
        return __builtin_ceilf(value);
    }
  }

  static void run(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (size_t at = 0; at < count; at++) out[at] = value_of(r.attribute(0), in[at]);
  }
};
