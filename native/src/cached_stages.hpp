// Runs stages whose results are cached, over blocks of rows: looks up the rows of a block together,
// runs the stage on the other rows, and joins both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "include/kernel.hpp"
#include "src/memory.hpp"
#include "src/plan_buffers.hpp"
#include "src/row_bytes.hpp"
#include "src/stage.hpp"
#include "src/stage_results.hpp"

namespace brezel {

/**
 * The references of a chunk to the caches of its plan's stages. `get()` is nullptr for a stage
 * without a cache. Empty if no stage has one.
 */
using PlanResults = std::vector<SharedResults>;

/** Runs cached stages on one thread. */
class CachedStages {
 public:
  /**
   * Runs a stage over a block of rows. Afterwards, the plan slots hold the outputs of all rows, as
   * after `run_stage`. Throws std::bad_alloc.
   */
  void run(PlanBuffers& buffers, const Plan& plan, const PlacedStage& placed, StageResults& results,
           Scratch& scratch, uint32_t rows) {
    buffers.take_inputs(plan, placed);
    const Found found{lookups_, evicted_, rows};
    const size_t hits = look_up(*placed.stage, buffers.columns_of(placed), results, rows, *scratch.growth);
    // If only a few rows are cached, gathering the missing rows costs more than it saves.
    const bool runs_all = hits * kLeastShare < rows;
    fill_missing(runs_all, rows);
    if (!runs_all) gather(buffers, placed, *scratch.growth);
    if (!missing_.empty()) {
      buffers.run_calls(placed, scratch, static_cast<uint32_t>(missing_.size()));
      if (scratch.refusal) {
        // later stages still run, and need outputs of all rows
        return buffers.run_stage(plan, placed, scratch, rows);
      }
      store(*placed.stage, buffers.columns_of(placed), results);
    }
    if (runs_all) {
      buffers.give_outputs(plan, placed);
    } else {
      join(buffers, plan, placed, rows, *scratch.growth);
    }
  }

  /** Frees the memory of lookups. */
  void release() { *this = CachedStages(); }

 private:
  // the stage runs on all rows if fewer than one row in kLeastShare is cached
  static constexpr size_t kLeastShare = 8;

  /**
   * Releases the results that a run found, even if the run throws. This frees the results that the
   * cache has evicted in the meantime.
   */
  struct Found {
    std::vector<Lookup>& lookups;
    std::vector<ResultReference>& evicted;
    const size_t rows;
    ~Found() {
      for (Lookup& lookup : std::span(lookups).first(std::min(rows, lookups.size()))) lookup.found.reset();
      evicted.clear();
    }
  };

  /** Looks up all rows, and returns the number of cached rows. */
  size_t look_up(const Stage& stage, const Column* columns, StageResults& results, uint32_t rows,
                 GrowthCounter& growth) {
    if (lookups_.size() < rows) lookups_.resize(rows);
    const std::span lookups = std::span(lookups_).first(rows);
    read_keys(stage, columns, lookups, growth);
    bool is_any = false;
    for (Lookup& lookup : lookups) {
      lookup.is_looked_up = results.looks_at(lookup.key);
      if (lookup.is_looked_up) lookup.hash = results.hash_of(lookup.key);
      is_any |= lookup.is_looked_up;
      lookup.found.reset();
    }
    if (is_any) results.find(lookups);
    size_t hits = 0;
    for (const Lookup& lookup : lookups) hits += lookup.found != nullptr;
    return hits;
  }

  void read_keys(const Stage& stage, const Column* columns, std::span<Lookup> lookups, GrowthCounter& growth) {
    if (!is_key_copied(stage)) {
      const uint32_t slot = stage.inputs[0];
      for (uint32_t row = 0; row < lookups.size(); row++)
        lookups[row].key = values_of(stage.slots[slot], columns[slot], row);
      return;
    }
    size_t used = 0;
    for (uint32_t row = 0; row < lookups.size(); row++) {
      const size_t end = append_key(stage, columns, row, keys_, used, growth);
      lookups[row].key.count = end - used;
      used = end;
    }
    // the buffer may have moved while it grew
    const auto* next = keys_.data<uint8_t>();
    for (Lookup& lookup : lookups) {
      lookup.key.data = next;
      next += lookup.key.count;
    }
  }

  /** Lists the rows on which the stage runs. */
  void fill_missing(bool runs_all, uint32_t rows) {
    missing_.clear();
    for (uint32_t row = 0; row < rows; row++)
      if (runs_all || !lookups_[row].found) missing_.push_back(row);
  }

  /** Copies the inputs of the missing rows to the front of the stage's input slots. */
  void gather(PlanBuffers& buffers, const PlacedStage& placed, GrowthCounter& growth) {
    const Stage& stage = *placed.stage;
    Column* own = buffers.columns_of(placed);
    const auto count = static_cast<uint32_t>(missing_.size());
    for (const uint32_t slot : stage.inputs) {
      const Column all = own[slot];
      const auto row_at = [&](uint32_t at) { return RowOf{&all, missing_[at]}; };
      own[slot] = join_rows(stage.slots[slot], row_at, count, buffers.buffers_of(placed)[slot], growth);
    }
  }

  /** Stores the results that the stage has just computed. If memory runs out, stores nothing. */
  void store(const Stage& stage, const Column* columns, StageResults& results) {
    if (results.is_rare()) return;
    try {
      added_.clear();
      for (uint32_t at = 0; at < missing_.size(); at++) {
        const Lookup& lookup = lookups_[missing_[at]];
        if (lookup.is_looked_up && !lookup.found) added_.push_back(results.copy(lookup, stage, columns, at));
      }
      results.keep(added_, evicted_);
    } catch (const std::bad_alloc&) {
    }
    added_.clear();
  }

  /** Joins cached results and new results to the outputs of the block. */
  void join(PlanBuffers& buffers, const Plan& plan, const PlacedStage& placed, uint32_t rows, GrowthCounter& growth) {
    const Stage& stage = *placed.stage;
    const Column* own = buffers.columns_of(placed);
    for (size_t at = 0; at < placed.outputs.size(); at++) {
      const uint32_t slot = stage.outputs[at];
      uint32_t next = 0;
      const auto row_at = [&](uint32_t row) {
        if (row == 0) next = 0;  // join_rows reads the rows several times, in order
        if (const ResultReference& found = lookups_[row].found) return RowOf{&found->columns()[at], 0};
        return RowOf{&own[slot], next++};
      };
      buffers.plan_column(plan, placed.outputs[at]) =
          join_rows(stage.slots[slot], row_at, rows, buffers.plan_buffers(plan, placed.outputs[at]), growth);
    }
  }

  std::vector<Lookup> lookups_;
  std::vector<uint32_t> missing_;
  std::vector<ResultReference> added_;
  std::vector<ResultReference> evicted_;  // until the end of a run, which may read them
  Buffer keys_;
};

}  // namespace brezel
