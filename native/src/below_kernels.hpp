// What kernels of every instruction set stand on, in dependency order: standard headers first, before any target region
// (isa/target_region.hpp). Knows no Node.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <locale.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// clang-format off
#include "memory.hpp"
#include "handles.hpp"
#include "files.hpp"
#include "manifest.hpp"
#include "parameters.hpp"
#include "../include/kernel.hpp"
#include "../include/tensor_kernel.hpp"
#include "blobs.hpp"
#include "forest_blob.hpp"
#include "utf8.hpp"
#include "packed_dictionary.hpp"
#include "decimals.hpp"
#include "../isa/target_region.hpp"
#include "../isa/kernel_runs.hpp"
// clang-format on
