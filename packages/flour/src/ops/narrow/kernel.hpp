/** dense i64 -> dense i32 or i64: the low bits of each, with or without a sign. Attributes: bits 1 to 32, signed. */
struct NarrowKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 2);
    s.dense(s.inputs[0], DType::i64);
    s.need(s.attributes[0] >= 1 && s.attributes[0] <= 32, "attribute out of range");
    s.attribute_below(1, 2);
    const bool is_wide = s.attributes[0] == 32 && s.attributes[1] == 0;
    s.dense(s.outputs[0], is_wide ? DType::i64 : DType::i32, s.inputs[0].size);
  }

  static void run(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    const int64_t* in = r.dense<int64_t>(0);
    if (r.output_type().dtype == DType::i64) {
      keep(in, r.write_values<int64_t>(count), count, r.attribute(0), r.attribute(1));
    } else {
      keep(in, r.write_values<int32_t>(count), count, r.attribute(0), r.attribute(1));
    }
  }

  template <class Out>
  static void keep(const int64_t* in, Out* out, size_t count, int32_t bits, bool is_signed) {
    const int shift = 64 - bits;
    for (size_t at = 0; at < count; at++) {
      const uint64_t high = static_cast<uint64_t>(in[at]) << shift;
      out[at] = is_signed ? static_cast<Out>(static_cast<int64_t>(high) >> shift) : static_cast<Out>(high >> shift);
    }
  }
};
