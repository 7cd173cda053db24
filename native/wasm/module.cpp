// The kernels as a WebAssembly module. packages/runtime/src/execute/wasm calls its exports to
// create stages and plans, and to run rows. The source of the kernels is the same as in the addon.
//
// JavaScript writes into this memory: the numbers of a stage or plan, the bytes of parameters, and
// the columns of a block of rows. JavaScript makes the checks that boundary/predicting.hpp makes in
// the addon.
//
// The module is compiled without C++ exceptions. A failed check calls the imported function `fail`,
// which throws in JavaScript, and the caller then restores the stack pointer. No destructor runs,
// so `Building` holds a stage or plan while it is created: the next call frees it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "include/kernel.hpp"
#include "primitives/numbers.hpp"
#include "src/checksum.hpp"
#include "src/kernels.hpp"
#include "src/memory.hpp"
#include "src/packed_dictionary.hpp"
#include "src/parameter.hpp"
#include "src/parameter_reference.hpp"
#include "src/plan_buffers.hpp"
#include "src/stage.hpp"
#include "src/utf8.hpp"

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

using namespace brezel;

extern "C" __attribute__((import_module("brezel"), import_name("fail"), noreturn)) void fail(int32_t code,
                                                                                             const char* message);

void brezel::throw_error(ErrorCode code, const char* message) { fail(static_cast<int32_t>(code), message); }
void brezel::throw_no_memory() { throw_error(ErrorCode::memory, "the memory of WebAssembly is used up"); }

// libc++ ends the program if an allocation fails; these operators report an error instead.
void* operator new(size_t bytes) {
  void* found = std::malloc(bytes ? bytes : 1);
  if (!found) throw_no_memory();
  return found;
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  const auto boundary = static_cast<size_t>(alignment);
  void* found = std::aligned_alloc(boundary, (bytes + boundary - 1) & ~(boundary - 1));
  if (!found) throw_no_memory();
  return found;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

/** A parameter with its bytes. Its address is the handle that JavaScript holds. */
struct OwnedParameter {
  explicit OwnedParameter(size_t bytes) : memory(bytes), parameter(memory.data(), bytes) {}

  Memory memory;
  Parameter parameter;
  uint32_t references = 1;
};

OwnedParameter* owner_of(Parameter* parameter) {
  return reinterpret_cast<OwnedParameter*>(reinterpret_cast<uint8_t*>(parameter) - offsetof(OwnedParameter, parameter));
}

/** The buffers of the module. The module has one thread, so all plans share the buffers. */
struct Module {
  Module() { scratch.growth = &growth; }

  GrowthCounter growth;
  PlanBuffers buffers;
  Scratch scratch;
  Buffer numbers, out, message;
  ContentChecksum checksum;
};

Module& module() {
  static Module* only = new Module();
  return *only;
}

/**
 * The stage or plan of the current call. If a check fails, it remains here until the next call
 * frees it.
 */
struct Building {
  StageSource stage;
  PlanSource plan;
};

Building& start_building() {
  static std::unique_ptr<Building> building;
  building = std::make_unique<Building>();
  return *building;
}

/**
 * Reads the lists of numbers that JavaScript wrote. The length of each list precedes its numbers.
 */
class Lists {
 public:
  explicit Lists(const int32_t* at) : at_(at) {}
  std::vector<int32_t> next() {
    const auto count = static_cast<size_t>(*at_++);
    std::vector<int32_t> list(at_, at_ + count);
    at_ += count;
    return list;
  }

 private:
  const int32_t* at_;
};

const PlanSlot& input_slot(const Plan& plan, uint32_t input) { return plan.slots[plan.inputs[input]]; }

}  // namespace

// A handle is the address of a parameter.
Parameter* brezel::retain_parameter(double handle) {
  auto* owner = reinterpret_cast<OwnedParameter*>(static_cast<uintptr_t>(handle));
  owner->references++;
  return &owner->parameter;
}

void brezel::release_parameter(Parameter* parameter) {
  OwnedParameter* owner = owner_of(parameter);
  if (--owner->references == 0) delete owner;
}

// ---- memory

/** Returns memory for bytes that JavaScript passes to the next call. */
EXPORT(message_room) void* message_room(size_t bytes) {
  return module().message.reserve<uint8_t>(bytes, module().growth);
}

