// The two queues of a group of executors (paper, section 4.2.1), for each priority. The low queue
// holds new chunks. The high queue holds started chunks. Executors take chunks from the high queue
// first, so that pooled vectors return early. Within one priority, the low queue shares time fairly
// among plans (stride scheduling): the next chunk comes from the plan with the smallest quotient of
// executor time and weight.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "src/scheduling/chunk.hpp"
#include "src/scheduling/vector_pool.hpp"
#include "src/stage.hpp"

namespace brezel {

class EventQueues;

/**
 * The new chunks of one plan. The group's mutex guards all members except constants and atomics.
 */
struct PlanQueue {
  PlanQueue(const Plan& of, double sparse_bytes_per_row) : vectors(foreseen_bytes(of, sparse_bytes_per_row)) {}

  std::shared_ptr<const Plan> plan;
  std::shared_ptr<EventQueues> group;
  uint32_t priority = 0;  // 0 is the highest priority
  double weight = 1;
  uint64_t number = 0;  // orders plans with equal `pass`
  PlanVectors vectors;
  std::atomic<bool> is_removed{false};

  ChunkList waiting;
  double pass = 0;  // executor time in nanoseconds, divided by weight
  double nanos_per_row = 0;
  bool is_active = false;  // whether the plan is in the heap of its priority
};

/** Counts of a group of executors since the group was created. */
struct GroupStats {
  size_t events = 0, chunks = 0, rows = 0, preempted = 0, parked = 0;
  size_t waiting_high = 0;             // chunks in the high queue now
  size_t taken_low = 0, taken_high = 0;  // chunks that executors took from each queue
  size_t scratch_bytes = 0, grows = 0;
  VectorCounts vectors;

  /** Adds the counts of one executor since its last report, and resets the executor's counts. */
  void take(GroupStats& change) {
    events += std::exchange(change.events, 0);
    scratch_bytes += std::exchange(change.scratch_bytes, 0);
    grows += std::exchange(change.grows, 0);
    if (change.vectors.is_any) vectors.add(std::exchange(change.vectors, {}));
  }
};

class EventQueues {
 public:
  static constexpr uint32_t kPriorities = 3;
  using Clock = std::chrono::steady_clock;

  explicit EventQueues(VectorLimits of, bool reserved = false) : limits(of), is_reserved(reserved) {}

  /** The limits of the pooled vectors of each executor. */
  const VectorLimits limits;
  /** Whether the executors of the group are reserved for one plan. */
  const bool is_reserved;
  /** The pooled vectors that the group holds for its executors. Empty without a reservation. */
  HeldVectors held;

  /**
   * Allocates pooled vectors for a plan, and holds them until the group ends. Throws
   * std::bad_alloc.
   */
  void hold(const PlanQueue& queue, uint32_t vectors) {
    const uint8_t number = queue.vectors.size_class();
    for (uint32_t at = 0; at < vectors; at++) {
      GroupStats change;
      GrowthCounter growth;
      held.add(VectorPool::make(*queue.plan, number, growth, change.vectors));
      change.scratch_bytes = growth.bytes;
      change.grows = growth.grows;
      take(change);
    }
  }

  void submit(Chunk* chunk) {
    {
      const std::lock_guard lock(mutex_);
      PlanQueue& queue = *chunk->queue;
      queue.waiting.push(chunk);
      if (!queue.is_active) activate(queue);
      count_of(queue).fetch_add(1, std::memory_order_relaxed);
      if (!parked_) return;
    }
    wake_.notify_one();
  }

  /**
   * Returns a started chunk to the high queue. With `is_preempted`, a chunk of higher priority
   * waits. Otherwise the time of the thread is up, and another thread may continue.
   */
  void put_back(Chunk* chunk, bool is_preempted) {
    {
      const std::lock_guard lock(mutex_);
      levels_[chunk->queue->priority].started.push(chunk);
      stats_.waiting_high++;
      count_of(*chunk->queue).fetch_add(1, std::memory_order_relaxed);
      if (is_preempted) stats_.preempted++;
      if (!parked_) return;
    }
    wake_.notify_one();
  }

  /**
   * Returns whether a chunk of higher priority waits. The answer is a hint, because it is read
   * without a lock.
   */
  bool has_more_urgent(uint32_t priority) const {
    for (uint32_t level = 0; level < priority; level++)
      if (levels_[level].waiting.load(std::memory_order_relaxed)) return true;
    return false;
  }

  /**
   * The result of `take`: a chunk, or nullptr if none arrived in time, and whether the executor had
   * to wait.
   */
  struct Taken {
    Chunk* chunk;
    bool has_waited;
  };

  /** Takes the next chunk. Waits at most `patience` for it. */
  Taken take(Clock::duration patience) {
    const bool may_wait = patience > Clock::duration::zero();
    const bool has_spun = may_wait && !waiting() && spin();
    std::unique_lock lock(mutex_);
    Chunk* chunk = pop();
    if (chunk || is_closed_ || !may_wait) return {chunk, has_spun};
    parked_++;
    stats_.parked++;
    wake_.wait_for(lock, patience);
    parked_--;
    return {pop(), true};
  }

