// The kernels of all operators, and their code for each instruction set. The index of a kernel is
// the same in every table; it is the kernel's number.
#pragma once

#include <cstddef>
#include <cstdint>

#include "include/kernel.hpp"
#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"

namespace brezel {

extern const uint32_t kKernelCount, kTensorKernelCount;
/**
 * The names and check functions of the row kernels. A check runs once for each kernel call of a
 * stage, when the stage is created. It uses only instructions that every machine has.
 */
extern const Kernel* const kKernels[];
/** The same for tensor kernels. Their checks run at every call. */
extern const TensorKernel* const kTensorKernels[];

/**
 * The `run` functions of the row kernels and of the tensor kernels, compiled for one instruction
 * set.
 */
struct KernelRuns {
  const KernelRun* rows;
  const TensorKernelRun* tensors;
};

extern const KernelRuns kBaseline;
#if defined(BREZEL_X86)
/** kAvx512vbmi equals kAvx512, except that kernels of texts use byte permutes. */
extern const KernelRuns kAvx2, kAvx512, kAvx512vbmi;
#endif

}  // namespace brezel
