// Converts values between JavaScript and C++. It reads and checks arguments, creates results, and
// turns C++ exceptions into JavaScript errors. No C++ exception leaves the addon.
#pragma once

#include <node_api.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "primitives/numbers.hpp"
#include "src/environment.hpp"
#include "src/memory.hpp"

namespace brezel {

constexpr size_t kMostArguments = 8;

/**
 * Thrown when JavaScript code inside a call has thrown. The JavaScript exception is already
 * pending.
 */
struct PendingException {};

inline const char* code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::argument:
      return "ERR_NATIVE_ARGUMENT";
    case ErrorCode::program:
      return "ERR_NATIVE_PROGRAM";
    case ErrorCode::parameter:
      return "ERR_NATIVE_PARAMETER";
    case ErrorCode::input:
      return "ERR_NATIVE_INPUT";
    case ErrorCode::handle:
      return "ERR_NATIVE_HANDLE";
    case ErrorCode::memory:
      return "ERR_NATIVE_MEMORY";
  }
  return "ERR_NATIVE_ARGUMENT";
}

/** The arguments of one call from JavaScript. */
struct Arguments {
  napi_env env;
  Environment& here;
  napi_value values[kMostArguments];

  static void need(bool holds, const char* what, ErrorCode code = ErrorCode::argument) {
    if (!holds) throw NativeError{code, what};
  }
  void ok(napi_status status, const char* what) const {
    if (status == napi_ok) return;
    if (status == napi_pending_exception) throw PendingException{};
    throw NativeError{ErrorCode::argument, what};
  }
};

using Body = napi_value (*)(Arguments&);

template <Body body>
napi_value guarded(napi_env env, napi_callback_info info) {
  size_t count = kMostArguments;
  void* data = nullptr;
  napi_value values[kMostArguments];
  if (napi_get_cb_info(env, info, &count, values, nullptr, &data) != napi_ok) return nullptr;
  Arguments arguments{env, *static_cast<Environment*>(data), {}};
  std::copy(values, values + kMostArguments, arguments.values);
  try {
    return body(arguments);
  } catch (const NativeError& error) {
    napi_throw_error(env, code_name(error.code), error.message);
  } catch (const PendingException&) {
  } catch (const std::bad_alloc&) {
    napi_throw_error(env, code_name(ErrorCode::memory), "out of memory");
  // also std::length_error, for a length that no container can have
  } catch (const std::exception&) {
    napi_throw_error(env, code_name(ErrorCode::memory), "out of memory");
  }
  return nullptr;
}

// ---- reading values

inline double read_number(const Arguments& a, napi_value value, const char* what) {
  double number;
  a.ok(napi_get_value_double(a.env, value, &number), what);
  return number;
}

/** Reads a whole number that a double represents exactly. */
inline uint64_t read_whole(const Arguments& a, napi_value value) {
  const double number = read_number(a, value, "expected a number");
  Arguments::need(number >= 0 && number <= 9007199254740991.0 && number == std::floor(number),
                  "expected a whole number");
  return static_cast<uint64_t>(number);
}

inline bool is_undefined(const Arguments& a, napi_value value) {
  napi_valuetype type;
  return !value || (napi_typeof(a.env, value, &type) == napi_ok && type == napi_undefined);
}

inline std::string read_string(const Arguments& a, napi_value value, const char* what) {
  size_t length;
  a.ok(napi_get_value_string_utf8(a.env, value, nullptr, 0, &length), what);
  std::string text(length, '\0');
  a.ok(napi_get_value_string_utf8(a.env, value, text.data(), length + 1, &length), what);
  return text;
}

inline napi_value property(const Arguments& a, napi_value object, const char* name) {
  napi_valuetype type;
  a.ok(napi_typeof(a.env, object, &type), "expected an object");
  Arguments::need(type == napi_object, "expected an object");
  napi_value value;
  a.ok(napi_get_named_property(a.env, object, name, &value), "property cannot be read");
  return value;
}

struct TypedArray {
  napi_typedarray_type type;
  void* data;
  size_t length;
};

inline bool read_typed_array(const Arguments& a, napi_value value, TypedArray& array) {
  bool is_one = false;
  if (napi_is_typedarray(a.env, value, &is_one) != napi_ok || !is_one) return false;
  return napi_get_typedarray_info(a.env, value, &array.type, &array.length, &array.data, nullptr, nullptr) == napi_ok;
}

inline bool is_array(const Arguments& a, napi_value value) {
  bool is_one = false;
  return napi_is_array(a.env, value, &is_one) == napi_ok && is_one;
}

inline size_t element_bytes(napi_typedarray_type type) {
  switch (type) {
    case napi_int16_array:
    case napi_uint16_array:
      return 2;
    case napi_int32_array:
    case napi_uint32_array:
    case napi_float32_array:
      return 4;
    case napi_float64_array:
    case napi_bigint64_array:
    case napi_biguint64_array:
      return 8;
    default:
      return 1;
  }
}

/** Reads the numbers of a plain array, or of a typed array of type `type`. */
template <class T>
std::vector<T> read_numbers(const Arguments& a, napi_value value, napi_typedarray_type type, const char* what) {
  TypedArray array;
  if (read_typed_array(a, value, array)) {
    Arguments::need(array.type == type, what);
    const auto* from = static_cast<const T*>(array.data);
    return std::vector<T>(from, from + array.length);
  }
  uint32_t length = 0;
  Arguments::need(is_array(a, value), what);
  a.ok(napi_get_array_length(a.env, value, &length), what);
  std::vector<T> numbers;
  for (uint32_t at = 0; at < length; at++) {
    napi_value element;
    a.ok(napi_get_element(a.env, value, at, &element), what);
    const double number = read_number(a, element, what);
    if constexpr (std::is_same_v<T, int32_t>) Arguments::need(number == baseline::truncate<int32_t>(number), what);
    numbers.push_back(static_cast<T>(number));
  }
  return numbers;
}

inline std::vector<int32_t> integers(const Arguments& a, napi_value object, const char* name) {
  return read_numbers<int32_t>(a, property(a, object, name), napi_int32_array,
                               "expected an Int32Array or an array of integers");
}

inline std::vector<double> handles(const Arguments& a, napi_value object, const char* name) {
  return read_numbers<double>(a, property(a, object, name), napi_float64_array, "expected an array of handles");
}

// ---- making values

inline napi_value number(const Arguments& a, double value) {
  napi_value made;
  a.ok(napi_create_double(a.env, value, &made), "value cannot be made");
  return made;
}

inline void set_property(const Arguments& a, napi_value object, const char* name, napi_value value) {
  a.ok(napi_set_named_property(a.env, object, name, value), "property cannot be set");
}

inline napi_value object_of(const Arguments& a, std::initializer_list<std::pair<const char*, size_t>> numbers) {
  napi_value object;
  a.ok(napi_create_object(a.env, &object), "value cannot be made");
  for (const auto& [name, value] : numbers) set_property(a, object, name, number(a, static_cast<double>(value)));
  return object;
}

template <class Name>
napi_value names(const Arguments& a, uint32_t count, Name name) {
  napi_value list;
  a.ok(napi_create_array(a.env, &list), "value cannot be made");
  for (uint32_t at = 0, added = 0; at < count; at++) {
    const char* text = name(at);
    if (!text) continue;
    napi_value made;
    a.ok(napi_create_string_utf8(a.env, text, NAPI_AUTO_LENGTH, &made), "value cannot be made");
    a.ok(napi_set_element(a.env, list, added++, made), "value cannot be set");
  }
  return list;
}

}  // namespace brezel
