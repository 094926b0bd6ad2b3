#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds before_the_first{2000}, between{100};

}  // namespace

Progress::Progress(double begin, double end) : begin_(begin), end_(end), t_(begin) {
  if (isatty(STDERR_FILENO) != 1) return;
  // Signals are for the thread that runs.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { draw(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Progress::draw() {
  const auto start = Clock::now();
  bool shown = false;
  std::unique_lock lock(mutex_);
  for (auto next = start + before_the_first; !done_.wait_until(lock, next, [&] { return stop_; });
       next = Clock::now() + between) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    fmt::print(stderr, "\r{}\x1b[K", line(begin_, end_, t_, steps_, seconds));
    std::fflush(stderr);
    shown = true;
  }
  if (shown) fmt::print(stderr, "\r\x1b[K");
}

void Progress::clear() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  done_.notify_one();
  thread_.join();
}

std::string Progress::line(double begin, double end, double t, long steps, double seconds) {
  constexpr int width = 20;
  const double part = std::clamp((t - begin) / (end - begin), 0.0, 1.0);
  const auto full = static_cast<std::size_t>(part * width);
  const double left = part > 0 ? seconds * (1 - part) / part : 0;
  const std::string when = !(part > 0)    ? "..."
                           : left < 600   ? fmt::format("{:.0f} s left", left)
                           : left < 36000 ? fmt::format("{:.0f} min left", left / 60)
                                          : fmt::format("{:.3g} h left", left / 3600);
  return fmt::format("[{}{}] {:3.0f}%  t = {:.6g} of {:.6g} s  step {}  {}", std::string(full, '#'),
                     std::string(width - full, '.'), 100 * part, t, end, steps, when);
}
