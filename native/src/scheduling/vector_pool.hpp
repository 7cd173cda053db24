// The pool of one executor: its pooled vectors by size class. The statistics of a plan determine
// its size class; the class increases if rows repeatedly need more memory. Pooled vectors that
// exceed the class of their plan count as overflow. Pooled vectors beyond the executor's limits
// count as released. Both are freed.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "src/memory.hpp"
#include "src/stage.hpp"
#include "src/plan_buffers.hpp"

namespace brezel {

/** Size classes of pooled vectors. Class 0 holds 16 KiB, and each next class four times as much. */
struct VectorClass {
  static constexpr size_t kLeastBytes = 16 << 10;
  static constexpr uint8_t kCount = 12;
  /**
   * Large rows increase the class of a plan at most to this class, 16 MiB. Only a plan whose
   * estimated bytes are larger starts in a larger class.
   */
  static constexpr uint8_t kMostLearned = 5;

  static constexpr size_t bytes(uint8_t number) { return kLeastBytes << (2 * number); }
  static constexpr uint8_t of(size_t needed) {
    uint8_t number = 0;
    while (number + 1 < kCount && bytes(number) < needed) number++;
    return number;
  }
};

/**
 * The number and the bytes of pooled vectors that were freed instead of reused. Later chunks must
 * allocate them again.
 */
struct Overflow {
  size_t times = 0, bytes = 0;

  void add(const Overflow& other) {
    times += other.times;
    bytes += other.bytes;
  }
};

/**
 * The size class of a plan's pooled vectors. All executors that run this plan (the shared ones, or
 * its reserved ones) use the same object, and each of them may increase the class.
 */
class PlanVectors {
 public:
  /** @param foreseen the estimated bytes of a full chunk, as `foreseen_bytes` returns them. */
  explicit PlanVectors(size_t foreseen) : class_(VectorClass::of(foreseen)) {}

  uint8_t size_class() const { return class_.load(std::memory_order_relaxed); }

