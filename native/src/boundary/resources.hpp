// Functions for instruction sets, kernels, parameters, stages and plans.
#pragma once

#include <node_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "include/kernel.hpp"
#include "include/tensor_kernel.hpp"
#include "src/boundary/values.hpp"
#include "src/dispatch.hpp"
#include "src/files.hpp"
#include "src/kernels.hpp"
#include "src/manifest.hpp"
#include "src/memory.hpp"
#include "src/parameter.hpp"
#include "src/parameters.hpp"
#include "src/stage.hpp"

namespace brezel {

// ---- what the machine and the addon offer

inline napi_value isas(Arguments& a) {
  constexpr uint32_t count = sizeof(kInstructionSets) / sizeof(kInstructionSets[0]);
  return names(a, count,
               [](uint32_t at) { return kInstructionSets[at].is_supported() ? kInstructionSets[at].name : nullptr; });
}

inline napi_value kernels(Arguments& a) {
  return names(a, kKernelCount, [](uint32_t at) { return kKernels[at]->name; });
}

inline napi_value context_stats(Arguments& a) {
  const GrowthCounter &rows = a.here.context.growth, &tensors = a.here.tensors.growth;
  return object_of(a, {{"scratchBytes", rows.bytes + tensors.bytes}, {"grows", rows.grows + tensors.grows}});
}

inline napi_value context_release(Arguments& a) {
  Arguments::need(!a.here.is_predicting, "scratch was released from inside a prediction");
  a.here.context.release();
  a.here.tensors = TensorScratch();
  return nullptr;
}

/**
 * Returns freed memory to the system. glibc holds tens of megabytes after an import; other systems
 * release this memory without a call.
 */
inline napi_value trim_memory(Arguments&) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
  return nullptr;
}

// ---- parameters

inline napi_value parameter_put(Arguments& a) {
  const std::string id = read_string(a, a.values[0], "the id is not a string");
  TypedArray bytes;
  Arguments::need(!id.empty(), "the id is empty");
  Arguments::need(read_typed_array(a, a.values[1], bytes), "the bytes are not in a typed array");
  Parameter* parameter = ParameterTable::instance().put(id, bytes.data, bytes.length * element_bytes(bytes.type));
  a.here.hold(parameter);
  return number(a, ParameterTable::instance().handle_of(parameter));
}

inline napi_value string_of(Arguments& a, const std::string& text) {
  napi_value made;
  a.ok(napi_create_string_latin1(a.env, text.data(), text.size(), &made), "value cannot be made");
  return made;
}

/** Returns the content checksum of the bytes in its argument. */
inline napi_value parameter_checksum(Arguments& a) {
  TypedArray bytes;
  Arguments::need(read_typed_array(a, a.values[0], bytes), "the bytes are not in a typed array");
  return string_of(a, checksum(static_cast<const uint8_t*>(bytes.data), bytes.length * element_bytes(bytes.type)));
}

/**
 * Checks a FlatBuffer before JavaScript reads it. The arguments are: its bytes, the layout of its
 * tables (Int32Array), the index of the root table. Returns whether the FlatBuffer is safe to read
 * from its root table.
 */
inline napi_value manifest_is_sound(Arguments& a) {
  TypedArray bytes, tables;
  Arguments::need(read_typed_array(a, a.values[0], bytes), "the bytes are not in a typed array");
  Arguments::need(read_typed_array(a, a.values[1], tables) && tables.type == napi_int32_array,
                  "the tables are not in an Int32Array");
  const ManifestTables described = read_tables(static_cast<const int32_t*>(tables.data), tables.length);
  const double root = read_number(a, a.values[2], "the root is not a number");
  Arguments::need(root >= 0 && root < static_cast<double>(described.size()), "no such table");
  ManifestCheck check(static_cast<const uint8_t*>(bytes.data), bytes.length * element_bytes(bytes.type), described);
  napi_value made;
  a.ok(napi_get_boolean(a.env, check.is_sound(static_cast<uint32_t>(root)), &made), "value cannot be made");
  return made;
}

inline Parameter* retained(const Arguments& a) {
  Parameter* parameter = ParameterTable::instance().retain(read_number(a, a.values[0], "the handle is not a number"));
  Arguments::need(parameter, "stale parameter handle", ErrorCode::handle);
  return parameter;
}

inline napi_value parameter_retain(Arguments& a) {
  a.here.hold(retained(a));
  return nullptr;
}

inline napi_value parameter_release(Arguments& a) {
  const bool was_held = a.here.drop(read_number(a, a.values[0], "the handle is not a number"));
  Arguments::need(was_held, "stale parameter handle, or one that this thread does not hold", ErrorCode::handle);
  return nullptr;
}

inline napi_value parameter_copy(Arguments& a) {
  const ParameterReference parameter(retained(a));
  const size_t length = parameter.get()->bytes();
  napi_value buffer, array;
  void* data;
  a.ok(napi_create_arraybuffer(a.env, length, &data, &buffer), "no memory for a copy");
  if (length) memcpy(data, parameter.get()->data(), length);
  a.ok(napi_create_typedarray(a.env, napi_uint8_array, length, buffer, 0, &array), "value cannot be made");
  return array;
}

