/// Time of a call in ns: minimum over batches, each running once through all inputs, to defeat register reuse
/// and branch prediction.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

template <class F>
double least_ns(std::size_t inputs, const F& f, double seconds = 0.3) {
  using Clock = std::chrono::steady_clock;
  double least = 1e300;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < inputs; ++i) f(i);
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    least = std::min(least, time.count() / static_cast<double>(inputs));
  } while (Clock::now() < end);
  return least;
}
