#pragma once

#include <vector>

#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes all products of the columns of a row of f32 up to a degree. The attributes are the least
 * degree, the greatest degree (at most 16), whether the kernel omits products with a repeated
 * column, and whether the first term is 1.
 *
 * The terms of each degree consist of runs. A run multiplies one term of the previous degree,
 * called `prefix`, by several columns: from the last column of `prefix` to the last column of the
 * row. If columns may not repeat, the run starts one column later. Each term takes one
 * multiplication.
 */
struct PolynomialFeaturesKernel {
  struct Term {
    uint32_t product;  // where the term stands among the terms of all degrees
    uint32_t last;     // its greatest column
  };
  struct RunOfTerms {
    uint32_t prefix, column;
  };
  struct Layout {
    uint32_t terms;    // of degree 1 and more
    uint32_t skipped;  // of these, before the least degree
    uint32_t runs;
  };
  static constexpr size_t kRunsOffset = 64;

  static Layout lay_out(const Signature& s, std::vector<RunOfTerms>& runs) {
    const uint32_t features = s.inputs[0].size;
    const int32_t least = s.attributes[0], most = s.attributes[1];
    Layout layout{0, 0, 0};
    if (most == 0) return layout;
    std::vector<Term> below, current;
    for (uint32_t column = 0; column < features; column++) current.push_back({column, column});
    uint64_t terms = features;
    for (int32_t degree = 2; degree <= most; degree++) {
      if (degree <= least) layout.skipped = static_cast<uint32_t>(terms);
      below.swap(current);
      current.clear();
      for (const Term& term : below) {
        const uint32_t from = term.last + (s.attributes[2] ? 1 : 0);
        if (from >= features) continue;
        runs.push_back({term.product, from});
        // Terms of the greatest degree do not start further terms, so they are only counted.
        if (degree < most) {
          for (uint32_t column = from; column < features; column++)
            current.push_back({static_cast<uint32_t>(terms) + column - from, column});
        }
        terms += features - from;
      }
    }
    layout.terms = static_cast<uint32_t>(terms);
    layout.runs = static_cast<uint32_t>(runs.size());
    return layout;
  }

  static void check(Signature& s) {
    s.arity(1, 0, 4);
    s.dense(s.inputs[0], DType::f32);
    s.dense(s.outputs[0], DType::f32);
    s.attribute_below(1, 17);
    s.attribute_below(0, s.attributes[1] + 1);
    s.attribute_below(2, 2);
    s.attribute_below(3, 2);
    s.need(count(s) == s.outputs[0].size, "output of a wrong size");
  }

  /**
   * Counts the terms of the output without allocating memory, because a hostile program may declare
   * very many terms.
   */
  static double count(const Signature& s) {
    double columns = s.attributes[3];
    for (int32_t degree = s.attributes[0] > 1 ? s.attributes[0] : 1; degree <= s.attributes[1]; degree++)
      columns += terms_of(s, degree);
    return columns;
  }

  /**
   * Returns the number of terms of one degree. A number beyond 2^53 is rounded, but a program with
   * so many terms is rejected anyway.
   */
  static double terms_of(const Signature& s, int32_t degree) {
    double terms = 1;
    const double features = s.inputs[0].size;
    for (int32_t factor = 1; factor <= degree; factor++) {
      const double next = s.attributes[2] ? features - factor + 1 : features + factor - 1;
      terms = next <= 0 ? 0 : __builtin_floor(terms * next / factor + 0.5);
    }
    return terms;
  }

  static void prepare(Signature& s, Memory& memory) {
    // Terms below the least degree are computed but not stored. They may be far more than the
    // output's entries, so the limit counts all terms.
    double all = 0;
    for (int32_t degree = 1; degree <= s.attributes[1]; degree++) all += terms_of(s, degree);
    s.need(all <= (1 << 24), "too many terms");
    std::vector<RunOfTerms> runs;
    const Layout layout = lay_out(s, runs);
    Memory laid_out(kRunsOffset + runs.size() * sizeof(RunOfTerms));
    __builtin_memcpy(laid_out.data(), &layout, sizeof(layout));
    if (!runs.empty())
      __builtin_memcpy(static_cast<uint8_t*>(laid_out.data()) + kRunsOffset, runs.data(),
                       runs.size() * sizeof(RunOfTerms));
    memory = static_cast<Memory&&>(laid_out);
  }

  static void multiply(const Layout& layout, const RunOfTerms* runs, const float* row, uint32_t features,
                       float* products) {
    if (layout.terms == 0) return;
    __builtin_memcpy(products, row, size_t{features} * 4);
    float* next = products + features;
    for (uint32_t run = 0; run < layout.runs; run++) {
      const float prefix = products[runs[run].prefix];
      const float* from = row + runs[run].column;
      const uint32_t count = features - runs[run].column;
      for (uint32_t at = 0; at < count; at++) next[at] = prefix * from[at];
      next += count;
    }
  }

  static void run(Run& r) {
    const Layout layout = *r.prepared<Layout>();
    const auto* runs = reinterpret_cast<const RunOfTerms*>(r.prepared<uint8_t>() + kRunsOffset);
    const uint32_t features = r.input_type(0).size, columns = r.output_type().size;
    const bool has_bias = r.attribute(3) == 1;
    const float* in = r.dense<float>(0);
    float* out = r.write_dense<float>();
    float* aside = layout.skipped ? r.scratch.sums.reserve<float>(layout.terms, *r.scratch.growth) : nullptr;
    for (uint32_t row = 0; row < r.rows; row++, in += features, out += columns) {
      float* kept = out + has_bias;
      if (has_bias) out[0] = 1;
      multiply(layout, runs, in, features, aside ? aside : kept);
      if (aside) __builtin_memcpy(kept, aside + layout.skipped, size_t{layout.terms - layout.skipped} * 4);
    }
  }
};

BREZEL_ISA_END
