// Counts the allocations of a process of allocations.long.test.ts, which preloads this library. It
// writes four 64-bit numbers into the file that BREZEL_ALLOCATIONS names: calls of `operator new`
// and `mmap` by the addon, and calls of `malloc` and `mmap` in the whole process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ADDON_NEW, ADDON_MAP, ALL_MALLOC, ALL_MAP, COUNTS };

static _Atomic uint64_t unused[COUNTS];
static _Atomic uint64_t *counts = unused;
static _Atomic uintptr_t first, end;  // code of the addon, once it is loaded

extern void *__libc_malloc(size_t);

static void *(*real_new)(size_t);
static void *(*real_aligned_new)(size_t, size_t);
static void *(*real_map)(void *, size_t, int, int, int, off_t);

static int find_addon(struct dl_phdr_info *info, size_t size, void *data) {
  const char *name = strrchr(info->dlpi_name, '/');
  if (!name || strcmp(name, "/brezel.node") != 0) return 0;
  for (int at = 0; at < info->dlpi_phnum; at++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[at];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    first = info->dlpi_addr + part->p_vaddr;
  }
  return 1;
}

__attribute__((constructor)) static void open_counts(void) {
  real_new = (void *(*)(size_t))dlsym(RTLD_NEXT, "_Znwm");
  real_aligned_new = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "_ZnwmSt11align_val_t");
  real_map = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap64");
  const char *path = getenv("BREZEL_ALLOCATIONS");
  const int file = path ? open(path, O_RDWR) : -1;
  if (file < 0) return;
  void *shared = real_map(NULL, sizeof unused, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (shared != MAP_FAILED) counts = shared;
}

static int is_addon(const void *caller) {
  const uintptr_t at = (uintptr_t)caller;
  return at >= first && at < end;
}

/**
 * Looks up the addon's address range once, when the addon is loaded, because a look-up at every
 * allocation would take the loader's lock.
 */
void *dlopen(const char *path, int flags) {
  static void *(*real)(const char *, int);
  if (!real) real = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  void *library = real(path, flags);
  if (!first) dl_iterate_phdr(find_addon, NULL);
  return library;
}

void *malloc(size_t bytes) {
  counts[ALL_MALLOC]++;
  return __libc_malloc(bytes);
}

void *_Znwm(size_t bytes) {
  if (is_addon(__builtin_return_address(0))) counts[ADDON_NEW]++;
  return real_new(bytes);
}

void *_ZnwmSt11align_val_t(size_t bytes, size_t alignment) {
  if (is_addon(__builtin_return_address(0))) counts[ADDON_NEW]++;
  return real_aligned_new(bytes, alignment);
}

void *mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  counts[ALL_MAP]++;
  if (is_addon(__builtin_return_address(0))) counts[ADDON_MAP]++;
  return real_map(at, bytes, protection, flags, file, offset);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  return mmap64(at, bytes, protection, flags, file, offset);
}
