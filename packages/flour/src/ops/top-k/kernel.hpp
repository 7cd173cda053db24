#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Finds the k greatest or least numbers of a row and sorts them. The first attribute is the order:
 * 0 descending, 1 ascending. The second attribute selects the output (`TopKOutput`): the numbers
 * that were found, in their dtype, or their columns as int64. NaN counts as greater than all
 * numbers. Equal values are sorted by column.
 */
struct TopKKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 2);
    s.dense(s.inputs[0], s.inputs[0].dtype);
    s.need(s.inputs[0].dtype < DType::boolean, "expected a dense slot of numbers");
    s.attribute_below(0, 2);
    s.attribute_below(1, kTopKOutputCount);
    s.dense(s.outputs[0], TopKOutput{s.attributes[1]} == TopKOutput::indices ? DType::i64 : s.inputs[0].dtype);
    s.need(s.outputs[0].size <= s.inputs[0].size, "output of a wrong size");
  }

  /** The requested order of the columns of a row: by value, and by column if values are equal. */
  template <class T>
  struct Order {
    const T* values;
    bool is_ascending;

    bool precedes(uint32_t a, uint32_t b) const {
      const T x = values[a], y = values[b];
      const bool is_first_nan = x != x, is_second_nan = y != y;
      if (is_first_nan != is_second_nan) return is_first_nan != is_ascending;
      if (is_first_nan || x == y) return a < b;
      return is_ascending ? x < y : x > y;
    }
  };

  /**
   * Restores the order of the heap below index `at`. Moves the entry down until no child comes
   * after it in the requested order. The root of the heap is the column that comes last.
   */
  template <class T>
  static void sink(const Order<T>& order, uint32_t* heap, size_t count, size_t at) {
    const uint32_t sinking = heap[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && order.precedes(heap[child], heap[child + 1])) child++;
      if (!order.precedes(sinking, heap[child])) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = sinking;
  }

  /**
   * Finds the `k` columns that come first in the requested order, and writes them to `heap` in this
   * order. `count` is the number of columns of the row.
   */
  template <class T>
  static void first_of(const Order<T>& order, uint32_t count, uint32_t* heap, uint32_t k) {
    for (uint32_t column = 0; column < k; column++) heap[column] = column;
    for (size_t at = k / 2; at-- > 0;) sink(order, heap, k, at);
    for (uint32_t column = k; column < count; column++) {
      if (!order.precedes(column, heap[0])) continue;
      heap[0] = column;
      sink(order, heap, k, 0);
    }
    for (size_t left = k; left-- > 1;) {
      const uint32_t last = heap[0];
      heap[0] = heap[left];
      heap[left] = last;
      sink(order, heap, left, 0);
    }
  }

  template <class T>
  static void of_type(Run& r) {
    const uint32_t size = r.input_type(0).size, k = r.output_type().size;
    const bool gives_indices = TopKOutput{r.attribute(1)} == TopKOutput::indices;
    const bool is_ascending = r.attribute(0) == 1;
    uint32_t* heap = r.scratch.columns.reserve<uint32_t>(k, *r.scratch.growth);
    const T* in = r.dense<T>(0);
    int64_t* indices = gives_indices ? r.write_dense<int64_t>() : nullptr;
    T* values = gives_indices ? nullptr : r.write_dense<T>();
    for (size_t row = 0; row < r.rows; row++, in += size) {
      first_of(Order<T>{in, is_ascending}, size, heap, k);
      for (size_t rank = 0; rank < k; rank++) {
        if (gives_indices) {
          indices[row * k + rank] = heap[rank];
        } else {
          values[row * k + rank] = in[heap[rank]];
        }
      }
    }
  }

  static void run(Run& r) {
    switch (r.input_type(0).dtype) {
      case DType::f64:
        return of_type<double>(r);
      case DType::i64:
        return of_type<int64_t>(r);
      case DType::i32:
        return of_type<int32_t>(r);
      default:
        return of_type<float>(r);
    }
  }
};

BREZEL_ISA_END
