// Computes the checksum of parameters and files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace brezel {

/**
 * Computes XXH64 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md). The input
 * arrives in pieces of whole 32-byte stripes.
 */
class Xxh64 {
 public:
  explicit Xxh64(uint64_t seed)
      : seed_(seed), lanes_{seed + kPrime1 + kPrime2, seed + kPrime2, seed, seed - kPrime1} {}

  void stripes(const uint8_t* at, size_t count) {
    for (size_t stripe = 0; stripe < count; stripe++, at += 32)
      for (int lane = 0; lane < 4; lane++) lanes_[lane] = round(lanes_[lane], word64(at + 8 * lane));
    stripes_ += count;
  }
  /** Returns the hash. `tail` holds the last bytes after the whole stripes, fewer than 32. */
  uint64_t digest(const uint8_t* tail, size_t bytes) const {
    uint64_t sum = seed_ + kPrime5;
    if (stripes_) {
      sum = rotate(lanes_[0], 1) + rotate(lanes_[1], 7) + rotate(lanes_[2], 12) + rotate(lanes_[3], 18);
      for (const uint64_t lane : lanes_) sum = (sum ^ round(0, lane)) * kPrime1 + kPrime4;
    }
    sum += stripes_ * 32 + bytes;
    for (; bytes >= 8; bytes -= 8, tail += 8) sum = rotate(sum ^ round(0, word64(tail)), 27) * kPrime1 + kPrime4;
    if (bytes >= 4) {
      sum = rotate(sum ^ word32(tail) * kPrime1, 23) * kPrime2 + kPrime3;
      bytes -= 4, tail += 4;
    }
    for (; bytes; bytes--, tail++) sum = rotate(sum ^ *tail * kPrime5, 11) * kPrime1;
    sum = (sum ^ sum >> 33) * kPrime2;
    sum = (sum ^ sum >> 29) * kPrime3;
    return sum ^ sum >> 32;
  }

 private:
  static constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F, kPrime3 = 0x165667B19E3779F9,
                            kPrime4 = 0x85EBCA77C2B2AE63, kPrime5 = 0x27D4EB2F165667C5;

  static uint64_t rotate(uint64_t value, int by) { return value << by | value >> (64 - by); }
  static uint64_t round(uint64_t lane, uint64_t word) { return rotate(lane + word * kPrime2, 31) * kPrime1; }
  static uint64_t word64(const uint8_t* at) {
    uint64_t word;
    memcpy(&word, at, 8);
    return word;
  }
  static uint64_t word32(const uint8_t* at) {
    uint32_t word;
    memcpy(&word, at, 4);
    return word;
  }

  uint64_t seed_, lanes_[4], stripes_ = 0;
};

/**
 * Computes the content checksum of parameters (packages/object-store/src/checksum.ts) from pieces
 * of whole 32-byte stripes.
 */
class ContentChecksum {
 public:
  void stripes(const uint8_t* data, size_t count) {
    // Computes both sums of a piece while the piece is in the first-level cache, so memory is read
    // once.
    constexpr size_t kPiece = 16 * 1024 / 32;
    for (size_t at = 0; at < count; at += kPiece)
      for (Xxh64& sum : sums_) sum.stripes(data + at * 32, std::min(kPiece, count - at));
  }
  /** Writes 32 hexadecimal digits. `tail` holds the last bytes, fewer than 32. */
  void digits(const uint8_t* tail, size_t bytes, char* to) const {
    for (const Xxh64& sum : sums_) {
      const uint64_t value = sum.digest(tail, bytes);
      for (int shift = 60; shift >= 0; shift -= 4) *to++ = "0123456789abcdef"[value >> shift & 15];
    }
  }

 private:
  Xxh64 sums_[2] = {Xxh64(0), Xxh64(0x9E3779B97F4A7C15)};
};

/** Returns the content checksum of bytes as 32 hexadecimal digits. */
inline std::string checksum(const uint8_t* data, size_t bytes) {
  ContentChecksum sum;
  const size_t stripes = bytes / 32;
  sum.stripes(data, stripes);
  std::string digits(32, '0');
  sum.digits(data + stripes * 32, bytes % 32, digits.data());
  return digits;
}

}  // namespace brezel