  /**
   * Reports that a chunk needed more memory than its class has. Increases the class to at most
   * `kMostLearned` if the previous report was at most `kSoon` chunks ago; otherwise treats the
   * chunk's large row as an exception. Returns whether the class has increased.
   */
  bool raise(size_t needed) {
    const uint32_t before = since_overflow_.exchange(0, std::memory_order_relaxed);
    const uint8_t wanted = VectorClass::of(needed);
    if (before > kSoon || wanted <= size_class() || wanted > VectorClass::kMostLearned) return false;
    class_.store(wanted, std::memory_order_relaxed);
    return true;
  }
  void chunk_ended() { since_overflow_.fetch_add(1, std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kSoon = 16;  // a number of chunks

  std::atomic<uint8_t> class_;
  // starts at 0, so the first chunks of a plan may increase the class
  std::atomic<uint32_t> since_overflow_{0};
};

/**
 * Returns the estimated bytes of a full chunk of a plan. The bytes of dense slots are exact; the
 * estimates of other slots may be far off.
 */
inline size_t foreseen_bytes(const Plan& plan, double sparse_bytes_per_row) {
  constexpr auto kMost = static_cast<double>(VectorClass::bytes(VectorClass::kMostLearned));
  return PlanBuffers::dense_bytes(plan) + static_cast<size_t>(std::min(kMost / 2, sparse_bytes_per_row * plan.block_rows));
}

/** Limits the pooled vectors that one executor stores for later chunks. */
struct VectorLimits {
  /**
   * The default and the maximum of `per_class`. The default is larger than the number of chunks
   * that an executor has started (one for each priority): pooled vectors may return to another
   * executor.
   */
  static constexpr uint32_t kUsual = 16, kMost = 1024;

  uint32_t per_class = kUsual;
  size_t max_bytes = SIZE_MAX;
};

/** The memory of one chunk's slots. A pool lends it to a chunk, or holds it as spare. */
struct PooledVectors : PlanBuffers {
  uint8_t size_class = 0;
  size_t counted_bytes = 0;  // the bytes of this object in the counts of its class
};

/**
 * The number and bytes of the pooled vectors of one class, lent and spare. In a report of changes,
 * both are differences to the previous report.
 */
struct ClassCounts {
  int64_t vectors = 0, bytes = 0;
};

/** The counters of one executor's pooled vectors. */
struct VectorCounts {
  size_t made = 0, raised = 0;
  Overflow overflow, released;
  std::array<ClassCounts, VectorClass::kCount> held;
  bool is_any = false;

  void add(const VectorCounts& other) {
    made += other.made;
    raised += other.raised;
    overflow.add(other.overflow);
    released.add(other.released);
    for (size_t number = 0; number < held.size(); number++) {
      held[number].vectors += other.held[number].vectors;
      held[number].bytes += other.held[number].bytes;
    }
  }
};

/**
 * The pooled vectors that a group holds for its executors, from a reservation to the end of the
 * group. An executor takes them before it allocates memory, and returns them when it is destroyed.
 * Pooled vectors do not return to the group if they exceed the limits, or if they grew for one
 * large row. Any thread may call the functions.
 */
class HeldVectors {
 public:
  /**
   * Adds pooled vectors. A group of executors never holds more pooled vectors than were added.
   * Throws std::bad_alloc.
   */
  void add(std::unique_ptr<PooledVectors> vectors) {
    const std::lock_guard lock(mutex_);
    spare_.reserve(most_ + 1);
    spare_.push_back(std::move(vectors));
    most_++;
  }

  /**
   * Returns the pooled vectors that were added or given back last, of any size class. Returns
   * nullptr if the group holds none.
   */
  std::unique_ptr<PooledVectors> take() {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return nullptr;
    std::unique_ptr<PooledVectors> vectors = std::move(spare_.back());
    spare_.pop_back();
    return vectors;
  }

  /**
   * Takes back pooled vectors. If the group already holds as many pooled vectors as were added, the
   * function returns false, and the vectors stay with the caller.
   */
  bool give_back(std::unique_ptr<PooledVectors>& vectors) {
    const std::lock_guard lock(mutex_);
    if (spare_.size() >= most_) return false;
    spare_.push_back(std::move(vectors));  // never allocates: `add` has reserved the memory
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PooledVectors>> spare_;
  size_t most_ = 0;
};

/**
 * The spare pooled vectors of one executor. Each allocation, growth and release updates `counts`,
 * the counters of the executor.
 */
class VectorPool {
 public:
  VectorPool(VectorLimits limits, VectorCounts& counts, HeldVectors& held)
      : limits_(limits), counts_(counts), held_(held) {}
  VectorPool(const VectorPool&) = delete;

  /**
   * Returns spare pooled vectors to the group that holds them. Subtracts all other pooled vectors
   * from the counts, because they are freed when the executor ends.
   */
  ~VectorPool() {
    for (auto& spare : spare_)
      for (auto& vectors : spare)
        if (!held_.give_back(vectors)) count_out(*vectors);
  }

  /**
   * Returns pooled vectors of the plan's size class. New ones have room for the plan's dense slots.
   * Throws std::bad_alloc.
   */
  std::unique_ptr<PooledVectors> lend(const Plan& plan, const PlanVectors& sizes, GrowthCounter& growth) {
    const uint8_t number = sizes.size_class();
    lent_[number] = ++lends_;
    auto& spare = spare_[number];
    if (spare.empty()) return take_held(plan, number, growth);
    spare.back()->fit(plan);
    return pop(number);
  }

  /**
   * Takes pooled vectors back. If their chunk started on another executor, they move to this pool.
   * `needed` is the number of bytes that the chunk used, or 0 if unknown. `has_grown` says whether
   * a buffer may have grown.
   */
  void take_back(std::unique_ptr<PooledVectors> vectors, PlanVectors& sizes, size_t needed, bool has_grown) {
    sizes.chunk_ended();
    if (has_grown && needed > VectorClass::bytes(sizes.size_class()) && sizes.raise(needed)) counts_.raised++;
    const uint8_t number = sizes.size_class();
    const bool is_changed = has_grown || number != vectors->size_class;
    if (is_changed && !recount(*vectors, number, has_grown)) return;
    keep(std::move(vectors), number);
  }

  /**
   * Allocates pooled vectors for a plan. `counts` includes them from now on. Throws std::bad_alloc.
   */
  static std::unique_ptr<PooledVectors> make(const Plan& plan, uint8_t number, GrowthCounter& growth,
                                             VectorCounts& counts) {
    auto vectors = std::make_unique<PooledVectors>();
    vectors->reserve_dense(plan, growth);
    count_in(counts, *vectors, number, vectors->bytes());
    counts.made++;
    return vectors;
  }

 private:
  static constexpr size_t kSlack = 2;

  /** Takes pooled vectors that the group holds, or allocates new ones. */
  [[gnu::noinline]] std::unique_ptr<PooledVectors> take_held(const Plan& plan, uint8_t number,
                                                             GrowthCounter& growth) {
    std::unique_ptr<PooledVectors> vectors = held_.take();
    if (!vectors) return make(plan, number, growth, counts_);
    try {
      vectors->fit(plan);
    } catch (...) {
      held_.give_back(vectors);
      throw;
    }
    if (number == vectors->size_class) return vectors;
    count_out(*vectors);
    count_in(counts_, *vectors, number, vectors->counted_bytes);
    return vectors;
  }

  /**
   * Updates the counted bytes of pooled vectors. Returns whether the pool should store the vectors:
   * false for vectors that grew for one large row.
   */
  [[gnu::noinline]] bool recount(PooledVectors& vectors, uint8_t number, bool has_grown) {
    count_out(vectors);
    // A growing buffer allocates half more than requested, and other plans of the class have other
    // slots.
    const size_t bytes = vectors.bytes();
    if (has_grown && bytes > kSlack * VectorClass::bytes(number)) {
      counts_.overflow.add({1, bytes});
      return false;
    }
    count_in(counts_, vectors, number, bytes);
    return true;
  }

  void keep(std::unique_ptr<PooledVectors> vectors, uint8_t number) {
    auto& spare = spare_[number];
    const size_t bytes = vectors->counted_bytes;
    if (bytes > limits_.max_bytes || spare.size() >= limits_.per_class) return release(*vectors);
    try {
      spare.push_back(std::move(vectors));
    } catch (const std::bad_alloc&) {  // the next call of `lend` allocates them again
      return release(*vectors);
    }
    spare_bytes_ += bytes;
    while (spare_bytes_ > limits_.max_bytes) release(*pop(least_used()));
  }

  std::unique_ptr<PooledVectors> pop(uint8_t number) {
    std::unique_ptr<PooledVectors> vectors = std::move(spare_[number].back());
    spare_[number].pop_back();
    spare_bytes_ -= vectors->counted_bytes;
    return vectors;
  }

  /** Returns the class whose spare pooled vectors were not requested for the longest time. */
  uint8_t least_used() const {
    uint8_t least = VectorClass::kCount;
    for (uint8_t number = 0; number < VectorClass::kCount; number++) {
      const bool is_older = least == VectorClass::kCount || lent_[number] < lent_[least];
      if (!spare_[number].empty() && is_older) least = number;
    }
    return least;
  }

  /** Counts pooled vectors as released; their owner frees them. */
  [[gnu::noinline]] void release(const PooledVectors& vectors) {
    count_out(vectors);
    counts_.released.add({1, vectors.counted_bytes});
  }

  static void count_in(VectorCounts& counts, PooledVectors& vectors, uint8_t number, size_t bytes) {
    vectors.size_class = number;
    vectors.counted_bytes = bytes;
    count(counts, vectors, 1);
  }
  void count_out(const PooledVectors& vectors) { count(counts_, vectors, -1); }
  static void count(VectorCounts& counts, const PooledVectors& vectors, int64_t sign) {
    ClassCounts& held = counts.held[vectors.size_class];
    held.vectors += sign;
    held.bytes += sign * static_cast<int64_t>(vectors.counted_bytes);
    counts.is_any = true;
  }

  const VectorLimits limits_;
  VectorCounts& counts_;
  HeldVectors& held_;
  std::array<std::vector<std::unique_ptr<PooledVectors>>, VectorClass::kCount> spare_;
  // for each class, the number of the last call of `lend`
  std::array<uint64_t, VectorClass::kCount> lent_{};
  uint64_t lends_ = 0;
  size_t spare_bytes_ = 0;
};

}  // namespace brezel
