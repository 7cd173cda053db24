/** dense numbers -> dense int64 [1]: index of the first greatest. */
struct ArgMaxKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 0);
    s.dense(s.inputs[0], s.inputs[0].dtype);
    s.need(s.inputs[0].dtype < DType::boolean, "expected a dense slot of numbers");
    s.dense(s.outputs[0], DType::i64, 1);
  }

  template <class T>
  static void of_type(Run& r) {
    const size_t size = r.input_type(0).size;
    const T* in = r.dense<T>(0);
    auto* out = r.write_dense<int64_t>();
    for (uint32_t row = 0; row < r.rows; row++, in += size) out[row] = first_greatest(in, static_cast<uint32_t>(size));
  }

  static void run(Run& r) {
    switch (r.input_type(0).dtype) {
      case DType::f64:
        return of_type<double>(r);
      case DType::i64:
        return of_type<int64_t>(r);
      case DType::i32:
        return of_type<int32_t>(r);
      default:
        return of_type<float>(r);
    }
  }
};
