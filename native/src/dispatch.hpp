// Selects the instruction sets that this machine supports, and the kernels of each.
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>

#include "src/kernels.hpp"
#include "src/memory.hpp"

#if defined(BREZEL_X86)
#include <cpuid.h>
#endif

namespace brezel {

struct InstructionSet {
  const char* name;
  bool (*is_supported)();
  const KernelRuns& (*kernels)();
};

inline bool always() { return true; }
inline const KernelRuns& baseline_kernels() { return kBaseline; }

#if defined(BREZEL_X86)
/**
 * Clang before version 19 rejects `__builtin_cpu_supports("lzcnt")`, so this function asks the
 * processor.
 */
inline bool has_lzcnt() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && (ecx & bit_LZCNT);
}

inline bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         has_lzcnt() && __builtin_cpu_supports("popcnt");
}
inline const KernelRuns& avx2_kernels() { return kAvx2; }

inline bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

/**
 * Returns whether kernels may use the byte permutes of AVX-512 VBMI. NATIVE_VBMI=off disables them,
 * so that a newer processor can test the other kernels.
 */
inline bool wants_vbmi() {
  const char* chosen = std::getenv("NATIVE_VBMI");
  return __builtin_cpu_supports("avx512vbmi") && !(chosen && std::strcmp(chosen, "off") == 0);
}
inline const KernelRuns& avx512_kernels() {
  static const KernelRuns& chosen = wants_vbmi() ? kAvx512vbmi : kAvx512;
  return chosen;
}
#endif

/** The instruction sets, slowest first. */
static const InstructionSet kInstructionSets[] = {
    {"baseline", always, baseline_kernels},
#if defined(BREZEL_X86)
    {"avx2", has_avx2, avx2_kernels},
    {"avx512", has_avx512, avx512_kernels},
#endif
};

inline const InstructionSet& instruction_set(const std::string& name) {
  for (const InstructionSet& isa : kInstructionSets) {
    if (name == isa.name && isa.is_supported()) return isa;
  }
  throw_error(ErrorCode::argument, "this machine does not run that instruction set");
}

}  // namespace brezel
