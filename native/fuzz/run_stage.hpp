// Creates a stage and a plan from untrusted numbers and parameters, and runs a few rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/input.hpp"
#include "src/context.hpp"
#include "src/packed_dictionary.hpp"
#include "src/parameters.hpp"
#include "src/stage.hpp"

namespace brezel {

/** Puts the parameters of a stage into the parameter table, and releases them in the destructor. */
class FuzzParameters {
 public:
  explicit FuzzParameters(const std::vector<std::vector<uint8_t>>& parameters) {
    ParameterTable& table = ParameterTable::instance();
    for (const auto& bytes : parameters)
      held_.push_back(table.put("fuzz/" + std::to_string(held_.size()), bytes.data(), bytes.size()));
  }
  FuzzParameters(const FuzzParameters&) = delete;
  ~FuzzParameters() {
    for (Parameter* parameter : held_) ParameterTable::instance().release(parameter);
  }
  std::vector<double> handles() const {
    std::vector<double> handles;
    for (const Parameter* parameter : held_) handles.push_back(ParameterTable::instance().handle_of(parameter));
    return handles;
  }

 private:
  std::vector<Parameter*> held_;
};

/**
 * Writes random rows that the checks of the addon accept: valid UTF-8, booleans of 0 and 1,
 * distinct ids.
 */
class FuzzRows {
 public:
  FuzzRows(const std::vector<uint8_t>& bytes, uint32_t rows, Context& context)
      : bytes_(bytes), rows_(rows), context_(context) {}

  void write(const Plan& plan, size_t input) {
    const SlotType& type = plan.slots[plan.inputs[input]].type;
    SlotBuffers& buffers = context_.input_buffers(plan, input);
    Column& column = context_.input_column(plan, input);
    if (type.kind == Kind::dense) return dense(type, buffers, column);
    if (type.kind == Kind::sparse) return sparse(type, buffers, column);
    texts(type, buffers, column);
  }

 private:
  uint8_t next() { return bytes_.empty() ? 0 : bytes_[at_++ % bytes_.size()]; }

  void dense(const SlotType& type, SlotBuffers& buffers, Column& column) {
    const size_t bytes = size_t{rows_} * type.size * bytes_of(type.dtype);
    auto* values = buffers.values.reserve<uint8_t>(bytes, context_.growth);
    for (size_t at = 0; at < bytes; at++) values[at] = type.dtype == DType::boolean ? next() & 1 : next();
    column = {nullptr, nullptr, values};
  }

  void sparse(const SlotType& type, SlotBuffers& buffers, Column& column) {
    const size_t most = size_t{rows_} * std::min<size_t>(type.size, 8);
    auto* offsets = buffers.offsets.reserve<uint32_t>(size_t{rows_} + 1, context_.growth);
    auto* ids = buffers.ids.reserve<uint32_t>(most, context_.growth);
    auto* values = buffers.values.reserve<float>(most, context_.growth);
    uint32_t total = 0;
    offsets[0] = 0;
    for (uint32_t row = 0; row < rows_; row++) {
      const uint32_t count = next() % (std::min<uint32_t>(type.size, 8) + 1);
      const uint32_t first = next() % (type.size - count + 1);
      for (uint32_t at = 0; at < count; at++, total++) {
        ids[total] = first + at;
        values[total] = static_cast<int8_t>(next()) * 0.25f;
      }
      offsets[row + 1] = total;
    }
    column = {offsets, ids, values};
  }

  /**
   * Writes texts of random bytes. If a text is not valid UTF-8, clears the highest bit of each
   * byte. The rows of a dictionary slot are empty.
   */
  void texts(const SlotType& type, SlotBuffers& buffers, Column& column) {
    const size_t count = type.offsets_of(rows_);
    auto* offsets = buffers.offsets.reserve<uint32_t>(count + 1, context_.growth);
    auto* values = buffers.values.reserve<uint8_t>(count * 64 + kPadding, context_.growth);
    offsets[0] = 0;
    for (size_t text = 0; text < count; text++) {
      const uint32_t bytes = type.kind == Kind::dictionary ? 0 : next() % 64;
      uint8_t* start = values + offsets[text];
      for (uint32_t at = 0; at < bytes; at++) start[at] = next();
      if (!is_valid_utf8(start, bytes))
        for (uint32_t at = 0; at < bytes; at++) start[at] &= 0x7F;
      offsets[text + 1] = offsets[text] + bytes;
    }
    column = {offsets, nullptr, values};
  }

  const std::vector<uint8_t>& bytes_;
  const uint32_t rows_;
  Context& context_;
  size_t at_ = 0;
};

/**
 * Returns whether the slots are small. With larger slots, a run would spend its time on memory
 * instead of finding errors.
 */
inline bool is_small(const std::vector<int32_t>& slots) {
  for (size_t at = 2; at < slots.size(); at += 3)
    if (slots[at] > 4096) return false;
  return slots.size() <= 3 * 64;
}

inline std::shared_ptr<Plan> plan_of_stage(std::shared_ptr<Stage> stage) {
  PlanSource source{{stage}, {}, {}, {}, 4096};
  const auto inputs = static_cast<int32_t>(stage->inputs.size()), outputs = static_cast<int32_t>(stage->outputs.size());
  source.wiring = {inputs, outputs};
  for (int32_t at = 0; at < inputs + outputs; at++) {
    source.wiring.push_back(at);
    (at < inputs ? source.inputs : source.outputs).push_back(at);
  }
  return create_plan(source);
}

/** Runs a stage once. A rejected stage is a valid outcome. */
inline void run_fuzz_stage(const FuzzStage& fuzzed) {
  try {
    const FuzzParameters parameters(fuzzed.parameters);
    StageSource source{"baseline", fuzzed.slots, fuzzed.instructions, fuzzed.inputs, fuzzed.outputs, {}};
    source.parameters = parameters.handles();
    const std::shared_ptr<Stage> stage = create_stage(source);
    if (!is_small(fuzzed.slots)) return;
    const std::shared_ptr<Plan> plan = plan_of_stage(stage);
    Context context;
    context.fit(*plan);
    const uint32_t rows = std::min<uint32_t>(3, plan->block_rows);
    FuzzRows inputs(fuzzed.rows, rows, context);
    for (size_t input = 0; input < plan->inputs.size(); input++)
      if (plan->slots[plan->inputs[input]].is_typed) inputs.write(*plan, input);
    context.run(*plan, rows);
    std::vector<double> out(size_t{plan->width} * rows);
    if (plan->is_numeric) context.write_outputs(*plan, rows, out.data());
  } catch (const NativeError&) {
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace brezel
