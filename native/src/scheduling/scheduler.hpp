// The scheduler of one runtime: groups of executors, their plans, and the chunks in flight. It does
// not use N-API. One thread submits; any number of threads execute.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/memory.hpp"
#include "src/scheduling/chunk.hpp"
#include "src/scheduling/event_queues.hpp"
#include "src/scheduling/executor.hpp"
#include "src/scheduling/vector_pool.hpp"
#include "src/stage.hpp"

namespace brezel {

enum class LeaseEnd { idle, time_is_up, closed };

/**
 * The limits of one lease: how long an executor works, and how long it waits for chunks. With
 * `pauses`, it also stops inside a chunk when its time is up.
 */
struct LeaseLimits {
  EventQueues::Clock::duration run, linger;
  bool pauses = false;
};

class Scheduler {
 public:
  /**
   * Creates a scheduler. It calls `signal` when a chunk has completed, usually on the thread of an
   * executor. The next call happens only after the submitter has taken all completed chunks.
   */
  explicit Scheduler(std::function<void()> signal, VectorLimits limits = {}) : signal_(std::move(signal)) {
    groups_[0] = std::make_shared<EventQueues>(limits);
  }

  // ---- the submitting thread

  /** Adds a group for the reserved executors of one plan. */
  uint32_t add_group(VectorLimits limits = {}) {
    const uint32_t number = next_group_;
    const std::shared_ptr<EventQueues> group = std::make_shared<EventQueues>(limits, true);
    const std::lock_guard lock(groups_mutex_);
    groups_[number] = group;
    return next_group_++;
  }

  /** Removes a group. Its executors end their leases. */
  bool remove_group(uint32_t number) {
    const std::shared_ptr<EventQueues> group = this->group(number);
    if (!group || number == 0) return false;
    group->close();
    const std::lock_guard lock(groups_mutex_);
    groups_.erase(number);
    return true;
  }

  /**
   * Adds a plan to a group.
   * @param sparse_bytes_per_row estimated bytes of slots that are not dense; 0 without an estimate.
   */
  uint64_t add_plan(std::shared_ptr<const Plan> plan, std::shared_ptr<EventQueues> group, uint32_t priority,
                    double weight, double nanos_per_row, double sparse_bytes_per_row = 0) {
    auto queue = std::make_shared<PlanQueue>(*plan, sparse_bytes_per_row);
    queue->plan = std::move(plan);
    queue->group = std::move(group);
    queue->priority = priority;
    queue->weight = weight;
    queue->nanos_per_row = nanos_per_row;
    queue->number = next_queue_;
    queues_[next_queue_] = std::move(queue);
    return next_queue_++;
  }

  std::shared_ptr<PlanQueue> plan_queue(uint64_t number) const {
    const auto found = queues_.find(number);
    return found == queues_.end() ? nullptr : found->second;
  }

  /**
   * Removes a plan. Cancels its waiting chunks immediately, and its running chunks after their
   * current stage.
   */
  bool remove_plan(uint64_t number) {
    const std::shared_ptr<PlanQueue> queue = plan_queue(number);
    if (!queue) return false;
    queue->group->remove(*queue, [this](Chunk* chunk) {
      chunk->end = ChunkEnd::cancelled;
      complete(chunk);
    });
    queues_.erase(number);
    return true;
  }

  /**
   * Returns a chunk for the submitter to fill, or nullptr if the ticket is in use. It reuses spare
   * chunks first, because their buffers already have the right size.
   */
  Chunk* new_chunk(uint32_t ticket, std::shared_ptr<PlanQueue> queue) {
    if (ticket >= by_ticket_.size()) by_ticket_.resize(ticket + 1);
    if (by_ticket_[ticket]) return nullptr;
    if (spare_.is_empty()) {
      auto made = std::make_unique<Chunk>();
      spare_.push(made.get());
      chunks_.push_back(std::move(made));
    }
    Chunk* chunk = spare_.pop();
    chunk->ticket = ticket;
    chunk->rows = chunk->next_stage = chunk->answered = chunk->faulty_row = 0;
    chunk->refusal = nullptr;
    chunk->nanoseconds = 0;
    chunk->is_timed = false;
    chunk->end = ChunkEnd::answered;
    chunk->is_done = false;
    chunk->is_cancelled.store(false, std::memory_order_relaxed);
    chunk->queue = std::move(queue);
    return by_ticket_[ticket] = chunk;
  }

  static void submit(Chunk* chunk) { chunk->queue->group->submit(chunk); }

  Chunk* chunk(uint32_t ticket) const { return ticket < by_ticket_.size() ? by_ticket_[ticket] : nullptr; }

  /**
   * Returns the next finished chunk, or nullptr. Chunks of reserved executors and of the highest
   * priority come first. After nullptr, the next finished chunk calls `signal`.
   */
  Chunk* next_completed() {
    const std::lock_guard lock(completed_mutex_);
    Chunk* chunk = completed_urgent_.pop();
    if (!chunk) chunk = completed_.pop();
    if (chunk) {
      chunk->is_done = true;
    } else {
      is_signalled_ = false;
    }
    return chunk;
  }

