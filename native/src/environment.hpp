// The objects of one Node environment (main thread or worker). All of them are released when the
// environment ends.
#pragma once

#include <node_api.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "include/tensor_kernel.hpp"
#include "src/context.hpp"
#include "src/files.hpp"
#include "src/handles.hpp"
#include "src/memory.hpp"
#include "src/parameter.hpp"
#include "src/parameters.hpp"
#include "src/scheduling/executor.hpp"
#include "src/scheduling/scheduler.hpp"
#include "src/stage.hpp"
#include "src/stage_results.hpp"

namespace brezel {

/** A scheduler, and the function that wakes its submitting thread. */
struct OwnedScheduler {
  std::shared_ptr<Scheduler> scheduler;
  napi_threadsafe_function wake_up;
  // executors of this thread, by group
  std::unordered_map<uint32_t, std::unique_ptr<Executor>> helpers;
};

struct Environment {
  Context context;
  TensorScratch tensors;
  HandleTable<std::shared_ptr<Stage>, HandleKind::stage> stages;
  HandleTable<std::shared_ptr<Plan>, HandleKind::plan> plans;
  HandleTable<std::shared_ptr<const MappedFile>, HandleKind::file> files;
  // by a number that is never used again
  std::unordered_map<uint64_t, std::shared_ptr<ResultCache>> result_caches;
  uint64_t last_result_cache = 0;
  // references that JavaScript of this environment took
  std::unordered_map<Parameter*, uint64_t> held;
  Buffer utf16;
  std::vector<napi_value> columns;  // columns of the running call
  bool is_predicting = false;
  // schedulers with this thread as submitter
  std::unordered_map<uint64_t, OwnedScheduler> schedulers;
  std::unique_ptr<Executor> executor;                       // set while this thread is an executor

  ~Environment() {
    for (const auto& [token, owned] : schedulers) {
      SchedulerTable::instance().remove(token);
      owned.scheduler->close();  // its function ends with the environment
    }
    for (const auto& [parameter, count] : held) ParameterTable::instance().release(parameter, count);
  }

  /**
   * Counts a reference that was just taken from the table. Releases the reference if it
   * cannot allocate memory to count it.
   */
  void hold(Parameter* parameter) {
    try {
      held[parameter]++;
    } catch (...) {
      ParameterTable::instance().release(parameter);
      throw;
    }
  }

  bool drop(double handle) {
    Parameter* parameter = ParameterTable::instance().find(handle);
    const auto found = held.find(parameter);
    if (!parameter || found == held.end()) return false;
    if (--found->second == 0) held.erase(found);
    ParameterTable::instance().release(parameter);
    return true;
  }
};

}  // namespace brezel
