#pragma once

#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"
#include "primitives/image_windows.hpp"
#include "primitives/products.hpp"

BREZEL_ISA_BEGIN

/**
 * Convolves [batch, channels, ...] with weights [outputs, depth, ...kernel], then adds the bias. A
 * sum of f32 has 16 partial sums (lanes). Sums of f64 and i32 add their terms in order, over
 * channels, then kernel entries; i32 wraps around. Entries outside the image add no term. Tensors:
 * out, image, weights, bias (optional). Numbers: batch, channels, depth, outputs, axes, then six
 * for each axis (image_windows.hpp).
 */
struct ConvTensor {
  static constexpr size_t kAxesFrom = 5;

  static void check(const TensorArguments& a) {
    a.arity(4, kAxesFrom);
    const uint64_t batch = a.whole(0), channels = a.whole(1), depth = a.whole(2, 1), outputs = a.whole(3);
    const uint64_t groups = channels / depth;
    a.need(groups >= 1 && groups * depth == channels && outputs % groups == 0, "groups of different sizes");
    const auto sizes = WindowSpace::check(a, kAxesFrom, a.whole(4));
    const Element element = a.operands[0].element;
    a.need(element == Element::f32 || element == Element::f64 || element == Element::i32, "no such convolution");
    a.tensor(0, element, a.count(batch, outputs, sizes.places));
    a.tensor(1, element, a.count(batch, channels, sizes.pixels));
    a.tensor(2, element, a.count(outputs, depth, sizes.entries));
    a.optional_tensor(3, element, outputs);
  }

  /**
   * The tensors and sizes of one convolution. All its classes of windows (`WindowClass`: the
   * windows that cover the same entries of the kernel) share one `Image`.
   */
  template <class T>
  struct Image {
    const T *pixels, *weights, *bias;
    T* out;
    // `together` is the number of outputs of a group
    size_t batch, channels, depth, outputs, together;
    const WindowSpace& space;
    TensorScratch& scratch;

    size_t terms() const { return depth * space.entries; }
    void put(size_t output, size_t at, T sum) const {
      // A sum starts at +0, so it is never -0, and adding +0 changes nothing.
      out[at + output * space.places] = sum + (bias ? bias[output] : T{0});
    }
  };

  /**
   * The position of a window: the index in the image where its channels begin, and its index in the
   * first channel of the result.
   */
  struct Window {
    size_t pixel, place;
  };
  static constexpr size_t kBlock = 1024;

  template <class T>
  static constexpr size_t kLanes = __is_same(T, float) ? kMostLanes : 1;

  /**
   * Lists the terms of a sum for the windows of one class: for each term, the index of its pixel
   * and of its weight. Returns the number of terms.
   */
  template <class T>
  static size_t list_terms(const Image<T>& i, const WindowClass& one, TableTerms& terms, uint32_t* pixels,
                           uint32_t* weights) {
    const size_t count = i.depth * one.inside(i.space);
    TermPlaces places(count, kLanes<T>, terms.ends);
    terms.lanes = places.lanes;
    for (size_t channel = 0; channel < i.depth; channel++) {
      one.each_entry(i.space, [&](size_t entry, size_t pixel) {
        const size_t at = places.take();
        pixels[at] = static_cast<uint32_t>(channel * i.space.pixels + pixel);
        weights[at] = static_cast<uint32_t>(channel * i.space.entries + entry);
      });
    }
    return count;
  }

  /**
   * Calls `visit(windows, count)` for several windows of one class at a time, over all images of
   * the batch.
   */
  template <class T, class Visit>
  static void each_block(const Image<T>& i, const WindowClass& one, const Visit& visit) {
    Window windows[kBlock];
    size_t count = 0;
    for (size_t image = 0; image < i.batch; image++) {
      one.each_line(i.space, [&](size_t place, size_t pixel, size_t length, size_t step) {
        pixel += image * i.channels * i.space.pixels;
        place += image * i.outputs * i.space.places;
        for (size_t at = 0; at < length; at++) {
          windows[count++] = {pixel + at * step, place + at};
          if (count < kBlock) continue;
          visit(windows, count);
          count = 0;
        }
      });
    }
    if (count) visit(windows, count);
  }

