#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/bytes.hpp"
#include "primitives/elementwise.hpp"
#include "primitives/texts.hpp"

BREZEL_ISA_BEGIN

/**
 * Compares two operands element by element and writes bools. The operands are dense numbers of one
 * dtype, or bools. The attributes are the comparison and the side, which selects the operands as in
 * the kernel `arith`.
 */
struct CompareKernel {
  static void check(Signature& s) {
    check_operands(s);
    s.dense(s.outputs[0], DType::boolean);
    s.attribute_below(0, kComparisonCount);
  }

  struct Greater {
    template <class T>
    static bool of(T a, T b) { return a > b; }
  };
  struct Less {
    template <class T>
    static bool of(T a, T b) { return a < b; }
  };
  struct Equal {
    template <class T>
    static bool of(T a, T b) { return a == b; }
  };
  struct GreaterOrEqual {
    template <class T>
    static bool of(T a, T b) { return a >= b; }
  };
  struct LessOrEqual {
    template <class T>
    static bool of(T a, T b) { return a <= b; }
  };

  template <class T>
  static void of_type(Run& r) {
    switch (Comparison{r.attribute(0)}) {
      case Comparison::greater:
        return combine<Greater, T, uint8_t>(r);
      case Comparison::less:
        return combine<Less, T, uint8_t>(r);
      case Comparison::equal:
        return combine<Equal, T, uint8_t>(r);
      case Comparison::greater_or_equal:
        return combine<GreaterOrEqual, T, uint8_t>(r);
      default:
        return combine<LessOrEqual, T, uint8_t>(r);
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
      case DType::boolean:
        return of_type<uint8_t>(r);
      default:
        return of_type<float>(r);
    }
  }
};

/**
 * Compares texts element by element: text, text -> dense bool, 1 where both texts are equal. If an
 * operand has a single text, this text is compared with every text of the other operand.
 */
struct EqualTextsKernel {
  static void check(Signature& s) {
    s.need(s.outputs.size() == 1, "wrong number of outputs");
    s.dense(s.outputs[0], DType::boolean);
    check_text_operands(s, s.outputs[0].size);
  }

  static void run(Run& r) {
    const size_t size = r.output_type().size;
    const Column &left = r.input(0), &right = r.input(1);
    auto* out = r.write_dense<uint8_t>();
    for (size_t row = 0; row < r.rows; row++) {
      for (size_t column = 0; column < size; column++) {
        const size_t a = operand_text(r, 0, row, column), b = operand_text(r, 1, row, column);
        const uint32_t length = left.offsets[a + 1] - left.offsets[a];
        *out++ = length == right.offsets[b + 1] - right.offsets[b] &&
                 bytes_equal(left.bytes() + left.offsets[a], right.bytes() + right.offsets[b], length);
      }
    }
  }
};

BREZEL_ISA_END
