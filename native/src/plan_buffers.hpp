// The buffers that hold the slots of a plan while the plan runs over a block of rows. The caller
// provides the scratch memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "include/kernel.hpp"
#include "src/memory.hpp"
#include "src/stage.hpp"

namespace brezel {

class PlanBuffers {
 public:
  PlanBuffers() = default;
  PlanBuffers(const PlanBuffers&) = delete;

  /**
   * Makes room for the slots of a plan. Afterwards a run creates no buffers, but it may enlarge the
   * existing ones.
   */
  void fit(const Plan& plan) {
    if (plan.total_slots() <= columns_.size()) return;
    buffers_.resize(plan.total_slots());
    columns_.resize(plan.total_slots());
  }

  /**
   * Allocates the dense slots for one block of rows, because their size is known before the run.
   */
  void reserve_dense(const Plan& plan, GrowthCounter& growth) {
    const auto reserve = [&](SlotBuffers& buffers, const SlotType& type) {
      if (type.kind == Kind::dense)
        buffers.values.reserve<uint8_t>(size_t{plan.block_rows} * type.size * bytes_of(type.dtype), growth);
    };
    fit(plan);
    for (const PlacedStage& placed : plan.stages) {
      const Stage& stage = *placed.stage;
      for (const Call& call : stage.calls)
        for (const uint32_t slot : call.outputs) reserve(buffers_[placed.first_slot + slot], stage.slots[slot]);
    }
  }

  /** Returns the bytes that `reserve_dense` allocates for a plan. */
  static size_t dense_bytes(const Plan& plan) {
    size_t sum = 0;
    for (const PlacedStage& placed : plan.stages)
      for (const SlotType& type : placed.stage->slots)
        if (type.kind == Kind::dense) sum += size_t{plan.block_rows} * type.size * bytes_of(type.dtype);
    return sum;
  }

  /**
   * Returns the number of bytes that kernels wrote to slots when the plan last ran over `rows`
   * rows.
   */
  size_t used(const Plan& plan, uint32_t rows) const {
    size_t sum = 0;
    for (const PlacedStage& placed : plan.stages)
      for (const Call& call : placed.stage->calls)
        for (const uint32_t slot : call.outputs)
          sum += bytes_used(placed.stage->slots[slot], columns_[placed.first_slot + slot], rows);
    return sum;
  }

  /** Returns the bytes of all buffers. */
  size_t bytes() const { return bytes_of_first(buffers_.size()); }

  /**
   * Returns the bytes of the buffers of a plan. Other plans with the same vectors may have enlarged
   * these buffers.
   */
  size_t bytes(const Plan& plan) const { return bytes_of_first(plan.total_slots()); }

  SlotBuffers& input_buffers(const Plan& plan, size_t input) {
    return buffers_[plan.first_plan_slot + plan.inputs[input]];
  }
  Column& input_column(const Plan& plan, size_t input) { return columns_[plan.first_plan_slot + plan.inputs[input]]; }

  const Column& plan_column(const Plan& plan, uint32_t slot) const { return columns_[plan.first_plan_slot + slot]; }
  Column& plan_column(const Plan& plan, uint32_t slot) { return columns_[plan.first_plan_slot + slot]; }
  /** Returns the buffers of a plan slot. Only inputs of the plan and joined outputs use them. */
  SlotBuffers& plan_buffers(const Plan& plan, uint32_t slot) { return buffers_[plan.first_plan_slot + slot]; }
  Column* columns_of(const PlacedStage& placed) { return columns_.data() + placed.first_slot; }
  SlotBuffers* buffers_of(const PlacedStage& placed) { return buffers_.data() + placed.first_slot; }

  /**
   * Runs one stage over `rows` rows. Throws std::bad_alloc. If a kernel rejects a row,
   * `scratch.refusal` holds the reason.
   */
  void run_stage(const Plan& plan, const PlacedStage& placed, Scratch& scratch, uint32_t rows) {
    take_inputs(plan, placed);
    run_calls(placed, scratch, rows);
    give_outputs(plan, placed);
  }

