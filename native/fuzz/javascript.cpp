// Runs libFuzzer over a function in JavaScript: fuzz(counters, arguments, run, mutate). The code
// under test counts in `counters`, a Uint8Array with one element for each branch. libFuzzer stores
// the inputs that reach a new branch. An exception of `run` is a finding. The process exits at the
// end.
#include <node_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
int LLVMFuzzerRunDriver(int* count, char*** arguments, int (*run)(const uint8_t*, size_t));
size_t LLVMFuzzerMutate(uint8_t* data, size_t bytes, size_t most);
void __sanitizer_cov_8bit_counters_init(uint8_t* start, uint8_t* end);
void __sanitizer_cov_pcs_init(const uintptr_t* start, const uintptr_t* end);
}

namespace {

napi_env env;
napi_value run_function, mutate_function;

napi_value call(napi_value function, const uint8_t* data, size_t bytes, uint32_t seed) {
  napi_value self, arguments[2], result;
  napi_get_undefined(env, &self);
  if (napi_create_buffer_copy(env, bytes, data, nullptr, &arguments[0]) != napi_ok) abort();
  napi_create_uint32(env, seed, &arguments[1]);
  if (napi_call_function(env, self, function, 2, arguments, &result) == napi_ok) return result;
  napi_value error, text;
  napi_get_and_clear_last_exception(env, &error);
  if (napi_get_named_property(env, error, "stack", &text) == napi_ok) napi_coerce_to_string(env, text, &text);
  std::vector<char> stack(16384);
  size_t length = 0;
  napi_get_value_string_utf8(env, text, stack.data(), stack.size(), &length);
  fprintf(stderr, "finding: %.*s\n", static_cast<int>(length), stack.data());
  abort();  // libFuzzer writes the input to a file
}

int run_once(const uint8_t* data, size_t bytes) {
  napi_handle_scope scope;
  napi_open_handle_scope(env, &scope);
  call(run_function, data, bytes, 0);
  napi_close_handle_scope(env, scope);
  return 0;
}

napi_value fuzz(napi_env here, napi_callback_info info) {
  env = here;
  size_t count = 4;
  napi_value values[4];
  napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  run_function = values[2];
  mutate_function = values[3];
  void* counters;
  size_t length;
  napi_get_typedarray_info(env, values[0], nullptr, &length, &counters, nullptr, nullptr);
  auto* start = static_cast<uint8_t*>(counters);
  __sanitizer_cov_8bit_counters_init(start, start + length);
  // libFuzzer wants an address and flags for each counter
  static std::vector<uintptr_t> places;
  for (size_t at = 0; at < length; at++) places.insert(places.end(), {at + 1, 0});
  __sanitizer_cov_pcs_init(places.data(), places.data() + places.size());

  uint32_t arguments;
  napi_get_array_length(env, values[1], &arguments);
  static std::vector<std::string> texts(arguments);
  static std::vector<char*> pointers;
  for (uint32_t at = 0; at < arguments; at++) {
    napi_value text;
    char bytes[4096];
    napi_get_element(env, values[1], at, &text);
    napi_get_value_string_utf8(env, text, bytes, sizeof bytes, &length);
    texts[at].assign(bytes, length);
    pointers.push_back(texts[at].data());
  }
  pointers.push_back(nullptr);
  int number = static_cast<int>(arguments);
  char** list = pointers.data();
  LLVMFuzzerRunDriver(&number, &list, run_once);
  return nullptr;
}

}  // namespace

/**
 * Mutates an input for libFuzzer. If the target exports `mutate`, half of the inputs come from that
 * function.
 */
extern "C" __attribute__((visibility("default"))) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t bytes, size_t most, unsigned seed) {
  napi_valuetype type = napi_undefined;
  napi_typeof(env, mutate_function, &type);
  if (type != napi_function || seed % 2 == 0) return LLVMFuzzerMutate(data, bytes, most);
  napi_handle_scope scope;
  napi_open_handle_scope(env, &scope);
  void* changed = nullptr;
  size_t length = 0;
  const napi_value result = call(mutate_function, data, bytes, seed);
  const bool is_buffer = napi_get_buffer_info(env, result, &changed, &length) == napi_ok;
  const bool fits = is_buffer && length > 0 && length <= most;
  if (fits) memcpy(data, changed, length);
  napi_close_handle_scope(env, scope);
  return fits ? length : LLVMFuzzerMutate(data, bytes, most);
}

static napi_value init(napi_env here, napi_value exports) {
  napi_value function;
  napi_create_function(here, "fuzz", NAPI_AUTO_LENGTH, fuzz, nullptr, &function);
  napi_set_named_property(here, exports, "fuzz", function);
  return exports;
}

NAPI_MODULE(fuzz, init)
