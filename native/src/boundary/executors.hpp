// Functions that run a thread as an executor, with its priority and its CPUs.
#pragma once

#include <node_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#endif

#include "src/boundary/values.hpp"
#include "src/environment.hpp"
#include "src/scheduling/event_queues.hpp"
#include "src/scheduling/executor.hpp"
#include "src/scheduling/scheduler.hpp"

namespace brezel {

/**
 * Returns this thread's executor for a group, and creates it if necessary. The submitting thread
 * has one executor for each of its groups, until the group is closed. Any other thread has one
 * executor: when it serves another group, a new executor replaces the old one.
 */
inline Executor& executor_here(Arguments& a, uint64_t token, uint32_t number,
                               const std::shared_ptr<EventQueues>& group) {
  const auto own = a.here.schedulers.find(token);
  std::unique_ptr<Executor>& here = own == a.here.schedulers.end() ? a.here.executor : own->second.helpers[number];
  if (!here || !here->is_of(*group)) here = std::make_unique<Executor>(group);
  return *here;
}

/**
 * Lowers the priority of the calling thread by `nice`, once. Linux only: setpriority of other
 * systems applies to the whole process.
 */
inline void lower_priority(int nice) {
#if defined(__linux__)
  thread_local bool is_lowered = false;
  if (nice == 0 || is_lowered) return;
  is_lowered = true;
  const auto thread = static_cast<id_t>(syscall(SYS_gettid));
  errno = 0;
  const int current = getpriority(PRIO_PROCESS, thread);
  // a process may always lower its priority; an error leaves it as it is
  if (errno == 0) setpriority(PRIO_PROCESS, thread, std::min(19, current + nice));
#else
  (void)nice;
#endif
}

#if defined(__linux__)
/** A set of CPUs for the affinity calls of Linux. It has room for `kMost` CPUs. */
struct CpuSet {
  static constexpr size_t kMost = 8192;
  cpu_set_t* set = CPU_ALLOC(kMost);
  size_t bytes = CPU_ALLOC_SIZE(kMost);

  CpuSet() {
    if (!set) throw std::bad_alloc();
    CPU_ZERO_S(bytes, set);
  }
  CpuSet(const CpuSet&) = delete;
  ~CpuSet() { CPU_FREE(set); }
};
#endif

/**
 * Returns the numbers of the CPUs on which this process may run. Returns undefined if the system
 * does not report them, or cannot pin threads.
 */
inline napi_value allowed_cpus(Arguments& a) {
#if defined(__linux__)
  const CpuSet cpus;
  if (sched_getaffinity(getpid(), cpus.bytes, cpus.set) != 0) return nullptr;
  napi_value list;
  a.ok(napi_create_array(a.env, &list), "value cannot be made");
  uint32_t count = 0;
  for (size_t cpu = 0; cpu < CpuSet::kMost; cpu++)
    if (CPU_ISSET_S(cpu, cpus.bytes, cpus.set))
      a.ok(napi_set_element(a.env, list, count++, number(a, static_cast<double>(cpu))), "value cannot be made");
  return list;
#else
  return nullptr;
#endif
}

/**
 * Pins the calling thread to CPUs, once. Linux ignores CPUs that the process may no longer use. If
 * no CPU of the list remains, the thread is not pinned.
 */
inline void pin_thread(const Arguments& a, napi_value list) {
#if defined(__linux__)
  thread_local bool is_pinned = false;
  if (is_pinned || is_undefined(a, list)) return;
  uint32_t count = 0;
  a.ok(napi_get_array_length(a.env, list, &count), "expected a list of CPUs");
  const CpuSet cpus;
  for (uint32_t at = 0; at < count; at++) {
    napi_value cpu;
    a.ok(napi_get_element(a.env, list, at, &cpu), "expected a list of CPUs");
    const uint64_t number = read_whole(a, cpu);
    Arguments::need(number < CpuSet::kMost, "the number of a CPU is out of range");
    CPU_SET_S(number, cpus.bytes, cpus.set);
  }
  is_pinned = true;
  if (count) sched_setaffinity(static_cast<pid_t>(syscall(SYS_gettid)), cpus.bytes, cpus.set);
#else
  (void)a;
  (void)list;
#endif
}

/**
 * Runs this thread as an executor. The arguments are: scheduler, group, milliseconds to run,
 * milliseconds to linger, the nice value, and the CPUs to which to pin the thread. Returns 0 when
 * idle, 1 when the time is up, 2 when the group is closed. Any thread may call it. The submitting
 * thread also stops inside a chunk when its time is up.
 */
inline napi_value executor_run(Arguments& a) {
  const uint64_t token = read_whole(a, a.values[0]);
  const auto number_of_group = static_cast<uint32_t>(read_whole(a, a.values[1]));
  const std::shared_ptr<Scheduler> scheduler = SchedulerTable::instance().find(token);
  const std::shared_ptr<EventQueues> group = scheduler ? scheduler->group(number_of_group) : nullptr;
  const auto milliseconds = [&](napi_value value) {
    const double given = read_number(a, value, "the time is not a number");
    Arguments::need(given >= 0 && given <= 1000, "the time is not between 0 and 1000 ms");
    return std::chrono::duration_cast<EventQueues::Clock::duration>(std::chrono::duration<double, std::milli>(given));
  };
  // the submitting thread also runs the event loop, so it also pauses inside a chunk
  const bool pauses = a.here.schedulers.find(token) != a.here.schedulers.end();
  const LeaseLimits limits{milliseconds(a.values[2]), milliseconds(a.values[3]), pauses};
  if (!is_undefined(a, a.values[4])) {
    const double nice = read_number(a, a.values[4], "nice is not a number");
    Arguments::need(nice >= 0 && nice <= 19 && nice == static_cast<int>(nice), "nice is not from 0 to 19");
    lower_priority(static_cast<int>(nice));
  }
  pin_thread(a, a.values[5]);
  if (!group) return number(a, static_cast<double>(LeaseEnd::closed));
  Executor& executor = executor_here(a, token, number_of_group, group);
  return number(a, static_cast<double>(scheduler->run(*group, executor, limits)));
}

}  // namespace brezel
