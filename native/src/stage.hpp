// Stage programs and plans. They are read and checked once, in this file, so that a run can trust
// every number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "include/kernel.hpp"
#include "src/dispatch.hpp"
#include "src/kernels.hpp"
#include "src/memory.hpp"
#include "src/parameter.hpp"
#include "src/parameter_reference.hpp"

namespace brezel {

constexpr size_t kMaxSlots = 65536;
constexpr size_t kMaxStages = 65536;

inline void need_program(bool holds, const char* what) {
  if (!holds) throw_error(ErrorCode::program, what);
}

/** Reads a list of int32 from front to back. */
class Reader {
 public:
  explicit Reader(const std::vector<int32_t>& numbers) : numbers_(numbers) {}
  bool is_done() const { return at_ == numbers_.size(); }
  int32_t next() {
    need_program(at_ < numbers_.size(), "program ends early");
    return numbers_[at_++];
  }
  /** Reads a number and checks that it is below `limit`. */
  uint32_t below(size_t limit, const char* what) {
    const int32_t value = next();
    need_program(value >= 0 && static_cast<size_t>(value) < limit, what);
    return static_cast<uint32_t>(value);
  }
  size_t count() { return below(numbers_.size() - at_ + 1, "program ends early"); }

 private:
  const std::vector<int32_t>& numbers_;
  size_t at_ = 0;
};

/** The arguments of stageCreate, as plain numbers. */
struct StageSource {
  std::string isa;
  std::vector<int32_t> slots, instructions, inputs, outputs;
  std::vector<double> parameters;
};

/**
 * Kernel calls over the slots of a stage. A stage is immutable, and all plans of an environment can
 * use it.
 */
struct Stage {
  std::vector<SlotType> slots;
  std::vector<Call> calls;
  std::vector<uint32_t> inputs, outputs;
  std::vector<ParameterReference> parameters;
};

inline std::vector<SlotType> read_slots(const std::vector<int32_t>& numbers) {
  need_program(numbers.size() % 3 == 0 && numbers.size() / 3 <= kMaxSlots, "slots are not triples");
  std::vector<SlotType> slots;
  for (size_t at = 0; at < numbers.size(); at += 3) {
    const int32_t kind = numbers[at], dtype = numbers[at + 1], size = numbers[at + 2];
    need_program(kind >= 0 && kind <= 3, "unknown kind of a slot");
    need_program(dtype >= 0 && dtype <= 5, "unknown dtype of a slot");
    need_program(size >= 1, "slot without columns");
    need_program(kind == 2 || dtype == 0, "text, sparse and dictionary slots have dtype 0");
    need_program(kind != 0 || size <= (1 << 24), "text slot too large");
    need_program(kind != 3 || size == 1, "a dictionary slot has size 1");
    need_program(kind != 2 || size <= (1 << 27), "dense slot too large");
    slots.push_back({static_cast<Kind>(kind), static_cast<DType>(dtype), static_cast<uint32_t>(size)});
  }
  return slots;
}

inline std::vector<uint32_t> read_slot_numbers(Reader& reader, size_t count, size_t slots) {
  std::vector<uint32_t> numbers;
  for (size_t at = 0; at < count; at++) numbers.push_back(reader.below(slots, "slot out of range"));
  return numbers;
}

/** Reads one instruction. `is_written` marks the slots that earlier instructions write. */
inline Call read_call(Reader& reader, const Stage& stage, std::vector<bool>& is_written, const InstructionSet& isa) {
  const uint32_t kernel = reader.below(kKernelCount, "unknown kernel");
  const size_t inputs = reader.count(), outputs = reader.count(), parameters = reader.count(),
               attributes = reader.count();
  Call call{};
  call.run = isa.kernels().rows[kernel];
  call.inputs = read_slot_numbers(reader, inputs, stage.slots.size());
  call.outputs = read_slot_numbers(reader, outputs, stage.slots.size());
  Signature signature;
  for (const uint32_t slot : call.inputs) {
    need_program(is_written[slot], "slot read before it is written");
    signature.inputs.push_back(stage.slots[slot]);
  }
  for (const uint32_t slot : call.outputs) {
    need_program(!is_written[slot], "slot written twice");
    is_written[slot] = true;
    signature.outputs.push_back(stage.slots[slot]);
  }
  for (size_t at = 0; at < parameters; at++) {
    Parameter* parameter = stage.parameters[reader.below(stage.parameters.size(), "parameter out of range")].get();
    signature.parameters.push_back(parameter);
    call.parameters.push_back(parameter);
  }
  for (size_t at = 0; at < attributes; at++) signature.attributes.push_back(reader.next());
  need_program(signature.outputs.size() == 1, "wrong number of outputs");
  const Kernel& bound = *kKernels[kernel];
  bound.check(signature);
  if (bound.prepare) bound.prepare(signature, call.prepared);
  call.attributes = std::move(signature.attributes);
  return call;
}

inline std::shared_ptr<Stage> create_stage(const StageSource& source) {
  const InstructionSet& isa = instruction_set(source.isa);
  auto stage = std::make_shared<Stage>();
  stage->slots = read_slots(source.slots);
  std::vector<bool> is_written(stage->slots.size());
  Reader inputs(source.inputs), outputs(source.outputs), program(source.instructions);
  stage->inputs = read_slot_numbers(inputs, source.inputs.size(), stage->slots.size());
  for (const uint32_t slot : stage->inputs) {
    need_program(!is_written[slot], "slot written twice");
    is_written[slot] = true;
  }
  stage->parameters.reserve(source.parameters.size());
  for (const double handle : source.parameters) {
    Parameter* parameter = retain_parameter(handle);
    if (!parameter) throw_error(ErrorCode::handle, "stale parameter handle");
    stage->parameters.emplace_back(parameter);
  }
  while (!program.is_done()) stage->calls.push_back(read_call(program, *stage, is_written, isa));
  stage->outputs = read_slot_numbers(outputs, source.outputs.size(), stage->slots.size());
  for (const uint32_t slot : stage->outputs) need_program(is_written[slot], "output slot is never written");
  return stage;
}

/** The arguments of planCreate. */
struct PlanSource {
  std::vector<std::shared_ptr<Stage>> stages;
  std::vector<int32_t> wiring, inputs, outputs;
  double max_input_bytes;
};

/**
 * A stage in a plan: the index of its first slot in the context, and the plan slots that it reads
 * and writes.
 */
struct PlacedStage {
  std::shared_ptr<Stage> stage;
  size_t first_slot;
  std::vector<uint32_t> inputs, outputs;
};

/** A plan slot. An input that no stage reads has no type and is not read. */
struct PlanSlot {
  bool is_written = false, is_typed = false;
  SlotType type{};
};

struct Plan {
  std::vector<PlacedStage> stages;
  std::vector<PlanSlot> slots;
  size_t first_plan_slot = 0;  // plan slots follow the slots of all stages
  std::vector<uint32_t> inputs, outputs;
  uint32_t max_input_bytes = 0;
  uint32_t width = 0;       // numbers of one row in `out`
  // no sparse input and no text output, so `predict*` and `profileRows` can run the plan
  bool is_numeric = true;
  uint32_t block_rows = 1;  // maximal rows of one block

