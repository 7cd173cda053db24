// The state of one thread that runs plans directly: the buffers of slots and the scratch, which all
// plans reuse, and cached results.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "include/kernel.hpp"
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
    scratch_ = Scratch();
    scratch_.growth = &growth;
    growth.bytes = 0;
  }

  /**
   * Starts to cache results of the stage, for single rows only. Blocks of rows neither read nor
   * fill the cache.
   */
  void keep_results(const Stage* stage, std::shared_ptr<ResultCache> cache) {
    results_.insert_or_assign(stage, std::make_unique<StageResults>(std::move(cache)));
  }
  void forget_results(const Stage* stage) { results_.erase(stage); }
  void forget_results(const ResultCache* cache) {
    std::erase_if(results_, [cache](const auto& one) { return &one.second->cache() == cache; });
  }

  /**
   * Runs all stages of a plan over `rows` rows of the input columns. Throws std::bad_alloc, or an
   * input error if a kernel rejects a row. The outputs are valid until the next run.
   */
  void run(const Plan& plan, uint32_t rows) {
    scratch_.refusal = nullptr;
    const bool is_keeping = rows == 1 && !results_.empty();
    if (is_keeping) run_++;
    for (const PlacedStage& placed : plan.stages) {
      StageResults* results = is_keeping ? results_of(*placed.stage) : nullptr;
      if (results) {
        run_keeping(plan, placed, *results);
      } else {
        run_stage(plan, placed, scratch_, rows);
      }
    }
    check_refusal();
  }

  /** Runs a plan as `run` does, and adds the time of each stage to `nanoseconds`. */
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
    Column* shared = columns_.data() + plan.first_plan_slot;
    Column* own = columns_.data() + placed.first_slot;
    for (size_t at = 0; at < placed.inputs.size(); at++) own[stage.inputs[at]] = shared[placed.inputs[at]];
    const Bytes key = key_of(stage, own, key_, growth);
    if (!results.looks_at(key)) return run_stage(plan, placed, scratch_, 1);
    const uint64_t hash = hash_of(results, key);
    if (const KeptResult* found = results.find(hash, key, run_)) {
      for (size_t at = 0; at < placed.outputs.size(); at++) shared[placed.outputs[at]] = found->columns()[at];
      return;
    }
    run_stage(plan, placed, scratch_, 1);
    if (!scratch_.refusal) results.keep(hash, key, run_, stage, own);
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
  std::unordered_map<const Stage*, std::unique_ptr<StageResults>> results_;
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