// ---- kernels and parameters

EXPORT(kernel_count) uint32_t kernel_count() { return kKernelCount; }
EXPORT(kernel_name) const char* kernel_name(uint32_t kernel) { return kKernels[kernel]->name; }

/** Creates a parameter with one reference. JavaScript writes its bytes before any other use. */
EXPORT(parameter_create) OwnedParameter* parameter_create(size_t bytes) {
  auto* made = new OwnedParameter(bytes);
  memset(static_cast<uint8_t*>(made->memory.data()) + bytes, 0, kPadding);
  return made;
}
EXPORT(parameter_data) const void* parameter_data(const OwnedParameter* owner) { return owner->memory.data(); }
EXPORT(parameter_retain) void parameter_retain(OwnedParameter* owner) { owner->references++; }
EXPORT(parameter_release) void parameter_release(OwnedParameter* owner) { release_parameter(&owner->parameter); }

// JavaScript passes bytes to a checksum in pieces of whole stripes (32 bytes).
EXPORT(checksum_start) void checksum_start() { module().checksum = {}; }
EXPORT(checksum_add) void checksum_add(const uint8_t* data, size_t stripes) { module().checksum.stripes(data, stripes); }
/** Writes the 32 digits of the checksum to `digits`. `tail` holds the last bytes, fewer than 32. */
EXPORT(checksum_end) void checksum_end(const uint8_t* tail, size_t bytes, char* digits) {
  module().checksum.digits(tail, bytes, digits);
}

// ---- stages and plans

/** Creates a stage from lists: slots, instructions, inputs, outputs, parameters (addresses). */
EXPORT(stage_create) std::shared_ptr<Stage>* stage_create(const int32_t* message) {
  StageSource& source = start_building().stage;
  Lists lists(message);
  source.isa = "baseline";
  source.slots = lists.next();
  source.instructions = lists.next();
  source.inputs = lists.next();
  source.outputs = lists.next();
  for (const int32_t parameter : lists.next()) source.parameters.push_back(static_cast<uint32_t>(parameter));
  return new std::shared_ptr<Stage>(create_stage(source));
}
EXPORT(stage_release) void stage_release(std::shared_ptr<Stage>* stage) { delete stage; }

/** Creates a plan from lists: stages (addresses), wiring, inputs, outputs. */
EXPORT(plan_create) std::shared_ptr<Plan>* plan_create(const int32_t* message, double max_input_bytes) {
  PlanSource& source = start_building().plan;
  Lists lists(message);
  for (const int32_t stage : lists.next()) source.stages.push_back(*reinterpret_cast<std::shared_ptr<Stage>*>(stage));
  source.wiring = lists.next();
  source.inputs = lists.next();
  source.outputs = lists.next();
  source.max_input_bytes = max_input_bytes;
  auto* plan = new std::shared_ptr<Plan>(create_plan(source));
  start_building();
  return plan;
}
EXPORT(plan_release) void plan_release(std::shared_ptr<Plan>* plan) { delete plan; }
EXPORT(plan_block_rows) uint32_t plan_block_rows(const std::shared_ptr<Plan>* plan) { return (*plan)->block_rows; }
EXPORT(plan_width) uint32_t plan_width(const std::shared_ptr<Plan>* plan) { return (*plan)->width; }

/**
 * Writes the type of an input to `type`: kind, dtype, and size. An input that no stage reads has
 * size 0.
 */
EXPORT(plan_input) void plan_input(const std::shared_ptr<Plan>* plan, uint32_t input, uint32_t* type) {
  const PlanSlot& slot = input_slot(**plan, input);
  type[0] = static_cast<uint32_t>(slot.type.kind);
  type[1] = static_cast<uint32_t>(slot.type.dtype);
  type[2] = slot.is_typed ? slot.type.size : 0;
}
/** Writes the type of an output, as `plan_input` does. */
EXPORT(plan_output) void plan_output(const std::shared_ptr<Plan>* plan, uint32_t output, uint32_t* type) {
  const SlotType& found = (*plan)->slots[(*plan)->outputs[output]].type;
  type[0] = static_cast<uint32_t>(found.kind);
  type[1] = static_cast<uint32_t>(found.dtype);
  type[2] = found.size;
}

