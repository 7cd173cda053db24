// Texts of several columns, moved as they are.

constexpr size_t kMostBlockText = size_t{1} << 31;  // bytes of a block: offsets have 32 bits

/** The texts of an output slot, written one after the other. */
struct TextWriter {
  Run& r;
  uint32_t* offsets;
  TextOutput output;
  size_t count = 0;

  explicit TextWriter(Run& run)
      : r(run), offsets(run.write_offsets()), output{run.buffers[run.call.outputs[0]].values, *run.scratch.growth, 0} {
    offsets[0] = 0;
  }

  /** Text number `at` of a column. */
  void add(const Column& from, size_t at) {
    size_t length = from.offsets[at + 1] - from.offsets[at];
    if (output.length + length > kMostBlockText) {
      r.refuse("texts that are longer together than a block of rows may be");
      length = 0;
    }
    __builtin_memcpy(output.room(length), from.bytes() + from.offsets[at], length);
    output.length += length;
    offsets[++count] = static_cast<uint32_t>(output.length);
  }

  void finish() {
    __builtin_memset(output.room(0), 0, kPadding);
    r.output().values = output.buffer.data<uint8_t>();
  }
};
