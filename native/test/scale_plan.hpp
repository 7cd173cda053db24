// A plan of small stages, for programs that test the scheduler without Node.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "src/parameters.hpp"
#include "src/stage.hpp"

namespace brezel {

constexpr uint32_t kColumns = 3;
constexpr float kOffset = 1, kFactor = 2;

void need(bool holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "failed: %s\n", what);
  exit(1);
}

int32_t kernel(const char* name) {
  for (uint32_t at = 0; at < kKernelCount; at++)
    if (strcmp(kKernels[at]->name, name) == 0) return static_cast<int32_t>(at);
  need(false, "no such kernel");
  return 0;
}

/** Returns a plan with `stages` stages. Each stage computes (x - 1) * 2. */
std::shared_ptr<const Plan> make_plan(size_t stages) {
  ParameterTable& table = ParameterTable::instance();
  Parameter* offset = table.put("offset", &kOffset, sizeof kOffset);
  Parameter* factor = table.put("factor", &kFactor, sizeof kFactor);
  StageSource source{"baseline", {2, 0, kColumns, 2, 0, kColumns}, {kernel("scale"), 1, 1, 2, 0, 0, 1, 0, 1}, {0}, {1}, {}};
  source.parameters = {table.handle_of(offset), table.handle_of(factor)};
  PlanSource plan{{}, {}, {0}, {static_cast<int32_t>(stages)}, 100};
  for (size_t at = 0; at < stages; at++) {
    plan.stages.push_back(create_stage(source));
    for (const size_t number : {size_t{1}, size_t{1}, at, at + 1}) plan.wiring.push_back(static_cast<int32_t>(number));
  }
  table.release(offset);
  table.release(factor);
  return create_plan(plan);
}

}  // namespace brezel
