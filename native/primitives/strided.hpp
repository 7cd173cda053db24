// Visits the elements of several tensors in row-major order of one shape. Each tensor has a step
// for each axis. Adjacent axes without a gap are merged.
#pragma once

#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

constexpr size_t kMostReaders = 2;

struct StridedWalk {
  size_t axes = 0, readers;
  size_t sizes[kMostAxes + 1], steps[kMostReaders][kMostAxes + 1];

  /**
   * Reads `numbers`: the size of each axis, and then, for each tensor (reader), its step along each
   * axis. There is at least one axis.
   */
  StridedWalk(const double* numbers, size_t count, size_t readers) : readers(readers) {
    for (size_t at = 0; at < count; at++) {
      const auto size = static_cast<size_t>(numbers[at]);
      if (size == 1) continue;
      size_t step[kMostReaders];
      bool runs_on = axes > 0;
      for (size_t reader = 0; reader < readers; reader++) {
        step[reader] = static_cast<size_t>(numbers[(reader + 1) * count + at]);
        runs_on = runs_on && steps[reader][axes - 1] == step[reader] * size;
      }
      if (!runs_on) sizes[axes++] = 1;
      sizes[axes - 1] *= size;
      for (size_t reader = 0; reader < readers; reader++) steps[reader][axes - 1] = step[reader];
    }
    if (axes > 0) return;
    sizes[axes++] = 1;
    for (size_t reader = 0; reader < readers; reader++) steps[reader][0] = 0;
  }

  /**
   * Calls `visit(places)` for each line along the last axis. For each tensor (reader), `places`
   * holds the index of the first element of the line.
   */
  template <class Visit>
  void each_line(const Visit& visit) const {
    size_t index[kMostAxes + 1] = {}, places[kMostReaders] = {};
    while (true) {
      visit(places);
      size_t at = axes - 1;
      while (at-- > 0) {
        for (size_t reader = 0; reader < readers; reader++) places[reader] += steps[reader][at];
        if (++index[at] < sizes[at]) break;
        index[at] = 0;
        for (size_t reader = 0; reader < readers; reader++) places[reader] -= sizes[at] * steps[reader][at];
      }
      if (at == SIZE_MAX) return;
    }
  }
};

BREZEL_ISA_END
