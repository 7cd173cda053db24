/** As `arith`, -> dense bool. Attributes: 0 greater 1 less 2 equal 3 greaterOrEqual 4 lessOrEqual; side. */
struct CompareKernel {
  static void check(Signature& s) {
    check_operands(s);
    s.dense(s.outputs[0], DType::boolean);
    s.attribute_below(0, 5);
  }

  struct Greater {
    static bool of(float a, float b) { return a > b; }
  };
  struct Less {
    static bool of(float a, float b) { return a < b; }
  };
  struct Equal {
    static bool of(float a, float b) { return a == b; }
  };
  struct GreaterOrEqual {
    static bool of(float a, float b) { return a >= b; }
  };
  struct LessOrEqual {
    static bool of(float a, float b) { return a <= b; }
  };

  static void run(Run& r) {
    switch (r.attribute(0)) {
      case 0:
        return combine<Greater, uint8_t>(r);
      case 1:
        return combine<Less, uint8_t>(r);
      case 2:
        return combine<Equal, uint8_t>(r);
      case 3:
        return combine<GreaterOrEqual, uint8_t>(r);
      default:
        return combine<LessOrEqual, uint8_t>(r);
    }
  }
};
