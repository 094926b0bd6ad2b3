/// Runs a function in a thread with a stack of 128 kB, where runaway recursion dies at once.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

namespace chasles::test {

inline void with_small_stack(const std::function<void()>& f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128UL * 1024);
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&f)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace chasles::test
