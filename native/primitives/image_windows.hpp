// Groups windows over any number of axes into classes. The windows of one class cover the same
// entries of the kernel. So their sums have the same terms in the same lanes, and can run in
// parallel.
#pragma once

#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"
#include "primitives/windows.hpp"

BREZEL_ISA_BEGIN

/**
 * A run of adjacent windows along one axis that cover the same entries of the convolution kernel.
 */
struct AxisRun {
  int64_t from, count, first, end;
};

struct WindowSpace {
  size_t axes = 0;
  WindowAxis axis[kMostAxes];
  int64_t pixel_step[kMostAxes], place_step[kMostAxes], entry_step[kMostAxes];
  size_t pixels = 1, places = 1, entries = 1;

  // numbers of an axis: size, windows, kernel, stride, dilation, padding before
  static constexpr size_t kNumbers = 6;

  /** Reads the axes from `numbers`, which `check` has validated. */
  WindowSpace(const double* numbers, size_t count) : axes(count) {
    for (size_t at = count; at-- > 0; ) {
      const double* of = numbers + at * kNumbers;
      const auto whole = [of](size_t which) { return static_cast<int64_t>(of[which]); };
      axis[at] = {whole(0), whole(2), whole(3), whole(4), whole(5), whole(1)};
      pixel_step[at] = static_cast<int64_t>(pixels);
      place_step[at] = static_cast<int64_t>(places);
      entry_step[at] = static_cast<int64_t>(entries);
      pixels *= static_cast<size_t>(axis[at].size);
      places *= static_cast<size_t>(axis[at].places);
      entries *= static_cast<size_t>(axis[at].kernel);
    }
  }

  struct Sizes {
    uint64_t pixels, places, entries;
  };
  /**
   * Checks the numbers of all axes from index `at` on: six for each axis, as `kNumbers` lists them.
   */
  static Sizes check(const TensorArguments& a, size_t at, uint64_t axes) {
    a.need(axes >= 1 && axes <= kMostAxes, "no such number of axes");
    Sizes sizes{1, 1, 1};
    for (uint64_t one = 0; one < axes; one++, at += kNumbers) {
      sizes.pixels = a.count(sizes.pixels, a.whole(at));
      sizes.places = a.count(sizes.places, a.whole(at + 1, 1));
      sizes.entries = a.count(sizes.entries, a.whole(at + 2, 1));
      for (const size_t step : {at + 3, at + 4}) a.whole(step, 1);
      a.whole(at + 5);
    }
    return sizes;
  }

  size_t most_runs() const {
    size_t runs = 0;
    for (size_t at = 0; at < axes; at++) runs += static_cast<size_t>(axis[at].places);
    return runs;
  }
};

/**
 * Windows that cover the same entries of the convolution kernel. `run[axis]` is the range of these
 * windows along an axis.
 */
struct WindowClass {
  const AxisRun* run[kMostAxes];

  size_t windows(const WindowSpace& space) const {
    size_t count = 1;
    for (size_t at = 0; at < space.axes; at++) count *= static_cast<size_t>(run[at]->count);
    return count;
  }
  /** Returns the number of kernel entries that are inside the image. */
  size_t inside(const WindowSpace& space) const {
    size_t count = 1;
    for (size_t at = 0; at < space.axes; at++)
      count *= run[at]->end > run[at]->first ? static_cast<size_t>(run[at]->end - run[at]->first) : 0;
    return count;
  }

  /**
   * Calls `visit(entry, pixel)` for each kernel entry in order. Pixel indices are relative to the
   * window's first pixel inside the image.
   */
  template <class Visit>
  void each_entry(const WindowSpace& space, const Visit& visit) const {
    if (inside(space) == 0) return;
    int64_t index[kMostAxes], entry = 0, pixel = 0;
    for (size_t at = 0; at < space.axes; at++) {
      index[at] = run[at]->first;
      entry += run[at]->first * space.entry_step[at];
    }
    while (true) {
      visit(static_cast<size_t>(entry), static_cast<size_t>(pixel));
      size_t at = space.axes;
      while (at-- > 0) {
        entry += space.entry_step[at];
        pixel += space.axis[at].dilation * space.pixel_step[at];
        if (++index[at] < run[at]->end) break;
        const int64_t count = run[at]->end - run[at]->first;
        index[at] = run[at]->first;
        entry -= count * space.entry_step[at];
        pixel -= count * space.axis[at].dilation * space.pixel_step[at];
      }
      if (at == SIZE_MAX) return;
    }
  }

  /**
   * Calls `visit(place, pixel, count, step)` for each line of windows along the last axis, in
   * order. `place` is the index of the first window in the result, and `pixel` is its first pixel
   * inside the image. `count` is the number of windows, and `step` is the distance in pixels
   * between adjacent windows.
   */
  template <class Visit>
  void each_line(const WindowSpace& space, const Visit& visit) const {
    int64_t index[kMostAxes], place = 0, pixel = 0;
    const bool is_empty = inside(space) == 0;
    const size_t last = space.axes - 1;
    const auto count = static_cast<size_t>(run[last]->count), step = static_cast<size_t>(space.axis[last].stride);
    for (size_t at = 0; at < space.axes; at++) {
      index[at] = 0;
      place += run[at]->from * space.place_step[at];
      if (is_empty) continue;
      const WindowAxis& axis = space.axis[at];
      pixel += (axis.start(run[at]->from) + run[at]->first * axis.dilation) * space.pixel_step[at];
    }
    while (true) {
      if (is_empty) {
        visit(static_cast<size_t>(place), size_t{0}, count, size_t{0});
      } else {
        visit(static_cast<size_t>(place), static_cast<size_t>(pixel), count, step);
      }
      size_t at = last;
      while (at-- > 0) {
        const int64_t pixels = is_empty ? 0 : space.axis[at].stride * space.pixel_step[at];
        place += space.place_step[at];
        pixel += pixels;
        if (++index[at] < run[at]->count) break;
        index[at] = 0;
        place -= run[at]->count * space.place_step[at];
        pixel -= run[at]->count * pixels;
      }
      if (at == SIZE_MAX) return;
    }
  }
};

/** Calls `visit` for each class of windows. */
template <class Visit>
static void each_class(const WindowSpace& space, TensorScratch& scratch, const Visit& visit) {
  auto* runs = scratch.runs.reserve<AxisRun>(space.most_runs(), scratch.growth);
  const AxisRun *begin[kMostAxes], *end[kMostAxes];
  WindowClass one;
  for (size_t at = 0; at < space.axes; at++) {
    const WindowAxis& axis = space.axis[at];
    begin[at] = one.run[at] = runs;
    for (int64_t place = 0; place < axis.places; place++) {
      const int64_t first = axis.first(place), last = axis.end(place);
      if (place > 0 && runs[-1].first == first && runs[-1].end == last) {
        runs[-1].count++;
      } else {
        *runs++ = {place, 1, first, last};
      }
    }
    end[at] = runs;
  }
  while (true) {
    visit(one);
    size_t at = space.axes;
    while (at-- > 0) {
      if (++one.run[at] < end[at]) break;
      one.run[at] = begin[at];
    }
    if (at == SIZE_MAX) return;
  }
}

BREZEL_ISA_END
