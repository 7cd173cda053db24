#pragma once

#include <vector>

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/matrix_products.hpp"

BREZEL_ISA_BEGIN

/**
 * Multiplies batches of matrices: each product multiplies a matrix [rows, inner] by a matrix
 * [inner, columns]. Both operands and the output have the same dtype: f32, f64, i64 or i32. At
 * least one operand is an input; the other operand may be the parameter.
 *
 * Attributes: the side of the parameter (`Side`), `rows`, `inner`, `columns`, and then three lists
 * with one number for each batch axis. The first list holds the sizes of the axes. The second list
 * holds the strides of the left operand, and the third list those of the right operand. A stride is
 * the number of matrices between two neighboring indexes of the axis.
 *
 * Sums of f32 have the order of `lanes(columns)` in native/README.md. Other sums run in index
 * order, and integers wrap around.
 */
struct BatchMatMulKernel {
  static constexpr size_t kFixed = 4;

  static void check(Signature& s) {
    s.need(s.attributes.size() >= kFixed && (s.attributes.size() - kFixed) % 3 == 0, "wrong number of attributes");
    s.attribute_below(0, kSideCount);
    const auto side = Side{s.attributes[0]};
    s.arity(side == Side::none ? 2 : 1, side == Side::none ? 0 : 1, s.attributes.size());
    for (const auto number : s.attributes) s.need(number >= 0, "attribute out of range");
    const DType dtype = s.outputs[0].dtype;
    s.need(dtype < DType::boolean, "expected numbers");
    s.dense(s.outputs[0], dtype);
    for (const auto& input : s.inputs) s.dense(input, dtype);
    const Wide rows = s.attributes[1], inner = s.attributes[2], columns = s.attributes[3];
    s.need(rows > 0 && inner > 0 && columns > 0 && rows * inner <= kMaxSize && inner * columns <= kMaxSize,
           "no such matrices");
    const Axes axes(s.attributes);
    s.need(matrices(s, axes.sizes, axes.count) * rows * columns == s.outputs[0].size, "output of a wrong size");
    const auto holds = [&](size_t operand, Wide needed) {
      if (side == (operand == 0 ? Side::left : Side::right)) {
        s.need_parameter(needed * bytes_of(dtype) <= s.parameters[0]->bytes(), "parameter of a wrong length");
      } else {
        s.need(needed <= s.inputs[side == Side::none ? operand : 0].size, "input of a wrong size");
      }
    };
    holds(0, (axes.last(axes.left) + 1) * rows * inner);
    holds(1, (axes.last(axes.right) + 1) * inner * columns);
  }

  using Wide = unsigned __int128;

  struct Axes {
    size_t count;
    const int32_t *sizes, *left, *right;

    explicit Axes(const std::vector<int32_t>& attributes)
        : count((attributes.size() - kFixed) / 3),
          sizes(attributes.data() + kFixed),
          left(sizes + count),
          right(left + count) {}

    /** Returns the index of the matrix that an operand contributes to product number `batch`. */
    size_t matrix(const int32_t* steps, size_t batch) const {
      size_t place = 0;
      for (size_t axis = count; axis-- > 0;) {
        const auto size = static_cast<size_t>(sizes[axis]);
        place += batch % size * static_cast<size_t>(steps[axis]);
        batch /= size;
      }
      return place;
    }
    Wide last(const int32_t* steps) const {
      Wide place = 0;
      for (size_t axis = 0; axis < count; axis++) place += Wide(sizes[axis] - 1) * static_cast<uint32_t>(steps[axis]);
      return place;
    }
  };

  /**
   * Returns the number of matrix products for each row: the product of the sizes of the batch axes.
   * Fails if an axis is empty, or if the product exceeds `kMaxSize`.
   */
  static Wide matrices(const Signature& s, const int32_t* sizes, size_t axes) {
    Wide batches = 1;
    for (size_t axis = 0; axis < axes; axis++) {
      s.need(sizes[axis] > 0, "axis without entries");
      batches *= static_cast<uint32_t>(sizes[axis]);
      s.need(batches <= kMaxSize, "too many matrices");
    }
    return batches;
  }

  template <class T>
  static void of_type(Run& r) {
    const auto side = Side{r.attribute(0)};
    const Axes axes(r.call.attributes);
    size_t rows = static_cast<size_t>(r.attribute(1)), repeats = r.rows;
    const auto inner = static_cast<size_t>(r.attribute(2)), columns = static_cast<size_t>(r.attribute(3));
    size_t batches = r.output_type().size / (rows * columns);
    const T* left = side == Side::left ? r.parameter<T>(0) : r.dense<T>(0);
    const T* right = side == Side::right ? r.parameter<T>(0) : r.dense<T>(side == Side::left ? 0 : 1);
    const size_t left_step = side == Side::left ? 0 : r.input_type(0).size;
    const size_t right_step = side == Side::right ? 0 : r.input_type(side == Side::left ? 0 : 1).size;
    if (batches == 1 && side == Side::right && left_step == rows * inner) {
      rows *= repeats;  // the left matrices of all rows form one tall matrix
      repeats = 1;
    }
    T* out = r.write_dense<T>();
    for (size_t row = 0; row < repeats; row++, left += left_step, right += right_step) {
      for (size_t batch = 0; batch < batches; batch++, out += rows * columns) {
        multiply_matrices(MatrixProduct<T>{left + axes.matrix(axes.left, batch) * rows * inner,
                                           right + axes.matrix(axes.right, batch) * inner * columns, rows, inner,
                                           columns, false, out, r.scratch.panel, r.scratch.terms, *r.scratch.growth});
      }
    }
  }

  static void run(Run& r) {
    switch (r.output_type().dtype) {
      case DType::f64:
        return of_type<double>(r);
      case DType::i64:
        return of_type<uint64_t>(r);  // unsigned, so that sums wrap around
      case DType::i32:
        return of_type<uint32_t>(r);
      default:
        return of_type<float>(r);
    }
  }
};

BREZEL_ISA_END
