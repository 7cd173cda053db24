{
  "targets": [
    {
      "target_name": "brezel",
      "sources": ["src/addon.cpp", "isa/avx2.cpp", "isa/avx512.cpp"],
      "defines": ["NAPI_VERSION=9"],
      # Exceptions only while something is set up; kernels throw none.
      "cflags_cc!": ["-fno-exceptions", "-std=gnu++17"],
      "cflags_cc": [
        "-std=c++20",
        "-O3",
        # A fused multiply-add rounds once where the definition rounds twice (README, section 1). Never -ffast-math.
        "-ffp-contract=off",
        "-fno-math-errno",
        "-fexceptions",
        "-fvisibility=hidden",
        "-Wall",
        "-Wextra",
        # Every instruction set gets all primitives; and GCC's own intrinsics headers warn.
        "-Wno-unused-function",
        "-Wno-maybe-uninitialized"
      ],
      "ldflags": ["-Wl,-s"],
      "xcode_settings": {
        "CLANG_CXX_LANGUAGE_STANDARD": "c++20",
        "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
        "GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
        "GCC_OPTIMIZATION_LEVEL": "3",
        "MACOSX_DEPLOYMENT_TARGET": "11.0",
        "OTHER_CPLUSPLUSFLAGS": ["-ffp-contract=off", "-fno-math-errno", "-Wno-unused-function"]
      }
    }
  ]
}
