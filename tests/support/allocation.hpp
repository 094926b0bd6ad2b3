/// `allocations`: calls of malloc so far; once it is past `last_allocation`, memory has run out; call
/// number `failing_allocation` alone fails, as where unwinding frees memory. Counted there, because
/// Eigen calls it directly. Include it in one unit of an executable. Sanitizers bring their own malloc:
/// CHASLES_COUNTS_ALLOCATIONS is not defined in their builds.
#pragma once

#include <atomic>
#include <climits>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CHASLES_COUNTS_ALLOCATIONS

namespace chasles::test {
inline std::atomic<long> allocations{0}, last_allocation{LONG_MAX}, failing_allocation{-1};
}

extern "C" {
void* __libc_malloc(std::size_t);  // NOLINT: the name is glibc's
void* malloc(std::size_t size) noexcept {
  const long number = ++chasles::test::allocations;
  if (number > chasles::test::last_allocation || number == chasles::test::failing_allocation)
    return nullptr;
  return __libc_malloc(size);
}
}
#endif
