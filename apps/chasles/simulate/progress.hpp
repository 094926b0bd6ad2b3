#pragma once

#include <chrono>
#include <string>

/// A bar on stderr that shows how far a run is and how long it will take; only if stderr is a
/// terminal, and at most ten times a second.
class Progress {
 public:
  Progress(double begin, double end);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(double t);
  void clear();
  /// The line for a time that was reached after some seconds.
  static std::string line(double begin, double end, double t, double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  double begin_, end_;
  Clock::time_point start_ = Clock::now(), next_ = start_;
  bool terminal_, shown_ = false;
};
