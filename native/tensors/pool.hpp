/**
 * [images, ...] -> [images, ...]: of each window what lies inside the image. kind 0: the greatest, a NaN where there is one, of equals the first, and if
 * asked its place in the whole tensor; kind 1: the mean, by a sum in 16 lanes. Tensors: out, image, i64 places (optional).
 * Numbers: kind, images, axes, six an axis (image_windows.hpp), then for each axis the entries behind it that means count as zeros, or
 * -1 for each where padding does not count.
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
    const WindowSpace space(a.numbers + kAxesFrom, axes);
    for (size_t axis = 0; axis < axes; axis++) {
      const WindowAxis& along = space.axis[axis];
      for (int64_t place = 0; place < along.places; place++)
        a.need(along.first(place) < along.end(place), "a window in the padding");
    }
  }

  static bool is_above(float value, float other) { return value > other || (value != value && other == other); }

  struct Pool {
    const float* image;
    size_t pixels;
    float* out;
    int64_t* places;
    const uint32_t* entries;  // of a window, from its first pixel inside
    size_t count;
  };

  static void greatest(const Pool& p, size_t image, size_t pixel, size_t to) {
    const float* from = p.image + image * p.pixels + pixel;
    size_t best = 0;
    float most = from[p.entries[0]];
    for (size_t at = 1; at < p.count; at++) {
      const float value = from[p.entries[at]];
      if (is_above(value, most)) {
        most = value;
        best = at;
      }
    }
    p.out[to] = most;
    if (p.places) p.places[to] = static_cast<int64_t>(image * p.pixels + pixel + p.entries[best]);
  }

  static void mean(const Pool& p, size_t image, size_t pixel, size_t to, float divisor) {
    const float* from = p.image + image * p.pixels + pixel;
    float lane[16] = {};
    for (size_t at = 0; at < p.count; at++) lane[at & 15] = lane[at & 15] + from[p.entries[at]];
    float sum;
    fold<1>(load_16(lane), &sum);
    p.out[to] = sum / divisor;
  }

  /** Places of a window: those inside the image, or those that the padding has, too. */
  static int64_t counted(const TensorRun& r, const WindowSpace& space, const int64_t* window) {
    int64_t count = 1;
    for (size_t at = 0; at < space.axes; at++) {
      const double after = r.number(kAxesFrom + space.axes * WindowSpace::kNumbers + at);
      const WindowAxis& axis = space.axis[at];
      if (after < 0) {
        count *= axis.end(window[at]) - axis.first(window[at]);
        continue;
      }
      const int64_t left = axis.size + static_cast<int64_t>(after) - axis.start(window[at]);
      const int64_t reached = (left + axis.dilation - 1) / axis.dilation;
      count *= reached < axis.kernel ? reached : axis.kernel;
    }
    return count;
  }

  static void run(TensorRun& r) {
    if (r.arguments.operands[0].length == 0) return;
    const WindowSpace space(r.arguments.numbers + kAxesFrom, r.size(2));
    auto* entries = r.scratch.terms.reserve<uint32_t>(space.entries < space.pixels ? space.entries : space.pixels,
                                                      r.scratch.growth);
    Pool pool{r.in<float>(1), space.pixels, r.out<float>(), r.out<int64_t>(2), entries, 0};
    const bool is_mean = r.number(0) == 1;
    each_class(space, r.scratch, [&](const WindowClass& one) {
      pool.count = 0;
      one.each_entry(space, [&](size_t, size_t pixel) { entries[pool.count++] = static_cast<uint32_t>(pixel); });
      for (size_t image = 0; image < r.size(1); image++) {
        one.each_window(space, [&](size_t place, size_t pixel) {
          const size_t to = image * space.places + place;
          if (!is_mean) return greatest(pool, image, pixel, to);
          int64_t window[kMostAxes];
          for (size_t at = 0; at < space.axes; at++)
            window[at] = static_cast<int64_t>(place) / space.place_step[at] % space.axis[at].places;
          mean(pool, image, pixel, to, static_cast<float>(counted(r, space, window)));
        });
      }
    });
  }
};
