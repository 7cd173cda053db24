/**
 * 1 or 2 dense numbers of one dtype -> dense of that dtype. Attributes: 0 add 1 sub 2 mul 3 div 4 max 5 min; side 0 in # parameter, 1 parameter
 * # in, 2 in0 # in1. Integers wrap around and are divided towards 0; a division by 0 is refused.
 */
struct ArithKernel {
  static void check(Signature& s) {
    check_operands(s);
    s.need(s.inputs[0].dtype != DType::boolean, "a bool is no number");
    s.dense(s.outputs[0], s.inputs[0].dtype);
    s.attribute_below(0, 6);
  }

  template <class T>
  static constexpr bool is_whole = __is_same(T, int64_t) || __is_same(T, int32_t);

  struct Add {
    template <class T>
    static T of(T a, T b) { return plus(a, b); }
  };
  // Integers are computed without a sign, where wrapping around is defined.
  struct Subtract {
    template <class T>
    static T of(T a, T b) {
      if constexpr (is_whole<T>) {
        return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
      } else {
        return a - b;
      }
    }
  };
  struct Multiply {
    template <class T>
    static T of(T a, T b) {
      if constexpr (is_whole<T>) {
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
      } else {
        return a * b;
      }
    }
  };
  struct Divide {
    template <class T>
    static T of(T a, T b) {
      if constexpr (is_whole<T>) {
        if (b == 0) return 0;                       // refused
        if (b == -1) return Subtract::of(T{0}, a);  // the least integer stays what it is
      }
      return a / b;
    }
  };

  // What is no number stays so; of equals the first.
  struct Maximum {
    template <class T>
    static T of(T a, T b) { return a < b || b != b ? b : a; }
  };
  struct Minimum {
    template <class T>
    static T of(T a, T b) { return a > b || b != b ? b : a; }
  };

  /** Whether a divisor is 0. */
  template <class T>
  static bool has_zero(const T* values, size_t count) {
    bool found = false;
    for (size_t at = 0; at < count; at++) found |= values[at] == 0;
    return found;
  }

  template <class T>
  static void divide(Run& r) {
    if constexpr (is_whole<T>) {
      const bool is_parameter = r.attribute(1) == 0;
      const size_t input = r.attribute(1) == 2 ? 1 : 0;
      const T* divisors = is_parameter ? r.parameter<T>(0) : r.dense<T>(input);
      const size_t count = is_parameter ? r.call.parameters[0]->bytes() / sizeof(T) : r.rows * size_t{r.input_type(input).size};
      if (has_zero(divisors, count)) r.refuse("an integer divided by 0");
    }
    combine<Divide, T, T>(r);
  }

  template <class T>
  static void of_type(Run& r) {
    switch (r.attribute(0)) {
      case 0:
        return combine<Add, T, T>(r);
      case 1:
        return combine<Subtract, T, T>(r);
      case 2:
        return combine<Multiply, T, T>(r);
      case 3:
        return divide<T>(r);
      case 4:
        return combine<Maximum, T, T>(r);
      default:
        return combine<Minimum, T, T>(r);
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
