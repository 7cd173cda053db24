// Caches the results of stages that several plans share, by the inputs of the stage (paper 4.3,
// sub-plan materialization). The calling thread and executors use the same cache. A mutex guards
// its tables while chunks in flight refer to the cache. Otherwise only the calling thread uses the
// cache, and a lookup needs no mutex and counts no references.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "include/kernel.hpp"
#include "src/checksum.hpp"
#include "src/memory.hpp"
#include "src/row_bytes.hpp"
#include "src/stage.hpp"

namespace brezel {

class StageResults;

/**
 * The result of a stage for one row. One block of memory holds its output columns, its key, and the
 * content of the columns. A result is immutable. It stays valid while a run uses it, even if the
 * cache evicts it.
 */
struct KeptResult {
  uint64_t hash;
  Memory memory;
  Bytes key;
  StageResults* owner = nullptr;  // the table that holds this result
  KeptResult* newer = nullptr;
  KeptResult* older = nullptr;

  const Column* columns() const { return static_cast<const Column*>(memory.data()); }
  bool is_of(Bytes other) const {
    return key.count == other.count && (!key.count || memcmp(key.data, other.data, key.count) == 0);
  }
};

/**
 * A reference to a result. A lookup of the only thread that uses the cache returns a reference that
 * counts nothing (`use_count()` is 0). The table or the list of evicted results then owns the
 * result.
 */
using ResultReference = std::shared_ptr<KeptResult>;

/** The counters of a cache. */
struct ResultStats {
  size_t hits = 0, misses = 0, evictions = 0, entries = 0, bytes = 0;
};

/**
 * The cached results of all stages of one runtime. They share a budget of bytes; the least recently
 * used results are evicted first. One thread owns a cache: the thread that submits chunks. A `Lock`
 * guards all members except constants and atomics, and the tables of all stages.
 */
class ResultCache {
 public:
  explicit ResultCache(size_t max_bytes) : max_bytes(max_bytes), seed(std::random_device{}()) {}
  ResultCache(const ResultCache&) = delete;

  const size_t max_bytes;
  const uint64_t seed;  // random, so that a caller cannot choose inputs with equal hashes
  std::atomic<bool> is_on{true};
  ResultStats counts;

  /**
   * Locks the mutex if other threads may use the cache. If no chunk in flight refers to the cache,
   * only its owner uses it, and only its owner can submit the next chunk.
   */
  class Lock {
   public:
    explicit Lock(ResultCache& cache) : is_shared(cache.is_shared()), mutex_(cache.mutex_) {
      if (is_shared) mutex_.lock();
    }
    Lock(const Lock&) = delete;
    ~Lock() {
      if (is_shared) mutex_.unlock();
    }
    const bool is_shared;

   private:
    std::mutex& mutex_;
  };

  /**
   * Begins a reference of a chunk to the cache. The owner calls it, before it submits the chunk.
   */
  void share() { shares_.fetch_add(1, std::memory_order_relaxed); }
  /** Ends a reference of a chunk to the cache, after the last use of the cache for this chunk. */
  void end_share() { shares_.fetch_sub(1, std::memory_order_release); }

  /**
   * Estimated memory of a result in addition to its block: the object, its entry in a table, and
   * the overhead of allocators.
   */
  static constexpr size_t kResultBytes = sizeof(KeptResult) + 144;

  ResultStats stats() {
    const Lock lock(*this);
    return counts;
  }

  // ---- with a Lock

  void link(KeptResult& result) {
    counts.entries++;
    counts.bytes += result.memory.bytes() + kResultBytes;
    push(result);
  }
  void unlink(KeptResult& result) {
    counts.entries--;
    counts.bytes -= result.memory.bytes() + kResultBytes;
    pull(result);
  }
  void touch(KeptResult& result) {
    if (newest_ == &result) return;
    pull(result);
    push(result);
  }
  /** Returns whether a block of `wanted` bytes can ever fit. */
  bool fits(size_t wanted) const { return wanted <= max_bytes && wanted + kResultBytes <= max_bytes; }
  /**
   * Evicts results until a block of `wanted` bytes fits, and moves these results to `evicted`.
   * Throws std::bad_alloc.
   */
  void make_room(size_t wanted, std::vector<ResultReference>& evicted);

