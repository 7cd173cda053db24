#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/windows.hpp"

BREZEL_ISA_BEGIN

/**
 * Writes the greatest entry of each window of an image. If entries are equal, it writes the first
 * of them. If a window contains NaN, it writes NaN. The input is f32 [channels * pixels], and the
 * output is f32 [channels * windows]. The attributes are the layout of the windows and the number
 * of channels. Each window covers at least one pixel.
 */
struct MaxPoolKernel {
  static void check(Signature& s) {
    check_windows(s, 1);
    s.arity(1, 0, kWindowNumbers + 1);
    const ImageWindows w(s.attributes);
    using Wide = unsigned __int128;
    const Wide channels = static_cast<uint64_t>(s.attributes[12]);
    s.need(channels * w.pixels() == s.inputs[0].size, "image of another size");
    s.need(channels * w.places() == s.outputs[0].size, "output of a wrong size");
    for (const WindowAxis& axis : {w.down, w.across}) {
      for (int64_t place = 0; place < axis.places; place++)
        s.need(axis.first(place) < axis.end(place), "a window in the padding");
    }
  }

  static bool is_above(float value, float other) { return value > other || (value != value && other == other); }

  static float greatest_at(const float* pixels, const ImageWindows& w, int64_t y, int64_t x) {
    const int64_t first = w.across.first(x), end = w.across.end(x), column = w.across.start(x);
    const int64_t top = w.down.first(y), bottom = w.down.end(y), row = w.down.start(y);
    float best = pixels[(row + top * w.down.dilation) * w.across.size + column + first * w.across.dilation];
    for (int64_t down = top; down < bottom; down++) {
      const float* line = pixels + (row + down * w.down.dilation) * w.across.size;
      for (int64_t across = first; across < end; across++) {
        const float value = line[column + across * w.across.dilation];
        if (is_above(value, best)) best = value;
      }
    }
    return best;
  }

  static void run(Run& r) {
    const ImageWindows windows(r.call.attributes);
    const size_t images = size_t{r.rows} * static_cast<size_t>(r.attribute(12));
    const float* pixels = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (size_t image = 0; image < images; image++, pixels += windows.pixels()) {
      for (int64_t y = 0; y < windows.down.places; y++) {
        for (int64_t x = 0; x < windows.across.places; x++) *out++ = greatest_at(pixels, windows, y, x);
      }
    }
  }
};

BREZEL_ISA_END
