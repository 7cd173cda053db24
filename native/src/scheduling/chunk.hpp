// A chunk: rows of one request that run through a plan together, the unit that executors work on.
// It carries its own input, copied when it was submitted, and its answers, until the submitting
// thread takes them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "include/kernel.hpp"
#include "src/memory.hpp"
#include "src/scheduling/vector_pool.hpp"

namespace brezel {

struct PlanQueue;

enum class ChunkEnd : uint8_t { answered, refused, no_memory, cancelled };

/**
 * Buffers beyond this are given back after use instead of being kept for the next chunk: inputs far
 * larger than usual.
 */
constexpr size_t kKeptBytes = 8 << 20;

struct ChunkInput {
  SlotBuffers buffers;
  Column column;
};

/**
 * Belongs to one thread at a time: the submitter until it is submitted, a queue, an executor, the
 * list of completed ones, and the submitter again. Each hand-over is under a lock; only
 * `is_cancelled` is written across.
 */
struct Chunk {
  Chunk* next = nullptr;  // in the list it is in
  uint32_t ticket = 0;    // what the submitter knows it by
  uint32_t rows = 0;
  uint32_t next_stage = 0;
  std::shared_ptr<PlanQueue> queue;
  std::vector<ChunkInput> inputs;
  std::unique_ptr<PooledVectors> vectors;  // from its first stage to its last
  bool vectors_grew = false;
  Buffer numbers;
  const char* refusal = nullptr;  // why a stage refused some row
  uint32_t faulty_row = 0;
  double nanoseconds = 0;  // of its stages so far
  bool is_timed = false;
  std::vector<double> clock;  // of a chunk that is timed: nanoseconds of each stage
  ChunkEnd end = ChunkEnd::answered;
  bool is_done = false;  // the submitter's own: it may be taken
  std::atomic<bool> is_cancelled{false};

  SlotBuffers& buffers(size_t input) { return inputs[input].buffers; }
  Column& column(size_t input) { return inputs[input].column; }

  size_t bytes() const {
    size_t sum = numbers.capacity();
    for (const ChunkInput& input : inputs) sum += input.buffers.offsets.capacity() + input.buffers.values.capacity();
    return sum;
  }
};

/** First in, first out; through the chunks' own links, so that no list ever allocates. */
class ChunkList {
 public:
  bool is_empty() const { return !first_; }
  void push(Chunk* chunk) {
    chunk->next = nullptr;
    (first_ ? last_->next : first_) = chunk;
    last_ = chunk;
  }
  Chunk* pop() {
    Chunk* chunk = first_;
    if (chunk) first_ = chunk->next;
    return chunk;
  }

 private:
  Chunk *first_ = nullptr, *last_ = nullptr;
};

}  // namespace brezel
