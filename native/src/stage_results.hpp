// Caches the results of stages that several plans share, by the inputs of the stage (paper 4.3,
// sub-plan materialization). One thread owns the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

#include "include/kernel.hpp"
#include "src/files.hpp"
#include "src/memory.hpp"
#include "src/row_bytes.hpp"
#include "src/stage.hpp"

namespace brezel {

class StageResults;

/**
 * The result of a stage for one row. One block of memory holds its output columns, its key, and the
 * content of the columns.
 */
struct KeptResult {
  StageResults* owner;
  uint64_t hash;
  Memory memory;
  Bytes key;
  uint64_t run;  // the last run that used this result; its columns must stay valid during that run
  KeptResult* newer = nullptr;
  KeptResult* older = nullptr;

  const Column* columns() const { return static_cast<const Column*>(memory.data()); }
};

/**
 * The cached results of all stages of one runtime. They share a budget of bytes; the least recently
 * used results are evicted first.
 */
class ResultCache {
 public:
  explicit ResultCache(size_t max_bytes) : max_bytes(max_bytes), seed(std::random_device{}()) {}
  ResultCache(const ResultCache&) = delete;

  const size_t max_bytes;
  const uint64_t seed;  // random, so that a caller cannot choose inputs with equal hashes
  bool is_on = true;
  size_t hits = 0, misses = 0, evictions = 0, entries = 0, bytes = 0;

  /**
   * Estimated memory of a result in addition to its block: the object, its entry in a table, and
   * the overhead of allocators.
   */
  static constexpr size_t kResultBytes = sizeof(KeptResult) + 128;

  void link(KeptResult& result) {
    entries++;
    bytes += result.memory.bytes() + kResultBytes;
    push(result);
  }
  void unlink(KeptResult& result) {
    entries--;
    bytes -= result.memory.bytes() + kResultBytes;
    pull(result);
  }
  void touch(KeptResult& result, uint64_t run) {
    result.run = run;
    if (newest_ == &result) return;
    pull(result);
    push(result);
  }
  /**
   * Evicts results until a block of `wanted` bytes fits. Returns false if the block exceeds the
   * budget, or if the current run uses all remaining results.
   */
  bool make_room(size_t wanted, uint64_t run);

 private:
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
  bool is_rare() const { return is_rare_; }
  bool looks_at(Bytes key) { return !is_rare_ || (eighth_of(key) + passed_++ / kTurn) % 8 == 0; }
  void saw(uint64_t hash, bool is_kept) {
    uint32_t& seen = seen_[hash % kSeen];
    const auto rest = static_cast<uint32_t>(hash >> 32);
    again_ += is_kept || seen == rest;
    seen = rest;
    if (++looks_ < kWindow) return;
    is_rare_ = again_ < kWindow / 8;
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

  uint64_t passed_ = 0;
  std::vector<uint32_t> seen_ = std::vector<uint32_t>(kSeen);
  uint32_t looks_ = 0, again_ = 0;
  bool is_rare_ = false;
};

/**
 * The cached results of one stage, by the hash of the stage's input. If several inputs have equal
 * hashes, only the result of the last input is cached.
 */
class StageResults {
 public:
  explicit StageResults(std::shared_ptr<ResultCache> cache) : cache_(std::move(cache)) {}
  StageResults(const StageResults&) = delete;
  ~StageResults() {
    for (auto& [hash, result] : results_) cache_->unlink(result);
  }

  ResultCache& cache() const { return *cache_; }

  /** Returns whether to look up this input. If false, the stage runs without a lookup. */
  bool looks_at(Bytes key) { return recurrence_.looks_at(key); }

  uint64_t hash_of(Bytes key) const {
    Xxh64 sum(cache_->seed);
    sum.stripes(key.data, key.count / 32);
    return sum.digest(key.data + (key.count & ~size_t{31}), key.count % 32);
  }

  /**
   * Returns the result for this input, or nullptr. The result stays valid until the end of the run.
   */
  const KeptResult* find(uint64_t hash, Bytes key, uint64_t run) {
    const auto found = results_.find(hash);
    const bool is_kept = found != results_.end() && found->second.key.count == key.count &&
                         (!key.count || memcmp(found->second.key.data, key.data, key.count) == 0);
    recurrence_.saw(hash, is_kept);
    if (!is_kept) {
      cache_->misses++;
      return nullptr;
    }
    cache_->hits++;
    cache_->touch(found->second, run);
    return &found->second;
  }

  /**
   * Stores the result that the stage has just computed, if the budget has room. If memory runs out,
   * nothing is stored.
   */
  void keep(uint64_t hash, Bytes key, uint64_t run, const Stage& stage, const Column* columns) {
    if (recurrence_.is_rare()) return;
    try {
      const auto found = results_.find(hash);
      if (found != results_.end()) {
        if (found->second.run == run) return;
        cache_->evictions++;
        forget(found->second);
      }
      Placer measure(nullptr);
      place(measure, key, stage, columns);
      if (!cache_->make_room(measure.used() + kPadding, run)) return;
      Memory memory(measure.used() + kPadding);
      Placer placer(memory.data());
      const Bytes own = place(placer, key, stage, columns);
      memset(static_cast<uint8_t*>(memory.data()) + placer.used(), 0, kPadding);
      KeptResult& added = results_.try_emplace(hash, KeptResult{this, hash, std::move(memory), own, run}).first->second;
      cache_->link(added);
    } catch (const std::bad_alloc&) {
    }
  }

  void forget(KeptResult& result) {
    const uint64_t hash = result.hash;
    cache_->unlink(result);
    results_.erase(hash);
  }

 private:
  /**
   * Copies the output columns and the key into the block of a result. Returns the new location of
   * the key.
   */
  static Bytes place(Placer& placer, Bytes key, const Stage& stage, const Column* columns) {
    auto* copies = placer.put<Column>(nullptr, stage.outputs.size() * sizeof(Column));
    const auto* own = placer.put<uint8_t>(key);
    for (size_t at = 0; at < stage.outputs.size(); at++) {
      const uint32_t slot = stage.outputs[at];
      const Column copy = place_row(placer, stage.slots[slot], columns[slot]);
      if (copies) copies[at] = copy;
    }
    return {own, key.count};
  }

  std::shared_ptr<ResultCache> cache_;
  std::unordered_map<uint64_t, KeptResult> results_;
  Recurrence recurrence_;
};

inline bool ResultCache::make_room(size_t wanted, uint64_t run) {
  if (wanted > max_bytes || wanted + kResultBytes > max_bytes) return false;
  while (bytes + wanted + kResultBytes > max_bytes) {
    if (oldest_->run == run) return false;  // if the oldest is in use, all are
    evictions++;
    oldest_->owner->forget(*oldest_);
  }
  return true;
}

}  // namespace brezel
