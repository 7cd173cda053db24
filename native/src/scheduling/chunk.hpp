// A chunk: rows of one request that run through a plan together. Executors run it as a unit. It
// owns a copy of its input, and its answers until the submitting thread takes them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "include/kernel.hpp"
#include "src/cached_stages.hpp"
#include "src/memory.hpp"
#include "src/scheduling/vector_pool.hpp"

namespace brezel {

struct PlanQueue;

enum class ChunkEnd : uint8_t { answered, refused, no_memory, cancelled };

/**
 * If the buffers of a chunk (its inputs and answers) have more bytes than this, they are freed
 * after use. Such large chunks are rare.
 */
constexpr size_t kKeptBytes = 8 << 20;

struct ChunkInput {
  SlotBuffers buffers;
  Column column;
};

/**
 * Rows in flight. One thread at a time owns a chunk: the submitter, a queue, an executor, the list
 * of completed chunks, and the submitter again. Each transfer happens under a lock. Other threads
 * write only `is_cancelled`.
 */
struct Chunk {
  Chunk* next = nullptr;  // the next chunk in the list that holds this chunk
  uint32_t ticket = 0;    // the number that the submitter gave to the chunk
  uint32_t rows = 0;
  uint32_t next_stage = 0;
  uint32_t answered = 0;  // the first rows that have answers, because a thread ran them in pieces
  std::shared_ptr<PlanQueue> queue;
  std::vector<ChunkInput> inputs;
  std::unique_ptr<PooledVectors> vectors;  // lent from the first stage to the last
  bool vectors_grew = false;
  PlanResults results;  // the caches of the plan's stages
  Buffer numbers;
  const char* refusal = nullptr;  // why a stage rejected a row
  uint32_t faulty_row = 0;
  double nanoseconds = 0;  // total time of the finished stages
  bool is_timed = false;
  std::vector<double> clock;  // the nanoseconds of each stage, if the chunk is timed
  ChunkEnd end = ChunkEnd::answered;
  bool is_done = false;  // only the submitter uses it: whether the chunk can be taken
  std::atomic<bool> is_cancelled{false};

  SlotBuffers& buffers(size_t input) { return inputs[input].buffers; }
  Column& column(size_t input) { return inputs[input].column; }

  size_t bytes() const {
    size_t sum = numbers.capacity();
    for (const ChunkInput& input : inputs) sum += input.buffers.offsets.capacity() + input.buffers.values.capacity();
    return sum;
  }
};

/**
 * A first-in, first-out list. It links chunks through their `next` member, so it never allocates.
 */
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
