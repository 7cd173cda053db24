// The kernels of each instruction set, as its translation unit gives them away.
#pragma once

namespace brezel {

/** The index is the kernel's number, the same for every instruction set. */
struct KernelRuns {
  const KernelRun* rows;
  const TensorKernelRun* tensors;
};

#if defined(BREZEL_X86)
extern const KernelRuns kAvx2, kAvx512;
#endif

}  // namespace brezel
