/** any slot -> dense of any dtype: its parameter for every row. Parameter: the row, in the output's dtype. */
struct ConstantRowKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 0);
    s.need(s.outputs[0].kind == Kind::dense && s.outputs[0].dtype != DType::label, "expected a dense slot of numbers");
    s.parameter_bytes(0, uint64_t{s.outputs[0].size} * bytes_of(s.outputs[0].dtype));
  }

  static void run(Run& r) {
    const size_t bytes = size_t{r.output_type().size} * bytes_of(r.output_type().dtype);
    auto* out = r.write_values<uint8_t>(r.rows * bytes);
    for (uint32_t row = 0; row < r.rows; row++) memcpy(out + row * bytes, r.parameter<uint8_t>(0), bytes);
  }
};
