#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/elementwise.hpp"
#include "primitives/texts.hpp"

BREZEL_ISA_BEGIN

/**
 * Chooses between the operands `yes` and `no`, element by element. The first input holds the
 * conditions (bool). `yes`, `no` and the output are dense and have one dtype. The first attribute
 * is 1 if `yes` is a parameter instead of an input. The second attribute is 1 if `no` is a
 * parameter. An operand with one element is used for all elements of the row.
 */
struct WhereKernel {
  static void check(Signature& s) {
    s.need(s.attributes.size() == 2, "wrong number of attributes");
    s.attribute_below(0, 2);
    s.attribute_below(1, 2);
    const size_t constants = static_cast<size_t>(s.attributes[0] + s.attributes[1]);
    s.arity(3 - constants, constants, 2);
    s.dense(s.inputs[0], DType::boolean);
    const SlotType& out = s.outputs[0];
    s.dense(out, out.dtype);
    s.need(out.dtype != DType::label, "a label index is no number");
    bool is_whole = s.inputs[0].size == out.size;
    s.need(is_whole || s.inputs[0].size == 1, "operand of a wrong size");
    for (size_t at = 1; at < s.inputs.size(); at++) {
      s.dense(s.inputs[at], out.dtype);
      s.need(s.inputs[at].size == out.size || s.inputs[at].size == 1, "operand of a wrong size");
      is_whole |= s.inputs[at].size == out.size;
    }
    for (const Parameter* parameter : s.parameters) {
      const uint64_t bytes = parameter->bytes(), element = bytes_of(out.dtype);
      s.need_parameter(bytes == element || bytes == element * out.size, "parameter of a wrong length");
      is_whole |= bytes == element * out.size;
    }
    s.need(is_whole, "output of a wrong size");
  }

  template <class T>
  static Operand<T> choice(Run& r, size_t which) {
    const bool is_constant = r.attribute(which) != 0, is_first = which == 0 || r.attribute(0) != r.attribute(which);
    const size_t place = is_first ? 0 : 1;
    if (is_constant) return Operand<T>(r.parameter<T>(place), r.call.parameters[place]->bytes() / sizeof(T), true);
    return Operand<T>(r.dense<T>(1 + place), r.input_type(1 + place).size, false);
  }

  template <class T>
  static void of_size(Run& r) {
    const size_t size = r.output_type().size;
    const Operand<uint8_t> condition(r.dense<uint8_t>(0), r.input_type(0).size, false);
    const Operand<T> yes = choice<T>(r, 0), no = choice<T>(r, 1);
    T* out = r.write_dense<T>();
    for (size_t row = 0; row < r.rows; row++, out += size) {
      const uint8_t* holds = condition.values + row * condition.row_stride;
      const T* a = yes.values + row * yes.row_stride;
      const T* b = no.values + row * no.row_stride;
      for (size_t column = 0; column < size; column++) {
        const T taken = a[column * yes.column_stride], other = b[column * no.column_stride];
        out[column] = holds[column * condition.column_stride] ? taken : other;
      }
    }
  }

  /**
   * Runs the kernel for elements of 1, 4 or 8 bytes. Only their width matters, because the kernel
   * only copies elements.
   */
  static void run(Run& r) {
    switch (bytes_of(r.output_type().dtype)) {
      case 8:
        return of_size<uint64_t>(r);
      case 1:
        return of_size<uint8_t>(r);
      default:
        return of_size<uint32_t>(r);
    }
  }
};

/**
 * Chooses between two texts, element by element: dense bool, text, text -> text. The first text is
 * chosen where the bool is true. An operand with one element is used for all elements of the row.
 */
struct WhereTextsKernel {
  static void check(Signature& s) {
    s.arity(3, 0, 0);
    s.dense(s.inputs[0], DType::boolean);
    const uint32_t size = s.outputs[0].size;
    s.texts(s.outputs[0], size);
    bool is_whole = s.inputs[0].size == size;
    s.need(is_whole || s.inputs[0].size == 1, "operand of a wrong size");
    for (size_t at = 1; at < 3; at++) {
      s.texts(s.inputs[at], s.inputs[at].size);
      s.need(s.inputs[at].size == size || s.inputs[at].size == 1, "operand of a wrong size");
      is_whole |= s.inputs[at].size == size;
    }
    s.need(is_whole, "output of a wrong size");
  }

  static void run(Run& r) {
    const auto* condition = r.dense<uint8_t>(0);
    const size_t size = r.output_type().size;
    const auto place = [&](size_t input, size_t row, size_t column) {
      const size_t own = r.input_type(input).size;
      return row * own + (own == 1 ? 0 : column);
    };
    TextWriter out(r);
    for (size_t row = 0; row < r.rows; row++) {
      for (size_t column = 0; column < size; column++) {
        const size_t taken = condition[place(0, row, column)] ? 1 : 2;
        out.add(r.input(taken), place(taken, row, column));
      }
    }
    out.finish();
  }
};

BREZEL_ISA_END
