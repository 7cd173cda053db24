#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/**
 * Replaces each value of a row of f32 by its bin. The output is dense f32 or sparse.
 *
 * The first parameter holds the edges of all columns (f32). The second holds the index of each
 * column's first edge (i32), and the end of the edges. The third holds one offset for each column
 * (f32). The first attribute selects the form of the output (`BinningOutput`). The second attribute
 * selects the bin of a value that equals an edge (`EdgeBin`).
 */
struct BinningKernel {
  static void check(Signature& s) {
    s.arity(1, 3, 2);
    s.dense(s.inputs[0], DType::f32);
    s.attribute_below(0, kBinningOutputCount);
    s.attribute_below(1, kEdgeBinCount);
    const uint64_t columns = s.inputs[0].size, edges = s.parameters[0]->bytes() / 4;
    s.need_parameter(edges < kMaxSize, "parameter of a wrong length");
    s.parameter_bytes(0, edges * 4);
    s.parameter_bytes(1, (columns + 1) * 4);
    s.parameter_bytes(2, columns * 4);
    if (BinningOutput{s.attributes[0]} == BinningOutput::one_hot) {
      s.sparse(s.outputs[0]);
      s.need(s.outputs[0].size == edges + columns, "output of a wrong size");
    } else {
      s.dense(s.outputs[0], DType::f32, s.inputs[0].size);
    }
    const auto* starts = s.parameter<int32_t>(1);
    s.need_parameter(starts[0] == 0 && static_cast<uint64_t>(starts[columns]) == edges, "starts out of range");
    for (uint64_t column = 0; column < columns; column++)
      s.need_parameter(starts[column] <= starts[column + 1], "starts do not grow");
  }

  static uint32_t bin_of(float value, const float* edges, uint32_t count, EdgeBin edge_bin) {
    uint32_t bin = 0;
    if (edge_bin == EdgeBin::below) {
      for (uint32_t at = 0; at < count; at++) bin += value > edges[at];
    } else {
      for (uint32_t at = 0; at < count; at++) bin += value >= edges[at];
    }
    return bin;
  }

  static void one_hot(Run& r) {
    const auto edge_bin = EdgeBin{r.attribute(1)};
    const uint32_t columns = r.input_type(0).size;
    const float *edges = r.parameter<float>(0), *in = r.dense<float>(0);
    const auto* starts = r.parameter<int32_t>(1);
    const size_t room = size_t{r.rows} * columns;
    uint32_t *offsets = r.write_offsets(), *ids = r.write_ids(room);
    uint32_t entries = 0;
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++, in += columns) {
      for (uint32_t column = 0; column < columns; column++) {
        const auto start = static_cast<uint32_t>(starts[column]), end = static_cast<uint32_t>(starts[column + 1]);
        ids[entries] = start + column + bin_of(in[column], edges + start, end - start, edge_bin);
        entries += in[column] == in[column];
      }
      offsets[row + 1] = entries;
    }
    float* values = r.write_values<float>(room);
    for (uint32_t at = 0; at < entries; at++) values[at] = 1;
  }

  static void run(Run& r) {
    const auto output = BinningOutput{r.attribute(0)};
    if (output == BinningOutput::one_hot) return one_hot(r);
    const auto edge_bin = EdgeBin{r.attribute(1)};
    const uint32_t columns = r.input_type(0).size;
    const float *edges = r.parameter<float>(0), *zeros = r.parameter<float>(2), *in = r.dense<float>(0);
    const auto* starts = r.parameter<int32_t>(1);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, in += columns, out += columns) {
      for (uint32_t column = 0; column < columns; column++) {
        const auto start = static_cast<uint32_t>(starts[column]), end = static_cast<uint32_t>(starts[column + 1]);
        const auto bin = static_cast<float>(bin_of(in[column], edges + start, end - start, edge_bin));
        const float parts = end > start ? static_cast<float>(end - start) : 1;
        const float answer = output == BinningOutput::ordinal ? bin : bin / parts - zeros[column];
        out[column] = in[column] == in[column] ? answer : in[column];
      }
    }
  }
};

BREZEL_ISA_END
