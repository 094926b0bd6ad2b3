/// Memory that is refused at a chosen allocation, and the number of blocks that are still held. Counted at
/// malloc, because Eigen calls it directly. Include it in one unit of an executable. Sanitizers bring their own
/// malloc: CHASLES_REFUSES_MEMORY is not defined in their builds.
#pragma once

#include <cerrno>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CHASLES_REFUSES_MEMORY

namespace chasles::test {

/// Of this thread, which is the only one.
struct MemoryFaults {
  long calls = 0;     // allocations so far
  long blocks = 0;    // allocated and not freed
  long first = 0;     // the allocation that is refused, counted from 1; 0: none
  long refusals = 1;  // how many are, from there
  bool refuses() {
    ++calls;
    return first > 0 && calls >= first && calls - first < refusals;
  }
};
inline MemoryFaults memory_faults;

}  // namespace chasles::test

extern "C" {
// NOLINTBEGIN: the names are glibc's
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
// NOLINTEND

void* malloc(std::size_t size) noexcept {
  if (chasles::test::memory_faults.refuses()) return nullptr;
  ++chasles::test::memory_faults.blocks;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  if (chasles::test::memory_faults.refuses()) return nullptr;
  ++chasles::test::memory_faults.blocks;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) noexcept {
  if (chasles::test::memory_faults.refuses()) return nullptr;
  if (!block) ++chasles::test::memory_faults.blocks;
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (chasles::test::memory_faults.refuses()) return nullptr;
  ++chasles::test::memory_faults.blocks;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  *block = aligned_alloc(alignment, size);
  return *block ? 0 : ENOMEM;
}
void free(void* block) noexcept {
  if (block) --chasles::test::memory_faults.blocks;
  __libc_free(block);
}
}
#endif
