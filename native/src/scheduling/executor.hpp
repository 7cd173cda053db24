// What one executor thread has of its own: scratch, and vectors that it lends to a chunk from its first stage to its last.
#pragma once

namespace brezel {

class Executor {
 public:
  Executor() { scratch_.growth = &growth_; }
  Executor(const Executor&) = delete;

  /** Whether a chunk is over, and what time it is. */
  struct Turn {
    bool is_over;
    EventQueues::Clock::time_point end;
  };

  /**
   * Runs a chunk, stage after stage, from `start` on, which is now. It is not over when it was left between two stages because
   * something more urgent waits: then it keeps its vectors. Its answers, or why it has none, are in the chunk. Never throws.
   */
  Turn run(Chunk& chunk, EventQueues::Clock::time_point start) {
    const GrowthCounter before = growth_;
    bool is_over = true;
    try {
      is_over = run_stages(chunk);
    } catch (const std::exception&) {  // bad_alloc, or a length no container can have
      chunk.end = ChunkEnd::no_memory;
    }
    const auto end = EventQueues::Clock::now();
    chunk.nanoseconds += std::chrono::duration<double, std::nano>(end - start).count();
    change_.scratch_bytes += growth_.bytes - before.bytes;
    change_.grows += growth_.grows - before.grows;
    if (is_over && chunk.vectors) take_back(std::move(chunk.vectors), *chunk.queue->plan);
    return {is_over, end};
  }

  /** What happened here since this was asked last. */
  GroupStats change() { return std::exchange(change_, {}); }

 private:
  std::unique_ptr<Vectors> lend() {
    if (spare_.empty()) return std::make_unique<Vectors>();
    std::unique_ptr<Vectors> vectors = std::move(spare_.back());
    spare_.pop_back();
    return vectors;
  }

  /** The chunk may have begun on another executor: vectors move with it, and their number stays that of begun chunks. */
  void take_back(std::unique_ptr<Vectors> vectors, const Plan& plan) {
    if (growth_.grows != grows_checked_) {
      grows_checked_ = growth_.grows;
      const size_t bytes = vectors->bytes();
      if (bytes > kKeptBytes && bytes > kKeptBytes + 2 * Vectors::dense_bytes(plan)) {
        change_.overflow.times++;
        change_.overflow.bytes += bytes;
        vectors.reset();
        return;
      }
    }
    try {
      spare_.push_back(std::move(vectors));
    } catch (const std::bad_alloc&) {  // then it is made again
    }
  }

  static bool is_given_up(const Chunk& chunk) {
    return chunk.is_cancelled.load(std::memory_order_relaxed) ||
           chunk.queue->is_removed.load(std::memory_order_relaxed);
  }

  bool run_stages(Chunk& chunk) {
    const Plan& plan = *chunk.queue->plan;
    if (!chunk.vectors) begin(chunk, plan);
    while (chunk.next_stage < plan.stages.size()) {
      if (is_given_up(chunk)) {
        chunk.end = ChunkEnd::cancelled;
        return true;
      }
      scratch_.refusal = nullptr;
      chunk.vectors->run_stage(plan, plan.stages[chunk.next_stage++], scratch_, chunk.rows);
      if (scratch_.refusal) chunk.refusal = scratch_.refusal;
      change_.events++;
      if (chunk.next_stage < plan.stages.size() && chunk.queue->group->has_more_urgent(chunk.queue->priority))
        return false;
    }
    finish(chunk, plan);
    return true;
  }

  void begin(Chunk& chunk, const Plan& plan) {
    chunk.vectors = lend();
    chunk.vectors->fit(plan);
    for (size_t input = 0; input < plan.inputs.size(); input++)
      chunk.vectors->input_column(plan, input) = chunk.column(input);
  }

  void finish(Chunk& chunk, const Plan& plan) {
    if (chunk.refusal) {
      chunk.end = ChunkEnd::refused;
      find_faulty_row(chunk, plan);
      return;
    }
    auto* out = chunk.numbers.reserve<double>(size_t{chunk.rows} * plan.width, growth_);
    chunk.vectors->write_outputs(plan, chunk.rows, out);
    chunk.end = ChunkEnd::answered;
  }

  /** The first row that is refused when it is alone, and why. */
  void find_faulty_row(Chunk& chunk, const Plan& plan) {
    for (uint32_t row = 0; row < chunk.rows; row++) {
      copy_row(chunk, plan, row);
      scratch_.refusal = nullptr;
      for (const PlacedStage& placed : plan.stages) chunk.vectors->run_stage(plan, placed, scratch_, 1);
      if (!scratch_.refusal) continue;
      chunk.refusal = scratch_.refusal;
      chunk.faulty_row = row;
      return;
    }
  }

  /** One row of the input into vectors, aligned and padded like a block of rows. */
  void copy_row(Chunk& chunk, const Plan& plan, uint32_t row) {
    for (size_t input = 0; input < plan.inputs.size(); input++) {
      const PlanSlot& slot = plan.slots[plan.inputs[input]];
      if (!slot.is_typed) continue;
      const Column& all = chunk.column(input);
      SlotBuffers& buffers = chunk.vectors->input_buffers(plan, input);
      const bool has_offsets = is_bytes(slot.type.kind);
      const size_t texts = slot.type.offsets_of(1);
      const uint32_t* ends = has_offsets ? all.offsets + row * texts : nullptr;
      const size_t row_bytes = size_t{slot.type.size} * bytes_of(slot.type.dtype);
      const size_t from = has_offsets ? ends[0] : row * row_bytes;
      const size_t bytes = has_offsets ? ends[texts] - from : row_bytes;
      auto* values = buffers.values.reserve<uint8_t>(bytes + kPadding, growth_);
      if (bytes) memcpy(values, all.bytes() + from, bytes);
      memset(values + bytes, 0, kPadding);
      auto* offsets = buffers.offsets.reserve<uint32_t>(texts + 1, growth_);
      for (size_t at = 0; has_offsets && at <= texts; at++) offsets[at] = ends[at] - ends[0];
      chunk.vectors->input_column(plan, input) = {has_offsets ? offsets : nullptr, nullptr, values};
    }
  }

  GrowthCounter growth_;
  Scratch scratch_;
  std::vector<std::unique_ptr<Vectors>> spare_;
  size_t grows_checked_ = 0;
  GroupStats change_;
};

}  // namespace brezel
