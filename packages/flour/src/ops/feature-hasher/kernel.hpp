#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/features.hpp"
#include "primitives/murmur3.hpp"

BREZEL_ISA_BEGIN

/**
 * Writes each feature of a dictionary to a column of a sparse vector. The column is the absolute
 * value of the feature's hash, modulo the number of columns. With the attribute 1, the value of a
 * feature with a negative hash is negated.
 */
struct FeatureHasherKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 1);
    s.dictionary(s.inputs[0]);
    s.sparse(s.outputs[0]);
    s.attribute_below(0, 2);
  }

  struct Hashed {
    uint32_t columns;
    bool alternates;
    void operator()(ColumnSums& sums, const uint8_t* name, uint32_t length, double number) const {
      if (number == 0) return;
      const uint32_t hash = murmur3_32(name, length, 0);
      const bool is_negative = hash >> 31;
      // The absolute value of -2^31 is not a signed 32-bit integer. scikit-learn computes this
      // column for it.
      const uint32_t magnitude = hash == 0x80000000u ? 0x7FFFFFFFu - (columns - 1) : is_negative ? 0u - hash : hash;
      sums.add(magnitude % columns, static_cast<float>(alternates && is_negative ? -number : number));
    }
  };

  static void run(Run& r) {
    static constexpr uint8_t kSeparator = '=';
    sum_features(r, {&kSeparator, &kSeparator + 1}, Hashed{r.output_type().size, r.attribute(0) == 1});
  }
};

BREZEL_ISA_END