  size_t total_slots() const { return first_plan_slot + slots.size(); }
};

constexpr uint32_t kMaxInputBytes = 1u << 28;
constexpr uint32_t kBlockRows = 256;
// limits the text and the numbers of a slot, so that a block fits in a cache
constexpr uint32_t kBlockBytes = 1 << 20;

inline void wire_stage(Plan& plan, PlacedStage& placed, Reader& wiring) {
  const Stage& stage = *placed.stage;
  need_program(wiring.count() == stage.inputs.size() && wiring.count() == stage.outputs.size(),
               "wiring does not fit a stage");
  placed.inputs = read_slot_numbers(wiring, stage.inputs.size(), plan.slots.size());
  placed.outputs = read_slot_numbers(wiring, stage.outputs.size(), plan.slots.size());
  for (size_t at = 0; at < placed.inputs.size(); at++) {
    PlanSlot& slot = plan.slots[placed.inputs[at]];
    const SlotType type = stage.slots[stage.inputs[at]];
    need_program(slot.is_written, "plan slot read before it is written");
    need_program(!slot.is_typed || slot.type == type, "plan slot of different types");
    slot.is_typed = true;
    slot.type = type;
  }
  for (size_t at = 0; at < placed.outputs.size(); at++) {
    PlanSlot& slot = plan.slots[placed.outputs[at]];
    need_program(!slot.is_written, "plan slot written twice");
    slot = {true, true, stage.slots[stage.outputs[at]]};
  }
}

inline uint32_t rows_of_block(const Plan& plan) {
  uint64_t widest = 1;
  const auto widen = [&](const SlotType& type) {
    if (type.kind != Kind::sparse) widest = std::max(widest, uint64_t{type.size} * 8);
  };
  for (const PlacedStage& placed : plan.stages)
    std::for_each(placed.stage->slots.begin(), placed.stage->slots.end(), widen);
  return static_cast<uint32_t>(std::clamp<uint64_t>(kBlockBytes / widest, 1, kBlockRows));
}

inline std::shared_ptr<Plan> create_plan(const PlanSource& source) {
  need_program(source.stages.size() <= kMaxStages, "too many stages");
  if (!(source.max_input_bytes >= 0 && source.max_input_bytes <= kMaxInputBytes))
    throw_error(ErrorCode::argument, "maxInputBytes is not between 0 and 2^28");
  auto plan = std::make_shared<Plan>();
  plan->max_input_bytes = static_cast<uint32_t>(source.max_input_bytes);
  size_t plan_slots = source.inputs.size();
  for (const auto& stage : source.stages) plan_slots += stage->outputs.size();
  plan->slots.resize(plan_slots);

  Reader inputs(source.inputs), outputs(source.outputs), wiring(source.wiring);
  plan->inputs = read_slot_numbers(inputs, source.inputs.size(), plan_slots);
  for (const uint32_t slot : plan->inputs) {
    need_program(!plan->slots[slot].is_written, "plan slot written twice");
    plan->slots[slot].is_written = true;
  }
  for (const auto& stage : source.stages) {
    PlacedStage placed{stage, plan->first_plan_slot, {}, {}};
    wire_stage(*plan, placed, wiring);
    plan->first_plan_slot += stage->slots.size();
    plan->stages.push_back(std::move(placed));
  }
  need_program(wiring.is_done(), "wiring for more stages than there are");
  for (const uint32_t slot : plan->inputs) {
    const PlanSlot& input = plan->slots[slot];
    if (input.is_typed && input.type.kind == Kind::sparse) plan->is_numeric = false;
  }
  plan->outputs = read_slot_numbers(outputs, source.outputs.size(), plan_slots);
  uint64_t width = 0;
  for (const uint32_t slot : plan->outputs) {
    need_program(plan->slots[slot].is_typed, "plan output is never written");
    need_program(plan->slots[slot].type.kind != Kind::dictionary, "a dictionary is no output");
    if (plan->slots[slot].type.kind == Kind::text) plan->is_numeric = false;
    width += plan->slots[slot].type.size;
  }
  need_program(width <= (1u << 28), "plan outputs too large");
  plan->width = static_cast<uint32_t>(width);
  plan->block_rows = rows_of_block(*plan);
  return plan;
}

}  // namespace brezel
