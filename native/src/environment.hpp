// The native objects of one Node environment (main thread or worker). The addon releases them when
// the environment ends.
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

/** A scheduler with the function that wakes its submitting thread. */
struct OwnedScheduler {
  std::shared_ptr<Scheduler> scheduler;
  napi_threadsafe_function wake_up;
  // this thread's executors for its own scheduler, by group number
  std::unordered_map<uint32_t, std::unique_ptr<Executor>> helpers;
};

/**
 * Two arrays of JavaScript with the numbers of one row. The references prevent garbage collection
 * of the arrays, and the caller never detaches an array. So a call can use their addresses without
 * N-API calls.
 */
struct PinnedNumbers {
  napi_ref references[2];
  const double* input;
  size_t inputs;
  double* output;
  size_t outputs;
};

struct Environment {
  Context context;
  TensorScratch tensors;
  HandleTable<std::shared_ptr<Stage>, HandleKind::stage> stages;
  HandleTable<std::shared_ptr<Plan>, HandleKind::plan> plans;
  HandleTable<std::shared_ptr<const MappedFile>, HandleKind::file> files;
  // caches by number; a number is never used again
  std::unordered_map<uint64_t, std::shared_ptr<ResultCache>> result_caches;
  uint64_t last_result_cache = 0;
  // the number of references that JavaScript of this environment took, by parameter
  std::unordered_map<Parameter*, uint64_t> held;
  Buffer utf16;
  std::vector<napi_value> columns;  // the columns of the current call
  std::vector<PinnedNumbers> pinned;  // by number; N-API releases the references
  bool is_predicting = false;
  // schedulers whose submitter is this thread
  std::unordered_map<uint64_t, OwnedScheduler> schedulers;
  std::unique_ptr<Executor> executor;                       // set while this thread is an executor

  ~Environment() {
    for (const auto& [token, owned] : schedulers) {
      SchedulerTable::instance().remove(token);
      owned.scheduler->close();  // its wake-up function ends with the environment
    }
    for (const auto& [parameter, count] : held) ParameterTable::instance().release(parameter, count);
  }

  /**
   * Records a reference that was just taken from the table. If it cannot allocate memory for the
   * record, it releases the reference.
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
