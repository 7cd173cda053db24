// Runs a part of a plan. Input columns come from JavaScript stages, and output columns go to
// JavaScript stages. A column can have any kind, and it has the element type of its slot.
#pragma once

#include <node_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "include/kernel.hpp"
#include "src/boundary/predicting.hpp"
#include "src/boundary/resources.hpp"
#include "src/boundary/values.hpp"
#include "src/memory.hpp"
#include "src/stage.hpp"

namespace brezel {

/**
 * One input column from JavaScript: an array of texts, numbers, or the three arrays of sparse rows.
 */
struct GivenColumn {
  napi_value values, offsets, ids;
};

inline const SlotType& input_type(const Plan& plan, size_t input) { return plan.slots[plan.inputs[input]].type; }

inline bool is_read(const Plan& plan, size_t input) { return plan.slots[plan.inputs[input]].is_typed; }

inline GivenColumn given_column(Arguments& a, const Plan& plan, size_t input, napi_value column) {
  if (is_read(plan, input) && input_type(plan, input).kind == Kind::sparse)
    return {property(a, column, "values"), property(a, column, "offsets"), property(a, column, "ids")};
  Arguments::need(!is_bytes(plan, input) || is_array(a, column), "a text column is not an array");
  return {column, nullptr, nullptr};
}

constexpr napi_typedarray_type array_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return napi_float32_array;
    case DType::f64:
      return napi_float64_array;
    case DType::i64:
      return napi_bigint64_array;
    case DType::boolean:
      return napi_uint8_array;
    default:
      return napi_int32_array;
  }
}

inline TypedArray need_array(const Arguments& a, napi_value value, napi_typedarray_type type, const char* what) {
  TypedArray array;
  Arguments::need(read_typed_array(a, value, array) && array.type == type, what);
  return array;
}

/** The `rows` rows of a call that start at `first`. The call has `total` rows. */
struct RowRange {
  uint32_t first, rows, total;
};

inline void take_dense(Arguments& a, const Plan& plan, size_t input, const GivenColumn& column, RowRange range) {
  constexpr const char* kWhat = "a column is not a typed array of its element type with rows * size numbers";
  const SlotType& type = input_type(plan, input);
  const TypedArray array = need_array(a, column.values, array_of(type.dtype), kWhat);
  Arguments::need(array.length == uint64_t{range.total} * type.size, kWhat);
  const size_t count = size_t{range.rows} * type.size, bytes = bytes_of(type.dtype);
  auto* values =
      a.here.context.input_buffers(plan, input).values.reserve<uint8_t>(count * bytes, a.here.context.growth);
  const auto* from = static_cast<const uint8_t*>(array.data) + size_t{range.first} * type.size * bytes;
  if (count) memcpy(values, from, count * bytes);
  if (type.dtype == DType::boolean) std::for_each(values, values + count, [](uint8_t& one) { one = one != 0; });
  a.here.context.input_column(plan, input) = {nullptr, nullptr, values};
}

/**
 * Copies sparse rows into the inputs, then checks the copy. It checks the copy because another
 * thread may write shared memory.
 */
inline void take_sparse(Arguments& a, const Plan& plan, size_t input, const GivenColumn& column, RowRange range) {
  constexpr const char* kWhat = "a sparse column is not offsets, ids and values that fit together";
  const TypedArray offsets = need_array(a, column.offsets, napi_uint32_array, kWhat);
  const TypedArray ids = need_array(a, column.ids, napi_uint32_array, kWhat);
  const TypedArray values = need_array(a, column.values, napi_float32_array, kWhat);
  Arguments::need(offsets.length == size_t{range.total} + 1 && ids.length == values.length, kWhat);
  const uint32_t size = input_type(plan, input).size;
  SlotBuffers& buffers = a.here.context.input_buffers(plan, input);
  GrowthCounter& growth = a.here.context.growth;

  auto* own = buffers.offsets.reserve<uint32_t>(size_t{range.rows} + 1, growth);
  memcpy(own, static_cast<const uint32_t*>(offsets.data) + range.first, (size_t{range.rows} + 1) * sizeof(uint32_t));
  const uint32_t start = own[0];
  for (uint32_t row = 0; row < range.rows; row++)
    Arguments::need(own[row] <= own[row + 1] && own[row + 1] - own[row] <= size, kWhat);
  Arguments::need(own[range.rows] <= ids.length, kWhat);
  for (uint32_t row = 0; row <= range.rows; row++) own[row] -= start;

  const uint32_t entries = own[range.rows];
  auto* columns = buffers.ids.reserve<uint32_t>(entries, growth);
  auto* numbers = buffers.values.reserve<float>(entries, growth);
  if (entries) {
    memcpy(columns, static_cast<const uint32_t*>(ids.data) + start, entries * sizeof(uint32_t));
    memcpy(numbers, static_cast<const float*>(values.data) + start, entries * sizeof(float));
  }
  Arguments::need(std::all_of(columns, columns + entries, [size](uint32_t id) { return id < size; }), kWhat);
  a.here.context.input_column(plan, input) = {own, columns, numbers};
}

/** One output column of a call. Each block of rows appends its values. */
struct MadeColumn {
  std::vector<uint8_t> values;
  std::vector<uint32_t> offsets{0}, ids;
  napi_value texts = nullptr;
};

template <class T>
void append(std::vector<T>& list, const void* from, size_t count) {
  if (!count) return;
  const size_t before = list.size();
  list.resize(before + count);
  memcpy(list.data() + before, from, count * sizeof(T));
}

