// No "fma": a contraction would change the last bit of an answer.
#include "../src/below_kernels.hpp"

#if defined(BREZEL_X86)
#define BREZEL_LEVEL 2
BEGIN_TARGET("avx2,bmi,bmi2,lzcnt,popcnt")
namespace brezel::avx2 {
#include "kernels.inc"
}
END_TARGET
#undef BREZEL_LEVEL

const brezel::KernelRuns brezel::kAvx2 = {brezel::avx2::kRuns, brezel::avx2::kTensorRuns};
#endif
