// Instruction sets: which this machine runs, and where their kernels are.
#pragma once

#include <string>

#include "src/kernels.hpp"
#include "src/memory.hpp"

namespace brezel {

struct InstructionSet {
  const char* name;
  const KernelRuns& kernels;
  bool (*is_supported)();
};

inline bool always() { return true; }
#if defined(BREZEL_X86)
inline bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("popcnt");
}
inline bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi");
}
#endif

/** Slowest first. */
static const InstructionSet kInstructionSets[] = {
    {"baseline", kBaseline, always},
#if defined(BREZEL_X86)
    {"avx2", kAvx2, has_avx2},
    {"avx512", kAvx512, has_avx512},
#endif
};

inline const InstructionSet& instruction_set(const std::string& name) {
  for (const InstructionSet& isa : kInstructionSets) {
    if (name == isa.name && isa.is_supported()) return isa;
  }
  throw NativeError{ErrorCode::argument, "this machine does not run that instruction set"};
}

}  // namespace brezel
