// Predictions: reads rows, transcodes text into scratch, and returns numbers.
#pragma once

#include <node_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "include/kernel.hpp"
#include "primitives/numbers.hpp"
#include "src/boundary/resources.hpp"
#include "src/boundary/values.hpp"
#include "src/context.hpp"
#include "src/environment.hpp"
#include "src/memory.hpp"
#include "src/packed_dictionary.hpp"
#include "src/stage.hpp"
#include "src/transcode.hpp"
#include "src/utf8.hpp"

namespace brezel {

// ---- text

[[noreturn, gnu::cold]] inline void too_long() {
  throw NativeError{ErrorCode::input, "text is longer than maxInputBytes"};
}

/**
 * Appends UTF-8 text to `bytes`, whose first `used` bytes are in use. Returns the new number of
 * used bytes.
 */
inline size_t append_string(Arguments& a, size_t length, size_t used, uint32_t limit, Buffer& bytes) {
  const auto* units = a.here.utf16.data<char16_t>();
  if (length > limit) too_long();
  uint8_t* start = bytes.extend<uint8_t>(used + utf8_room(length) + kPadding, used, a.here.context.growth) + used;
  const auto written = static_cast<size_t>(utf16_to_utf8(units, length, start) - start);
  if (written > limit) too_long();
  return used + written;
}

inline size_t append_bytes(Arguments& a, const TypedArray& text, size_t used, uint32_t limit, Buffer& bytes) {
  if (text.length > limit) too_long();
  uint8_t* start = bytes.extend<uint8_t>(used + text.length + kPadding, used, a.here.context.growth) + used;
  // copied before the check, because another thread may write shared memory
  if (text.length) memcpy(start, text.data, text.length);
  Arguments::need(is_valid_utf8(start, text.length), "text is not valid UTF-8", ErrorCode::input);
  return used + text.length;
}

/**
 * Appends a text: a string, or a Uint8Array of UTF-8. Reads a string into a buffer, and requests
 * the length of the string only if the buffer may be too small. Requesting every length first would
 * cost one more call of N-API for each text.
 */
inline size_t append_text(Arguments& a, napi_value text, size_t used, uint32_t limit, Buffer& bytes) {
  constexpr size_t kFirstRoom = 4096;
  Buffer& utf16 = a.here.utf16;
  const size_t room = std::max(kFirstRoom, utf16.capacity() / sizeof(char16_t));
  size_t length;
  const napi_status status =
      napi_get_value_string_utf16(a.env, text, utf16.reserve<char16_t>(room, a.here.context.growth), room, &length);
  if (status == napi_ok) {
    if (length + 1 >= room) {  // the string may be longer than the room
      a.ok(napi_get_value_string_utf16(a.env, text, nullptr, 0, &length), "text cannot be read");
      if (length > limit) too_long();
      auto* units = utf16.reserve<char16_t>(length + 1, a.here.context.growth);
      a.ok(napi_get_value_string_utf16(a.env, text, units, length + 1, &length), "text cannot be read");
    }
    return append_string(a, length, used, limit, bytes);
  }
  TypedArray array;
  const bool is_bytes =
      status == napi_string_expected && read_typed_array(a, text, array) && array.type == napi_uint8_array;
  Arguments::need(is_bytes, "text is neither a string nor a Uint8Array", ErrorCode::input);
  return append_bytes(a, array, used, limit, bytes);
}

/**
 * The plan inputs in this thread's context. The inputs of a chunk have the same two functions, so
 * that the same templates read rows into a context and into a chunk.
 */
struct ContextInputs {
  Context& context;
  const Plan& plan;
  SlotBuffers& buffers(size_t input) { return context.input_buffers(plan, input); }
  Column& column(size_t input) { return context.input_column(plan, input); }
};

/**
 * Appends a dictionary row that JavaScript packed. JavaScript has already compared its size with
 * `maxInputBytes`.
 */
inline size_t append_dictionary(Arguments& a, napi_value row, size_t used, Buffer& bytes) {
  TypedArray packed;
  Arguments::need(read_typed_array(a, row, packed) && packed.type == napi_uint8_array,
                  "a dictionary is not a Uint8Array", ErrorCode::input);
  if (packed.length > kMaxInputBytes) too_long();
  uint8_t* start = bytes.extend<uint8_t>(used + packed.length + kPadding, used, a.here.context.growth) + used;
  // copied before the check, because another thread may write shared memory
  if (packed.length) memcpy(start, packed.data, packed.length);
  Arguments::need(is_packed_dictionary(start, packed.length), "a dictionary is packed wrongly", ErrorCode::input);
  return used + packed.length;
}

/**
 * Appends the text or dictionary with index `place` of an input. Returns the number of bytes of all
 * rows so far.
 */
template <class Inputs>
size_t append_bytes_of(Arguments& a, const Plan& plan, Inputs& inputs, size_t input, size_t place, napi_value value) {
  const SlotType& type = plan.slots[plan.inputs[input]].type;
  SlotBuffers& buffers = inputs.buffers(input);
  uint32_t* offsets =
      buffers.offsets.reserve<uint32_t>(type.offsets_of(plan.block_rows) + 1, a.here.context.growth);
  offsets[0] = 0;
  const size_t end = type.kind == Kind::dictionary
                         ? append_dictionary(a, value, offsets[place], buffers.values)
                         : append_text(a, value, offsets[place], plan.max_input_bytes, buffers.values);
  Arguments::need(end <= kMaxSize, "the texts of a row are too long together", ErrorCode::input);
  offsets[place + 1] = static_cast<uint32_t>(end);
  return end;
}

/**
 * Sets the column of an input to the texts or dictionaries that were read. Kernels may read
 * kPadding bytes after the last row. `Buffer` has initialized these bytes; their values do not
 * matter.
 */
template <class Inputs>
void finish_text(Inputs& inputs, size_t input) {
  const SlotBuffers& buffers = inputs.buffers(input);
  inputs.column(input) = {buffers.offsets.template data<uint32_t>(), nullptr, buffers.values.template data<uint8_t>()};
}

// ---- predicting

/**
 * While an object of this class exists, this thread is predicting. A getter or proxy in the
 * arguments may call the addon again, but only one prediction at a time may use the scratch memory.
 */
class Predicting {
 public:
  explicit Predicting(Environment& here) : here_(here) {
    Arguments::need(!here.is_predicting, "a prediction was called from inside another");
    here.is_predicting = true;
  }
  Predicting(const Predicting&) = delete;
  ~Predicting() { here_.is_predicting = false; }

