// All but the kernels of larger instruction sets: one translation unit, in dependency order.
#include "core.hpp"

#include <node_api.h>

// clang-format off
#include "transcode.hpp"
#include "environment.hpp"
// boundary/ holds the only files that touch N-API values.
#include "boundary/values.hpp"
#include "boundary/resources.hpp"
#include "boundary/results.hpp"
#include "boundary/predicting.hpp"
#include "boundary/columns.hpp"
#include "boundary/tensors.hpp"
#include "boundary/scheduling.hpp"
#include "boundary/module.hpp"
