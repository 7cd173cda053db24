#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/texts.hpp"

BREZEL_ISA_BEGIN

/**
 * Concatenates sparse and dense inputs. The output is sparse if any input is sparse, otherwise
 * dense of the inputs' dtype. The columns of each input follow the columns of the previous input.
 */
struct ConcatKernel {
  static void check(Signature& s) {
    s.need(!s.inputs.empty(), "wrong number of inputs");
    s.arity(s.inputs.size(), 0, 0);
    uint64_t size = 0;
    bool is_sparse = false;
    for (const SlotType& input : s.inputs) {
      s.need(!is_bytes(input.kind) && input.dtype == s.outputs[0].dtype, "inputs of different types");
      is_sparse |= input.kind == Kind::sparse;
      size += input.size;
    }
    s.need(s.outputs[0].kind == (is_sparse ? Kind::sparse : Kind::dense), "output of a wrong kind");
    s.need(s.outputs[0].size == size, "output of a wrong size");
  }

  static void run(Run& r) { r.output_type().kind == Kind::sparse ? run_sparse(r) : run_dense(r); }

  static void run_dense(Run& r) {
    const size_t element = bytes_of(r.output_type().dtype), row_bytes = r.output_type().size * element;
    auto* out = r.write_values<uint8_t>(r.rows * row_bytes);
    for (size_t input = 0; input < r.input_count(); input++) {
      const size_t bytes = r.input_type(input).size * element;
      const auto* in = r.dense<uint8_t>(input);
      for (uint32_t row = 0; row < r.rows; row++) __builtin_memcpy(out + row * row_bytes, in + row * bytes, bytes);
      out += bytes;
    }
  }

  static void run_sparse(Run& r) {
    size_t most = 0;
    for (size_t input = 0; input < r.input_count(); input++) {
      const bool is_sparse = r.input_type(input).kind == Kind::sparse;
      most += is_sparse ? r.input(input).offsets[r.rows] : size_t{r.rows} * r.input_type(input).size;
    }
    uint32_t* offsets = r.write_offsets();
    uint32_t* ids = r.write_ids(most);
    float* values = r.write_values<float>(most);
    uint32_t total = 0;
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++) {
      uint32_t first_column = 0;
      for (size_t input = 0; input < r.input_count(); input++) {
        const SlotType& type = r.input_type(input);
        const bool is_sparse = type.kind == Kind::sparse;
        const size_t start = is_sparse ? r.input(input).offsets[row] : size_t{row} * type.size;
        const uint32_t count = is_sparse ? r.input(input).offsets[row + 1] - static_cast<uint32_t>(start) : type.size;
        for (uint32_t at = 0; at < count; at++)
          ids[total + at] = first_column + (is_sparse ? r.input(input).ids[start + at] : at);
        __builtin_memcpy(values + total, r.input(input).floats() + start, size_t{count} * 4);
        total += count;
        first_column += type.size;
      }
      offsets[row + 1] = total;
    }
  }
};

/** Concatenates text inputs. The texts of each input follow the texts of the previous input. */
struct ConcatTextsKernel {
  static void check(Signature& s) {
    s.need(!s.inputs.empty(), "wrong number of inputs");
    s.arity(s.inputs.size(), 0, 0);
    uint64_t size = 0;
    for (const SlotType& input : s.inputs) {
      s.texts(input, input.size);
      size += input.size;
    }
    s.texts(s.outputs[0], s.outputs[0].size);
    s.need(s.outputs[0].size == size, "output of a wrong size");
  }

  static void run(Run& r) {
    TextWriter out(r);
    for (size_t row = 0; row < r.rows; row++) {
      for (size_t input = 0; input < r.input_count(); input++) {
        const size_t size = r.input_type(input).size;
        for (size_t column = 0; column < size; column++) out.add(r.input(input), row * size + column);
      }
    }
    out.finish();
  }
};

BREZEL_ISA_END
