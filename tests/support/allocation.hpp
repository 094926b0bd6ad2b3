/// `allocations`: calls of malloc so far; once it is past `last_allocation`, memory has run out. Counted
/// there, because Eigen calls it directly. Include it in one unit of an executable. Sanitizers bring
/// their own malloc: CHASLES_COUNTS_ALLOCATIONS is not defined in their builds.
#pragma once

#include <atomic>
#include <climits>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CHASLES_COUNTS_ALLOCATIONS

namespace chasles::test {
inline std::atomic<long> allocations{0}, last_allocation{LONG_MAX};
}

extern "C" {
void* __libc_malloc(std::size_t);  // NOLINT: the name is glibc's
void* malloc(std::size_t size) noexcept {
  if (++chasles::test::allocations > chasles::test::last_allocation) return nullptr;
  return __libc_malloc(size);
}
}
#endif