/**
 * Reads offset and length from arguments `at` and `at + 1`. Checks that the range is inside the
 * parameter.
 */
inline std::pair<const uint8_t*, size_t> bytes_of(Arguments& a, const ParameterReference& parameter, size_t at) {
  const double offset = read_number(a, a.values[at], "the offset is not a number");
  const double length = read_number(a, a.values[at + 1], "the length is not a number");
  const auto bytes = static_cast<double>(parameter.get()->bytes());
  Arguments::need(offset >= 0 && length >= 0 && offset + length <= bytes, "the range is not in the parameter");
  const auto from = static_cast<size_t>(offset), count = static_cast<size_t>(length);
  Arguments::need(static_cast<double>(from) == offset && static_cast<double>(count) == length,
                  "the range is not of whole bytes");
  return {static_cast<const uint8_t*>(parameter.get()->data()) + from, count};
}

inline napi_value parameter_range_checksum(Arguments& a) {
  const ParameterReference parameter(retained(a));
  const auto [data, length] = bytes_of(a, parameter, 1);
  return string_of(a, checksum(data, length));
}

/**
 * Creates a parameter from a part of another one, without a copy in JavaScript. A long part shares
 * the bytes of the other parameter.
 */
inline napi_value parameter_put_range(Arguments& a) {
  const ParameterReference source(retained(a));
  const auto [data, length] = bytes_of(a, source, 1);
  const std::string id = read_string(a, a.values[3], "the id is not a string");
  Arguments::need(!id.empty(), "the id is empty");
  const auto offset = static_cast<size_t>(data - static_cast<const uint8_t*>(source.get()->data()));
  Parameter* parameter = ParameterTable::instance().part(id, source.get(), offset, length);
  a.here.hold(parameter);
  return number(a, ParameterTable::instance().handle_of(parameter));
}

inline napi_value parameter_stats(Arguments& a) {
  const ParameterTable::Stats stats = ParameterTable::instance().stats();
  return object_of(a, {{"objects", stats.objects}, {"bytes", stats.bytes}});
}

// ---- files

#if defined(BREZEL_MAPS_FILES)

inline napi_value file_map(Arguments& a) {
  constexpr double kGreatest = 9007199254740992.0;
  const double descriptor = read_number(a, a.values[0], "the descriptor is not a number");
  const double bytes = read_number(a, a.values[1], "the size is not a number");
  Arguments::need(descriptor >= 0 && descriptor <= INT32_MAX, "the descriptor is out of range");
  Arguments::need(bytes >= 0 && bytes < kGreatest, "the size is out of range");
  SnapshotNames names;
  if (!is_undefined(a, a.values[2])) {
    names.own = read_string(a, a.values[2], "the own name is not a string");
    names.shared = read_string(a, a.values[3], "the shared name is not a string");
    Arguments::need(!names.own.empty(), "the own name is empty");
  }
  auto file = std::make_shared<const MappedFile>(static_cast<int>(descriptor), static_cast<size_t>(bytes),
                                                 std::move(names));
  return number(a, a.here.files.handle(a.here.files.add(std::move(file))));
}

inline const std::shared_ptr<const MappedFile>& file_of(Arguments& a) {
  const auto* file = a.here.files.find(read_number(a, a.values[0], "the handle is not a number"));
  Arguments::need(file, "stale file handle", ErrorCode::handle);
  return *file;
}

struct FileRange {
  size_t offset, length;
};

/**
 * Reads offset and length from arguments `at` and `at + 1`. Checks that the range and the next
 * `behind` bytes are inside the file.
 */
inline FileRange range_of(Arguments& a, const MappedFile& file, size_t at, size_t behind) {
  const double offset = read_number(a, a.values[at], "the offset is not a number");
  const double length = read_number(a, a.values[at + 1], "the length is not a number");
  const auto size = static_cast<double>(file.bytes());
  Arguments::need(offset >= 0 && length >= 0 && offset + length + static_cast<double>(behind) <= size,
                  "the range is not in the file");
  const FileRange range{static_cast<size_t>(offset), static_cast<size_t>(length)};
  Arguments::need(static_cast<double>(range.offset) == offset && static_cast<double>(range.length) == length,
                  "the range is not of whole bytes");
  return range;
}

inline napi_value file_checksum(Arguments& a) {
  const MappedFile& file = *file_of(a);
  const FileRange range = range_of(a, file, 1, 0);
  return string_of(a, checksum(file.data() + range.offset, range.length));
}

inline napi_value file_is_zero(Arguments& a) {
  const MappedFile& file = *file_of(a);
  const FileRange range = range_of(a, file, 1, 0);
  napi_value made;
  a.ok(napi_get_boolean(a.env, is_zero(file.data() + range.offset, range.length), &made), "value cannot be made");
  return made;
}

