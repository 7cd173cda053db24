#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/hash.hpp"
#include "primitives/text.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes the key that ML.NET gives to a text: the low bits of a hash, as one int64. The hash
 * ignores leading and trailing spaces and reads UTF-16 units. An empty text counts as missing. The
 * attributes are the number of bits, the seed, the scheme (1: the hash of ML.NET before version
 * 1.5, 2: ML.NET's variant of MurmurHash3), and the first key.
 */
struct HashKeyKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 4);
    s.text(s.inputs[0]);
    s.dense(s.outputs[0], DType::i64, 1);
    s.need(s.attributes[0] >= 1 && s.attributes[0] <= 31, "attribute out of range");
    s.need(HashScheme{s.attributes[2]} == HashScheme::old || HashScheme{s.attributes[2]} == HashScheme::murmur,
           "attribute out of range");
    s.attribute_below(3, 2);
  }

  static uint32_t scrambled(uint32_t block) { return rotate_left(block * 0xCC9E2D51u, 15) * 0x1B873593u; }
  static uint32_t round(uint32_t hash, uint32_t block) {
    return rotate_left(hash ^ scrambled(block), 13) * 5 + 0xE6546B64u;
  }

  /**
   * Reads the bytes of UTF-16 units, and hashes each complete group of four bytes.
   */
  struct Walk {
    uint32_t hash;
    uint32_t bits = 0, length = 0;
    uint64_t waiting = 0;  // less than four bytes

    /**
     * Reorders the bytes that are not hashed yet. ML.NET intends to reverse the bytes of one unit,
     * but applies the operation to all bytes that are not hashed yet.
     */
    void turn(uint32_t bytes) {
      const uint64_t lowest = waiting & 0xFF;
      if (bytes == 2) waiting = lowest << 8 | waiting >> 8;
      if (bytes == 3) waiting = lowest << 16 | (waiting >> 8 & 0xFF) << 8 | waiting >> 16;
    }

    template <bool Turned>
    void add(uint32_t bytes, uint64_t value) {
      waiting |= value << bits;
      if (Turned) turn(bytes);
      bits += 8 * bytes;
      length += bytes;
      if (bits < 32) return;
      hash = round(hash, static_cast<uint32_t>(waiting));
      waiting >>= 32;
      bits -= 32;
    }

    /**
     * Encodes one UTF-16 unit as UTF-8, with the last byte in the lowest bits. A surrogate takes
     * three bytes.
     */
    template <bool Turned>
    void add_unit(uint32_t unit) {
      if (unit < 0x80) return add<Turned>(1, unit);
      if (unit < 0x800) return add<Turned>(2, (unit & 0x3F) | (unit << 2 & 0x1F00) | 0xC080);
      add<Turned>(3, (unit & 0x3F) | (unit << 2 & 0x3F00) | (unit << 4 & 0x0F0000) | 0xE08080);
    }
  };

  template <bool Turned>
  static Walk walk(uint32_t seed, const uint8_t* from, const uint8_t* end) {
    Walk all{seed};
    while (from < end) {
      uint32_t code = *from;
      from = code < 0x80 ? from + 1 : decode(from, code);
      if (code >= 0x10000) {
        all.template add_unit<Turned>(0xD800 + ((code - 0x10000) >> 10));
        code = 0xDC00 + (code & 0x3FF);
      }
      all.template add_unit<Turned>(code);
    }
    return all;
  }

  /**
   * Completes the old hash: hashes the remaining bytes and then the length, in the same way as a
   * group of four bytes.
   */
  static uint32_t old_hash(const Walk& all) {
    const auto rest = static_cast<uint32_t>(all.waiting);
    return mix(round(all.length % 4 == 0 ? all.hash : round(all.hash, rest), all.length));
  }

  static uint32_t murmur_hash(const Walk& all) {
    const uint32_t kept = (uint32_t{1} << 8 * (all.length % 4)) - 1;
    return mix(all.hash ^ scrambled(static_cast<uint32_t>(all.waiting) & kept) ^ all.length);
  }

  static void run(Run& r) {
    const Column& in = r.input(0);
    const uint32_t mask = (uint32_t{1} << r.attribute(0)) - 1;
    const auto seed = static_cast<uint32_t>(r.attribute(1));
    const auto scheme = HashScheme{r.attribute(2)};
    const int32_t first = r.attribute(3);
    auto* out = r.write_dense<int64_t>();
    for (uint32_t row = 0; row < r.rows; row++) {
      const uint8_t *from = in.bytes() + in.offsets[row], *end = in.bytes() + in.offsets[row + 1];
      if (from == end) {
        out[row] = first == 1 ? 0 : int64_t{mask} + 1;
        continue;
      }
      while (from < end && *from == ' ') from++;
      while (from < end && end[-1] == ' ') end--;
      const uint32_t hash =
          scheme == HashScheme::old ? old_hash(walk<false>(seed, from, end)) : murmur_hash(walk<true>(seed, from, end));
      out[row] = int64_t{hash & mask} + first;
    }
  }
};

BREZEL_ISA_END