// ---- the columns of a block of rows

/** Returns memory for the offsets, ids (`part` 1) or values (`part` 2) of an input. */
EXPORT(input_room) void* input_room(const std::shared_ptr<Plan>* plan, uint32_t input, uint32_t part, size_t bytes) {
  PlanBuffers& buffers = module().buffers;
  buffers.fit(**plan);
  SlotBuffers& own = buffers.input_buffers(**plan, input);
  Buffer& buffer = part == 0 ? own.offsets : part == 1 ? own.ids : own.values;
  return buffer.reserve<uint8_t>(bytes + kPadding, module().growth);
}

/** Lets the plan read the buffers of an input. */
EXPORT(input_set) void input_set(const std::shared_ptr<Plan>* plan, uint32_t input) {
  PlanBuffers& buffers = module().buffers;
  const SlotBuffers& own = buffers.input_buffers(**plan, input);
  buffers.input_column(**plan, input) = {own.offsets.data<uint32_t>(), own.ids.data<uint32_t>(),
                                         own.values.data<uint8_t>()};
}

/** Returns memory for `count` float64 numbers, which `input_numbers` converts. */
EXPORT(number_room) double* number_room(size_t count) { return module().numbers.reserve<double>(count, module().growth); }

/** Converts `count` numbers in the memory of `number_room` to the type of an input. */
EXPORT(input_numbers) void input_numbers(const std::shared_ptr<Plan>* plan, uint32_t input, size_t count) {
  void* values = input_room(plan, input, 2, count * sizeof(uint64_t));
  baseline::convert_block(DType::f64, input_slot(**plan, input).type.dtype, module().numbers.data<double>(), values,
                          count);
  input_set(plan, input);
}

EXPORT(is_utf8) bool is_utf8(const uint8_t* bytes, size_t length) { return is_valid_utf8(bytes, length); }
EXPORT(is_dictionary) bool is_dictionary(const uint8_t* bytes, size_t length) {
  return is_packed_dictionary(bytes, length);
}

// ---- runs

/** Runs all stages over `rows` rows. Returns why a row was rejected, or null. */
EXPORT(run) const char* run(const std::shared_ptr<Plan>* plan, uint32_t rows) {
  Module& here = module();
  here.buffers.fit(**plan);
  here.scratch.refusal = nullptr;
  for (const PlacedStage& placed : (*plan)->stages) here.buffers.run_stage(**plan, placed, here.scratch, rows);
  return here.scratch.refusal;
}

/** Runs one stage, for measurements. Stages run in order. */
EXPORT(run_stage) const char* run_stage(const std::shared_ptr<Plan>* plan, uint32_t stage, uint32_t rows) {
  Module& here = module();
  here.buffers.fit(**plan);
  here.scratch.refusal = nullptr;
  here.buffers.run_stage(**plan, (*plan)->stages[stage], here.scratch, rows);
  return here.scratch.refusal;
}

/** Returns the outputs of the last run as float64 numbers, row after row. */
EXPORT(read_numbers) const double* read_numbers(const std::shared_ptr<Plan>* plan, uint32_t rows) {
  Module& here = module();
  auto* out = here.out.reserve<double>(size_t{rows} * (*plan)->width, here.growth);
  here.buffers.write_outputs(**plan, rows, out);
  return out;
}

/** Writes the addresses of the offsets, ids and values of an output of the last run to `column`. */
EXPORT(read_column) void read_column(const std::shared_ptr<Plan>* plan, uint32_t output, const void** column) {
  const Column& found = module().buffers.plan_column(**plan, (*plan)->outputs[output]);
  column[0] = found.offsets;
  column[1] = found.ids;
  column[2] = found.values;
}

/** Runs one row of a plan with one text, whose UTF-8 bytes are in the values of input 0. */
EXPORT(run_text) const char* run_text(const std::shared_ptr<Plan>* plan, uint32_t bytes) {
  auto* offsets = static_cast<uint32_t*>(input_room(plan, 0, 0, 2 * sizeof(uint32_t)));
  offsets[0] = 0;
  offsets[1] = bytes;
  input_set(plan, 0);
  return run(plan, 1);
}
