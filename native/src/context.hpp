// The state of one thread that runs plans directly: the buffers of slots and the scratch, which all
// plans reuse, and cached results.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "include/kernel.hpp"
#include "src/cached_stages.hpp"
#include "src/memory.hpp"
#include "src/row_bytes.hpp"
#include "src/stage.hpp"
#include "src/stage_results.hpp"
#include "src/plan_buffers.hpp"

namespace brezel {

class Context : public PlanBuffers {
 public:
  Context() { scratch_.growth = &growth; }

  GrowthCounter growth;

  /**
   * Frees the buffers of slots and the scratch. The next run allocates this memory again. The
   * outputs of the last run become invalid.
   */
  void release() {
    for (SlotBuffers& slot : buffers_) slot = SlotBuffers();
    key_ = Buffer();
    hashed_ = {};
    held_.clear();
    cached_.release();
    scratch_ = Scratch();
    scratch_.growth = &growth;
    growth.bytes = 0;
  }

  /** Starts to cache results of the stage, for single rows and blocks. */
  void keep_results(const Stage* stage, std::shared_ptr<ResultCache> cache) {
    forget_results(stage);
    results_.emplace(stage, std::make_shared<StageResults>(std::move(cache)));
  }
  void forget_results(const Stage* stage) {
    const auto found = results_.find(stage);
    if (found == results_.end()) return;
    found->second->end();  // chunks of executors may still refer to it
    results_.erase(found);
  }
  void forget_results(const ResultCache* cache) {
    std::erase_if(results_, [cache](const auto& one) {
      if (&one.second->cache() != cache) return false;
      one.second->end();
      return true;
    });
  }

  /**
   * Finds the caches of a plan's stages, and puts a reference to each of them into `found`. A chunk
   * on another thread holds these references while it runs.
   */
  void find_results(const Plan& plan, PlanResults& found) const {
    found.clear();
    if (results_.empty()) return;
    for (size_t at = 0; at < plan.stages.size(); at++) {
      const auto held = results_.find(plan.stages[at].stage.get());
      if (held == results_.end()) continue;
      found.resize(plan.stages.size());
      found[at] = SharedResults(held->second);
    }
  }

  /**
   * Runs all stages of a plan over `rows` rows of the input columns. Throws std::bad_alloc, or an
   * input error if a kernel rejects a row. The outputs are valid until the next run or the next
   * chunk.
   */
  void run(const Plan& plan, uint32_t rows) {
    scratch_.refusal = nullptr;
    held_.clear();
    if (!results_.empty()) run_++;
    for (const PlacedStage& placed : plan.stages) {
      StageResults* results = results_.empty() ? nullptr : results_of(*placed.stage);
      if (!results) {
        run_stage(plan, placed, scratch_, rows);
      } else if (rows == 1) {
        run_keeping(plan, placed, *results);
      } else {
        cached_.run(*this, plan, placed, *results, scratch_, rows);
      }
    }
    check_refusal();
  }

  /**
   * Runs a plan as `run` does, but without cached results. Adds the time of each stage to
   * `nanoseconds`.
   */
  void run_timed(const Plan& plan, uint32_t rows, double* nanoseconds) {
    scratch_.refusal = nullptr;
    auto before = std::chrono::steady_clock::now();
    for (const PlacedStage& placed : plan.stages) {
      run_stage(plan, placed, scratch_, rows);
      const auto after = std::chrono::steady_clock::now();
      *nanoseconds++ += std::chrono::duration<double, std::nano>(after - before).count();
      before = after;
    }
    check_refusal();
  }

 private:
  void check_refusal() const {
    if (scratch_.refusal) throw NativeError{ErrorCode::input, scratch_.refusal};
  }

  StageResults* results_of(const Stage& stage) const {
    const auto found = results_.find(&stage);
    return found != results_.end() && found->second->cache().is_on ? found->second.get() : nullptr;
  }

  /**
   * Runs one stage on one row, or finds its cached result. Later stages read a cached result
   * directly from the cache.
   */
  void run_keeping(const Plan& plan, const PlacedStage& placed, StageResults& results) {
    const Stage& stage = *placed.stage;
    take_inputs(plan, placed);
    const Column* own = columns_of(placed);
    const Bytes key = key_of(stage, own, key_, growth);
    if (!results.looks_at(key)) return run_stage(plan, placed, scratch_, 1);
    Lookup lookup{key, hash_of(results, key), nullptr, true};
    results.find({&lookup, 1});
    if (lookup.found) {
      for (size_t at = 0; at < placed.outputs.size(); at++)
        plan_column(plan, placed.outputs[at]) = lookup.found->columns()[at];
      if (lookup.found.use_count()) held_.push_back(std::move(lookup.found));
      return;
    }
    run_stage(plan, placed, scratch_, 1);
    if (!scratch_.refusal && !results.is_rare()) keep_row(stage, own, lookup, results);
  }

  void keep_row(const Stage& stage, const Column* own, const Lookup& lookup, StageResults& results) {
    try {
      ResultReference added = results.copy(lookup, stage, own, 0);
      results.keep({&added, 1}, held_);
    } catch (const std::bad_alloc&) {  // the result is not cached
    }
  }

  /**
   * Returns the hash of a stage's input. Stages that read the same value share one hash. A key that
   * was gathered in a buffer gets a new hash each time, because all these keys use the same buffer.
   */
  uint64_t hash_of(const StageResults& results, Bytes key) {
    const bool is_last = hashed_.run == run_ && hashed_.cache == &results.cache() && hashed_.key.data == key.data &&
                         hashed_.key.count == key.count && key.data != key_.data<uint8_t>();
    if (!is_last) hashed_ = {run_, &results.cache(), key, results.hash_of(key)};
    return hashed_.hash;
  }

  Scratch scratch_;
  std::unordered_map<const Stage*, std::shared_ptr<StageResults>> results_;
  // the results that the last run of one row evicted, or read while executors used their cache
  std::vector<ResultReference> held_;
  CachedStages cached_;
  Buffer key_;
  uint64_t run_ = 0;
  struct {
    uint64_t run;
    const ResultCache* cache;
    Bytes key;
    uint64_t hash;
  } hashed_{};
};

}  // namespace brezel
