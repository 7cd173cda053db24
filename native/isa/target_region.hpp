// Kernels are one source compiled once for each instruction set, in its own namespace, between BEGIN_TARGET and
// END_TARGET. Traps: every header of the standard library must be included before a region, and code inside a region
// must not call inline functions of the library, or the linker may keep the copy with instructions that this machine
// lacks.
#pragma once

// BREZEL_PORTABLE: compiles what other processors get, to try it here.
#if defined(__x86_64__) && !defined(BREZEL_PORTABLE)
#define BREZEL_X86 1
#include <immintrin.h>
#endif

#define BREZEL_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define BEGIN_TARGET(features) \
  BREZEL_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define END_TARGET BREZEL_PRAGMA(clang attribute pop)
#else
#define BEGIN_TARGET(features) BREZEL_PRAGMA(GCC push_options) BREZEL_PRAGMA(GCC target(features))
#define END_TARGET BREZEL_PRAGMA(GCC pop_options)
#endif

#define ALWAYS_INLINE [[gnu::always_inline]] static inline
#define ALWAYS_INLINE_MEMBER [[gnu::always_inline]] inline
