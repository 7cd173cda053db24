/** dense f32 -> dense f32 [K], squared distances. Parameters: f32[size * K], -2 c, feature-major; f32[K], |c|^2. */
struct KMeansKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 0);
    s.dense(s.inputs[0], DType::f32);
    s.dense(s.outputs[0], DType::f32);
    s.parameter_bytes(0, uint64_t{s.inputs[0].size} * s.outputs[0].size * 4);
    s.parameter_bytes(1, uint64_t{s.outputs[0].size} * 4);
  }

  static void run(Run& r) {
    const size_t features = r.input_type(0).size, clusters = r.output_type().size;
    const float *in = r.dense<float>(0), *norms = r.parameter<float>(1);
    float* out = r.write_dense<float>();
    for (size_t row = 0; row < r.rows; row++, in += features, out += clusters) {
      float square = 0;
      for (size_t cluster = 0; cluster < clusters; cluster++) out[cluster] = 0;
      for (size_t at = 0; at < features; at++) {
        const float* weights = r.parameter<float>(0) + at * clusters;
        const double value = in[at];  // times a float32 exact
        square = square + in[at] * in[at];
        for (size_t cluster = 0; cluster < clusters; cluster++)
          out[cluster] = static_cast<float>(out[cluster] + value * weights[cluster]);
      }
      for (size_t cluster = 0; cluster < clusters; cluster++) out[cluster] = norms[cluster] + (square + out[cluster]);
    }
  }
};