 private:
  bool is_shared() const { return shares_.load(std::memory_order_acquire) != 0; }
  void push(KeptResult& result) {
    result.older = newest_;
    result.newer = nullptr;
    (newest_ ? newest_->newer : oldest_) = &result;
    newest_ = &result;
  }
  void pull(KeptResult& result) {
    (result.newer ? result.newer->older : newest_) = result.older;
    (result.older ? result.older->newer : oldest_) = result.newer;
  }

  std::mutex mutex_;
  std::atomic<size_t> shares_{0};  // the references of chunks in flight
  KeptResult* newest_ = nullptr;
  KeptResult* oldest_ = nullptr;
};

/**
 * Measures whether the inputs of a stage repeat. Storing a result takes about a tenth of the time
 * of computing the result. If fewer than one input in eight repeats, the cache therefore stores no
 * results. It then looks up only one eighth of the inputs, to detect a change. Bytes of the input
 * select this eighth.
 */
class Recurrence {
 public:
  // These two functions need no lock. A stale value delays the change by a few inputs.
  bool is_rare() const { return is_rare_.load(std::memory_order_relaxed); }
  bool looks_at(Bytes key) {
    if (!is_rare()) return true;
    const uint64_t passed = passed_.load(std::memory_order_relaxed);
    passed_.store(passed + 1, std::memory_order_relaxed);
    return (eighth_of(key) + passed / kTurn) % 8 == 0;
  }
  void saw(uint64_t hash, bool is_kept) {
    uint32_t& seen = seen_[hash % kSeen];
    const auto rest = static_cast<uint32_t>(hash >> 32);
    again_ += is_kept || seen == rest;
    seen = rest;
    if (++looks_ < kWindow) return;
    is_rare_.store(again_ < kWindow / 8, std::memory_order_relaxed);
    looks_ = again_ = 0;
  }

 private:
  static constexpr uint32_t kWindow = 256, kSeen = 1024;
  // inputs until another eighth is used, because all repeated inputs may be in one eighth
  static constexpr uint64_t kTurn = 4096;

  static uint64_t eighth_of(Bytes key) {
    uint64_t first = 0, last = 0;
    const size_t count = std::min(key.count, sizeof first);
    if (count) {
      memcpy(&first, key.data, count);
      memcpy(&last, key.data + key.count - count, count);
    }
    return ((first + last * 3 + key.count) * 0x9E3779B97F4A7C15u) >> 61;
  }

  std::atomic<uint64_t> passed_{0};
  std::vector<uint32_t> seen_ = std::vector<uint32_t>(kSeen);
  uint32_t looks_ = 0, again_ = 0;
  std::atomic<bool> is_rare_{false};
};

/** The lookup of one row: the bytes and the hash of its input, and its cached result if found. */
struct Lookup {
  Bytes key;
  uint64_t hash;
  ResultReference found;
  bool is_looked_up;  // false for a row that bypasses the cache
};

/**
 * The cached results of one stage, by the hash of the stage's input. If several inputs have equal
 * hashes, only the result of the last input is cached. Any thread may use it.
 */
class StageResults {
 public:
  explicit StageResults(std::shared_ptr<ResultCache> cache) : cache_(std::move(cache)) {}
  StageResults(const StageResults&) = delete;
  ~StageResults() { end(); }

  ResultCache& cache() const { return *cache_; }

  /** Returns whether to look up this input. If false, the stage runs without a lookup. */
  bool looks_at(Bytes key) { return recurrence_.looks_at(key); }
  bool is_rare() const { return recurrence_.is_rare(); }

  uint64_t hash_of(Bytes key) const {
    Xxh64 sum(cache_->seed);
    sum.stripes(key.data, key.count / 32);
    return sum.digest(key.data + (key.count & ~size_t{31}), key.count % 32);
  }

  /**
   * Looks up the rows of a block that have `is_looked_up`, and sets their `found`. If no other
   * thread uses the cache, a found result is valid until the caller drops the results that `keep`
   * evicts, or submits a chunk.
   */
  void find(std::span<Lookup> lookups) {
    const ResultCache::Lock lock(*cache_);
    for (Lookup& lookup : lookups) {
      if (!lookup.is_looked_up) continue;
      const auto held = results_.find(lookup.hash);
      const bool is_kept = held != results_.end() && held->second->is_of(lookup.key);
      recurrence_.saw(lookup.hash, is_kept);
      (is_kept ? cache_->counts.hits : cache_->counts.misses)++;
      if (!is_kept) continue;
      cache_->touch(*held->second);
      // without an owner, the pointer needs no atomic operations
      lookup.found = lock.is_shared ? held->second : ResultReference(ResultReference(), held->second.get());
    }
  }