  /** Counts an executor that enters the group. `leave` subtracts it. */
  void enter() { executors_.fetch_add(1, std::memory_order_relaxed); }
  void leave() { executors_.fetch_sub(1, std::memory_order_relaxed); }
  uint32_t executors() const { return executors_.load(std::memory_order_relaxed); }

  /** Records a finished chunk. `change` holds the counts of the executor that ran it. */
  void finished(const Chunk& chunk, GroupStats& change) {
    constexpr double kKept = 0.75;  // the weight of the old estimate when the estimate is updated
    const std::lock_guard lock(mutex_);
    PlanQueue& queue = *chunk.queue;
    if (chunk.end == ChunkEnd::answered && chunk.rows) {
      const double nanos_per_row = chunk.nanoseconds / chunk.rows;
      queue.nanos_per_row = kKept * queue.nanos_per_row + (1 - kKept) * nanos_per_row;
    }
    stats_.chunks++;
    stats_.rows += chunk.rows;
    stats_.take(change);
  }

  /** Adds the last counts of an executor that leaves the group to the group's counts. */
  void take(GroupStats& change) {
    const std::lock_guard lock(mutex_);
    stats_.take(change);
  }

  /** Removes a plan and calls `end` with each of its waiting chunks. */
  template <class End>
  void remove(PlanQueue& queue, End end) {
    ChunkList gone;
    {
      const std::lock_guard lock(mutex_);
      queue.is_removed.store(true, std::memory_order_relaxed);
      while (Chunk* chunk = queue.waiting.pop()) {
        count_of(queue).fetch_sub(1, std::memory_order_relaxed);
        gone.push(chunk);
      }
      if (queue.is_active) deactivate(queue);
    }
    while (Chunk* chunk = gone.pop()) end(chunk);
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
    }
    wake_.notify_all();
  }

  bool is_closed() {
    const std::lock_guard lock(mutex_);
    return is_closed_;
  }

  /** Returns the number of chunks that wait for an executor. */
  uint32_t waiting() const {
    uint32_t sum = 0;
    for (const Level& level : levels_) sum += level.waiting.load(std::memory_order_relaxed);
    return sum;
  }

  GroupStats stats() {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  struct Level {
    ChunkList started;               // the high queue
    // the low queue: a heap of the plans with waiting chunks, ordered by `pass`
    std::vector<PlanQueue*> active;
    double now = 0;  // `pass` of the plan whose chunk was taken last
    std::atomic<uint32_t> waiting{0};
  };

  static bool is_later(const PlanQueue* a, const PlanQueue* b) {
    return a->pass != b->pass ? a->pass > b->pass : a->number > b->number;
  }

  std::atomic<uint32_t>& count_of(const PlanQueue& queue) { return levels_[queue.priority].waiting; }

  /**
   * Adds a plan that has new chunks to the heap. The plan gets no credit for the time when it had
   * no chunks.
   */
  void activate(PlanQueue& queue) {
    Level& level = levels_[queue.priority];
    level.active.push_back(&queue);
    queue.pass = std::max(queue.pass, level.now);
    queue.is_active = true;
    std::push_heap(level.active.begin(), level.active.end(), is_later);
  }

  void deactivate(PlanQueue& queue) {
    std::vector<PlanQueue*>& active = levels_[queue.priority].active;
    active.erase(std::find(active.begin(), active.end(), &queue));
    queue.is_active = false;
    std::make_heap(active.begin(), active.end(), is_later);
  }

  /**
   * Spins for a short time before the thread sleeps, because waking a thread costs more. It spins
   * only if a core is free. Returns whether it waited.
   */
  bool spin() const {
    constexpr std::chrono::microseconds kSpin{10};
    static const uint32_t cores = std::thread::hardware_concurrency();
    if (executors() >= cores) return false;
    const auto end = Clock::now() + kSpin;
    while (!waiting() && Clock::now() < end) pause_core();
    return true;
  }

  static void pause_core() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  Chunk* pop() {
    if (is_closed_) return nullptr;
    for (Level& level : levels_) {
      Chunk* chunk = level.started.pop();
      if (chunk) {
        stats_.waiting_high--;
        stats_.taken_high++;
      } else if (!level.active.empty()) {
        chunk = pop_low(level);
        stats_.taken_low++;
      }
      if (!chunk) continue;
      level.waiting.fetch_sub(1, std::memory_order_relaxed);
      return chunk;
    }
    return nullptr;
  }

  Chunk* pop_low(Level& level) {
    std::pop_heap(level.active.begin(), level.active.end(), is_later);
    PlanQueue& queue = *level.active.back();
    Chunk* chunk = queue.waiting.pop();
    level.now = queue.pass;
    queue.pass += std::max(1.0, queue.nanos_per_row * chunk->rows) / queue.weight;
    if (queue.waiting.is_empty()) {
      level.active.pop_back();
      queue.is_active = false;
    } else {
      std::push_heap(level.active.begin(), level.active.end(), is_later);
    }
    return chunk;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::array<Level, kPriorities> levels_;
  std::atomic<uint32_t> executors_{0};
  uint32_t parked_ = 0;
  bool is_closed_ = false;
  GroupStats stats_;
};

}  // namespace brezel
