/**
 * 1 or 2 dense f32 -> dense f32. Attributes: 0 add 1 sub 2 mul 3 div 4 max 5 min; side 0 in # parameter, 1 parameter # in, 2 in0 #
 * in1.
 */
struct ArithKernel {
  static void check(Signature& s) {
    check_operands(s);
    s.dense(s.outputs[0], DType::f32);
    s.attribute_below(0, 6);
  }

  struct Add {
    static float of(float a, float b) { return a + b; }
  };
  struct Subtract {
    static float of(float a, float b) { return a - b; }
  };
  struct Multiply {
    static float of(float a, float b) { return a * b; }
  };
  struct Divide {
    static float of(float a, float b) { return a / b; }
  };

  // What is no number stays so; of equals the first.
  struct Maximum {
    static float of(float a, float b) { return a < b || b != b ? b : a; }
  };
  struct Minimum {
    static float of(float a, float b) { return a > b || b != b ? b : a; }
  };

  static void run(Run& r) {
    switch (r.attribute(0)) {
      case 0:
        return combine<Add, float>(r);
      case 1:
        return combine<Subtract, float>(r);
      case 2:
        return combine<Multiply, float>(r);
      case 3:
        return combine<Divide, float>(r);
      case 4:
        return combine<Maximum, float>(r);
      default:
        return combine<Minimum, float>(r);
    }
  }
};
