// Maps fleet files read-only, so that parameters point into them without a copy. Also computes the
// checksum of their content.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "src/memory.hpp"

namespace brezel {

#if defined(__unix__) || defined(__APPLE__)
#define BREZEL_MAPS_FILES 1

/**
 * The names of a snapshot in the cache folder: hard links to one file. The mapping owns the link
 * `own`. Other processes find the file under `shared`. Both names are empty if the file is not a
 * snapshot.
 */
struct SnapshotNames {
  std::string own, shared;

  /**
   * Removes the link `own`. Removes the name `shared` if no other process has a link to the file.
   */
  void remove() const {
    if (own.empty()) return;
    unlink(own.c_str());
    struct stat found;
    if (stat(shared.c_str(), &found) == 0 && found.st_nlink == 1) unlink(shared.c_str());
  }
};

/**
 * A whole file, mapped read-only. All parameters in the file share the mapping; the last owner
 * unmaps it. A program that replaces a mapped file must rename a new file over it, because
 * truncating a mapped file ends the process. No program writes to a snapshot.
 */
class MappedFile {
 public:
  /**
   * Maps the file. A size other than `bytes` is an error. The caller still owns the descriptor. The
   * destructor removes the links in `names`. If this constructor throws, the caller must remove
   * these links.
   */
  MappedFile(int descriptor, size_t bytes, SnapshotNames names) : bytes_(bytes), names_(std::move(names)) {
    struct stat found;
    if (fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode))
      throw NativeError{ErrorCode::argument, "the descriptor is not of a regular file"};
    if (bytes == 0 || static_cast<uint64_t>(found.st_size) != bytes)
      throw NativeError{ErrorCode::argument, "the file has another size"};
    void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<const uint8_t*>(mapped);
  }
  MappedFile(const MappedFile&) = delete;
  ~MappedFile() {
    munmap(const_cast<uint8_t*>(data_), bytes_);
    names_.remove();
  }

  size_t bytes() const { return bytes_; }
  const uint8_t* data() const { return data_; }

  /**
   * Reads a byte of each page of a range. Mapping the pages is not enough: under a hypervisor, the
   * first read of a page that came from the disk takes about 8 us, and the guest system does not
   * count this time.
   */
  void touch(size_t offset, size_t length) const {
    const size_t first = offset / kPage * kPage, end = offset + length;
#if defined(__linux__)
    constexpr int kPopulateRead = 22;  // MADV_POPULATE_READ, Linux 5.14; older systems reject it
    madvise(const_cast<uint8_t*>(data_) + first, end - first, kPopulateRead);
#endif
    volatile uint8_t sink = 0;
    for (size_t at = first; at < end; at += kPage) sink = data_[at];
    (void)sink;
  }

 private:
  static constexpr size_t kPage = 4096;  // pages of all systems are multiples of it
  const uint8_t* data_;
  size_t bytes_;
  SnapshotNames names_;
};

#else

/**
 * A placeholder for systems that cannot map files. On these systems, the addon does not export the
 * functions that map a file.
 */
class MappedFile {
 public:
  size_t bytes() const { return 0; }
  const uint8_t* data() const { return nullptr; }
};

#endif

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
 * Returns the content checksum of parameters (packages/object-store/src/checksum.ts) as 32
 * hexadecimal digits.
 */
inline std::string checksum(const uint8_t* data, size_t bytes) {
  // Computes both sums of a piece while the piece is in the first-level cache, so memory is read
  // once.
  constexpr size_t kPiece = 16 * 1024 / 32;
  Xxh64 sums[] = {Xxh64(0), Xxh64(0x9E3779B97F4A7C15)};
  const size_t stripes = bytes / 32;
  for (size_t at = 0; at < stripes; at += kPiece)
    for (Xxh64& sum : sums) sum.stripes(data + at * 32, std::min(kPiece, stripes - at));
  char digits[33];
  for (int at = 0; at < 2; at++) {
    const uint64_t sum = sums[at].digest(data + stripes * 32, bytes % 32);
    snprintf(digits + 16 * at, 17, "%016llx", static_cast<unsigned long long>(sum));
  }
  return digits;
}

inline bool is_zero(const uint8_t* data, size_t bytes) {
  return std::all_of(data, data + bytes, [](uint8_t byte) { return byte == 0; });
}

}  // namespace brezel
