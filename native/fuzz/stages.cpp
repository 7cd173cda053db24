// Fuzzes stage programs: numbers, parameters and rows.
#include "fuzz/run_stage.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  brezel::run_fuzz_stage(brezel::FuzzStage(brezel::FuzzInput(data, bytes)));
  return 0;
}
