#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

Progress::Progress(double begin, double end)
    : begin_(begin), end_(end), terminal_(isatty(STDERR_FILENO) == 1) {
  next_ += std::chrono::milliseconds(100);  // a run shorter than this shows nothing
}

void Progress::show(double t) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r{}\x1b[K", line(begin_, end_, t, seconds));
  std::fflush(stderr);
}

void Progress::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

std::string Progress::line(double begin, double end, double t, double seconds) {
  constexpr int width = 30;
  const double part = std::clamp((t - begin) / (end - begin), 0.0, 1.0);
  const int full = static_cast<int>(part * width);
  const std::string left =
      part > 0 ? fmt::format("{:.0f} s left", seconds * (1 - part) / part) : "...";
  return fmt::format("[{}{}] {:3.0f}%  t = {:.6g} of {:.6g} s  {}",
                     std::string(static_cast<std::size_t>(full), '#'),
                     std::string(static_cast<std::size_t>(width - full), '.'), 100 * part, t, end,
                     left);
}
