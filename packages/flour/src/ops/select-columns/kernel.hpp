#pragma once

#include <vector>

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/bytes.hpp"
#include "primitives/texts.hpp"

BREZEL_ISA_BEGIN

/**
 * Selects columns of dense rows: out[j] = in[index[j]], in the same dtype. The parameter `index` is
 * i32 and has one entry for each column of the output.
 */
struct SelectColumnsKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 0);
    const SlotType &in = s.inputs[0], &out = s.outputs[0];
    s.need(in.kind == Kind::dense && out.kind == Kind::dense && in.dtype == out.dtype,
           "expected dense slots of one dtype");
    s.parameter_bytes(0, uint64_t{out.size} * 4);
    const auto* index = s.parameter<int32_t>(0);
    for (uint32_t column = 0; column < out.size; column++) {
      s.need_parameter(index[column] >= 0 && static_cast<uint32_t>(index[column]) < in.size, "column out of range");
    }
  }

  template <class T>
  static void select(Run& r) {
    const uint32_t in_size = r.input_type(0).size, out_size = r.output_type().size;
    const auto* index = r.parameter<int32_t>(0);
    const T* in = r.dense<T>(0);
    T* out = r.write_dense<T>();
    for (uint32_t row = 0; row < r.rows; row++, in += in_size, out += out_size) {
      for (uint32_t column = 0; column < out_size; column++) out[column] = in[index[column]];
    }
  }

  static void run(Run& r) {
    switch (bytes_of(r.output_type().dtype)) {
      case 8:
        return select<uint64_t>(r);
      case 4:
        return select<uint32_t>(r);
      default:
        return select<uint8_t>(r);
    }
  }
};

/**
 * Selects columns of sparse rows. The entries keep their order. The parameter (i32) holds the new
 * index of each input column, or -1 for a dropped column. No two columns have the same new index.
 */
struct SelectSparseKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 0);
    s.sparse(s.inputs[0]);
    s.sparse(s.outputs[0]);
    s.parameter_bytes(0, uint64_t{s.inputs[0].size} * 4);
    const auto* target = s.parameter<int32_t>(0);
    std::vector<bool> is_taken(s.outputs[0].size);
    for (uint32_t column = 0; column < s.inputs[0].size; column++) {
      if (target[column] == -1) continue;
      s.need_parameter(target[column] >= 0 && static_cast<uint32_t>(target[column]) < s.outputs[0].size,
                       "column out of range");
      s.need_parameter(!is_taken[target[column]], "two columns become one");
      is_taken[target[column]] = true;
    }
  }

  static void run(Run& r) {
    const auto* target = r.parameter<int32_t>(0);
    const Column& in = r.input(0);
    uint32_t* offsets = r.write_offsets();
    uint32_t* ids = r.write_ids(size_t{in.offsets[r.rows]} + 1);
    float* values = r.write_values<float>(size_t{in.offsets[r.rows]} + 1);
    uint32_t kept = 0;
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++) {
      for (uint32_t at = in.offsets[row]; at < in.offsets[row + 1]; at++) {
        ids[kept] = static_cast<uint32_t>(target[in.ids[at]]);
        values[kept] = in.floats()[at];
        kept += ids[kept] != kNone;
      }
      offsets[row + 1] = kept;
    }
  }
};

/**
 * Selects texts of a row: out[j] = in[index[j]]. The parameter `index` is i32 and has one entry for
 * each text of the output.
 */
struct SelectTextsKernel {
  static void check(Signature& s) {
    s.arity(1, 1, 0);
    s.texts(s.inputs[0], s.inputs[0].size);
    s.texts(s.outputs[0], s.outputs[0].size);
    s.parameter_bytes(0, uint64_t{s.outputs[0].size} * 4);
    const auto* index = s.parameter<int32_t>(0);
    for (uint32_t column = 0; column < s.outputs[0].size; column++) {
      s.need_parameter(index[column] >= 0 && static_cast<uint32_t>(index[column]) < s.inputs[0].size,
                       "column out of range");
    }
  }

  static void run(Run& r) {
    const size_t in_size = r.input_type(0).size, out_size = r.output_type().size;
    const auto* index = r.parameter<int32_t>(0);
    TextWriter out(r);
    for (size_t row = 0; row < r.rows; row++) {
      for (size_t column = 0; column < out_size; column++)
        out.add(r.input(0), row * in_size + static_cast<size_t>(index[column]));
    }
    out.finish();
  }
};

BREZEL_ISA_END
