/** dense f32 -> dense int64 [1]: index of the first greatest. */
struct ArgMaxKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 0);
    s.dense(s.inputs[0], DType::f32);
    s.dense(s.outputs[0], DType::i64, 1);
  }

  static void run(Run& r) {
    const size_t size = r.input_type(0).size;
    const float* in = r.dense<float>(0);
    auto* out = r.write_dense<int64_t>();
    for (uint32_t row = 0; row < r.rows; row++, in += size) out[row] = first_greatest(in, static_cast<uint32_t>(size));
  }
};
