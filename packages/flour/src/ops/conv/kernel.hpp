#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/windows.hpp"

BREZEL_ISA_BEGIN

/**
 * Convolves an image. The input is f32 [channels * pixels], and the output is f32 [outputs *
 * windows]. The parameters are the weights, f32 [outputs * depth * kernel], and the bias, f32
 * [outputs]. The attributes are the layout of the windows, the number of channels, the number of
 * channels that one output reads (`depth`), and the number of outputs.
 *
 * Each sum has 16 partial sums (`lanes(1)` in native/README.md, section 1). Its terms run over the
 * channels, and within a channel over the weights of the window. The bias is added last.
 */
struct ConvKernel {
  static void check(Signature& s) {
    check_windows(s, 3);
    s.arity(1, 2, kWindowNumbers + 3);
    const ImageWindows w(s.attributes);
    const uint64_t channels = s.attributes[12], depth = s.attributes[13], outputs = s.attributes[14];
    s.need(channels % depth == 0 && outputs % (channels / depth) == 0, "groups of different sizes");
    using Wide = unsigned __int128;
    s.need(Wide{channels} * w.pixels() == s.inputs[0].size, "image of another size");
    s.need(Wide{outputs} * w.places() == s.outputs[0].size, "output of a wrong size");
    const Wide weights = Wide{4 * outputs * depth} * static_cast<uint64_t>(w.down.kernel * w.across.kernel);
    s.need_parameter(weights == s.parameters[0]->bytes(), "parameter of a wrong length");
    s.parameter_bytes(1, outputs * 4);
  }

  static constexpr size_t kLanes = 16;

  /** The values from which `sums_at` computes one line of windows of one output channel. */
  struct Line {
    const float* image;    // the first channel that the output sees
    const float* weights;  // of the output
    float bias;
    int64_t depth, row, first_down, end_down;  // row: the first line of pixels, may be outside
    const ImageWindows& windows;
  };

  /**
   * Computes the sums of `Width` neighboring windows, starting at window `place`. In each line of
   * the convolution kernel, it reads the weights [first, end). The innermost loop runs over the
   * windows, so that the compiler vectorizes it.
   */
  template <size_t Width>
  static void sums_at(const Line& line, int64_t place, int64_t first, int64_t end, float* out) {
    float sums[kLanes][Width] = {};
    const WindowAxis &down = line.windows.down, &across = line.windows.across;
    const int64_t stride = across.stride, column = across.start(place);
    size_t term = 0;
    for (int64_t channel = 0; channel < line.depth; channel++) {
      const float* pixels = line.image + channel * down.size * across.size;
      const float* kernel = line.weights + channel * down.kernel * across.kernel;
      for (int64_t y = line.first_down; y < line.end_down; y++) {
        const int64_t row = (line.row + y * down.dilation) * across.size;
        for (int64_t x = first; x < end; x++) {
          const float weight = kernel[y * across.kernel + x];
          const float* from = pixels + (row + column + x * across.dilation);
          float* lane = sums[term++ % kLanes];
          for (size_t at = 0; at < Width; at++) {
            const float product = from[static_cast<int64_t>(at) * stride] * weight;
            lane[at] = lane[at] + product;
          }
        }
      }
    }
    for (size_t step = kLanes / 2; step >= 1; step /= 2) {
      for (size_t lane = 0; lane < step; lane++) {
        for (size_t at = 0; at < Width; at++) sums[lane][at] = sums[lane][at] + sums[lane + step][at];
      }
    }
    for (size_t at = 0; at < Width; at++) out[at] = sums[0][at] + line.bias;
  }

  /**
   * Computes the windows of one line. Most windows inside the image are computed 16 or 4 at a time.
   * The remaining windows, and all windows that overlap the border, are computed one at a time.
   */
  static void fill(const Line& line, float* out) {
    const WindowAxis& across = line.windows.across;
    int64_t place = 0;
    const auto alone = [&] {
      sums_at<1>(line, place, across.first(place), across.end(place), out + place);
      place++;
    };
    while (place < across.places && !across.is_whole(place)) alone();
    int64_t end = across.places;
    while (end > place && !across.is_whole(end - 1)) end--;
    for (; place + 16 <= end; place += 16) sums_at<16>(line, place, 0, across.kernel, out + place);
    for (; place + 4 <= end; place += 4) sums_at<4>(line, place, 0, across.kernel, out + place);
    while (place < across.places) alone();
  }

  static void run(Run& r) {
    const ImageWindows windows(r.call.attributes);
    const int64_t channels = r.attribute(12), depth = r.attribute(13), outputs = r.attribute(14);
    const int64_t together = outputs / (channels / depth), entries = windows.down.kernel * windows.across.kernel;
    const float *image = r.dense<float>(0), *weights = r.parameter<float>(0), *bias = r.parameter<float>(1);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, image += channels * static_cast<int64_t>(windows.pixels())) {
      for (int64_t output = 0; output < outputs; output++) {
        const float* seen = image + output / together * depth * static_cast<int64_t>(windows.pixels());
        for (int64_t y = 0; y < windows.down.places; y++, out += windows.across.places) {
          const Line line{seen, weights + output * depth * entries, bias[output], depth, windows.down.start(y),
                          windows.down.first(y), windows.down.end(y), windows};
          fill(line, out);
        }
      }
    }
  }
};

BREZEL_ISA_END
