// The state of one executor thread: its scratch and its pool. It lends pooled vectors to a chunk
// from the chunk's first stage to its last.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "include/kernel.hpp"
#include "src/cached_stages.hpp"
#include "src/memory.hpp"
#include "src/scheduling/chunk.hpp"
#include "src/scheduling/event_queues.hpp"
#include "src/scheduling/vector_pool.hpp"
#include "src/stage.hpp"

namespace brezel {

class Executor {
 public:
  explicit Executor(std::shared_ptr<EventQueues> group)
      : group_(std::move(group)), pool_(group_->limits, change_.vectors, group_->held) {
    scratch_.growth = &growth_;
  }
  Executor(const Executor&) = delete;

  bool is_of(const EventQueues& group) const { return group_.get() == &group; }

  using Time = EventQueues::Clock::time_point;

  /** The result of `run`: whether the chunk is finished, and the time at the end of the call. */
  struct Turn {
    bool is_over;
    Time end;
  };

  /**
   * Runs a chunk from stage to stage. `start` is the current time. If a chunk of higher priority
   * waits, the run stops between two stages; the unfinished chunk then still holds its pooled
   * vectors. A finished chunk has its answers, or the reason why it has none. Never throws.
   *
   * With `pause`, a chunk that has not started runs in pieces of a few rows. The run stops after
   * the first piece that ends at the time `pause` or later.
   */
  Turn run(Chunk& chunk, Time start, const Time* pause = nullptr) {
    const GrowthCounter before = growth_;
    bool is_over = true;
    try {
      is_over = pause && chunk.next_stage == 0 ? run_pieces(chunk, start, *pause) : run_stages(chunk);
    // std::bad_alloc, or std::length_error for a length that no container can have
    } catch (const std::exception&) {
      chunk.end = ChunkEnd::no_memory;
    }
    const auto end = EventQueues::Clock::now();
    chunk.nanoseconds += std::chrono::duration<double, std::nano>(end - start).count();
    change_.scratch_bytes += growth_.bytes - before.bytes;
    change_.grows += growth_.grows - before.grows;
    if (growth_.grows != before.grows) chunk.vectors_grew = true;
    if (is_over && chunk.vectors) take_back(chunk);
    return {is_over, end};
  }

  /** Returns the counts since the last report to the group. */
  GroupStats& change() { return change_; }

 private:
  /** Takes the pooled vectors of a chunk back. Reports the memory that an answered chunk needed. */
  void take_back(Chunk& chunk) {
    // after pieces, the buffers hold only the last piece
    const bool is_known = chunk.vectors_grew && chunk.end == ChunkEnd::answered && !chunk.answered;
    const size_t needed = is_known ? needed_bytes(chunk) : 0;
    pool_.take_back(std::move(chunk.vectors), chunk.queue->vectors, needed, chunk.vectors_grew);
    chunk.vectors_grew = false;
  }

  /**
   * Returns the bytes that an answered chunk needed for its slots. If stages have caches, returns
   * the bytes of all the plan's buffers. These buffers also hold copied inputs and outputs, and
   * which buffers a chunk fills depends on the rows in the caches.
   */
  static size_t needed_bytes(const Chunk& chunk) {
    const Plan& plan = *chunk.queue->plan;
    return chunk.results.empty() ? chunk.vectors->used(plan, chunk.rows) : chunk.vectors->bytes(plan);
  }

  static bool is_given_up(const Chunk& chunk) {
    return chunk.is_cancelled.load(std::memory_order_relaxed) ||
           chunk.queue->is_removed.load(std::memory_order_relaxed);
  }

  /** Runs the rows of a chunk that have no answers yet, from stage to stage. */
  bool run_stages(Chunk& chunk) {
    const Plan& plan = *chunk.queue->plan;
    const uint32_t rows = chunk.rows - chunk.answered;
    if (!chunk.vectors) begin(chunk, plan);
    if (chunk.next_stage == 0 && chunk.answered) copy_rows(chunk, plan, chunk.answered, rows);
    while (chunk.next_stage < plan.stages.size()) {
      if (is_given_up(chunk)) {
        chunk.end = ChunkEnd::cancelled;
        return true;
      }
      scratch_.refusal = nullptr;
      if (chunk.is_timed) {
        run_timed(chunk, plan, chunk.next_stage++, rows);
      } else {
        run_stage(chunk, plan, chunk.next_stage++, rows);
      }
      if (scratch_.refusal) chunk.refusal = scratch_.refusal;
      change_.events++;
      if (chunk.next_stage < plan.stages.size() && chunk.queue->group->has_more_urgent(chunk.queue->priority))
        return false;
    }
    finish(chunk, plan, rows);
    return true;
  }

  /**
   * Runs all stages on the next few rows of a chunk, then on the rows after them, until the time
   * `pause`. The calling thread may not work for longer. A stage over all rows of a chunk can take
   * milliseconds if its parameters are not in the processor's cache.
   */
  bool run_pieces(Chunk& chunk, Time now, Time pause) {
    const Plan& plan = *chunk.queue->plan;
    if (!chunk.vectors) begin(chunk, plan);
    uint32_t piece = kFirstPiece;
    while (true) {
      if (is_given_up(chunk)) {
        chunk.end = ChunkEnd::cancelled;
        return true;
      }
      const uint32_t rows = std::min(piece, chunk.rows - chunk.answered);
      run_piece(chunk, plan, rows);
      if (chunk.answered + rows == chunk.rows || chunk.refusal) {
        change_.events += plan.stages.size();
        finish(chunk, plan, rows);
        return true;
      }
      write_answers(chunk, plan, rows);
      chunk.answered += rows;
      const Time before = std::exchange(now, EventQueues::Clock::now());
      if (now >= pause || chunk.queue->group->has_more_urgent(chunk.queue->priority)) return false;
      // at most half of the time that is left, because rows differ
      const double per_row = static_cast<double>((now - before).count()) / rows + 1;
      const double most = static_cast<double>((pause - now).count()) / (2 * per_row);
      piece = static_cast<uint32_t>(std::clamp(most, 1.0, double{4} * rows));
    }
  }

