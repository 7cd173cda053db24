// Operations on the elements of two operands. An operand is a slot of the block, or a parameter. If
// an operand has size 1, its value is used for every column.
#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Checks the operands and attributes that `arith`, `compare` and `logic` have in common: the
 * operands must have one dtype, and the attributes are the operation and the side.
 */
static void check_operands(const Signature& s) {
  s.need(s.attributes.size() == 2, "wrong number of attributes");
  s.attribute_below(1, kSideCount);
  const bool has_parameter = Side{s.attributes[1]} != Side::none;
  s.arity(has_parameter ? 1 : 2, has_parameter ? 1 : 0, 2);
  const DType dtype = s.inputs[0].dtype;
  s.need(dtype != DType::label, "a label index is no number");
  for (const SlotType& input : s.inputs) s.dense(input, dtype);
  s.need(s.outputs[0].kind == Kind::dense, "expected a dense slot");
  const uint32_t size = s.outputs[0].size, first = s.inputs[0].size;
  const size_t element = bytes_of(dtype);
  if (has_parameter) s.need_parameter(s.parameters[0]->bytes() % element == 0, "parameter of a wrong length");
  const uint64_t second = has_parameter ? s.parameters[0]->bytes() / element : s.inputs[1].size;
  s.need(first == size || first == 1, "operand of a wrong size");
  s.need(second == size || second == 1, "operand of a wrong size");
  s.need(first == size || second == size, "output of a wrong size");
}

template <class T>
struct Operand {
  const T* values;
  size_t row_stride, column_stride;

  Operand(const T* from, size_t size, bool is_parameter)
      : values(from), row_stride(is_parameter ? 0 : size), column_stride(size == 1 ? 0 : 1) {}
};

/** Applies `Operation::of` to both operands, element by element. */
template <class Operation, class T, class Out>
static void combine(Run& r) {
  const auto side = Side{r.attribute(1)};
  const uint32_t size = r.output_type().size;
  Operand<T> a(r.dense<T>(0), r.input_type(0).size, false);
  Operand<T> b = side == Side::none ? Operand<T>(r.dense<T>(1), r.input_type(1).size, false)
                           : Operand<T>(r.parameter<T>(0), r.call.parameters[0]->bytes() / sizeof(T), true);
  if (side == Side::left) {
    const Operand<T> swapped = a;
    a = b;
    b = swapped;
  }
  Out* out = r.write_dense<Out>();
  for (size_t row = 0; row < r.rows; row++, out += size) {
    const T* left = a.values + row * a.row_stride;
    const T* right = b.values + row * b.row_stride;
    if (a.column_stride && b.column_stride) {
      for (size_t column = 0; column < size; column++) out[column] = Operation::of(left[column], right[column]);
    } else {
      for (size_t column = 0; column < size; column++) {
        out[column] = Operation::of(left[column * a.column_stride], right[column * b.column_stride]);
      }
    }
  }
}

BREZEL_ISA_END
