#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"

BREZEL_ISA_BEGIN

/**
 * Averages the targets of the points that are nearest to a row of f32, and writes C numbers. The
 * parameters are N points, feature-major f32 [size * N], and their targets: classes below C, i32
 * [N], or numbers, f32 [N * C].
 *
 * The first attribute is the number of neighbors. The second is the power of the distance as float
 * bits (1, 2, infinity or another number). Three flags follow. The first is 1 if the distance of a
 * neighbor determines its weight. The second is 1 if the targets are classes. The third is 1 if the
 * kernel takes the root of distances before it compares them.
 */
struct KNearestNeighborsKernel {
  struct Neighbor {
    float distance;
    uint32_t point;
  };

  static void check(Signature& s) {
    s.arity(1, 2, 5);
    s.dense(s.inputs[0], DType::f32);
    s.dense(s.outputs[0], DType::f32);
    const uint64_t outputs = s.outputs[0].size, features = s.inputs[0].size;
    s.need(features > 0 && outputs > 0, "empty slot");
    const uint64_t points = s.parameters[0]->bytes() / (features * 4);
    s.need_parameter(points < kMaxSize, "parameter of a wrong length");
    s.parameter_bytes(0, points * features * 4);
    s.need(s.attributes[0] >= 1 && static_cast<uint64_t>(s.attributes[0]) <= points, "more neighbors than points");
    s.need(__builtin_bit_cast(float, s.attributes[1]) >= 1, "power below 1");
    s.attribute_below(2, 2);
    s.attribute_below(3, 2);
    s.attribute_below(4, 2);
    s.parameter_bytes(1, s.attributes[3] ? points * 4 : points * outputs * 4);
    if (!s.attributes[3]) return;
    for (uint64_t point = 0; point < points; point++) {
      const int32_t one = s.parameter<int32_t>(1)[point];
      s.need_parameter(one >= 0 && static_cast<uint64_t>(one) < outputs, "class out of range");
    }
  }

  static constexpr float kInfinity = __builtin_inff();
  // Number of points computed together, so that their sums stay in registers or in the L1 cache.
  static constexpr size_t kTile = 64;

  /**
   * Computes the distances of `count` points without the final root. The outer loop runs over the
   * features, so that the inner loop is vectorized over the points.
   */
  template <class Term>
  static void add_features(const float* row, const float* points, size_t features, size_t all, size_t count,
                           float* sums, Term term) {
    for (size_t at = 0; at < count; at++) sums[at] = 0;
    for (size_t feature = 0; feature < features; feature++, points += all) {
      const float value = row[feature];
      for (size_t at = 0; at < count; at++) sums[at] = term(sums[at], __builtin_fabsf(value - points[at]));
    }
  }

  static void distances(const float* row, const float* points, size_t features, size_t all, size_t count, float power,
                        float* sums) {
    if (power == 2) {
      add_features(row, points, features, all, count, sums, [](float sum, float away) { return sum + away * away; });
    } else if (power == 1) {
      add_features(row, points, features, all, count, sums, [](float sum, float away) { return sum + away; });
    } else if (power == kInfinity) {
      add_features(row, points, features, all, count, sums,
                   [](float sum, float away) { return away > sum || away != away ? away : sum; });
    } else {
      add_features(row, points, features, all, count, sums, [power](float sum, float away) {
        return sum + static_cast<float>(exp_f64(double{power} * log_f64(away)));
      });
    }
  }

  /**
   * Returns whether a point at `distance` is nearer than an earlier point at distance `than`.
   * Returns false for equal distances and if `distance` is NaN.
   */
  static bool is_nearer(float distance, float than) {
    return distance < than || (than != than && distance == distance);
  }

  static void insert(Neighbor* nearest, uint32_t& found, uint32_t wanted, Neighbor one) {
    if (found == wanted && !is_nearer(one.distance, nearest[wanted - 1].distance)) return;
    uint32_t at = found < wanted ? found++ : wanted - 1;
    for (; at > 0 && is_nearer(one.distance, nearest[at - 1].distance); at--) nearest[at] = nearest[at - 1];
    nearest[at] = one;
  }

  static void find(const float* row, const float* points, size_t features, size_t all, float power, bool is_rooted,
                   uint32_t wanted, Neighbor* nearest) {
    float sums[kTile];
    uint32_t found = 0;
    for (size_t first = 0; first < all; first += kTile) {
      const size_t count = all - first < kTile ? all - first : kTile;
      // A whole tile has a constant size, so the compiler unrolls its loops.
      if (count == kTile) {
        distances(row, points + first, features, all, kTile, power, sums);
      } else {
        distances(row, points + first, features, all, count, power, sums);
      }
      for (size_t at = 0; is_rooted && at < count; at++) sums[at] = root(sums[at], power);
      for (size_t at = 0; at < count; at++)
        insert(nearest, found, wanted, {sums[at], static_cast<uint32_t>(first + at)});
    }
  }

  static float root(float reduced, float power) {
    if (power == 1 || power == kInfinity) return reduced;
    if (power == 2) return __builtin_sqrtf(reduced);
    return static_cast<float>(exp_f64(log_f64(reduced) / double{power}));
  }

  /**
   * Converts the distances to weights in place and returns the sum of the weights. `power` is 1 if
   * the distances need no further root.
   */
  static float weigh(Neighbor* nearest, uint32_t count, float power, bool is_weighted) {
    bool is_there = false;
    for (uint32_t at = 0; at < count && is_weighted; at++) {
      nearest[at].distance = root(nearest[at].distance, power);
      is_there |= nearest[at].distance == 0;
    }
    float total = 0;
    for (uint32_t at = 0; at < count; at++) {
      const float distance = nearest[at].distance;
      const float weight = is_there ? (distance == 0 ? 1.0f : 0.0f) : 1 / distance;
      nearest[at].distance = is_weighted ? weight : 1;
      total = total + nearest[at].distance;
    }
    return total;
  }

  static void run(Run& r) {
    const size_t features = r.input_type(0).size, outputs = r.output_type().size;
    const size_t points = r.call.parameters[0]->bytes() / (features * 4);
    const auto wanted = static_cast<uint32_t>(r.attribute(0));
    const auto power = __builtin_bit_cast(float, r.attribute(1));
    const bool is_rooted = r.attribute(4) == 1;
    auto* nearest = r.scratch.sums.reserve<Neighbor>(wanted, *r.scratch.growth);
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, in += features, out += outputs) {
      find(in, r.parameter<float>(0), features, points, power, is_rooted, wanted, nearest);
      const float total = weigh(nearest, wanted, is_rooted ? 1 : power, r.attribute(2) == 1);
      for (size_t output = 0; output < outputs; output++) out[output] = 0;
      for (uint32_t at = 0; at < wanted; at++) {
        const float weight = nearest[at].distance;
        const uint32_t point = nearest[at].point;
        if (r.attribute(3)) {
          float& votes = out[r.parameter<int32_t>(1)[point]];
          votes = votes + weight;
        } else {
          const float* target = r.parameter<float>(1) + point * outputs;
          for (size_t output = 0; output < outputs; output++) out[output] = out[output] + weight * target[output];
        }
      }
      for (size_t output = 0; output < outputs; output++) out[output] = out[output] / total;
    }
  }
};

BREZEL_ISA_END
