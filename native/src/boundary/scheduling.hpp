// Functions of the submitting thread: schedulers, the plans that executors run, and chunks of rows.
#pragma once

#include <node_api.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "include/kernel.hpp"
#include "src/boundary/predicting.hpp"
#include "src/boundary/resources.hpp"
#include "src/boundary/values.hpp"
#include "src/environment.hpp"
#include "src/memory.hpp"
#include "src/parameters.hpp"
#include "src/scheduling/chunk.hpp"
#include "src/scheduling/event_queues.hpp"
#include "src/scheduling/scheduler.hpp"
#include "src/scheduling/vector_pool.hpp"
#include "src/stage.hpp"

namespace brezel {

// ---- schedulers

/**
 * Calls the JavaScript function that wakes the submitting thread. Node deletes the function when
 * the environment ends, which may be before the scheduler ends.
 */
struct WakeUp {
  napi_threadsafe_function function;
  std::weak_ptr<Scheduler> scheduler;
};

/**
 * Reads the limits of the pooled vectors of each executor: their number in a size class, and the
 * bytes of all. A missing argument selects the default.
 */
inline VectorLimits read_limits(const Arguments& a, size_t at) {
  VectorLimits limits;
  const auto read = [&](napi_value value, double most, const char* what, double usual) {
    const double given = is_undefined(a, value) ? usual : read_number(a, value, what);
    Arguments::need(given >= 0 && given <= most && given == std::floor(given), what);
    return given;
  };
  limits.per_class = static_cast<uint32_t>(
      read(a.values[at], VectorLimits::kMost, "the vectors of a class are out of range", VectorLimits::kUsual));
  if (is_undefined(a, a.values[at + 1])) return limits;
  limits.max_bytes = static_cast<size_t>(read(a.values[at + 1], 1e15, "the bytes of vectors are out of range", 0));
  return limits;
}

/**
 * Creates a scheduler. The arguments are the function to call when chunks are finished, and the
 * limits of the pooled vectors of each executor.
 */
inline napi_value scheduler_create(Arguments& a) {
  const VectorLimits limits = read_limits(a, 1);
  napi_valuetype type;
  a.ok(napi_typeof(a.env, a.values[0], &type), "expected a function");
  Arguments::need(type == napi_function, "expected a function");
  auto wake_up = std::make_unique<WakeUp>();
  napi_value name;
  a.ok(napi_create_string_latin1(a.env, "brezel scheduler", NAPI_AUTO_LENGTH, &name), "value cannot be made");
  // When the environment ends, Node deletes the function. Other threads may still call it until
  // this callback returns, but not afterwards.
  const auto gone = [](napi_env, void* data, void*) {
    const std::unique_ptr<WakeUp> ended(static_cast<WakeUp*>(data));
    if (const std::shared_ptr<Scheduler> scheduler = ended->scheduler.lock()) scheduler->close();
  };
  WakeUp* data = wake_up.get();
  a.ok(napi_create_threadsafe_function(a.env, a.values[0], nullptr, name, 0, 1, data, gone, nullptr, nullptr,
                                       &data->function),
       "the scheduler cannot be made");
  wake_up.release();  // NOLINT: freed by `gone`
  napi_unref_threadsafe_function(a.env, data->function);
  const napi_threadsafe_function function = data->function;
  auto scheduler = std::make_shared<Scheduler>(
      [function] { napi_call_threadsafe_function(function, nullptr, napi_tsfn_nonblocking); }, limits);
  data->scheduler = scheduler;
  const uint64_t token = SchedulerTable::instance().add(scheduler);
  a.here.schedulers[token] = {std::move(scheduler), function, {}};
  return number(a, static_cast<double>(token));
}

/** Returns the scheduler if this thread created it; otherwise throws. */
inline OwnedScheduler& own_scheduler(Arguments& a) {
  const auto found = a.here.schedulers.find(read_whole(a, a.values[0]));
  Arguments::need(found != a.here.schedulers.end(), "no such scheduler of this thread", ErrorCode::handle);
  return found->second;
}

inline napi_value scheduler_close(Arguments& a) {
  const OwnedScheduler owned = std::move(own_scheduler(a));
  const uint64_t token = read_whole(a, a.values[0]);
  owned.scheduler->close();  // no thread calls the function after this line
  SchedulerTable::instance().remove(token);
  a.here.schedulers.erase(token);
  napi_release_threadsafe_function(owned.wake_up, napi_tsfn_abort);
  return nullptr;
}

/** Reads a Boolean argument. Undefined means false. */
inline bool read_flag(const Arguments& a, napi_value value) {
  bool flag = false;
  if (!is_undefined(a, value)) a.ok(napi_get_value_bool(a.env, value, &flag), "expected a boolean");
  return flag;
}

/** Sets whether the scheduler keeps the process alive while chunks run. */
inline napi_value scheduler_ref(Arguments& a) {
  const OwnedScheduler& owned = own_scheduler(a);
  const bool is_held = read_flag(a, a.values[1]);
  is_held ? napi_ref_threadsafe_function(a.env, owned.wake_up) : napi_unref_threadsafe_function(a.env, owned.wake_up);
  return nullptr;
}

/**
 * Creates a group of executors. The arguments are: scheduler, and the limits of the pooled vectors
 * of each executor.
 */
inline napi_value group_create(Arguments& a) {
  return number(a, own_scheduler(a).scheduler->add_group(read_limits(a, 1)));
}

inline napi_value group_close(Arguments& a) {
  OwnedScheduler& owned = own_scheduler(a);
  const auto group = static_cast<uint32_t>(read_whole(a, a.values[1]));
  Arguments::need(owned.scheduler->remove_group(group), "no such group", ErrorCode::handle);
  owned.helpers.erase(group);
  return nullptr;
}

inline std::shared_ptr<EventQueues> group_of(const Arguments& a, Scheduler& scheduler, napi_value value) {
  std::shared_ptr<EventQueues> group = scheduler.group(static_cast<uint32_t>(read_whole(a, value)));
  Arguments::need(group != nullptr, "no such group", ErrorCode::handle);
  return group;
}

inline napi_value group_waiting(Arguments& a) {
  return number(a, group_of(a, *own_scheduler(a).scheduler, a.values[1])->waiting());
}

/** Returns the number of executors that work for the group now. */
inline napi_value group_executors(Arguments& a) {
  return number(a, group_of(a, *own_scheduler(a).scheduler, a.values[1])->executors());
}

inline napi_value group_stats(Arguments& a) {
  const GroupStats stats = group_of(a, *own_scheduler(a).scheduler, a.values[1])->stats();
  return object_of(a, {{"events", stats.events},
                       {"chunks", stats.chunks},
                       {"rows", stats.rows},
                       {"preempted", stats.preempted},
                       {"parked", stats.parked},
                       {"waitingHigh", stats.waiting_high},
                       {"takenLow", stats.taken_low},
                       {"takenHigh", stats.taken_high},
                       {"scratchBytes", stats.scratch_bytes},
                       {"grows", stats.grows},
                       {"vectorsMade", stats.vectors.made},
                       {"vectorsRaised", stats.vectors.raised},
                       {"overflows", stats.vectors.overflow.times},
                       {"overflowBytes", stats.vectors.overflow.bytes},
                       {"released", stats.vectors.released.times},
                       {"releasedBytes", stats.vectors.released.bytes}});
}

/**
 * Writes three numbers for each size class: the bytes of one pooled vector, the number of pooled
 * vectors that the group and its executors have, and their bytes. The arguments are: scheduler,
 * group, out.
 */
inline napi_value group_vectors(Arguments& a) {
  const GroupStats stats = group_of(a, *own_scheduler(a).scheduler, a.values[1])->stats();
  double* out = read_out(a, a.values[2], size_t{3} * VectorClass::kCount);
  for (uint8_t number = 0; number < VectorClass::kCount; number++) {
    *out++ = static_cast<double>(VectorClass::bytes(number));
    *out++ = static_cast<double>(stats.vectors.held[number].vectors);
    *out++ = static_cast<double>(stats.vectors.held[number].bytes);
  }
  return nullptr;
}

inline napi_value scheduler_stats(Arguments& a) {
  const Scheduler& scheduler = *own_scheduler(a).scheduler;
  return object_of(a, {{"inputGrows", scheduler.growth.grows},
                       {"overflows", scheduler.overflow().times},
                       {"overflowBytes", scheduler.overflow().bytes}});
}

// ---- plans

/**
 * Lets the executors of a group run a plan. The arguments are: scheduler, plan, group, priority,
 * weight, nanoseconds per row, and the estimated bytes of sparse vectors per row.
 */
inline napi_value plan_schedule(Arguments& a) {
  Scheduler& scheduler = *own_scheduler(a).scheduler;
  const std::shared_ptr<Plan>* plan = a.here.plans.find(read_number(a, a.values[1], "the handle is not a number"));
  Arguments::need(plan, "stale plan handle", ErrorCode::handle);
  need_numeric(**plan);
  const double weight = read_number(a, a.values[4], "the weight is not a number");
  const double nanos_per_row = read_number(a, a.values[5], "the cost is not a number");
  const uint64_t priority = read_whole(a, a.values[3]);
  Arguments::need(priority < EventQueues::kPriorities, "priority is out of range");
  Arguments::need(weight >= 1e-3 && weight <= 1e3, "weight is out of range");
  Arguments::need(nanos_per_row >= 0 && nanos_per_row <= 1e15, "the cost is out of range");
  const double sparse_bytes =
      is_undefined(a, a.values[6]) ? 0 : read_number(a, a.values[6], "the bytes are not a number");
  Arguments::need(sparse_bytes >= 0 && sparse_bytes <= 1e15, "the bytes are out of range");
  const uint64_t queue = scheduler.add_plan(*plan, group_of(a, scheduler, a.values[2]),
                                            static_cast<uint32_t>(priority), weight, nanos_per_row, sparse_bytes);
  return number(a, static_cast<double>(queue));
}

inline napi_value plan_unschedule(Arguments& a) {
  const bool was_there = own_scheduler(a).scheduler->remove_plan(read_whole(a, a.values[1]));
  Arguments::need(was_there, "no such plan in the scheduler", ErrorCode::handle);
  return nullptr;
}

/**
 * Allocates pooled vectors for a plan, and holds them until its group is closed. Arguments:
 * scheduler, queue of the plan, and the number of pooled vectors.
 */
inline napi_value vectors_hold(Arguments& a) {
  const std::shared_ptr<PlanQueue> queue = own_scheduler(a).scheduler->plan_queue(read_whole(a, a.values[1]));
  Arguments::need(queue != nullptr, "no such plan in the scheduler", ErrorCode::handle);
  const uint64_t vectors = read_whole(a, a.values[2]);
  Arguments::need(vectors <= VectorLimits::kMost, "the number of vectors is out of range");
  queue->group->hold(*queue, static_cast<uint32_t>(vectors));
  return nullptr;
}

/**
 * Reads one byte of each page of the plan's parameters, and of the memory that kernels prepared
 * from them, so that the pages are in memory. Allocates the dense slots of the plan on the calling
 * thread. Returns the number of bytes of these parameters and this memory.
 */
inline napi_value plan_touch(Arguments& a) {
  constexpr size_t kPage = 4096;
  const std::shared_ptr<Plan> plan = plan_of(a);
  size_t bytes = 0;
  volatile uint8_t sink = 0;
  const auto touch = [&](const void* data, size_t length) {
    for (size_t at = 0; at < length; at += kPage) sink = static_cast<const uint8_t*>(data)[at];
    bytes += length;
  };
  for (const PlacedStage& placed : plan->stages) {
    for (const ParameterReference& held : placed.stage->parameters) touch(held.get()->data(), held.get()->bytes());
    for (const Call& call : placed.stage->calls) touch(call.prepared.data(), call.prepared.bytes());
  }
  a.here.context.reserve_dense(*plan, a.here.context.growth);
  return number(a, static_cast<double>(bytes));
}

// ---- chunks

constexpr uint32_t kMaxTickets = 1 << 20;

inline Chunk& chunk_of(Arguments& a, Scheduler& scheduler) {
  Chunk* chunk = scheduler.chunk(static_cast<uint32_t>(read_whole(a, a.values[1])));
  Arguments::need(chunk, "no such chunk", ErrorCode::handle);
  return *chunk;
}

/**
 * Copies rows into one chunk and submits it. The arguments are: scheduler, ticket, queue, columns,
 * first, end, total, and whether to time the stages. The chunk takes as many rows as it can, from
 * `first` up to `end`. Returns the number of copied rows.
 */
inline napi_value chunk_submit(Arguments& a) {
  const std::shared_ptr<Scheduler> scheduler = own_scheduler(a).scheduler;
  const uint64_t ticket = read_whole(a, a.values[1]);
  const std::shared_ptr<PlanQueue> queue = scheduler->plan_queue(read_whole(a, a.values[2]));
  Arguments::need(queue != nullptr, "no such plan in the scheduler", ErrorCode::handle);
  const Plan& plan = *queue->plan;
  const Predicting predicting(a.here);
  const std::vector<napi_value>& columns = read_columns(a, plan, a.values[3]);
  const uint32_t first = read_rows(a, a.values[4]), end = read_rows(a, a.values[5]), total = read_rows(a, a.values[6]);
  Arguments::need(first < end && end <= total, "there are no rows");
  Arguments::need(ticket < kMaxTickets, "the ticket is out of range");
  const bool is_timed = read_flag(a, a.values[7]);
  Chunk* chunk = scheduler->new_chunk(static_cast<uint32_t>(ticket), queue);
  Arguments::need(chunk, "the ticket is taken");
  const GrowthCounter before = a.here.context.growth;
  try {
    if (chunk->inputs.size() < columns.size()) chunk->inputs.resize(columns.size());
    chunk->rows = read_texts(a, plan, *chunk, columns, first, std::min(end - first, plan.block_rows));
    read_dense(a, plan, *chunk, columns, first, chunk->rows, total);
    if (is_timed) chunk->clock.assign(plan.stages.size(), 0);
    chunk->is_timed = is_timed;
    if (!is_timed) a.here.context.find_results(plan, chunk->results);
  } catch (...) {
    scheduler->recycle(chunk);
    throw;
  }
  // Count this growth as the chunk's growth, not as growth of this thread's scratch.
  scheduler->growth.bytes += a.here.context.growth.bytes - before.bytes;
  scheduler->growth.grows += a.here.context.growth.grows - before.grows;
  a.here.context.growth = before;
  const uint32_t rows = chunk->rows;
  Scheduler::submit(chunk);
  return number(a, rows);
}

inline napi_value chunk_cancel(Arguments& a) {
  Chunk& chunk = chunk_of(a, *own_scheduler(a).scheduler);
  chunk.is_cancelled.store(true, std::memory_order_relaxed);
  return nullptr;
}

/**
 * Returns the ticket of the next finished chunk, or -1. After -1, the next finished chunk wakes the
 * submitting thread.
 */
inline napi_value chunk_next(Arguments& a) {
  const Chunk* chunk = own_scheduler(a).scheduler->next_completed();
  return number(a, chunk ? static_cast<double>(chunk->ticket) : -1.0);
}

inline napi_value end_of(Arguments& a, const Chunk& chunk) {
  static constexpr const char* kNames[] = {"answered", "refused", "memory", "cancelled"};
  napi_value object, name;
  a.ok(napi_create_object(a.env, &object), "value cannot be made");
  a.ok(napi_create_string_latin1(a.env, kNames[static_cast<size_t>(chunk.end)], NAPI_AUTO_LENGTH, &name),
       "value cannot be made");
  set_property(a, object, "end", name);
  set_property(a, object, "row", number(a, chunk.faulty_row));
  if (chunk.refusal) {
    a.ok(napi_create_string_latin1(a.env, chunk.refusal, NAPI_AUTO_LENGTH, &name), "value cannot be made");
    set_property(a, object, "message", name);
  }
  return object;
}

/**
 * Copies the answers of a finished chunk and frees its ticket. The arguments are: scheduler,
 * ticket, out, and the array for the nanoseconds of each stage if the chunk was timed. Returns
 * undefined, or why the chunk has no answers.
 */
inline napi_value chunk_take(Arguments& a) {
  Scheduler& scheduler = *own_scheduler(a).scheduler;
  Chunk& chunk = chunk_of(a, scheduler);
  Arguments::need(chunk.is_done, "the chunk is not over");
  napi_value end = nullptr;
  if (chunk.end == ChunkEnd::answered) {
    const size_t numbers = size_t{chunk.rows} * chunk.queue->plan->width;
    double* out = read_out(a, a.values[2], numbers);
    const bool wants_clock = chunk.is_timed && !is_undefined(a, a.values[3]);
    double* clock = wants_clock ? read_out(a, a.values[3], chunk.queue->plan->stages.size()) : nullptr;
    if (numbers) memcpy(out, chunk.numbers.data<double>(), numbers * sizeof(double));
    if (clock) std::copy(chunk.clock.begin(), chunk.clock.begin() + chunk.queue->plan->stages.size(), clock);
  } else {
    end = end_of(a, chunk);
  }
  scheduler.recycle(&chunk);
  return end;
}

}  // namespace brezel
