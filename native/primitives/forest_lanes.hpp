// Vector operations for walks of several rows in parallel, with one row in each lane. A block holds
// its rows column by column, with `kVectorFloats` values for each column.
#pragma once

#include "isa/region.hpp"
#include "primitives/forest_lanes_avx2.hpp"
#include "primitives/forest_lanes_avx512.hpp"
#include "primitives/forest_lanes_baseline.hpp"

BREZEL_ISA_BEGIN

/**
 * The number of levels in the top of a perfect tree. A walk compares all nodes of the top with all
 * rows. Five levels have 32 exits, one for each bit of a mask.
 */
constexpr uint32_t kTopLevels = 5;

BREZEL_ISA_END
