// Maps fleet files read-only, so that parameters point into them without a copy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "src/checksum.hpp"
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

inline bool is_zero(const uint8_t* data, size_t bytes) {
  return std::all_of(data, data + bytes, [](uint8_t byte) { return byte == 0; });
}

}  // namespace brezel
