// Instruction sets at compile time. A kernel has one source, which is compiled once for each
// instruction set into a namespace of that set. The translation unit defines BREZEL_LEVEL. Without
// BREZEL_LEVEL, a header is compiled as baseline.
//
// Every header of kernels and primitives starts with all its includes. Its code follows between
// BREZEL_ISA_BEGIN and BREZEL_ISA_END, the only region that may use the instructions of the set.
// All other code, for example the standard library, is compiled for every machine, because the
// linker may choose any unit's copy of an inline function. So never include a header after
// BREZEL_ISA_BEGIN. native/test/units.test.ts checks the object files.
#pragma once

#include <cstddef>
#include <cstdint>

// With BREZEL_PORTABLE, x86-64 compiles the code that other processors run.
#if defined(__x86_64__) && !defined(BREZEL_PORTABLE)
#define BREZEL_X86 1
#endif

#if !defined(BREZEL_LEVEL)
#define BREZEL_LEVEL 0
#endif

#if BREZEL_LEVEL > 0
#include <immintrin.h>
#endif

#define BREZEL_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define BREZEL_TARGET_BEGIN(features) \
  BREZEL_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define BREZEL_TARGET_END BREZEL_PRAGMA(clang attribute pop)
#else
#define BREZEL_TARGET_BEGIN(features) BREZEL_PRAGMA(GCC push_options) BREZEL_PRAGMA(GCC target(features))
#define BREZEL_TARGET_END BREZEL_PRAGMA(GCC pop_options)
#endif

// No level enables "fma", because fused multiply-add would change the last bit of an answer.
#if BREZEL_LEVEL == 0
// SSE2 on x86-64, NEON on arm64.
#define BREZEL_ISA baseline
#define BREZEL_ISA_BEGIN namespace brezel::baseline {
#define BREZEL_ISA_END }
#elif BREZEL_LEVEL == 2
#define BREZEL_ISA avx2
#define BREZEL_ISA_BEGIN BREZEL_TARGET_BEGIN("avx2,bmi,bmi2,lzcnt,popcnt") namespace brezel::avx2 {
#define BREZEL_ISA_END \
  }                    \
  BREZEL_TARGET_END
#elif BREZEL_LEVEL == 5
#define BREZEL_ISA avx512
#define BREZEL_ISA_BEGIN                                                                                    \
  BREZEL_TARGET_BEGIN("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd") \
  namespace brezel::avx512 {
#define BREZEL_ISA_END \
  }                    \
  BREZEL_TARGET_END
#elif BREZEL_LEVEL == 6
// Byte permutes exist on Ice Lake, Zen 4 and later. Only kernels of texts are compiled for this
// level.
#define BREZEL_ISA avx512vbmi
#define BREZEL_ISA_BEGIN                                                                                    \
  BREZEL_TARGET_BEGIN("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi") \
  namespace brezel::avx512vbmi {
#define BREZEL_ISA_END \
  }                    \
  BREZEL_TARGET_END
#endif

#define ALWAYS_INLINE [[gnu::always_inline]] static inline
#define ALWAYS_INLINE_MEMBER [[gnu::always_inline]] inline
