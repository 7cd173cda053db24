// All of the addon but its boundary, and but the kernels of larger instruction sets, which are translation units of their
// own (isa/*.cpp). Knows no Node.
#pragma once

// clang-format off
#include "below_kernels.hpp"
#include "../isa/baseline.inc"
#include "dispatch.hpp"
#include "stage.hpp"
#include "row_bytes.hpp"
#include "stage_results.hpp"
#include "vectors.hpp"
#include "context.hpp"
#include "scheduling/vector_pool.hpp"
#include "scheduling/chunk.hpp"
#include "scheduling/event_queues.hpp"
#include "scheduling/executor.hpp"
#include "scheduling/scheduler.hpp"
// clang-format on
