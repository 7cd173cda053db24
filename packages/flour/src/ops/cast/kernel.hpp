#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/numbers.hpp"

BREZEL_ISA_BEGIN

/**
 * Converts numbers to another dtype: dense -> dense. A float becomes an integer by truncation. A
 * float outside the range of the integer type becomes its least or greatest integer, and NaN
 * becomes its least integer. From i64 to i32, the low 32 bits remain. A bool is true for any number
 * except 0.
 */
struct CastKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 0);
    s.need(s.inputs[0].kind == Kind::dense && s.outputs[0].kind == Kind::dense, "expected dense slots");
    s.need(s.inputs[0].size == s.outputs[0].size, "output of a wrong size");
    s.need(s.inputs[0].dtype != DType::label && s.outputs[0].dtype != DType::label, "a label index is no number");
  }

  static void run(Run& r) {
    const size_t count = size_t{r.rows} * r.output_type().size;
    auto* out = r.write_values<uint8_t>(count * bytes_of(r.output_type().dtype));
    convert_block(r.input_type(0).dtype, r.output_type().dtype, r.input(0).values, out, count);
  }
};

BREZEL_ISA_END