  void run_piece(Chunk& chunk, const Plan& plan, uint32_t rows) {
    copy_rows(chunk, plan, chunk.answered, rows);
    for (uint32_t stage = 0; stage < plan.stages.size(); stage++) {
      scratch_.refusal = nullptr;
      if (chunk.is_timed) {
        run_timed(chunk, plan, stage, rows);
      } else {
        run_stage(chunk, plan, stage, rows);
      }
      if (scratch_.refusal) chunk.refusal = scratch_.refusal;
    }
  }

  void run_stage(Chunk& chunk, const Plan& plan, uint32_t stage, uint32_t rows) {
    const PlacedStage& placed = plan.stages[stage];
    StageResults* results = chunk.results.empty() ? nullptr : chunk.results[stage].get();
    if (results && results->cache().is_on) {
      cached_.run(*chunk.vectors, plan, placed, *results, scratch_, rows);
    } else {
      chunk.vectors->run_stage(plan, placed, scratch_, rows);
    }
  }

  [[gnu::noinline]] void run_timed(Chunk& chunk, const Plan& plan, uint32_t stage, uint32_t rows) {
    const auto start = EventQueues::Clock::now();
    chunk.vectors->run_stage(plan, plan.stages[stage], scratch_, rows);
    chunk.clock[stage] += std::chrono::duration<double, std::nano>(EventQueues::Clock::now() - start).count();
  }

  void begin(Chunk& chunk, const Plan& plan) {
    chunk.vectors = pool_.lend(plan, chunk.queue->vectors, growth_);
    for (size_t input = 0; input < plan.inputs.size(); input++)
      chunk.vectors->input_column(plan, input) = chunk.column(input);
  }

  /** Ends a chunk after the stages ran over its last `rows` rows. */
  void finish(Chunk& chunk, const Plan& plan, uint32_t rows) {
    if (chunk.refusal) {
      chunk.end = ChunkEnd::refused;
      find_faulty_row(chunk, plan);
      return;
    }
    write_answers(chunk, plan, rows);
    chunk.end = ChunkEnd::answered;
  }

  /** Copies the outputs of the rows that ran last. The first call makes room for all rows. */
  void write_answers(Chunk& chunk, const Plan& plan, uint32_t rows) {
    auto* out = chunk.numbers.reserve<double>(size_t{chunk.rows} * plan.width, growth_);
    chunk.vectors->write_outputs(plan, rows, out + size_t{chunk.answered} * plan.width);
  }

  /** Runs the rows one by one to find the first rejected row and the reason. */
  void find_faulty_row(Chunk& chunk, const Plan& plan) {
    for (uint32_t row = 0; row < chunk.rows; row++) {
      copy_rows(chunk, plan, row, 1);
      scratch_.refusal = nullptr;
      for (const PlacedStage& placed : plan.stages) chunk.vectors->run_stage(plan, placed, scratch_, 1);
      if (!scratch_.refusal) continue;
      chunk.refusal = scratch_.refusal;
      chunk.faulty_row = row;
      return;
    }
  }

  /**
   * Copies `rows` rows of the input into the chunk's pooled vectors, with the alignment and padding
   * of a block of rows. `first` is the index of the first of these rows in the chunk.
   */
  void copy_rows(Chunk& chunk, const Plan& plan, uint32_t first, uint32_t rows) {
    for (size_t input = 0; input < plan.inputs.size(); input++) {
      const PlanSlot& slot = plan.slots[plan.inputs[input]];
      if (!slot.is_typed) continue;
      const Column& all = chunk.column(input);
      SlotBuffers& buffers = chunk.vectors->input_buffers(plan, input);
      const bool has_offsets = is_bytes(slot.type.kind);
      const size_t texts = slot.type.offsets_of(rows);
      const uint32_t* ends = has_offsets ? all.offsets + slot.type.offsets_of(first) : nullptr;
      const size_t row_bytes = size_t{slot.type.size} * bytes_of(slot.type.dtype);
      const size_t from = has_offsets ? ends[0] : first * row_bytes;
      const size_t bytes = has_offsets ? ends[texts] - from : rows * row_bytes;
      auto* values = buffers.values.reserve<uint8_t>(bytes + kPadding, growth_);
      if (bytes) memcpy(values, all.bytes() + from, bytes);
      memset(values + bytes, 0, kPadding);
      auto* offsets = buffers.offsets.reserve<uint32_t>(texts + 1, growth_);
      for (size_t at = 0; has_offsets && at <= texts; at++) offsets[at] = ends[at] - ends[0];
      chunk.vectors->input_column(plan, input) = {has_offsets ? offsets : nullptr, nullptr, values};
    }
  }

  /**
   * Reports the executor's last counts to the group. The executor declares its `Farewell` before
   * its pool, so C++ destroys the `Farewell` after the pool. This order matters, because the
   * destructor of the pool still changes the counts.
   */
  struct Farewell {
    const std::shared_ptr<EventQueues>& group;
    GroupStats& change;
    ~Farewell() { group->take(change); }
  };

  /** The number of rows in the first piece, which measures the time of a row. */
  static constexpr uint32_t kFirstPiece = 4;

  const std::shared_ptr<EventQueues> group_;
  GrowthCounter growth_;
  Scratch scratch_;
  CachedStages cached_;
  GroupStats change_;
  const Farewell farewell_{group_, change_};
  VectorPool pool_;
};

}  // namespace brezel
