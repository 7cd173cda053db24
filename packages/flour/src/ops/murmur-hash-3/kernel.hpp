#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/bytes.hpp"

BREZEL_ISA_BEGIN

/**
 * Hashes the bytes of each text or number of a row. Numbers are i32, i64, f32 or f64. An unsigned
 * hash is stored as int64, and a signed hash as int32. The attribute is the seed.
 */
struct MurmurHash3Kernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    const SlotType &in = s.inputs[0], &out = s.outputs[0];
    const bool is_hashed =
        in.kind == Kind::text || (in.kind == Kind::dense && in.dtype != DType::label && in.dtype != DType::boolean);
    s.need(is_hashed, "expected text or dense numbers");
    s.need(out.dtype == DType::i64 || out.dtype == DType::i32, "output of a wrong dtype");
    s.dense(out, out.dtype, in.size);
  }

  static uint32_t rotate(uint32_t value, int by) { return value << by | value >> (32 - by); }
  static uint32_t mixed(uint32_t k) { return rotate(k * 0xCC9E2D51u, 15) * 0x1B873593u; }

  static uint32_t hash(const uint8_t* bytes, uint32_t length, uint32_t seed) {
    uint32_t h = seed;
    uint32_t at = 0;
    for (; at + 4 <= length; at += 4) h = rotate(h ^ mixed(load_u32(bytes + at)), 13) * 5 + 0xE6546B64u;
    uint32_t tail = 0;
    for (uint32_t byte = length; byte > at; byte--) tail = tail << 8 | bytes[byte - 1];
    h ^= mixed(tail);
    h ^= length;
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    return h ^ h >> 16;
  }

  template <class Out>
  static void hash_all(Run& r) {
    const auto seed = static_cast<uint32_t>(r.attribute(0));
    const Column& in = r.input(0);
    Out* out = r.write_dense<Out>();
    const size_t count = size_t{r.rows} * r.input_type(0).size;
    if (r.input_type(0).kind == Kind::text) {
      for (size_t at = 0; at < count; at++)
        out[at] = static_cast<Out>(hash(in.bytes() + in.offsets[at], in.offsets[at + 1] - in.offsets[at], seed));
      return;
    }
    const auto bytes = static_cast<uint32_t>(bytes_of(r.input_type(0).dtype));
    for (size_t at = 0; at < count; at++) out[at] = static_cast<Out>(hash(in.bytes() + at * bytes, bytes, seed));
  }

  static void run(Run& r) { r.output_type().dtype == DType::i64 ? hash_all<int64_t>(r) : hash_all<int32_t>(r); }
};

BREZEL_ISA_END
