#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Converts m tuples of indices, int64 [m * axes], to m indices into the flattened array. The
 * attributes are the size of each axis, then the stride of each axis. A negative index counts from
 * the end. An index out of range rejects the row.
 */
struct RavelIndexKernel {
  static void check(Signature& s) {
    const size_t axes = s.attributes.size() / 2;
    s.arity(1, 0, axes * 2);
    s.need(axes > 0, "no axes");
    for (const int32_t attribute : s.attributes) s.need(attribute > 0, "attribute out of range");
    s.dense(s.inputs[0], DType::i64);
    s.dense(s.outputs[0], DType::i64);
    s.need(uint64_t{s.outputs[0].size} * axes == s.inputs[0].size, "output of a wrong size");
  }

  static void run(Run& r) {
    const size_t axes = r.call.attributes.size() / 2, count = size_t{r.rows} * r.output_type().size;
    const auto* index = r.dense<int64_t>(0);
    auto* out = r.write_dense<int64_t>();
    for (size_t tuple = 0; tuple < count; tuple++) {
      uint64_t place = 0;
      for (size_t axis = 0; axis < axes; axis++, index++) {
        const int64_t size = r.attribute(axis), entry = *index < 0 && *index >= -size ? *index + size : *index;
        if (entry < 0 || entry >= size) {
          r.refuse("an index out of range");
        } else {
          place += static_cast<uint64_t>(entry) * static_cast<uint32_t>(r.attribute(axes + axis));
        }
      }
      out[tuple] = static_cast<int64_t>(place);
    }
  }
};

BREZEL_ISA_END