 private:
  Environment& here_;
};

inline double* read_out(const Arguments& a, napi_value value, uint64_t numbers) {
  TypedArray out;
  Arguments::need(read_typed_array(a, value, out) && out.type == napi_float64_array, "out is not a Float64Array");
  Arguments::need(out.length >= numbers, "out is too short");
  return static_cast<double*>(out.data);
}

inline double* read_times(const Arguments& a, napi_value value, const Plan& plan) {
  TypedArray times;
  Arguments::need(read_typed_array(a, value, times) && times.type == napi_float64_array,
                  "nanoseconds is not a Float64Array");
  Arguments::need(times.length >= plan.stages.size(), "nanoseconds is too short");
  return static_cast<double*>(times.data);
}

/** Returns whether the rows of an input are texts or dictionaries. */
inline bool is_bytes(const Plan& plan, size_t input) {
  const PlanSlot& slot = plan.slots[plan.inputs[input]];
  return slot.is_typed && is_bytes(slot.type.kind);
}

inline bool is_one_text(const Plan& plan) {
  const SlotType text{Kind::text, DType::f32, 1};
  return plan.inputs.size() == 1 && plan.slots[plan.inputs[0]].is_typed && plan.slots[plan.inputs[0]].type == text;
}

inline void need_numeric(const Plan& plan) {
  Arguments::need(plan.is_numeric, "a plan with sparse inputs or text outputs runs with runColumns");
}

inline uint32_t read_rows(const Arguments& a, napi_value value) {
  const double rows = read_number(a, value, "rows is not a number");
  Arguments::need(rows >= 0 && rows <= kMaxSize && rows == static_cast<uint32_t>(rows), "rows is not a whole number");
  return static_cast<uint32_t>(rows);
}

inline napi_value predict_text(Arguments& a) {
  // no JavaScript runs from here on, so the plan cannot be released
  const Plan& plan = *plan_of(a);
  need_numeric(plan);
  const Predicting predicting(a.here);
  Arguments::need(is_one_text(plan), "the plan does not have one text input");
  double* out = read_out(a, a.values[2], plan.width);
  ContextInputs inputs{a.here.context, plan};
  append_bytes_of(a, plan, inputs, 0, 0, a.values[1]);
  finish_text(inputs, 0);
  a.here.context.run(plan, 1);
  a.here.context.write_outputs(plan, 1, out);
  return nullptr;
}

// ---- one row of numbers

/**
 * Returns the number of elements that a row has in each input: 0 for an unused input. Returns
 * undefined if an input is not dense numbers, or if an output is text.
 */
inline napi_value plan_numbers(Arguments& a) {
  const Plan& plan = *plan_of(a);
  if (!plan.is_numeric) return nullptr;
  napi_value sizes;
  a.ok(napi_create_array(a.env, &sizes), "value cannot be made");
  for (size_t input = 0; input < plan.inputs.size(); input++) {
    if (is_bytes(plan, input)) return nullptr;
    const PlanSlot& slot = plan.slots[plan.inputs[input]];
    const double size = slot.is_typed ? slot.type.size : 0;
    a.ok(napi_set_element(a.env, sizes, static_cast<uint32_t>(input), number(a, size)), "value cannot be set");
  }
  return sizes;
}

inline TypedArray read_pinnable(const Arguments& a, napi_value value) {
  TypedArray array;
  const bool is_array = read_typed_array(a, value, array) && array.type == napi_float64_array;
  Arguments::need(is_array && array.length, "numbers are not a Float64Array");
  return array;
}

/**
 * Returns the number of the pair whose first array is `array`, the object itself. Only the caller
 * that pinned the pair has this object, so no caller can replace the arrays of another caller.
 */
inline size_t find_pair(const Arguments& a, napi_value array) {
  const std::vector<PinnedNumbers>& pinned = a.here.pinned;
  for (size_t index = 0; index < pinned.size(); index++) {
    napi_value input;
    bool is_same = false;
    a.ok(napi_get_reference_value(a.env, pinned[index].references[0], &input), "no reference");
    a.ok(napi_strict_equals(a.env, input, array, &is_same), "values cannot be compared");
    if (is_same) return index;
  }
  throw_error(ErrorCode::argument, "the array is not pinned");
}

/**
 * Pins a pair of arrays, one for rows and one for answers. If the caller passes the first array of
 * an earlier pair, the new pair replaces the earlier pair.
 */
inline napi_value numbers_pin(Arguments& a) {
  std::vector<PinnedNumbers>& pinned = a.here.pinned;
  const TypedArray input = read_pinnable(a, a.values[0]), output = read_pinnable(a, a.values[1]);
  const size_t index = is_undefined(a, a.values[2]) ? pinned.size() : find_pair(a, a.values[2]);
  PinnedNumbers pair{{}, static_cast<const double*>(input.data), input.length, static_cast<double*>(output.data),
                     output.length};
  if (index == pinned.size()) pinned.push_back({});
  a.ok(napi_create_reference(a.env, a.values[0], 1, &pair.references[0]), "no reference");
  a.ok(napi_create_reference(a.env, a.values[1], 1, &pair.references[1]), "no reference");
  for (napi_ref reference : pinned[index].references)
    if (reference) napi_delete_reference(a.env, reference);
  pinned[index] = pair;
  return number(a, static_cast<double>(index));
}

inline const PinnedNumbers& read_pair(const Arguments& a, napi_value value) {
  const std::vector<PinnedNumbers>& pinned = a.here.pinned;
  const double pair = read_number(a, value, "the pair is not a number");
  const bool is_in_range = pair >= 0 && pair < static_cast<double>(pinned.size());
  Arguments::need(is_in_range && pair == static_cast<double>(static_cast<size_t>(pair)), "the pair does not exist");
  return pinned[static_cast<size_t>(pair)];
}

/** Converts the pinned numbers of one row to the inputs' dtypes. */
inline void read_pinned(Arguments& a, const Plan& plan, const PinnedNumbers& pair) {
  ContextInputs inputs{a.here.context, plan};
  size_t used = 0;
  for (size_t input = 0; input < plan.inputs.size(); input++) {
    const PlanSlot& slot = plan.slots[plan.inputs[input]];
    if (!slot.is_typed) continue;
    Arguments::need(!is_bytes(slot.type.kind), "an input of the plan is not numbers");
    const size_t count = slot.type.size;
    Arguments::need(count <= pair.inputs - used, "the pinned row is too short");
    auto* values = inputs.buffers(input).values.reserve<uint64_t>(count, a.here.context.growth);
    baseline::convert_block(DType::f64, slot.type.dtype, pair.input + used, values, count);
    inputs.column(input) = {nullptr, nullptr, values};
    used += count;
  }
}

inline napi_value predict_numbers(Arguments& a) {
  // no JavaScript runs from here on, so the plan cannot be released
  const Plan& plan = *plan_of(a);
  need_numeric(plan);
  const PinnedNumbers& pair = read_pair(a, a.values[1]);
  const Predicting predicting(a.here);
  Arguments::need(plan.width <= pair.outputs, "the pinned answer is too short");
  read_pinned(a, plan, pair);
  a.here.context.run(plan, 1);
  a.here.context.write_outputs(plan, 1, pair.output);
  return nullptr;
}

/**
 * Reads the texts or the dictionary of one row from a column. Returns the number of bytes of all
 * rows so far.
 */
template <class Inputs>
size_t read_row(Arguments& a, const Plan& plan, Inputs& inputs, size_t input, napi_value column, uint32_t first,
                uint32_t row) {
  const size_t size = plan.slots[plan.inputs[input]].type.offsets_of(1);
  const size_t from = (size_t{first} + row) * size;
  Arguments::need(from + size <= 0xFFFFFFFFu, "a column is too long");
  size_t bytes = 0;
  for (size_t at = 0; at < size; at++) {
    napi_value value;
    a.ok(napi_get_element(a.env, column, static_cast<uint32_t>(from + at), &value), "text cannot be read");
    bytes = append_bytes_of(a, plan, inputs, input, size_t{row} * size + at, value);
  }
  return bytes;
}

/**
 * Reads the texts and dictionaries of a block of at most `most` rows. Returns the number of rows.
 * Reading an array element may run JavaScript.
 */
template <class Inputs>
uint32_t read_texts(Arguments& a, const Plan& plan, Inputs& inputs, const std::vector<napi_value>& columns,
                    uint32_t first, uint32_t most) {
  size_t bytes = 0;
  uint32_t rows = 0;
  for (; rows < most && bytes < kBlockBytes; rows++) {
    bytes = 0;
    for (size_t input = 0; input < columns.size(); input++) {
      if (is_bytes(plan, input)) bytes += read_row(a, plan, inputs, input, columns[input], first, rows);
    }
  }
  for (size_t input = 0; input < columns.size(); input++) {
    if (is_bytes(plan, input)) finish_text(inputs, input);
  }
  return rows;
}

/** Converts the numbers of a block of rows to the inputs' dtypes. */
template <class Inputs>
void read_dense(Arguments& a, const Plan& plan, Inputs& inputs, const std::vector<napi_value>& columns, uint32_t first,
                uint32_t rows, uint64_t total) {
  for (size_t input = 0; input < columns.size(); input++) {
    const PlanSlot& slot = plan.slots[plan.inputs[input]];
    if (!slot.is_typed || is_bytes(slot.type.kind)) continue;
    TypedArray column;
    const bool is_array = read_typed_array(a, columns[input], column);
    const bool is_wide = is_array && column.type == napi_bigint64_array && slot.type.dtype == DType::i64;
    const bool is_column = is_wide || (is_array && column.type == napi_float64_array);
    Arguments::need(is_column && column.length == total * slot.type.size,
                    "a column is not a Float64Array (or, for int64, a BigInt64Array) of rows * size numbers");
    const size_t count = size_t{rows} * slot.type.size;
    auto* values = inputs.buffers(input).values.template reserve<uint64_t>(count, a.here.context.growth);
    if (is_wide) {
      if (count) memcpy(values, static_cast<const int64_t*>(column.data) + size_t{first} * slot.type.size, count * sizeof(int64_t));
    } else {
      const auto* from = static_cast<const double*>(column.data) + size_t{first} * slot.type.size;
      baseline::convert_block(DType::f64, slot.type.dtype, from, values, count);
    }
    inputs.column(input) = {nullptr, nullptr, values};
  }
}

/**
 * Runs one block and returns its number of rows. If `times` is not nullptr, the time of each stage
 * is added to `times`.
 */
inline uint32_t predict_block(Arguments& a, const Plan& plan, const std::vector<napi_value>& columns, uint32_t first,
                              uint32_t total, napi_value times) {
  ContextInputs inputs{a.here.context, plan};
  const uint32_t rows = read_texts(a, plan, inputs, columns, first, std::min(total - first, plan.block_rows));
  // Numbers are read after the texts, because reading a text may run JavaScript that moves or
  // shortens these arrays.
  read_dense(a, plan, inputs, columns, first, rows, total);
  double* out = read_out(a, a.values[3], uint64_t{total} * plan.width) + size_t{first} * plan.width;
  if (times) {
    a.here.context.run_timed(plan, rows, read_times(a, times, plan));
  } else {
    a.here.context.run(plan, rows);
  }
  a.here.context.write_outputs(plan, rows, out);
  return rows;
}

class HandleScope {
 public:
  explicit HandleScope(const Arguments& a) : env_(a.env) {
    a.ok(napi_open_handle_scope(env_, &scope_), "no handle scope");
  }
  HandleScope(const HandleScope&) = delete;
  ~HandleScope() { napi_close_handle_scope(env_, scope_); }

