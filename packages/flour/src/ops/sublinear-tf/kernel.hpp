#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"

BREZEL_ISA_BEGIN

/** Replaces each entry by 1 + log(entry): sparse -> sparse. */
struct SublinearTfKernel {
  static void check(Signature& s) {
    s.arity(1, 0, 0);
    s.sparse(s.inputs[0]);
    s.need(s.inputs[0] == s.outputs[0], "output type differs from the input's");
  }

  static void run(Run& r) {
    const size_t entries = r.share_entries();
    const float* in = r.input(0).floats();
    float* out = r.write_values<float>(entries);
    for (size_t at = 0; at < entries; at++) out[at] = static_cast<float>(1.0 + log_f64(in[at]));
  }
};

BREZEL_ISA_END
