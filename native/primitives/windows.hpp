// Windows that move over images with two axes, for convolutions and pools. Windows skip pixels
// outside the image.
#pragma once

#include <vector>

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * One axis: `places` windows of `kernel` entries each. Entries are `dilation` apart. The first
 * window begins `before` entries before the image.
 */
struct WindowAxis {
  int64_t size, kernel, stride, dilation, before, places;

  int64_t start(int64_t place) const { return place * stride - before; }

  /** Returns the index of a window's first entry that is inside the image. */
  int64_t first(int64_t place) const {
    const int64_t at = start(place);
    return at >= 0 ? 0 : (dilation - 1 - at) / dilation;
  }
  /**
   * Returns 1 + the index of a window's last entry that is inside the image. If no entry is inside,
   * the result is at most `first`.
   */
  int64_t end(int64_t place) const {
    const int64_t left = size - start(place);
    if (left <= 0) return 0;
    const int64_t inside = (left + dilation - 1) / dilation;
    return inside < kernel ? inside : kernel;
  }
  bool is_whole(int64_t place) const { return first(place) == 0 && end(place) == kernel; }
};

constexpr size_t kWindowNumbers = 12;
constexpr int32_t kMostOfAxis = 1 << 20;

/**
 * The numbers of a convolution or a pooling, each for height and width: the size of the image and
 * of the kernel, strides, dilations, the padding before the image, and the number of windows.
 */
struct ImageWindows {
  WindowAxis down, across;

  explicit ImageWindows(const std::vector<int32_t>& a)
      : down{a[0], a[2], a[4], a[6], a[8], a[10]}, across{a[1], a[3], a[5], a[7], a[9], a[11]} {}

  size_t pixels() const { return static_cast<size_t>(down.size * across.size); }
  size_t places() const { return static_cast<size_t>(down.places * across.places); }
};

/**
 * Checks the twelve numbers of the windows and `more` numbers after them. Their range ensures that
 * products do not overflow.
 */
static void check_windows(const Signature& s, size_t more) {
  s.need(s.attributes.size() == kWindowNumbers + more, "wrong number of attributes");
  for (size_t at = 0; at < s.attributes.size(); at++) {
    const int32_t least = at == 8 || at == 9 ? 0 : 1;
    s.need(s.attributes[at] >= least && s.attributes[at] <= kMostOfAxis, "attribute out of range");
  }
  s.need(s.inputs.size() == 1 && s.outputs.size() == 1, "wrong number of inputs");
  s.dense(s.inputs[0], DType::f32);
  s.dense(s.outputs[0], DType::f32);
}

BREZEL_ISA_END
