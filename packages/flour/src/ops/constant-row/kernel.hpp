#pragma once

#include <cstring>

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/texts.hpp"
#include "src/utf8.hpp"

BREZEL_ISA_BEGIN

/**
 * Writes the parameter into every row. The parameter is the row, in the dtype of the output. The
 * input may have any type; the kernel does not read it.
 */
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

/**
 * Writes the same n texts into every row. The first parameter (i32) holds the start of each text
 * and the end of the last text. The second parameter holds the UTF-8 bytes of all texts. The input
 * may have any type; the kernel does not read it.
 */
struct ConstantTextsKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 0);
    const uint32_t size = s.outputs[0].size;
    s.texts(s.outputs[0], size);
    s.parameter_bytes(0, (uint64_t{size} + 1) * 4);
    const auto* ends = s.parameter<uint32_t>(0);
    const auto* bytes = static_cast<const uint8_t*>(s.parameters[1]->data());
    s.need_parameter(ends[0] == 0 && ends[size] == s.parameters[1]->bytes(), "texts end elsewhere");
    for (uint32_t at = 0; at < size; at++) {
      s.need_parameter(ends[at] <= ends[at + 1] && ends[at + 1] <= ends[size], "texts end elsewhere");
      s.need_parameter(is_valid_utf8(bytes + ends[at], ends[at + 1] - ends[at]), "parameter is no UTF-8");
    }
  }

  static void run(Run& r) {
    Column texts{};
    texts.offsets = r.parameter<uint32_t>(0);
    texts.values = r.parameter<uint8_t>(1);
    const size_t size = r.output_type().size;
    TextWriter out(r);
    for (size_t row = 0; row < r.rows; row++) {
      for (size_t at = 0; at < size; at++) out.add(texts, at);
    }
    out.finish();
  }
};

BREZEL_ISA_END
