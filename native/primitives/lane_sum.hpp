// Sums in the order of README section 1: a register of 16 partial sums, folded by a fixed tree. A
// partial sum starts at +0, so it is never -0. So adding +0 for a missing lane changes nothing.
#pragma once

#include "isa/region.hpp"
#include "primitives/simd.hpp"

BREZEL_ISA_BEGIN

/**
 * The floats of one register. 16 floats take `kParts` registers: 1, 2 or 4, which depends on the
 * instruction set.
 */
typedef float FloatVector __attribute__((vector_size(kVectorFloats * 4)));
constexpr int kParts = 16 / kVectorFloats;

struct Float16 {
  FloatVector part[kParts];
};

ALWAYS_INLINE Float16 zero_16() {
  Float16 result;
  for (int part = 0; part < kParts; part++) result.part[part] = FloatVector{};
  return result;
}

ALWAYS_INLINE Float16 load_16(const float* from) {
  Float16 result;
  __builtin_memcpy(&result, from, sizeof(result));
  return result;
}

/**
 * Loads 16 floats at the indices `ids`. AVX-512 uses a gather, which is not slower there and uses
 * less of the reorder buffer. Other instruction sets use plain loads.
 */
ALWAYS_INLINE Float16 gather_16(const float* from, const uint32_t* ids) {
  Float16 result;
#if BREZEL_LEVEL >= 5
  // The gather reads indices as signed numbers. Ids are below 2^31 (kMaxSize), so this is safe.
  const __m512 gathered = _mm512_i32gather_ps(_mm512_loadu_si512(ids), from, 4);
  __builtin_memcpy(&result, &gathered, sizeof(result));
#else
  for (int part = 0; part < kParts; part++) {
    for (int lane = 0; lane < kVectorFloats; lane++) result.part[part][lane] = from[ids[part * kVectorFloats + lane]];
  }
#endif
  return result;
}

ALWAYS_INLINE void add_products(Float16& sums, const Float16& a, const Float16& b) {
  for (int part = 0; part < kParts; part++) sums.part[part] = sums.part[part] + a.part[part] * b.part[part];
}

ALWAYS_INLINE void add_terms(Float16& sums, const Float16& terms) {
  for (int part = 0; part < kParts; part++) sums.part[part] = sums.part[part] + terms.part[part];
}

/**
 * Sums 16 lanes to `outputs` results: adds lane i + step to lane i, for step = 8, 4, 2, 1 while
 * `step >= outputs`.
 */
template <int outputs>
ALWAYS_INLINE void fold(const Float16& sums, float* results) {
  float lane[16];
  __builtin_memcpy(lane, &sums, sizeof(lane));
  for (int step = 8; step >= outputs; step /= 2) {
    for (int at = 0; at < step; at++) lane[at] = lane[at] + lane[at + step];
  }
  for (int output = 0; output < outputs; output++) results[output] = lane[output];
}

/** Returns the sum of products of two float arrays. */
static float dot(const float* values, const float* weights, size_t count) {
  Float16 sums = zero_16();
  size_t at = 0;
  for (; at + 16 <= count; at += 16) add_products(sums, load_16(values + at), load_16(weights + at));
  if (at < count) {
    float tail[16] = {};
    for (size_t lane = 0; at + lane < count; lane++) tail[lane] = values[at + lane] * weights[at + lane];
    add_terms(sums, load_16(tail));
  }
  float result;
  fold<1>(sums, &result);
  return result;
}

/** Returns the sum of absolute values. */
static float sum_of_magnitudes(const float* values, size_t count) {
  float lane[16] = {};
  for (size_t at = 0; at < count; at++) lane[at & 15] = lane[at & 15] + __builtin_fabsf(values[at]);
  float result;
  fold<1>(load_16(lane), &result);
  return result;
}

BREZEL_ISA_END
