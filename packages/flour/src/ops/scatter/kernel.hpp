#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/numbers.hpp"

BREZEL_ISA_BEGIN

/**
 * Copies the data and writes m updates into the copy at the given indices. The inputs are the data,
 * dense numbers [entries * block], the indices, int64 [m], and the updates, [m * block] of the
 * data's dtype. The first attribute is `block`, the second selects how the old value and the update
 * are combined: 0 replace, 1 add, 2 multiply, 3 maximum, 4 minimum. A negative index counts from
 * the end. An index out of range rejects the row.
 */
struct ScatterKernel {
  static void check(Signature& s) {
    s.arity(3, 0, 2);
    const SlotType &data = s.inputs[0], &indices = s.inputs[1], &updates = s.inputs[2];
    s.dense(indices, DType::i64);
    s.dense(data, data.dtype);
    s.need(data.dtype != DType::label, "a label index is no number");
    s.dense(s.outputs[0], data.dtype, data.size);
    s.need(s.attributes[0] > 0 && data.size % static_cast<uint32_t>(s.attributes[0]) == 0, "attribute out of range");
    s.need(updates.kind == Kind::dense && updates.dtype == data.dtype &&
               updates.size == uint64_t{indices.size} * static_cast<uint32_t>(s.attributes[0]),
           "updates of another size");
    s.attribute_below(1, kScatterReductionCount);
  }

  template <class T>
  static constexpr bool is_real = __is_same(T, float) || __is_same(T, double);

  struct Replace {
    template <class T>
    static T of(T, T update) { return update; }
  };
  /** Adds the update. For bools, `Add` is "or" and `Multiply` is "and". */
  struct Add {
    template <class T>
    static T of(T old, T update) {
      if constexpr (__is_same(T, uint8_t)) {
        return old | update;
      } else {
        return plus(old, update);
      }
    }
  };
  struct Multiply {
    template <class T>
    static T of(T old, T update) {
      if constexpr (__is_same(T, uint8_t)) {
        return old & update;
      } else if constexpr (is_real<T>) {
        return old * update;
      } else {
        return static_cast<T>(static_cast<uint64_t>(old) * static_cast<uint64_t>(update));
      }
    }
  };
  // If a value is NaN, the maximum and the minimum are NaN. 0 is greater than -0.
  struct Maximum {
    template <class T>
    static T of(T old, T update) {
      if constexpr (is_real<T>) {
        if (old != old) return old;
        if (old == update) return __builtin_signbit(old) ? update : old;
        return update < old ? old : update;
      } else {
        return update > old ? update : old;
      }
    }
  };
  struct Minimum {
    template <class T>
    static T of(T old, T update) {
      if constexpr (is_real<T>) {
        if (old != old) return old;
        if (old == update) return __builtin_signbit(old) ? old : update;
        return update > old ? old : update;
      } else {
        return update < old ? update : old;
      }
    }
  };

  template <class Reduction, class T>
  static void update(Run& r) {
    const size_t block = r.attribute(0), size = r.output_type().size, m = r.input_type(1).size;
    const auto entries = static_cast<int64_t>(size / block);
    const auto* index = r.dense<int64_t>(1);
    const T* update = r.dense<T>(2);
    T* out = r.write_dense<T>();
    __builtin_memcpy(out, r.dense<T>(0), size_t{r.rows} * size * sizeof(T));
    for (size_t row = 0; row < r.rows; row++, out += size) {
      for (size_t place = 0; place < m; place++, index++, update += block) {
        const int64_t entry = *index < 0 && *index >= -entries ? *index + entries : *index;
        if (entry < 0 || entry >= entries) {
          r.refuse("an index out of range");
          continue;
        }
        T* to = out + static_cast<size_t>(entry) * block;
        for (size_t at = 0; at < block; at++) to[at] = Reduction::of(to[at], update[at]);
      }
    }
  }

  template <class T>
  static void of_type(Run& r) {
    switch (ScatterReduction{r.attribute(1)}) {
      case ScatterReduction::none:
        return update<Replace, T>(r);
      case ScatterReduction::add:
        return update<Add, T>(r);
      case ScatterReduction::multiply:
        return update<Multiply, T>(r);
      case ScatterReduction::maximum:
        return update<Maximum, T>(r);
      default:
        return update<Minimum, T>(r);
    }
  }

  static void run(Run& r) {
    switch (r.output_type().dtype) {
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

BREZEL_ISA_END
