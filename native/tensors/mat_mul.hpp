#pragma once

#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"
#include "primitives/matrix_products.hpp"

BREZEL_ISA_BEGIN

/**
 * Multiplies batches of row-major matrices [rows, inner] x [inner, columns]. A sum of f32 has
 * lanes(columns) partial sums. Sums of f64 and i32 add their terms in order, and i32 wraps around.
 * Tensors: out, left, right, and i32 indices of the left and right matrix of each batch. Numbers:
 * batches, rows, inner, columns, and 1 if the right matrices are transposed, [columns, inner].
 */
struct MatMulTensor {
  static void check(const TensorArguments& a) {
    a.arity(5, 5);
    a.need(a.whole(4) <= 1, "transposed or not");
    const uint64_t batches = a.whole(0), rows = a.whole(1), inner = a.whole(2), columns = a.whole(3);
    const Element element = a.operands[0].element;
    a.need(element == Element::f32 || element == Element::f64 || element == Element::i32, "no such product");
    a.tensor(0, element, a.count(batches, rows, columns));
    check_matrices(a, 1, 3, batches, a.count(rows, inner));
    check_matrices(a, 2, 4, batches, a.count(inner, columns));
  }

  static void check_matrices(const TensorArguments& a, size_t at, size_t which, uint64_t batches, uint64_t size) {
    a.need(a.has(at) && a.operands[at].element == a.operands[0].element, "matrices of different element types");
    a.tensor(which, Element::i32, batches);
    const auto* matrices = static_cast<const int32_t*>(a.operands[which].data);
    for (uint64_t batch = 0; batch < batches; batch++) {
      const int64_t matrix = matrices[batch];
      a.need(matrix >= 0 && (static_cast<uint64_t>(matrix) + 1) * size <= a.operands[at].length, "no such matrix");
    }
  }

  template <class T>
  static void batches(TensorRun& r) {
    const size_t rows = r.size(1), inner = r.size(2), columns = r.size(3);
    const auto *left = r.in<int32_t>(3), *right = r.in<int32_t>(4);
    for (size_t batch = 0; batch < r.size(0); batch++) {
      multiply_matrices(MatrixProduct<T>{r.in<T>(1) + left[batch] * rows * inner,
                                         r.in<T>(2) + right[batch] * inner * columns, rows, inner, columns,
                                         r.size(4) == 1, r.out<T>() + batch * rows * columns, r.scratch.panel,
                                         r.scratch.terms, r.scratch.growth});
    }
  }

  static void run(TensorRun& r) {
    if (r.element() == Element::f32) return batches<float>(r);
    if (r.element() == Element::f64) return batches<double>(r);
    batches<uint32_t>(r);
  }
};

BREZEL_ISA_END
