/**
 * dense int64 [1] -> dense int64, int32 or label index [1]. Parameter: the table (none for a label index). Attribute:
 * its length n.
 */
struct LookupKernel {
  static void check(Signature& s) {
    const bool is_label = s.outputs.size() == 1 && s.outputs[0].dtype == DType::label;
    s.arity(1, is_label ? 0 : 1, 1);
    s.dense(s.inputs[0], DType::i64, 1);
    const DType dtype = s.outputs[0].dtype;
    s.need(is_label || dtype == DType::i64 || dtype == DType::i32, "output of a wrong dtype");
    s.dense(s.outputs[0], dtype, 1);
    s.need(s.attributes[0] > 0, "attribute out of range");
    if (!is_label) s.parameter_bytes(0, static_cast<uint64_t>(s.attributes[0]) * bytes_of(dtype));
  }

  static int64_t clamp(int64_t index, int64_t count) { return index < 0 ? 0 : index >= count ? count - 1 : index; }

  template <class T>
  static void look_up(Run& r) {
    const auto* in = r.dense<int64_t>(0);
    T* out = r.write_dense<T>();
    for (uint32_t row = 0; row < r.rows; row++) {
      const int64_t index = clamp(in[row], r.attribute(0));
      out[row] = r.has_parameter(0) ? r.parameter<T>(0)[index] : static_cast<T>(index);
    }
  }

  static void run(Run& r) { r.output_type().dtype == DType::i64 ? look_up<int64_t>(r) : look_up<int32_t>(r); }
};
