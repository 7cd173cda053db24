#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/elementwise.hpp"

BREZEL_ISA_BEGIN

/**
 * Combines bools element by element. The attributes are the operation (and, or, xor) and the side,
 * which selects the operands: 0 the input and the parameter, 1 the parameter and the input, 2 the
 * first and the second input.
 */
struct LogicKernel {
  static void check(Signature& s) {
    check_operands(s);
    s.dense(s.inputs[0], DType::boolean);
    s.dense(s.outputs[0], DType::boolean);
    s.attribute_below(0, kConnectiveCount);
  }

  struct And {
    static uint8_t of(uint8_t a, uint8_t b) { return a & b; }
  };
  struct Or {
    static uint8_t of(uint8_t a, uint8_t b) { return a | b; }
  };
  struct Xor {
    static uint8_t of(uint8_t a, uint8_t b) { return a ^ b; }
  };

  static void run(Run& r) {
    switch (Connective{r.attribute(0)}) {
      case Connective::and_:
        return combine<And, uint8_t, uint8_t>(r);
      case Connective::or_:
        return combine<Or, uint8_t, uint8_t>(r);
      default:
        return combine<Xor, uint8_t, uint8_t>(r);
    }
  }
};

BREZEL_ISA_END