  /** Lets the stage read its inputs from the plan slots. */
  void take_inputs(const Plan& plan, const PlacedStage& placed) {
    Column* own = columns_of(placed);
    for (size_t at = 0; at < placed.inputs.size(); at++)
      own[placed.stage->inputs[at]] = plan_column(plan, placed.inputs[at]);
  }

  /** Runs the kernels of a stage, with the errors of `run_stage`. */
  void run_calls(const PlacedStage& placed, Scratch& scratch, uint32_t rows) {
    const Stage& stage = *placed.stage;
    for (const Call& call : stage.calls) {
      Run run{call, stage.slots.data(), columns_of(placed), buffers_of(placed), scratch, rows};
      call.run(run);
    }
  }

  /** Lets the plan slots refer to the outputs of the stage. */
  void give_outputs(const Plan& plan, const PlacedStage& placed) {
    const Column* own = columns_of(placed);
    for (size_t at = 0; at < placed.outputs.size(); at++)
      plan_column(plan, placed.outputs[at]) = own[placed.stage->outputs[at]];
  }

  /** Copies the plan's outputs of `rows` rows to `out`, in row-major order. */
  void write_outputs(const Plan& plan, uint32_t rows, double* out) const {
    for (const uint32_t slot : plan.outputs) {
      const SlotType& type = plan.slots[slot].type;
      const Column& column = columns_[plan.first_plan_slot + slot];
      if (type.kind == Kind::sparse) {
        write_sparse(column, type.size, rows, plan.width, out);
      } else {
        write_dense(column, type, rows, plan.width, out);
      }
      out += type.size;
    }
  }

 private:
  size_t bytes_of_first(size_t slots) const {
    size_t sum = 0;
    for (const SlotBuffers& slot : std::span(buffers_).first(slots))
      sum += slot.offsets.capacity() + slot.ids.capacity() + slot.values.capacity();
    return sum;
  }

  static size_t bytes_used(const SlotType& type, const Column& column, uint32_t rows) {
    if (type.kind == Kind::dense) return size_t{rows} * type.size * bytes_of(type.dtype);
    const size_t offsets = type.offsets_of(rows);
    const size_t entry = type.kind == Kind::sparse ? sizeof(uint32_t) + sizeof(float) : 1;
    return offsets * sizeof(uint32_t) + column.offsets[offsets] * entry;
  }

  template <class T>
  static void write_numbers(const Column& column, uint32_t size, uint32_t rows, size_t width, double* out) {
    const T* values = static_cast<const T*>(column.values);
    for (uint32_t row = 0; row < rows; row++, values += size) {
      for (uint32_t at = 0; at < size; at++) out[row * width + at] = static_cast<double>(values[at]);
    }
  }

  static void write_dense(const Column& column, const SlotType& type, uint32_t rows, size_t width, double* out) {
    switch (type.dtype) {
      case DType::f32:
        return write_numbers<float>(column, type.size, rows, width, out);
      case DType::f64:
        return write_numbers<double>(column, type.size, rows, width, out);
      case DType::i64:
        return write_numbers<int64_t>(column, type.size, rows, width, out);
      case DType::i32:
      case DType::label:
        return write_numbers<int32_t>(column, type.size, rows, width, out);
      case DType::boolean:
        return write_numbers<uint8_t>(column, type.size, rows, width, out);
    }
  }

  static void write_sparse(const Column& column, uint32_t size, uint32_t rows, size_t width, double* out) {
    for (uint32_t row = 0; row < rows; row++, out += width) {
      std::fill(out, out + size, 0.0);
      for (uint32_t at = column.offsets[row]; at < column.offsets[row + 1]; at++)
        out[column.ids[at]] = column.floats()[at];
    }
  }

 protected:
  std::vector<SlotBuffers> buffers_;
  std::vector<Column> columns_;
};

}  // namespace brezel