  /**
   * Packs the weights of one convolution group into panels, matrices of [terms, width]. In a row of
   * a panel, weights of adjacent outputs are adjacent.
   */
  template <class T>
  static const T* pack_weights(const Image<T>& i, size_t group, PanelWidths widths) {
    const size_t width = widths.vectors * kVectorOf<T>, terms = i.terms();
    T* packed = i.scratch.panel.template reserve<T>(widths.panels * width * terms, i.scratch.growth);
    for (size_t panel = 0; panel < widths.panels; panel++) {
      const size_t first = panel * width, left = i.together - first;
      lay_columns(i.weights + (group * i.together + first) * terms, terms, left < width ? left : width, terms, width,
                  packed + first * terms);
    }
    return packed;
  }

  /**
   * Computes a convolution whose groups have many outputs. A SIMD register holds several outputs,
   * and each row of the matrix product is a window. Factors are read directly from the image.
   */
  template <class T>
  static void by_outputs(const Image<T>& i) {
    const auto widths = PanelWidths::of<T>(i.together);
    const size_t width = widths.vectors * kVectorOf<T>;
    auto* table = i.scratch.terms.template reserve<uint32_t>(2 * i.terms(), i.scratch.growth);
    for (size_t group = 0; group < i.channels / i.depth; group++) {
      const T* packed = pack_weights(i, group, widths);
      const T* image = i.pixels + group * i.depth * i.space.pixels;
      each_class(i.space, i.scratch, [&](const WindowClass& one) {
        TableTerms terms{table, table + i.terms(), 0, {}, width};
        list_terms(i, one, terms, table, table + i.terms());
        each_block(i, one, [&](const Window* windows, size_t count) {
          for (size_t panel = 0; panel < widths.panels; panel++) {
            const size_t first = group * i.together + panel * width, left = (group + 1) * i.together - first;
            const size_t outputs = left < width ? left : width;
            product_rows<T>(
                widths.vectors, count, [&](size_t window) { return image + windows[window].pixel; }, terms,
                packed + panel * width * i.terms(), [&](size_t window, size_t some, const T* sums, size_t step) {
                  // The loop over outputs is outermost, so that adjacent results are written
                  // together.
                  for (size_t at = 0; at < outputs; at++) {
                    for (size_t row = 0; row < some; row++)
                      i.put(first + at, windows[window + row].place, sums[row * step + at]);
                  }
                });
          }
        });
      });
    }
  }

  /**
   * Computes a convolution whose groups have few terms or few outputs. A SIMD register holds
   * several windows. The pixels of the windows are copied into a panel (a packed matrix) once, and
   * all outputs of the group read this panel.
   */
  template <class T>
  static void by_windows(const Image<T>& i) {
    auto* table = i.scratch.terms.template reserve<uint32_t>(3 * i.terms(), i.scratch.growth);
    uint32_t *pixels = table, *weights = table + i.terms(), *rows = table + 2 * i.terms();
    for (size_t at = 0; at < i.terms(); at++) rows[at] = static_cast<uint32_t>(at);
    constexpr size_t kMostWidth = kPanelVectors * kVectorOf<T>;
    T* panel = i.scratch.panel.template reserve<T>(i.terms() * kMostWidth, i.scratch.growth);
    each_class(i.space, i.scratch, [&](const WindowClass& one) {
      TableTerms terms{weights, rows, 0, {}, 0};
      const size_t count = list_terms(i, one, terms, pixels, weights);
      each_block(i, one, [&](const Window* windows, size_t all) {
        for (size_t group = 0; group < i.channels / i.depth; group++) {
          for (size_t from = 0; from < all; from += kMostWidth) {
            const size_t some = all - from < kMostWidth ? all - from : kMostWidth;
            const size_t vectors = PanelWidths::of<T>(some).vectors;
            terms.stride = vectors * kVectorOf<T>;
            lay(i.pixels + group * i.depth * i.space.pixels, windows + from, some, pixels, count, panel, terms.stride);
            outputs_of(i, group, vectors, terms, panel, windows + from, some);
          }
        }
      });
    });
  }