 private:
  napi_env env_;
  napi_handle_scope scope_;
};

/**
 * Reads the columns of a call into a list that the next call overwrites. Only a caller that holds
 * `Predicting` may use the list.
 */
inline const std::vector<napi_value>& read_columns(Arguments& a, const Plan& plan, napi_value list) {
  std::vector<napi_value>& columns = a.here.columns;
  columns.resize(plan.inputs.size());
  Arguments::need(is_array(a, list), "columns is not an array");
  for (size_t input = 0; input < columns.size(); input++) {
    a.ok(napi_get_element(a.env, list, static_cast<uint32_t>(input), &columns[input]), "column cannot be read");
    Arguments::need(!is_bytes(plan, input) || is_array(a, columns[input]), "a text column is not an array");
  }
  return columns;
}

inline void predict_blocks(Arguments& a, napi_value times) {
  const std::shared_ptr<Plan> plan = plan_of(a);
  need_numeric(*plan);
  const Predicting predicting(a.here);
  const uint32_t total = read_rows(a, a.values[2]);
  const std::vector<napi_value>& columns = read_columns(a, *plan, a.values[1]);
  read_out(a, a.values[3], uint64_t{total} * plan->width);
  if (times) read_times(a, times, *plan);
  for (uint32_t first = 0; first < total;) {
    const HandleScope scope(a);
    first += predict_block(a, *plan, columns, first, total, times);
  }
}

inline napi_value predict_rows(Arguments& a) {
  predict_blocks(a, nullptr);
  return nullptr;
}

inline napi_value profile_rows(Arguments& a) {
  predict_blocks(a, a.values[4]);
  return nullptr;
}

}  // namespace brezel
