// The functions that the addon exports, and its initialization in an environment.
#pragma once

#include <node_api.h>

#include <memory>

#include "include/interface.hpp"
#include "src/boundary/columns.hpp"
#include "src/boundary/executors.hpp"
#include "src/boundary/numbers.hpp"
#include "src/boundary/predicting.hpp"
#include "src/boundary/resources.hpp"
#include "src/boundary/results.hpp"
#include "src/boundary/scheduling.hpp"
#include "src/boundary/strings.hpp"
#include "src/boundary/tensors.hpp"
#include "src/boundary/values.hpp"
#include "src/boundary/wire.hpp"
#include "src/environment.hpp"
#include "src/files.hpp"
#include "src/memory.hpp"

namespace brezel {

template <Body body>
void export_function(const Arguments& a, napi_value exports, const char* name) {
  napi_value function;
  a.ok(napi_create_function(a.env, name, NAPI_AUTO_LENGTH, guarded<body>, &a.here, &function), "value cannot be made");
  set_property(a, exports, name, function);
}

inline void export_all(Arguments& a, napi_value exports) {
  set_property(a, exports, "interface", string_of(a, kInterface));
  export_function<isas>(a, exports, "isas");
  export_function<kernels>(a, exports, "kernels");
  export_function<parameter_put>(a, exports, "parameterPut");
  export_function<parameter_checksum>(a, exports, "parameterChecksum");
  export_function<manifest_is_sound>(a, exports, "manifestIsSound");
  export_function<parameter_retain>(a, exports, "parameterRetain");
  export_function<parameter_release>(a, exports, "parameterRelease");
  export_function<parameter_copy>(a, exports, "parameterCopy");
  export_function<parameter_range_checksum>(a, exports, "parameterRangeChecksum");
  export_function<parameter_put_range>(a, exports, "parameterPutRange");
  export_function<parameter_stats>(a, exports, "parameterStats");
  export_function<strings_encode>(a, exports, "stringsEncode");
  export_function<strings_distinct>(a, exports, "stringsDistinct");
  export_function<strings_distinct_at>(a, exports, "stringsDistinctAt");
  export_function<dictionary_build>(a, exports, "dictionaryBuild");
  export_function<numbers_are_finite>(a, exports, "numbersAreFinite");
  export_function<numbers_transpose>(a, exports, "numbersTranspose");
  export_function<numbers_mirrored_half>(a, exports, "numbersMirroredHalf");
  export_function<wire_numbers>(a, exports, "wireNumbers");
  export_function<wire_varints>(a, exports, "wireVarints");
  export_function<wire_integers>(a, exports, "wireIntegers");
  export_function<wire_count_strings>(a, exports, "wireCountStrings");
  export_function<wire_strings>(a, exports, "wireStrings");
#if defined(BREZEL_MAPS_FILES)
  export_function<file_map>(a, exports, "fileMap");
  export_function<file_checksum>(a, exports, "fileChecksum");
  export_function<file_is_zero>(a, exports, "fileIsZero");
  export_function<file_parameter>(a, exports, "fileParameter");
  export_function<file_touch>(a, exports, "fileTouch");
  export_function<file_release>(a, exports, "fileRelease");
#endif
  export_function<stage_create>(a, exports, "stageCreate");
  export_function<stage_release>(a, exports, "stageRelease");
  export_function<plan_create>(a, exports, "planCreate");
  export_function<plan_release>(a, exports, "planRelease");
  export_function<results_create>(a, exports, "resultsCreate");
  export_function<results_release>(a, exports, "resultsRelease");
  export_function<results_switch>(a, exports, "resultsSwitch");
  export_function<results_stats>(a, exports, "resultsStats");
  export_function<stage_keep_results>(a, exports, "stageKeepResults");
  export_function<stage_forget_results>(a, exports, "stageForgetResults");
  export_function<predict_text>(a, exports, "predictText");
  export_function<plan_numbers>(a, exports, "planNumbers");
  export_function<numbers_pin>(a, exports, "numbersPin");
  export_function<predict_numbers>(a, exports, "predictNumbers");
  export_function<predict_rows>(a, exports, "predictRows");
  export_function<profile_rows>(a, exports, "profileRows");
  export_function<run_columns>(a, exports, "runColumns");
  export_function<tensor_kernels>(a, exports, "tensorKernels");
  export_function<tensor_run>(a, exports, "tensorRun");
  export_function<scheduler_create>(a, exports, "schedulerCreate");
  export_function<scheduler_close>(a, exports, "schedulerClose");
  export_function<scheduler_ref>(a, exports, "schedulerRef");
  export_function<scheduler_stats>(a, exports, "schedulerStats");
  export_function<group_create>(a, exports, "groupCreate");
  export_function<group_close>(a, exports, "groupClose");
  export_function<group_waiting>(a, exports, "groupWaiting");
  export_function<group_executors>(a, exports, "groupExecutors");
  export_function<group_stats>(a, exports, "groupStats");
  export_function<group_vectors>(a, exports, "groupVectors");
  export_function<plan_schedule>(a, exports, "planSchedule");
  export_function<plan_unschedule>(a, exports, "planUnschedule");
  export_function<vectors_hold>(a, exports, "vectorsHold");
  export_function<allowed_cpus>(a, exports, "allowedCpus");
  export_function<plan_touch>(a, exports, "planTouch");
  export_function<chunk_submit>(a, exports, "chunkSubmit");
  export_function<chunk_cancel>(a, exports, "chunkCancel");
  export_function<chunk_next>(a, exports, "chunkNext");
  export_function<chunk_take>(a, exports, "chunkTake");
  export_function<executor_run>(a, exports, "executorRun");
  export_function<trim_memory>(a, exports, "trimMemory");
  export_function<context_stats>(a, exports, "contextStats");
  export_function<context_release>(a, exports, "contextRelease");
}

inline napi_value initialize(napi_env env, napi_value exports) {
  try {
    auto here = std::make_unique<Environment>();
    const auto end = [](napi_env, void* data, void*) { delete static_cast<Environment*>(data); };
    if (napi_set_instance_data(env, here.get(), end, nullptr) != napi_ok) return nullptr;
    Arguments a{env, *here.release(), {}};
    export_all(a, exports);
    return exports;
  } catch (...) {
    napi_throw_error(env, code_name(ErrorCode::memory), "the addon cannot start");
    return nullptr;
  }
}

}  // namespace brezel

NAPI_MODULE_INIT() { return brezel::initialize(env, exports); }
