{
  "targets": [
    {
      "target_name": "brezel",
      # The units of kernels and their tables are generated: list-kernels.mjs prints their paths.
      "sources": [
        "src/addon.cpp",
        "src/decimals.cpp",
        "src/dictionary/builder.cpp",
        "src/forest_blob_checks.cpp",
        "src/parameters.cpp",
        "src/text_blob_checks.cpp",
        "<!@(node scripts/list-kernels.mjs)"
      ],
      "include_dirs": ["."],
      "defines": ["NAPI_VERSION=9"],
      # The addon reports invalid arguments and failed allocations with exceptions.
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
        # Every instruction set gets all primitives, used or not.
        "-Wno-unused-function",
        # GCC's headers of AVX intrinsics leave operands uninitialized on purpose, and GCC warns in the calling unit.
        "-Wno-maybe-uninitialized",
        "-Wno-uninitialized",
        # Functions that take vectors are inlined or internal, so how they pass them does not matter.
        "-Wno-psabi"
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
