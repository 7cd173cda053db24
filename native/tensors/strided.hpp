#pragma once

#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"
#include "primitives/strided.hpp"

BREZEL_ISA_BEGIN

/**
 * Copies elements of a tensor with a step for each axis, for example to transpose it. Tensors: out,
 * in, of one type. Numbers: axes, sizes, steps.
 */
struct StridedTensor {
  static void check(const TensorArguments& a) {
    a.arity(2, 1);
    const uint64_t axes = a.whole(0);
    a.need(axes <= kMostAxes, "too many axes");
    uint64_t count = 1, last = 0;
    for (uint64_t at = 0; at < axes; at++) count = a.count(count, a.whole(1 + at));
    for (uint64_t at = 0; at < axes && count; at++) last += (a.whole(1 + at) - 1) * a.whole(1 + axes + at);
    a.tensor(0, a.operands[0].element, count);
    a.need(a.has(1) && a.operands[1].element == a.operands[0].element, "tensors of different types");
    a.need(count == 0 || last < a.operands[1].length, "steps leave the tensor");
  }

  static constexpr size_t kBlock = 16;

  /**
   * Copies the last two axes of a tensor whose last axis is not contiguous in memory. Copies
   * small blocks, so that the cache lines of both tensors stay in the cache.
   */
  template <class T>
  static void transpose(const T* from, size_t rows, size_t columns, size_t row_step, size_t column_step, T* out) {
    for (size_t row = 0; row < rows; row += kBlock) {
      const size_t row_end = row + kBlock < rows ? row + kBlock : rows;
      for (size_t column = 0; column < columns; column += kBlock) {
        const size_t column_end = column + kBlock < columns ? column + kBlock : columns;
        for (size_t at = row; at < row_end; at++) {
          for (size_t to = column; to < column_end; to++)
            out[at * columns + to] = from[at * row_step + to * column_step];
        }
      }
    }
  }

  template <class T>
  static void move(TensorRun& r) {
    StridedWalk walk(r.arguments.numbers + 1, r.size(0), 1);
    const T* in = r.in<T>(1);
    T* out = r.out<T>();
    const size_t last = walk.axes - 1, columns = walk.sizes[last], step = walk.steps[0][last];
    if (step != 1 && walk.axes > 1) {
      const size_t rows = walk.sizes[last - 1], row_step = walk.steps[0][last - 1];
      walk.axes--;
      walk.each_line([&](const size_t* places) {
        transpose(in + places[0], rows, columns, row_step, step, out);
        out += rows * columns;
      });
      return;
    }
    walk.each_line([&](const size_t* places) {
      const T* from = in + places[0];
      if (step == 1) {
        __builtin_memcpy(out, from, columns * sizeof(T));
      } else {
        for (size_t at = 0; at < columns; at++) out[at] = from[at * step];
      }
      out += columns;
    });
  }

  static void run(TensorRun& r) {
    const bool is_short = r.element() == Element::f32 || r.element() == Element::i32;
    is_short ? move<uint32_t>(r) : move<uint64_t>(r);
  }
};

BREZEL_ISA_END
