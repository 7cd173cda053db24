/**
 * dense f32 or f64 -> the same, each value alone. Attribute: 0 exp 1 log 2 sigmoid 3 tanh 4 relu 5 neg 6 abs 7 sqrt
 * 8 reciprocal 9 sign 10 floor 11 ceil.
 */
struct MapKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.real(s.inputs[0]);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
    s.attribute_below(0, 12);
  }

  template <class T>
  static T value_of(int32_t function, T value) {
    switch (function) {
      case 0:
        return static_cast<T>(exp_f64(value));
      case 1:
        return static_cast<T>(log_f64(value));
      case 2:
        return static_cast<T>(sigmoid_f64(value));
      case 3:
        return static_cast<T>(tanh_f64(value));
      case 4:
        return value > 0 || value != value ? value : T{0};
      case 5:
        return -value;
      case 6:
        return std::fabs(value);
      case 7:
        return std::sqrt(value);
      case 8:
        return T{1} / value;
      case 9:
        return value > 0 ? T{1} : value < 0 ? T{-1} : value;
      case 10:
        return std::floor(value);
      default:
        return std::ceil(value);
    }
  }

  template <class T>
  static void map(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    const T* in = r.dense<T>(0);
    T* out = r.write_dense<T>();
    for (size_t at = 0; at < count; at++) out[at] = value_of(r.attribute(0), in[at]);
  }

  static void run(Run& r) { return r.input_type(0).dtype == DType::f64 ? map<double>(r) : map<float>(r); }
};