  /** Returns a chunk to the spare chunks for reuse. */
  void recycle(Chunk* chunk) {
    by_ticket_[chunk->ticket] = nullptr;
    chunk->queue.reset();
    chunk->results.clear();
    if (const size_t bytes = chunk->bytes(); bytes > kKeptBytes) {
      overflow_.times++;
      overflow_.bytes += bytes;
      chunk->inputs.clear();
      chunk->numbers = Buffer();
    }
    spare_.push(chunk);
  }

  GrowthCounter growth;  // counts the growth of the chunks' input buffers
  const Overflow& overflow() const { return overflow_; }

  // ---- any thread

  std::shared_ptr<EventQueues> group(uint32_t number) {
    const std::lock_guard lock(groups_mutex_);
    const auto found = groups_.find(number);
    return found == groups_.end() ? nullptr : found->second;
  }

  /** Ends every lease. After `close` returns, `signal` is not running and is not called again. */
  void close() {
    {
      const std::lock_guard lock(signal_mutex_);
      signal_ = nullptr;
    }
    const std::lock_guard lock(groups_mutex_);
    for (const auto& [number, group] : groups_) group->close();
    groups_.clear();
  }

  /**
   * Runs a lease until its time is up, or until no chunk arrived for `linger`. One wait takes at
   * most 50 ms; the lease waits several times if necessary.
   */
  LeaseEnd run(EventQueues& group, Executor& executor, LeaseLimits limits) {
    group.enter();
    const LeaseEnd end = run_until(group, executor, limits);
    group.leave();
    return end;
  }

 private:
  LeaseEnd run_until(EventQueues& group, Executor& executor, LeaseLimits limits) {
    constexpr EventQueues::Clock::duration kLongestPark = std::chrono::milliseconds(50);
    // The clock is read once for each chunk. Five reads would take half as long as a small stage.
    auto now = EventQueues::Clock::now();
    const auto end = now + limits.run;
    auto idle_at = now + limits.linger;
    while (now < end) {
      auto [chunk, has_waited] = group.take(std::min({kLongestPark, end - now, idle_at - now}));
      if (has_waited) now = EventQueues::Clock::now();
      if (chunk) {
        now = work(group, executor, chunk, now, limits.pauses ? &end : nullptr);
        idle_at = now + limits.linger;
      } else if (group.is_closed()) {
        return LeaseEnd::closed;
      } else if (now >= idle_at) {
        return LeaseEnd::idle;
      }
    }
    return LeaseEnd::time_is_up;
  }

  /** Runs one chunk. Returns the time at its end. */
  EventQueues::Clock::time_point work(EventQueues& group, Executor& executor, Chunk* chunk,
                                      EventQueues::Clock::time_point now,
                                      const EventQueues::Clock::time_point* pause) {
    const auto [is_over, after] = executor.run(*chunk, now, pause);
    if (is_over) {
      group.finished(*chunk, executor.change());
      complete(chunk);
    } else {
      group.put_back(chunk, group.has_more_urgent(chunk->queue->priority));
    }
    return after;
  }

  /**
   * Adds a chunk to the completed chunks. Many completions cause one wake-up. The wake-up happens
   * after the list is unlocked: the woken submitter may take the core of this thread, and would
   * otherwise wait until this thread runs again and unlocks the list.
   */
  void complete(Chunk* chunk) {
    {
      const std::lock_guard lock(completed_mutex_);
      const PlanQueue& queue = *chunk->queue;
      (queue.priority == 0 || queue.group->is_reserved ? completed_urgent_ : completed_).push(chunk);
      if (std::exchange(is_signalled_, true)) return;
    }
    const std::lock_guard lock(signal_mutex_);
    if (signal_) signal_();
  }

  std::mutex groups_mutex_;
  std::unordered_map<uint32_t, std::shared_ptr<EventQueues>> groups_;
  uint32_t next_group_ = 1;

  std::mutex completed_mutex_;
  ChunkList completed_urgent_, completed_;
  bool is_signalled_ = false;
  std::mutex signal_mutex_;
  std::function<void()> signal_;

  // Only the submitting thread uses these members.
  std::unordered_map<uint64_t, std::shared_ptr<PlanQueue>> queues_;
  uint64_t next_queue_ = 1;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Chunk*> by_ticket_;
  ChunkList spare_;
  Overflow overflow_;
};

/**
 * Finds the schedulers of the process by number, so that executors of other threads can use them.
 */
class SchedulerTable {
 public:
  /**
   * Returns the table. It is never destroyed, because threads of an exiting process may still use
   * it.
   */
  static SchedulerTable& instance() {
    static SchedulerTable* table = new SchedulerTable();
    return *table;
  }
  uint64_t add(std::shared_ptr<Scheduler> scheduler) {
    const std::lock_guard lock(mutex_);
    schedulers_[next_] = std::move(scheduler);
    return next_++;
  }
  std::shared_ptr<Scheduler> find(uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = schedulers_.find(number);
    return found == schedulers_.end() ? nullptr : found->second;
  }
  void remove(uint64_t number) {
    const std::lock_guard lock(mutex_);
    schedulers_.erase(number);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<Scheduler>> schedulers_;
  uint64_t next_ = 1;
};

}  // namespace brezel
