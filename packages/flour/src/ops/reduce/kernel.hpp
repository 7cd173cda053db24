#pragma once

#include <cmath>

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"
#include "primitives/numbers.hpp"

BREZEL_ISA_BEGIN

/**
 * Divides each row into parts of the same length, and reduces each part to one number. The input
 * and the output have the same dtype: f32, f64, i64 or i32. The attribute is the reduction
 * (`attributes.hpp`). Sums and products run in index order.
 */
struct ReduceKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.dense(s.inputs[0], s.inputs[0].dtype);
    s.need(s.inputs[0].dtype < DType::boolean, "expected a dense slot of numbers");
    s.dense(s.outputs[0], s.inputs[0].dtype);
    s.need(s.outputs[0].size > 0 && s.inputs[0].size % s.outputs[0].size == 0, "parts of different sizes");
    s.attribute_below(0, kReductionCount);
  }

  template <class T>
  static T sum(const T* values, size_t count) {
    T total = 0;
    for (size_t at = 0; at < count; at++) total = total + values[at];
    return total;
  }

  template <class T>
  static T log_sum_exp(const T* values, size_t count) {
    const double top = greatest(values, count);
    if (top == __builtin_inf() || top == -__builtin_inf())
      return static_cast<T>(top);  // subtracting an infinite maximum would give NaN
    double total = 0;
    for (size_t at = 0; at < count; at++) total = total + exp_f64(values[at] - top);
    return static_cast<T>(top + log_f64(total));
  }

  template <class T>
  static T product(const T* values, size_t count) {
    T total = 1;
    for (size_t at = 0; at < count; at++) total = total * values[at];
    return total;
  }

  template <class T>
  static T sum_of_squares(const T* values, size_t count) {
    T total = 0;
    for (size_t at = 0; at < count; at++) {
      const T square = values[at] * values[at];
      total = total + square;
    }
    return total;
  }

  template <class T>
  static T sum_of_absolutes(const T* values, size_t count) {
    T total = 0;
    for (size_t at = 0; at < count; at++) total = total + std::fabs(values[at]);
    return total;
  }

  template <class T>
  static T least(const T* values, size_t count) {
    T best = values[0];
    for (size_t at = 1; at < count; at++) best = values[at] < best ? values[at] : best;
    return best;
  }

  template <class T>
  static T value_of(int32_t reduction, const T* in, size_t size) {
    switch (Reduction{reduction}) {
      case Reduction::sum:
        return sum(in, size);
      case Reduction::mean:
        return static_cast<T>(sum(in, size) / static_cast<double>(size));
      case Reduction::max:
        return greatest(in, size);
      case Reduction::log_sum_exp:
        return log_sum_exp(in, size);
      case Reduction::product:
        return product(in, size);
      case Reduction::sum_of_squares:
        return sum_of_squares(in, size);
      case Reduction::min:
        return least(in, size);
      case Reduction::sum_of_absolutes:
        return sum_of_absolutes(in, size);
      default:
        return std::sqrt(sum_of_squares(in, size));
    }
  }

  /**
   * Reduces one part of integers. Integer sums and products wrap around, so their results do not
   * depend on the order.
   */
  template <class T>
  static T whole_of(int32_t reduction, const T* in, size_t size) {
    uint64_t sum = 0, product = 1, squares = 0, absolutes = 0;
    __int128 wide = 0;
    double real_squares = 0;
    T most = in[0], least = in[0];
    for (size_t at = 0; at < size; at++) {
      const auto bits = static_cast<uint64_t>(in[at]);
      sum += bits;
      wide += in[at];
      product *= bits;
      squares += bits * bits;
      absolutes += in[at] < 0 ? 0 - bits : bits;
      most = in[at] > most ? in[at] : most;
      least = in[at] < least ? in[at] : least;
      const auto real = static_cast<double>(in[at]);
      real_squares = real_squares + real * real;
    }
    switch (Reduction{reduction}) {
      case Reduction::sum:
        return static_cast<T>(sum);
      case Reduction::mean:
        return static_cast<T>(wide / static_cast<__int128>(size));
      case Reduction::max:
        return most;
      case Reduction::log_sum_exp:
        return log_sum_exp_of_whole(in, size, static_cast<double>(most));
      case Reduction::product:
        return static_cast<T>(product);
      case Reduction::sum_of_squares:
        return static_cast<T>(squares);
      case Reduction::min:
        return least;
      case Reduction::sum_of_absolutes:
        return static_cast<T>(absolutes);
      default:
        return truncate<T>(__builtin_sqrt(real_squares));
    }
  }

  template <class T>
  static T log_sum_exp_of_whole(const T* in, size_t size, double top) {
    double total = 0;
    for (size_t at = 0; at < size; at++) total = total + exp_f64(static_cast<double>(in[at]) - top);
    return truncate<T>(top + log_f64(total));
  }

  template <class T>
  static void of_whole(Run& r) {
    const size_t parts = r.output_type().size, size = r.input_type(0).size / parts;
    const T* in = r.dense<T>(0);
    T* out = r.write_dense<T>();
    for (size_t at = 0; at < r.rows * parts; at++, in += size) out[at] = whole_of(r.attribute(0), in, size);
  }

  template <class T>
  static void of_type(Run& r) {
    const size_t parts = r.output_type().size, size = r.input_type(0).size / parts;
    const T* in = r.dense<T>(0);
    T* out = r.write_dense<T>();
    for (size_t at = 0; at < r.rows * parts; at++, in += size) out[at] = value_of(r.attribute(0), in, size);
  }

  static void run(Run& r) {
    switch (r.input_type(0).dtype) {
      case DType::f64:
        return of_type<double>(r);
      case DType::i64:
        return of_whole<int64_t>(r);
      case DType::i32:
        return of_whole<int32_t>(r);
      default:
        return of_type<float>(r);
    }
  }
};

BREZEL_ISA_END
