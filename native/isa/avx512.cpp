// With byte permutes (vbmi), so Ice Lake, Zen 4 and later; earlier machines run avx2.
#include "../src/below_kernels.hpp"

#if defined(BREZEL_X86)
#define BREZEL_LEVEL 5
BEGIN_TARGET("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi")
namespace brezel::avx512 {
#include "kernels.inc"
}
END_TARGET
#undef BREZEL_LEVEL

const brezel::KernelRuns brezel::kAvx512 = {brezel::avx512::kRuns, brezel::avx512::kTensorRuns};
#endif