inline napi_value file_parameter(Arguments& a) {
  const std::shared_ptr<const MappedFile> file = file_of(a);
  const FileRange range = range_of(a, *file, 1, kPadding);
  const std::string id = read_string(a, a.values[3], "the id is not a string");
  bool is_compared;
  a.ok(napi_get_value_bool(a.env, a.values[4], &is_compared), "compare is not a boolean");
  Arguments::need(!id.empty(), "the id is empty");
  Arguments::need(range.offset % 64 == 0, "the parameter is not aligned");
  Parameter* parameter = ParameterTable::instance().map(id, file, range.offset, range.length, is_compared);
  a.here.hold(parameter);
  return number(a, ParameterTable::instance().handle_of(parameter));
}

/** One call of file_touch. It holds the mapping until the background thread is done. */
struct TouchedRange {
  std::shared_ptr<const MappedFile> file;
  FileRange range;
  napi_async_work work = nullptr;
  napi_deferred promise = nullptr;

  static void read(napi_env, void* data) {
    const auto* touched = static_cast<TouchedRange*>(data);
    touched->file->touch(touched->range.offset, touched->range.length);
  }
  static void finish(napi_env env, napi_status, void* data) {
    const std::unique_ptr<TouchedRange> touched(static_cast<TouchedRange*>(data));
    napi_value nothing;
    if (napi_get_undefined(env, &nothing) == napi_ok) napi_resolve_deferred(env, touched->promise, nothing);
    napi_delete_async_work(env, touched->work);
  }
};

/**
 * Starts a background thread that reads a byte of each page. The arguments are: file, offset,
 * length. Returns a promise.
 */
inline napi_value file_touch(Arguments& a) {
  auto touched = std::make_unique<TouchedRange>();
  touched->file = file_of(a);
  touched->range = range_of(a, *touched->file, 1, 0);
  napi_value name, promise;
  a.ok(napi_create_string_latin1(a.env, "brezel:prefault", NAPI_AUTO_LENGTH, &name), "value cannot be made");
  a.ok(napi_create_promise(a.env, &touched->promise, &promise), "value cannot be made");
  a.ok(napi_create_async_work(a.env, nullptr, name, TouchedRange::read, TouchedRange::finish, touched.get(),
                              &touched->work),
       "work cannot be made");
  a.ok(napi_queue_async_work(a.env, touched->work), "work cannot be queued");
  touched.release();  // `finish` deletes it
  return promise;
}

inline napi_value file_release(Arguments& a) {
  file_of(a);
  a.here.files.remove(a.here.files.index_of(read_number(a, a.values[0], "the handle is not a number")));
  return nullptr;
}

#endif

// ---- stages and plans

inline napi_value stage_create(Arguments& a) {
  const napi_value source = a.values[0];
  StageSource read;
  read.isa = read_string(a, property(a, source, "isa"), "isa is not a string");
  read.slots = integers(a, source, "slots");
  read.instructions = integers(a, source, "instructions");
  read.inputs = integers(a, source, "inputs");
  read.outputs = integers(a, source, "outputs");
  read.parameters = handles(a, source, "parameters");
  return number(a, a.here.stages.handle(a.here.stages.add(create_stage(read))));
}

inline const std::shared_ptr<Stage>& stage_of(Arguments& a, double handle) {
  const std::shared_ptr<Stage>* stage = a.here.stages.find(handle);
  Arguments::need(stage, "stale stage handle", ErrorCode::handle);
  return *stage;
}

/** Releases a stage and frees its cached results, even if plans still use the stage. */
inline napi_value stage_release(Arguments& a) {
  const double handle = read_number(a, a.values[0], "the handle is not a number");
  a.here.context.forget_results(stage_of(a, handle).get());
  a.here.stages.remove(a.here.stages.index_of(handle));
  return nullptr;
}

inline napi_value plan_create(Arguments& a) {
  const napi_value source = a.values[0];
  PlanSource read;
  const std::vector<double> stages = handles(a, source, "stages");
  read.wiring = integers(a, source, "wiring");
  read.inputs = integers(a, source, "inputs");
  read.outputs = integers(a, source, "outputs");
  read.max_input_bytes = read_number(a, property(a, source, "maxInputBytes"), "maxInputBytes is not a number");
  // Handles are resolved last: reading the properties above may run JavaScript, which may release
  // stages.
  for (const double handle : stages) {
    const std::shared_ptr<Stage>* stage = a.here.stages.find(handle);
    Arguments::need(stage, "stale stage handle", ErrorCode::handle);
    read.stages.push_back(*stage);
  }
  std::shared_ptr<Plan> plan = create_plan(read);
  a.here.context.fit(*plan);
  return number(a, a.here.plans.handle(a.here.plans.add(std::move(plan))));
}

inline napi_value plan_release(Arguments& a) {
  const double handle = read_number(a, a.values[0], "the handle is not a number");
  Arguments::need(a.here.plans.find(handle), "stale plan handle", ErrorCode::handle);
  a.here.plans.remove(a.here.plans.index_of(handle));
  return nullptr;
}

inline const std::shared_ptr<Plan>& plan_of(Arguments& a) {
  const std::shared_ptr<Plan>* plan = a.here.plans.find(read_number(a, a.values[0], "the handle is not a number"));
  Arguments::need(plan, "stale plan handle", ErrorCode::handle);
  return *plan;
}

}  // namespace brezel
