// Multiplies a block of rows by a feature-major matrix [features, outputs]. The sums equal those of
// linear.hpp bit for bit. Rows share the loads of the matrix, and sums stay in registers.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/lane_sum.hpp"
#include "primitives/linear.hpp"
#include "primitives/simd.hpp"

BREZEL_ISA_BEGIN

ALWAYS_INLINE FloatVector load_vector(const float* from) {
  FloatVector result;
  __builtin_memcpy(&result, from, sizeof(result));
  return result;
}

// A tile has kTileRows rows and kTileVectors vectors of outputs. These are the most sums that fit
// in registers beside the loaded values.
constexpr size_t kTileRows = 4;
constexpr int kTileVectors = kVectorFloats == 16 ? 4 : 2;  // AVX-512 has twice the registers

/**
 * Computes `count` outputs of kTileRows rows, starting at output `from`. The matrix has more than 8
 * outputs, so each sum adds its terms in order. The function reads whole vectors even if fewer
 * outputs are left; then `vectors` is 1, and the padding of the matrix makes the reads safe.
 */
template <int vectors>
static void multiply_tile(const float* in, size_t features, const float* weights, size_t outputs, size_t from,
                          size_t count, float* out) {
  FloatVector sums[kTileRows][vectors] = {};
  for (size_t term = 0; term < features; term++) {
    const float* at = weights + term * outputs + from;
    FloatVector weight[vectors];
    for (int vector = 0; vector < vectors; vector++) weight[vector] = load_vector(at + vector * kVectorFloats);
    for (size_t row = 0; row < kTileRows; row++) {
      const float value = in[row * features + term];
      for (int vector = 0; vector < vectors; vector++) {
        sums[row][vector] = sums[row][vector] + value * weight[vector];
      }
    }
  }
  for (size_t row = 0; row < kTileRows; row++) __builtin_memcpy(out + row * outputs + from, sums[row], count * 4);
}

/**
 * Computes all outputs of `rows` rows. `rows` is a multiple of kTileRows. A strip of the matrix
 * stays in a cache for all rows.
 */
static void multiply_tiles(const float* in, size_t features, const float* weights, size_t rows, size_t outputs,
                           float* out) {
  constexpr size_t kWide = kTileVectors * kVectorFloats;
  size_t from = 0;
  for (; from + kWide <= outputs; from += kWide) {
    for (size_t row = 0; row < rows; row += kTileRows)
      multiply_tile<kTileVectors>(in + row * features, features, weights, outputs, from, kWide, out + row * outputs);
  }
  for (; from < outputs; from += kVectorFloats) {
    const size_t left = outputs - from, count = left < kVectorFloats ? left : kVectorFloats;
    for (size_t row = 0; row < rows; row += kTileRows)
      multiply_tile<1>(in + row * features, features, weights, outputs, from, count, out + row * outputs);
  }
}

/** Multiplies a block of sparse or dense rows by `weights`. Writes `out` [rows, outputs]. */
static void multiply_rows(const Column& in, const SlotType& type, const float* weights, size_t rows, size_t outputs,
                          float* out) {
  const bool is_tiled = type.kind == Kind::dense && outputs > 8;
  const size_t tiled = is_tiled ? rows - rows % kTileRows : 0;
  if (tiled) multiply_tiles(in.floats(), type.size, weights, tiled, outputs, out);
  // A single row reads the matrix once from front to back, so strips are not faster.
  for (size_t row = tiled; row < rows; row++) dot_row(in, type, weights, row, outputs, out + row * outputs);
}

BREZEL_ISA_END
