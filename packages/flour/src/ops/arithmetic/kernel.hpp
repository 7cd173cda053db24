#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/elementwise.hpp"
#include "primitives/numbers.hpp"
#include "primitives/power.hpp"

BREZEL_ISA_BEGIN

/**
 * Combines two operands element by element. The operands and the output are dense numbers of one
 * dtype. An operand is an input or the parameter.
 *
 * The first attribute is the operation (`attributes.hpp`). The second attribute, the side, selects
 * the operands. 0: the input and the parameter. 1: the parameter and the input. 2: the first and
 * the second input. Unsigned operations read integers as unsigned. Integer results wrap around, and
 * integer division truncates towards 0. A division by 0 rejects the row.
 */
struct ArithKernel {
  static void check(Signature& s) {
    check_operands(s);
    s.need(s.inputs[0].dtype != DType::boolean, "a bool is no number");
    s.dense(s.outputs[0], s.inputs[0].dtype);
    const bool is_integer = s.inputs[0].dtype == DType::i64 || s.inputs[0].dtype == DType::i32;
    s.attribute_below(0, is_integer ? kArithmeticCount : static_cast<int32_t>(Arithmetic::unsigned_divide));
  }

  template <class T>
  static constexpr bool is_whole = __is_same(T, int64_t) || __is_same(T, int32_t);

  struct Add {
    template <class T>
    static T of(T a, T b) { return plus(a, b); }
  };
  // Integers are subtracted as unsigned, because C++ defines overflow for unsigned integers only.
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
        if (b == 0) return 0;                       // `divide` has rejected the row
        if (b == -1) return Subtract::of(T{0}, a);  // the least integer stays unchanged
      }
      return a / b;
    }
  };

  // If an operand is NaN, the result is NaN. If both operands are equal, the result is the first
  // operand.
  struct Maximum {
    template <class T>
    static T of(T a, T b) { return a < b || b != b ? b : a; }
  };
  struct Minimum {
    template <class T>
    static T of(T a, T b) { return a > b || b != b ? b : a; }
  };

  struct Power {
    template <class T>
    static T of(T a, T b) {
      if constexpr (is_whole<T>) {
        if (b < 0) {
          constexpr int bits = sizeof(T) * 8;
          if (a == 0) return static_cast<T>(~(uint64_t{1} << (bits - 1)));
          return a == 1 || (a == -1 && b % 2 == 0) ? 1 : a == -1 ? -1 : 0;
        }
        uint64_t result = 1, square = static_cast<uint64_t>(a);
        for (auto rest = static_cast<uint64_t>(b); rest > 0; rest >>= 1, square *= square) {
          if (rest & 1) result *= square;
        }
        return static_cast<T>(result);
      } else {
        return static_cast<T>(power_f64(a, b));
      }
    }
  };
  struct Remainder {
    template <class T>
    static T of(T a, T b) {
      if constexpr (is_whole<T>) {
        return b == 0 || b == -1 ? 0 : a % b;
      } else {
        return static_cast<T>(__builtin_fmod(a, b));
      }
    }
  };
  struct Modulo {
    template <class T>
    static T of(T a, T b) {
      if constexpr (is_whole<T>) {
        const T rest = Remainder::of(a, b);
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
      } else {
        const double rest = __builtin_fmod(a, b);
        if (rest == 0) return b < 0 ? T{-0.0} : T{0};
        return static_cast<T>((rest < 0) != (b < 0) ? rest + b : rest);
      }
    }
  };

  template <class T>
  static auto bits(T value) {
    if constexpr (sizeof(T) == 8) {
      return static_cast<uint64_t>(value);
    } else {
      return static_cast<uint32_t>(value);
    }
  }
  struct UnsignedDivide {
    template <class T>
    static T of(T a, T b) { return b == 0 ? 0 : static_cast<T>(bits(a) / bits(b)); }
  };
  struct UnsignedRemainder {
    template <class T>
    static T of(T a, T b) { return b == 0 ? 0 : static_cast<T>(bits(a) % bits(b)); }
  };

  /** Returns whether any divisor is 0. */
  template <class T>
  static bool has_zero(const T* values, size_t count) {
    bool found = false;
    for (size_t at = 0; at < count; at++) found |= values[at] == 0;
    return found;
  }

  template <class Operation, class T>
  static void divide(Run& r) {
    if constexpr (is_whole<T>) {
      const bool is_parameter = Side{r.attribute(1)} == Side::right;
      const size_t input = Side{r.attribute(1)} == Side::none ? 1 : 0;
      const T* divisors = is_parameter ? r.parameter<T>(0) : r.dense<T>(input);
      const size_t count = is_parameter ? r.call.parameters[0]->bytes() / sizeof(T) : r.rows * size_t{r.input_type(input).size};
      if (has_zero(divisors, count)) r.refuse("an integer divided by 0");
    }
    combine<Operation, T, T>(r);
  }

  template <class T>
  static void of_type(Run& r) {
    switch (Arithmetic{r.attribute(0)}) {
      case Arithmetic::add:
        return combine<Add, T, T>(r);
      case Arithmetic::subtract:
        return combine<Subtract, T, T>(r);
      case Arithmetic::multiply:
        return combine<Multiply, T, T>(r);
      case Arithmetic::divide:
        return divide<Divide, T>(r);
      case Arithmetic::maximum:
        return combine<Maximum, T, T>(r);
      case Arithmetic::minimum:
        return combine<Minimum, T, T>(r);
      case Arithmetic::power:
        return combine<Power, T, T>(r);
      case Arithmetic::modulo:
        return divide<Modulo, T>(r);
      case Arithmetic::remainder:
        return divide<Remainder, T>(r);
      default:
        if constexpr (is_whole<T>)
          return Arithmetic{r.attribute(0)} == Arithmetic::unsigned_divide ? divide<UnsignedDivide, T>(r) : divide<UnsignedRemainder, T>(r);
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
