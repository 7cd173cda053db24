// A chunk: rows of one request that run through a plan together. It is the unit of work of
// executors. It owns a copy of its input and, until the submitting thread takes them, its answers.
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

/** Buffers beyond this size are freed after use, because inputs that large are rare. */
constexpr size_t kKeptBytes = 8 << 20;

struct ChunkInput {
  SlotBuffers buffers;
  Column column;
};

/**
 * One thread at a time owns a chunk: the submitter, a queue, an executor, the list of completed
 * chunks, and the submitter again. Each transfer happens under a lock. Only `is_cancelled` is
 * written by other threads.
 */
struct Chunk {
  Chunk* next = nullptr;  // link of its current list
  uint32_t ticket = 0;    // the submitter's number of the chunk
  uint32_t rows = 0;
  uint32_t next_stage = 0;
  std::shared_ptr<PlanQueue> queue;
  std::vector<ChunkInput> inputs;
  std::unique_ptr<PooledVectors> vectors;  // held from its first stage to its last
  bool vectors_grew = false;
  Buffer numbers;
  const char* refusal = nullptr;  // why a stage rejected a row
  uint32_t faulty_row = 0;
  double nanoseconds = 0;  // nanoseconds of its finished stages
  bool is_timed = false;
  std::vector<double> clock;  // of a timed chunk: nanoseconds of each stage
  ChunkEnd end = ChunkEnd::answered;
  bool is_done = false;  // for the submitter only: the chunk may be taken
  std::atomic<bool> is_cancelled{false};

  SlotBuffers& buffers(size_t input) { return inputs[input].buffers; }
  Column& column(size_t input) { return inputs[input].column; }

  size_t bytes() const {
    size_t sum = numbers.capacity();
    for (const ChunkInput& input : inputs) sum += input.buffers.offsets.capacity() + input.buffers.values.capacity();
    return sum;
  }
};

/** A first-in, first-out list through the chunks' links, so that no list ever allocates. */
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
