// Macros that export the functions of kernels to the tables of src/kernels.hpp. Each kernel gets a
// function with a fixed name. The baseline unit also exports the kernel's name and checks.
#pragma once

#include "include/kernel.hpp"
#include "include/tensor_kernel.hpp"
#include "isa/region.hpp"

BREZEL_ISA_BEGIN

/** Returns the `prepare` function of a kernel, or nullptr if the kernel has none. */
template <class K>
constexpr auto prepare_of() -> void (*)(Signature&, Memory&) {
  if constexpr (requires(Signature& signature, Memory& memory) { K::prepare(signature, memory); }) {
    return K::prepare;
  } else {
    return nullptr;
  }
}

BREZEL_ISA_END

#define BREZEL_EXPORT_RUN(name, type) \
  void name##_run(Run& run);          \
  void name##_run(Run& run) { type::run(run); }

#define BREZEL_EXPORT_TENSOR_RUN(name, type) \
  void name##_tensor_run(TensorRun& run);    \
  void name##_tensor_run(TensorRun& run) { type::run(run); }

#if BREZEL_LEVEL == 0
#define BREZEL_EXPORT(name, type)   \
  BREZEL_EXPORT_RUN(name, type)     \
  extern const Kernel name##_kernel; \
  const Kernel name##_kernel = {#name, type::check, prepare_of<type>()};
#define BREZEL_EXPORT_TENSOR(name, type)    \
  BREZEL_EXPORT_TENSOR_RUN(name, type)      \
  extern const TensorKernel name##_tensor_kernel; \
  const TensorKernel name##_tensor_kernel = {#name, type::check};
#else
#define BREZEL_EXPORT BREZEL_EXPORT_RUN
#define BREZEL_EXPORT_TENSOR BREZEL_EXPORT_TENSOR_RUN
#endif