  /**
   * Copies the result of row `row` that the stage has just computed. Returns nothing if the result
   * is larger than the budget. Throws std::bad_alloc.
   */
  ResultReference copy(const Lookup& lookup, const Stage& stage, const Column* columns, uint32_t row) const {
    Placer measure(nullptr);
    place(measure, lookup.key, stage, columns, row);
    if (!cache_->fits(measure.used() + kPadding)) return nullptr;
    Memory memory(measure.used() + kPadding);
    Placer placer(memory.data());
    const Bytes own = place(placer, lookup.key, stage, columns, row);
    memset(static_cast<uint8_t*>(memory.data()) + placer.used(), 0, kPadding);
    return std::make_shared<KeptResult>(KeptResult{lookup.hash, std::move(memory), own});
  }

  /**
   * Stores results, and evicts others until these fit. If memory runs out, stores no more. The
   * caller drops `evicted` when its run no longer reads the results that `find` returned.
   */
  void keep(std::span<ResultReference> added, std::vector<ResultReference>& evicted) {
    const ResultCache::Lock lock(*cache_);
    if (is_ended_) return;
    try {
      for (ResultReference& result : added)
        if (result) keep(std::move(result), evicted);
    } catch (const std::bad_alloc&) {
    }
  }

  /** Drops all results and stores none afterwards. Executors may still look up rows. */
  void end() {
    const ResultCache::Lock lock(*cache_);
    is_ended_ = true;
    for (auto& [hash, result] : results_) cache_->unlink(*result);
    results_.clear();
  }

  /** Moves a result to `evicted`. The caller has a lock. Throws std::bad_alloc. */
  void evict(KeptResult& result, std::vector<ResultReference>& evicted) {
    const auto held = results_.find(result.hash);
    evicted.push_back(held->second);
    results_.erase(held);
    cache_->unlink(result);
    cache_->counts.evictions++;
  }

 private:
  friend class SharedResults;

  void keep(ResultReference result, std::vector<ResultReference>& evicted) {
    const auto held = results_.find(result->hash);
    if (held != results_.end()) {
      // another row of the block, or another thread, has stored the same result
      if (held->second->is_of(result->key)) return;
      evict(*held->second, evicted);
    }
    cache_->make_room(result->memory.bytes(), evicted);
    result->owner = this;
    KeptResult& added = *results_.try_emplace(result->hash, std::move(result)).first->second;
    cache_->link(added);
  }

  /**
   * Copies the output columns and the key into the block of a result. Returns the new location of
   * the key.
   */
  static Bytes place(Placer& placer, Bytes key, const Stage& stage, const Column* columns, uint32_t row) {
    auto* copies = placer.put<Column>(nullptr, stage.outputs.size() * sizeof(Column));
    const auto* own = placer.put<uint8_t>(key);
    for (size_t at = 0; at < stage.outputs.size(); at++) {
      const uint32_t slot = stage.outputs[at];
      const Column copy = place_row(placer, stage.slots[slot], columns[slot], row);
      if (copies) copies[at] = copy;
    }
    return {own, key.count};
  }

  std::shared_ptr<ResultCache> cache_;
  std::unordered_map<uint64_t, ResultReference> results_;
  Recurrence recurrence_;
  bool is_ended_ = false;
};

inline void ResultCache::make_room(size_t wanted, std::vector<ResultReference>& evicted) {
  while (counts.bytes + wanted + kResultBytes > max_bytes) oldest_->owner->evict(*oldest_, evicted);
}

/**
 * The reference of a chunk to the cache of a stage. While it exists, all threads lock the cache.
 * The owner of the cache creates it.
 */
class SharedResults {
 public:
  SharedResults() = default;
  explicit SharedResults(std::shared_ptr<StageResults> results) : results_(std::move(results)) {
    results_->cache().share();
  }
  SharedResults(SharedResults&& other) noexcept = default;
  SharedResults& operator=(SharedResults&& other) noexcept {
    std::swap(results_, other.results_);
    return *this;
  }
  ~SharedResults() {
    if (!results_) return;
    // The last reference drops the results of the stage, and still needs the mutex for that.
    const std::shared_ptr<ResultCache> cache = results_->cache_;
    results_.reset();
    cache->end_share();
  }
  StageResults* get() const { return results_.get(); }

 private:
  std::shared_ptr<StageResults> results_;
};

}  // namespace brezel
