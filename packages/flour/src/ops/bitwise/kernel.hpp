#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/elementwise.hpp"

BREZEL_ISA_BEGIN

/**
 * Combines or shifts the bits of integers. The input and the output are dense i64 or dense i32. The
 * attributes are the operation and the side, which selects the operands as in the kernel `arith`.
 * Integers are read as unsigned, so a shift fills with zeros. A shift by the width of the type or
 * more gives 0.
 */
struct BitwiseKernel {
  static void check(Signature& s) {
    check_operands(s);
    const DType dtype = s.inputs[0].dtype;
    s.need(dtype == DType::i64 || dtype == DType::i32, "expected integers");
    s.dense(s.outputs[0], dtype);
    s.attribute_below(0, kBitwiseCount);
  }

  struct And {
    template <class T>
    static T of(T a, T b) { return a & b; }
  };
  struct Or {
    template <class T>
    static T of(T a, T b) { return a | b; }
  };
  struct Xor {
    template <class T>
    static T of(T a, T b) { return a ^ b; }
  };
  struct ShiftLeft {
    template <class T>
    static T of(T a, T b) { return b < sizeof(T) * 8 ? a << b : 0; }
  };
  struct ShiftRight {
    template <class T>
    static T of(T a, T b) { return b < sizeof(T) * 8 ? a >> b : 0; }
  };

  template <class T>
  static void of_type(Run& r) {
    switch (Bitwise{r.attribute(0)}) {
      case Bitwise::and_:
        return combine<And, T, T>(r);
      case Bitwise::or_:
        return combine<Or, T, T>(r);
      case Bitwise::xor_:
        return combine<Xor, T, T>(r);
      case Bitwise::shift_left:
        return combine<ShiftLeft, T, T>(r);
      default:
        return combine<ShiftRight, T, T>(r);
    }
  }

  static void run(Run& r) { r.output_type().dtype == DType::i64 ? of_type<uint64_t>(r) : of_type<uint32_t>(r); }
};

BREZEL_ISA_END
