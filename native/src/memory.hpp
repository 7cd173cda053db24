// Memory outside V8: aligned blocks, growing buffers, and the errors of set-up code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace brezel {

// The address sanitizer checks heap memory but not mappings. It detects an overrun of a buffer only
// if the buffer has exactly the requested size.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kExactBuffers = true;
#else
constexpr bool kExactBuffers = false;
#if defined(__unix__) || defined(__APPLE__)
#define BREZEL_MAPS_MEMORY 1
#endif
#endif

enum class ErrorCode { argument, program, parameter, input, handle, memory };

/**
 * An error that checks of arguments throw. The `run` functions of kernels never throw it;
 * boundary/values.hpp turns it into a JavaScript error.
 */
struct NativeError {
  ErrorCode code;
  const char* message;  // a string literal
};

// The kernels are also compiled to WebAssembly, without C++ exceptions. There, JavaScript throws
// the error (wasm/module.cpp), and no destructor runs.
#if defined(__wasm__)
[[noreturn]] void throw_error(ErrorCode code, const char* message);
[[noreturn]] void throw_no_memory();
#else
[[noreturn, gnu::cold]] inline void throw_error(ErrorCode code, const char* message) { throw NativeError{code, message}; }
[[noreturn, gnu::cold]] inline void throw_no_memory() { throw std::bad_alloc(); }
#endif

/**
 * A 64-byte aligned block. Large blocks are mapped, so that freeing them returns their pages to the
 * system immediately.
 */
class Memory {
 public:
  Memory() = default;
  explicit Memory(size_t bytes) : bytes_(bytes) {
    if (bytes > PTRDIFF_MAX - 2 * kHuge) throw_no_memory();
    data_ = is_mapped() ? map() : ::operator new(rounded(), std::align_val_t{64});
  }
  Memory(Memory&& other) noexcept { swap(other); }
  Memory& operator=(Memory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Memory() {
    if (!data_) return;
    if (is_mapped()) {
      unmap();
    } else {
      ::operator delete(data_, std::align_val_t{64});
    }
  }
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kMapFrom = 64 * 1024;
  static constexpr size_t kHuge = 2 * 1024 * 1024;

  void swap(Memory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  // with at least 64 bytes of padding
  size_t rounded() const { return (bytes_ + 127) & ~size_t{63}; }

#if defined(BREZEL_MAPS_MEMORY)
  bool is_mapped() const { return bytes_ >= kMapFrom; }
  void* map() const {
    // A lookup in a dictionary often touches a new page. Huge pages can back a block that starts at
    // the boundary of a huge page.
    const size_t slack = bytes_ >= kHuge ? kHuge : 0;
    void* found = mmap(nullptr, rounded() + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) throw_no_memory();
    if (!slack) return found;
    auto* start = static_cast<uint8_t*>(found);
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t before = (kHuge - reinterpret_cast<uintptr_t>(start) % kHuge) % kHuge;
    const size_t kept = (rounded() + page - 1) & ~(page - 1);
    const size_t end = (rounded() + slack + page - 1) & ~(page - 1);
    if (before) munmap(start, before);
    if (end > before + kept) munmap(start + before + kept, end - before - kept);
#if defined(MADV_HUGEPAGE)
    madvise(start + before, kept, MADV_HUGEPAGE);
#endif
    return start + before;
  }
  void unmap() const { munmap(data_, rounded()); }
#else
  bool is_mapped() const { return false; }
  void* map() const { return nullptr; }
  void unmap() const {}
#endif

  void* data_ = nullptr;
  size_t bytes_ = 0;
};

/**
 * Counts how often buffers grow, to detect whether a thread's scratch has reached its final size.
 */
struct GrowthCounter {
  size_t bytes = 0;
  size_t grows = 0;
};

/** A buffer that only grows. Once it is large enough, reserving costs one comparison. */
class Buffer {
 public:
  /**
   * Reserves memory for `count` values and kPadding bytes after them, and returns its address. If
   * the buffer grows, its content is lost. The address is never null, even for 0 values: kernels
   * copy rows without entries, and memcpy must not receive null. Throws std::bad_alloc.
   */
  template <class T>
  T* reserve(size_t count, GrowthCounter& growth) {
    if (count > PTRDIFF_MAX / sizeof(T)) throw_no_memory();
    if (count * sizeof(T) >= room_) [[unlikely]]
      grow(count * sizeof(T), 0, growth);
    return static_cast<T*>(memory_.data());
  }
  /** Reserves memory as `reserve` does, but preserves the first `kept` values. */
  template <class T>
  T* extend(size_t count, size_t kept, GrowthCounter& growth) {
    if (count > PTRDIFF_MAX / sizeof(T)) throw_no_memory();
    if (count * sizeof(T) >= room_) [[unlikely]]
      grow(count * sizeof(T), kept * sizeof(T), growth);
    return static_cast<T*>(memory_.data());
  }
  template <class T>
  T* data() const {
    return static_cast<T*>(memory_.data());
  }
  /** Returns the number of bytes that fit without growing. */
  size_t capacity() const { return room_ ? room_ - 1 : 0; }

 private:
  /**
   * Grows the buffer. New memory is zeroed up to its capacity, so reads of padding are always
   * defined.
   */
  [[gnu::noinline]] void grow(size_t bytes, size_t kept, GrowthCounter& growth) {
    if (bytes > PTRDIFF_MAX / 4) throw_no_memory();
    const size_t capacity = kExactBuffers ? bytes : bytes + bytes / 2 + 1024;
    Memory larger(capacity + 64);
    auto* data = static_cast<uint8_t*>(larger.data());
    if (kept) memcpy(data, memory_.data(), kept);
    memset(data + kept, 0, capacity + 64 - kept);
    growth.bytes += capacity - this->capacity();
    growth.grows++;
    memory_ = std::move(larger);
    room_ = capacity + 1;
  }

  Memory memory_;
  size_t room_ = 0;  // the capacity plus 1, or 0 without memory
};

}  // namespace brezel
