#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/murmur3.hpp"

BREZEL_ISA_BEGIN

/**
 * Hashes the one int64 of a row, and sets the column of a sparse vector that the hash selects. The
 * hash reads the 8 bytes of the number, little-endian. The number of columns is a power of two. The
 * attribute is the seed.
 */
struct OneHotHashKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.dense(s.inputs[0], DType::i64, 1);
    s.sparse(s.outputs[0]);
    const uint32_t columns = s.outputs[0].size;
    s.need((columns & (columns - 1)) == 0, "number of columns is no power of two");
  }

  static void run(Run& r) {
    const auto* in = r.dense<int64_t>(0);
    const uint32_t mask = r.output_type().size - 1;
    uint32_t* offsets = r.write_offsets();
    uint32_t* ids = r.write_ids(r.rows);
    auto* values = r.write_values<float>(r.rows);
    for (uint32_t row = 0; row < r.rows; row++) {
      uint8_t bytes[16] = {};
      __builtin_memcpy(bytes, in + row, 8);
      offsets[row] = row;
      ids[row] = murmur3_32(bytes, 8, static_cast<uint32_t>(r.attribute(0))) & mask;
      values[row] = 1;
    }
    offsets[r.rows] = r.rows;
  }
};

BREZEL_ISA_END
