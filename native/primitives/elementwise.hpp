// Element by element over two operands: columns of a block, or a parameter; one of size 1 serves every column.

/** What `arith` and `compare` have in common: attributes are the operation and the side. */
static void check_operands(const Signature& s) {
  s.need(s.attributes.size() == 2, "wrong number of attributes");
  s.attribute_below(1, 3);
  const bool has_parameter = s.attributes[1] != 2;
  s.arity(has_parameter ? 1 : 2, has_parameter ? 1 : 0, 2);
  for (const SlotType& input : s.inputs) s.dense(input, DType::f32);
  s.need(s.outputs[0].kind == Kind::dense, "expected a dense slot");
  const uint32_t size = s.outputs[0].size, first = s.inputs[0].size;
  if (has_parameter) s.need_parameter(s.parameters[0]->bytes() % 4 == 0, "parameter of a wrong length");
  const uint64_t second = has_parameter ? s.parameters[0]->bytes() / 4 : s.inputs[1].size;
  s.need(first == size || first == 1, "operand of a wrong size");
  s.need(second == size || second == 1, "operand of a wrong size");
  s.need(first == size || second == size, "output of a wrong size");
}

struct Operand {
  const float* values;
  size_t row_stride, column_stride;
};

static Operand operand(const float* values, size_t size, bool is_parameter) {
  return {values, is_parameter ? 0 : size, size == 1 ? size_t{0} : size_t{1}};
}

template <class Operation, class Out>
static void combine(Run& r) {
  const int32_t side = r.attribute(1);
  const uint32_t size = r.output_type().size;
  Operand a = operand(r.dense<float>(0), r.input_type(0).size, false);
  Operand b = side == 2 ? operand(r.dense<float>(1), r.input_type(1).size, false)
                        : operand(r.parameter<float>(0), r.call.parameters[0]->bytes() / 4, true);
  if (side == 1) {
    const Operand swapped = a;
    a = b;
    b = swapped;
  }
  Out* out = r.write_dense<Out>();
  for (size_t row = 0; row < r.rows; row++, out += size) {
    const float* left = a.values + row * a.row_stride;
    const float* right = b.values + row * b.row_stride;
    if (a.column_stride && b.column_stride) {
      for (size_t column = 0; column < size; column++) out[column] = Operation::of(left[column], right[column]);
    } else {
      for (size_t column = 0; column < size; column++) {
        out[column] = Operation::of(left[column * a.column_stride], right[column * b.column_stride]);
      }
    }
  }
}