inline void keep_output(const Arguments& a, const SlotType& type, const Column& column, RowRange range,
                        MadeColumn& made) {
  switch (type.kind) {
    case Kind::dense:
      return append(made.values, column.values, size_t{range.rows} * type.size * bytes_of(type.dtype));
    case Kind::sparse: {
      const uint32_t before = made.offsets.back(), entries = column.offsets[range.rows];
      for (uint32_t row = 1; row <= range.rows; row++) made.offsets.push_back(before + column.offsets[row]);
      append(made.ids, column.ids, entries);
      return append(made.values, column.values, entries * sizeof(float));
    }
    case Kind::text:
      for (size_t at = 0; at < type.offsets_of(range.rows); at++) {
        const char* start = static_cast<const char*>(column.values) + column.offsets[at];
        napi_value text;
        a.ok(napi_create_string_utf8(a.env, start, column.offsets[at + 1] - column.offsets[at], &text),
             "text cannot be made");
        const size_t place = size_t{range.first} * type.size + at;
        a.ok(napi_set_element(a.env, made.texts, static_cast<uint32_t>(place), text), "value cannot be set");
      }
      return;
    case Kind::dictionary:
      return;  // an output never has this type
  }
}

inline napi_value array_from(const Arguments& a, napi_typedarray_type type, const void* from, size_t bytes) {
  napi_value buffer, array;
  void* data;
  a.ok(napi_create_arraybuffer(a.env, bytes, &data, &buffer), "no memory for a column");
  if (bytes) memcpy(data, from, bytes);
  a.ok(napi_create_typedarray(a.env, type, bytes / element_bytes(type), buffer, 0, &array), "value cannot be made");
  return array;
}

inline napi_value finished(const Arguments& a, const SlotType& type, const MadeColumn& made) {
  if (type.kind == Kind::text) return made.texts;
  if (type.kind == Kind::dense) return array_from(a, array_of(type.dtype), made.values.data(), made.values.size());
  napi_value object;
  a.ok(napi_create_object(a.env, &object), "value cannot be made");
  const auto set = [&](const char* name, napi_typedarray_type array, const void* from, size_t bytes) {
    set_property(a, object, name, array_from(a, array, from, bytes));
  };
  set("offsets", napi_uint32_array, made.offsets.data(), made.offsets.size() * sizeof(uint32_t));
  set("ids", napi_uint32_array, made.ids.data(), made.ids.size() * sizeof(uint32_t));
  set("values", napi_float32_array, made.values.data(), made.values.size());
  return object;
}

/**
 * Reads a block of rows and returns the number of rows. Reads the texts first, because reading them
 * may run JavaScript code. Afterwards no code can change the other arrays.
 */
inline uint32_t take_block(Arguments& a, const Plan& plan, const std::vector<GivenColumn>& given, uint32_t first,
                           uint32_t total) {
  std::vector<napi_value> texts;
  for (const GivenColumn& column : given) texts.push_back(column.values);
  ContextInputs inputs{a.here.context, plan};
  const uint32_t rows = read_texts(a, plan, inputs, texts, first, std::min(total - first, plan.block_rows));
  for (size_t input = 0; input < given.size(); input++) {
    if (!is_read(plan, input) || is_bytes(plan, input)) continue;
    const RowRange range{first, rows, total};
    if (input_type(plan, input).kind == Kind::sparse) {
      take_sparse(a, plan, input, given[input], range);
    } else {
      take_dense(a, plan, input, given[input], range);
    }
  }
  return rows;
}

inline napi_value run_columns(Arguments& a) {
  const std::shared_ptr<Plan> plan = plan_of(a);
  const Predicting predicting(a.here);
  const uint32_t total = read_rows(a, a.values[2]);
  Arguments::need(is_array(a, a.values[1]), "columns is not an array");
  std::vector<GivenColumn> given;
  for (size_t input = 0; input < plan->inputs.size(); input++) {
    napi_value column;
    a.ok(napi_get_element(a.env, a.values[1], static_cast<uint32_t>(input), &column), "column cannot be read");
    given.push_back(given_column(a, *plan, input, column));
  }
  std::vector<MadeColumn> made(plan->outputs.size());
  for (MadeColumn& column : made) a.ok(napi_create_array(a.env, &column.texts), "value cannot be made");
  double* times = is_undefined(a, a.values[3]) ? nullptr : read_times(a, a.values[3], *plan);
  for (uint32_t first = 0; first < total;) {
    const HandleScope scope(a);
    const uint32_t rows = take_block(a, *plan, given, first, total);
    if (times) {
      a.here.context.run_timed(*plan, rows, read_times(a, a.values[3], *plan));
    } else {
      a.here.context.run(*plan, rows);
    }
    for (size_t output = 0; output < made.size(); output++) {
      const uint32_t slot = plan->outputs[output];
      keep_output(a, plan->slots[slot].type, a.here.context.plan_column(*plan, slot), {first, rows, total},
                  made[output]);
    }
    first += rows;
  }
  napi_value list;
  a.ok(napi_create_array(a.env, &list), "value cannot be made");
  for (size_t output = 0; output < made.size(); output++)
    a.ok(napi_set_element(a.env, list, static_cast<uint32_t>(output),
                          finished(a, plan->slots[plan->outputs[output]].type, made[output])),
         "value cannot be set");
  return list;
}

}  // namespace brezel
