#pragma once

#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"
#include "primitives/image_windows.hpp"
#include "primitives/lane_sum.hpp"
#include "primitives/numbers.hpp"
#include "primitives/windows.hpp"

BREZEL_ISA_BEGIN

/**
 * Pools [images, ...] -> [images, ...]. Only entries of a window inside the image are read.
 *
 * Kind 0 returns the greatest entry, or NaN if an entry is NaN, and optionally its index in the
 * whole tensor. Of equal entries it returns the first. Kind 1 returns the mean, from a sum in 16
 * lanes.
 *
 * Tensors: out, image, i64 indices (optional). Numbers: kind, images, axes, six for each axis
 * (image_windows.hpp), then one for each axis. The last numbers say how many entries after the
 * image count as zeros in a mean. They are -1 if padding does not count.
 */
struct PoolTensor {
  static constexpr size_t kAxesFrom = 3;

  static void check(const TensorArguments& a) {
    a.arity(3, kAxesFrom);
    const uint64_t images = a.whole(1), axes = a.whole(2);
    a.need(a.whole(0) <= 1, "no such pool");
    const auto sizes = WindowSpace::check(a, kAxesFrom, axes);
    a.tensor(0, Element::f32, a.count(images, sizes.places));
    a.tensor(1, Element::f32, a.count(images, sizes.pixels));
    a.optional_tensor(2, Element::i64, a.count(images, sizes.places));
    for (uint64_t axis = 0; axis < axes; axis++) {
      const size_t behind = kAxesFrom + axes * WindowSpace::kNumbers + axis;
      if (behind >= a.number_count || a.numbers[behind] != -1) a.whole(behind);
    }
    if (a.operands[0].length == 0) return;
    const WindowSpace space(a.numbers + kAxesFrom, axes);
    for (size_t axis = 0; axis < axes; axis++) {
      const WindowAxis& along = space.axis[axis];
      for (int64_t place = 0; place < along.places; place++)
        a.need(along.first(place) < along.end(place), "a window in the padding");
    }
  }

  static bool is_above(float value, float other) { return value > other || (value != value && other == other); }

  static constexpr size_t kSome = 16;

  struct Pool {
    const float* image;
    float* out;
    int64_t* places;
    // pixel indices of a window's entries, relative to its first pixel inside the image
    const uint32_t* entries;
    size_t count;
  };

  /** Finds the greatest entry of one window, and its index if needed. */
  static void greatest(const Pool& p, size_t first, size_t to) {
    const float* from = p.image + first;
    size_t best = 0;
    for (size_t at = 1; at < p.count; at++) {
      if (is_above(from[p.entries[at]], from[p.entries[best]])) best = at;
    }
    p.out[to] = from[p.entries[best]];
    if (p.places) p.places[to] = static_cast<int64_t>(first + p.entries[best]);
  }

  /**
   * Computes the greatest entries of several adjacent windows in parallel, if no indices are
   * needed.
   */
  static void greatest_of_some(const Pool& p, const float* from, size_t step, float* out) {
    float most[kSome];
    for (size_t at = 0; at < kSome; at++) most[at] = from[p.entries[0] + at * step];
    for (size_t entry = 1; entry < p.count; entry++) {
      const float* values = from + p.entries[entry];
      for (size_t at = 0; at < kSome; at++) {
        const float value = values[at * step];
        most[at] = value > most[at] || value != value ? value : most[at];
      }
    }
    __builtin_memcpy(out, most, sizeof(most));
  }

  static void greatest_of_line(const Pool& p, size_t first, size_t to, size_t count, size_t step) {
    size_t at = 0;
    if (!p.places) {
      for (; at + kSome <= count; at += kSome)
        greatest_of_some(p, p.image + first + at * step, step, p.out + to + at);
    }
    for (; at < count; at++) greatest(p, first + at * step, to + at);
  }

  static void mean(const Pool& p, size_t first, size_t to, float divisor) {
    const float* from = p.image + first;
    float lane[16] = {};
    for (size_t at = 0; at < p.count; at++) lane[at & 15] = lane[at & 15] + from[p.entries[at]];
    float sum;
    fold<1>(load_16(lane), &sum);
    p.out[to] = sum / divisor;
  }

  /**
   * Returns the divisor of a mean: the number of entries of the window, including the padding that
   * counts as zeros.
   */
  static int64_t counted(const TensorRun& r, const WindowSpace& space, size_t place) {
    int64_t count = 1;
    for (size_t at = 0; at < space.axes; at++) {
      const int64_t window = static_cast<int64_t>(place) / space.place_step[at] % space.axis[at].places;
      const auto after = static_cast<int64_t>(r.number(kAxesFrom + space.axes * WindowSpace::kNumbers + at));
      const WindowAxis& axis = space.axis[at];
      const int64_t left = axis.size + after - axis.start(window);
      const int64_t reached = (left + axis.dilation - 1) / axis.dilation;
      count *= reached < axis.kernel ? reached : axis.kernel;
    }
    return count;
  }

  static void run(TensorRun& r) {
    const WindowSpace space(r.arguments.numbers + kAxesFrom, r.size(2));
    auto* entries = r.scratch.terms.reserve<uint32_t>(space.entries < space.pixels ? space.entries : space.pixels,
                                                      r.scratch.growth);
    Pool pool{r.in<float>(1), r.out<float>(), r.out<int64_t>(2), entries, 0};
    const bool is_mean = r.number(0) == 1;
    const bool has_padding = r.number(kAxesFrom + space.axes * WindowSpace::kNumbers) >= 0;
    each_class(space, r.scratch, [&](const WindowClass& one) {
      pool.count = 0;
      one.each_entry(space, [&](size_t, size_t pixel) { entries[pool.count++] = static_cast<uint32_t>(pixel); });
      for (size_t image = 0; image < r.size(1); image++) {
        one.each_line(space, [&](size_t place, size_t pixel, size_t count, size_t step) {
          const size_t first = image * space.pixels + pixel, to = image * space.places + place;
          if (!is_mean) return greatest_of_line(pool, first, to, count, step);
          for (size_t at = 0; at < count; at++) {
            const int64_t divisor = has_padding ? counted(r, space, place + at) : static_cast<int64_t>(pool.count);
            mean(pool, first + at * step, to + at, static_cast<float>(divisor));
          }
        });
      }
    });
  }
};

BREZEL_ISA_END
