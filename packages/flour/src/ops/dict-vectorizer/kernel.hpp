#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/features.hpp"
#include "primitives/lookup.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

/**
 * Writes the value of each known feature of a dictionary to the column of the feature, as a sparse
 * vector. The parameters are a packed dictionary of the feature names, and the separator between a
 * key and its text value.
 */
struct DictVectorizerKernel {
  static void check(Signature& s) {
    s.arity(1, 2, 0);
    s.dictionary(s.inputs[0]);
    s.sparse(s.outputs[0]);
    need_words(s, 0);
    s.need(Dictionary(s.parameter<void>(0)).nodes <= s.outputs[0].size, "more names than columns");
  }

  struct Known {
    const Dictionary& names;
    void operator()(ColumnSums& sums, const uint8_t* name, uint32_t length, double number) const {
      const uint32_t place = find_word(names, name, length);
      if (place != kNone) sums.add(place, static_cast<float>(number));
    }
  };

  static void run(Run& r) {
    const Dictionary names(r.parameter<void>(0));
    const auto* separator = r.parameter<uint8_t>(1);
    sum_features(r, {separator, separator + r.call.parameters[1]->bytes()}, Known{names});
  }
};

BREZEL_ISA_END