  template <class T>
  static void outputs_of(const Image<T>& i, size_t group, size_t vectors, const TableTerms& terms, const T* panel,
                         const Window* windows, size_t some) {
    const size_t first = group * i.together;
    product_rows<T>(
        vectors, i.together, [&](size_t output) { return i.weights + (first + output) * i.terms(); }, terms, panel,
        [&](size_t output, size_t outputs, const T* sums, size_t step) {
          for (size_t row = 0; row < outputs; row++) {
            for (size_t at = 0; at < some; at++)
              i.put(first + output + row, windows[at].place, sums[row * step + at]);
          }
        });
  }

  struct Stretch {
    size_t from, count;  // a run of adjacent pixels
  };

  /**
   * Copies the pixels of each term for several windows into a panel, a packed matrix. Adjacent
   * windows are copied together.
   */
  template <class T>
  static void lay(const T* image, const Window* windows, size_t some, const uint32_t* pixels, size_t terms, T* panel,
                  size_t width) {
    Stretch stretches[kPanelVectors * kVectorOf<T>];
    size_t count = 0;
    for (size_t at = 0; at < some; at++) {
      const size_t pixel = windows[at].pixel;
      if (count && pixel == stretches[count - 1].from + stretches[count - 1].count) {
        stretches[count - 1].count++;
      } else {
        stretches[count++] = {pixel, 1};
      }
    }
    for (size_t term = 0; term < terms; term++) {
      const T* from = image + pixels[term];
      T* row = panel + term * width;
      if (count < some) {
        for (size_t at = 0; at < count; at++) row = copied(from + stretches[at].from, stretches[at].count, row);
      } else {
        for (size_t at = 0; at < some; at++) *row++ = from[windows[at].pixel];
      }
      for (size_t at = some; at < width; at++) *row++ = 0;
    }
  }

  /**
   * Copies `count` pixels with a loop, because the copied runs are short. Returns the end of the
   * copy.
   */
  template <class T>
  ALWAYS_INLINE_MEMBER static T* copied(const T* from, size_t count, T* to) {
    for (size_t at = 0; at < count; at++) to[at] = from[at];
    return to + count;
  }

  /**
   * Selects the method for a convolution. With several outputs in a SIMD register, writes are
   * scattered. With several windows in a register, reads are gathered. A gather is expensive if few
   * outputs use its result, or if a class has few windows because the images are small.
   */
  template <class T>
  static bool prefers_windows(const Image<T>& i) {
    if (i.together <= kVectorOf<T> / 2) return true;
    return i.terms() < 2 * i.together && i.batch * i.space.places >= 4 * kVectorOf<T>;
  }

  template <class T>
  static void convolve(TensorRun& r) {
    const WindowSpace space(r.arguments.numbers + kAxesFrom, r.size(4));
    const size_t channels = r.size(1), depth = r.size(2), outputs = r.size(3);
    const Image<T> image{r.in<T>(1), r.in<T>(2), r.in<T>(3), r.out<T>(),
                         r.size(0),  channels,   depth,      outputs,
                         outputs / (channels / depth),       space,     r.scratch};
    if (prefers_windows(image)) {
      by_windows(image);
    } else {
      by_outputs(image);
    }
  }

  static void run(TensorRun& r) {
    if (r.element() == Element::f32) return convolve<float>(r);
    if (r.element() == Element::f64) return convolve<double>(r);
    convolve<uint32_t>(r);
  }
};

BREZEL_ISA_END
