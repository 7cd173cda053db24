// Functions for caches of stage results: their memory budgets, and the stages that use a cache.
#pragma once

#include <node_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "src/boundary/resources.hpp"
#include "src/boundary/values.hpp"
#include "src/memory.hpp"
#include "src/stage_results.hpp"

namespace brezel {

// the largest integer that a JavaScript number holds exactly
constexpr double kMostResultBytes = 9007199254740991;

inline napi_value results_create(Arguments& a) {
  const double bytes = read_number(a, a.values[0], "maxBytes is not a number");
  Arguments::need(bytes >= 0 && bytes <= kMostResultBytes, "maxBytes is not between 0 and 2^53");
  auto cache = std::make_shared<ResultCache>(static_cast<size_t>(bytes));
  a.here.result_caches.emplace(++a.here.last_result_cache, std::move(cache));
  return number(a, static_cast<double>(a.here.last_result_cache));
}

inline uint64_t results_key(Arguments& a, size_t at) {
  const double handle = read_number(a, a.values[at], "the handle is not a number");
  Arguments::need(handle >= 1 && handle <= static_cast<double>(a.here.last_result_cache) &&
                      handle == static_cast<double>(static_cast<uint64_t>(handle)),
                  "stale handle of results", ErrorCode::handle);
  return static_cast<uint64_t>(handle);
}

inline const std::shared_ptr<ResultCache>& results_of(Arguments& a, size_t at) {
  const auto found = a.here.result_caches.find(results_key(a, at));
  Arguments::need(found != a.here.result_caches.end(), "stale handle of results", ErrorCode::handle);
  return found->second;
}

inline napi_value results_release(Arguments& a) {
  a.here.context.forget_results(results_of(a, 0).get());
  a.here.result_caches.erase(results_key(a, 0));
  return nullptr;
}

inline napi_value results_switch(Arguments& a) {
  bool is_on;
  a.ok(napi_get_value_bool(a.env, a.values[1], &is_on), "expected true or false");
  results_of(a, 0)->is_on = is_on;
  return nullptr;
}

inline napi_value results_stats(Arguments& a) {
  const ResultStats cache = results_of(a, 0)->stats();
  return object_of(a, {{"hits", cache.hits},
                       {"misses", cache.misses},
                       {"evictions", cache.evictions},
                       {"entries", cache.entries},
                       {"bytes", cache.bytes}});
}

inline napi_value stage_keep_results(Arguments& a) {
  const double handle = read_number(a, a.values[0], "the handle is not a number");
  a.here.context.keep_results(stage_of(a, handle).get(), results_of(a, 1));
  return nullptr;
}

inline napi_value stage_forget_results(Arguments& a) {
  const double handle = read_number(a, a.values[0], "the handle is not a number");
  a.here.context.forget_results(stage_of(a, handle).get());
  return nullptr;
}

}  // namespace brezel
