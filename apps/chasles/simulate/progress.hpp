#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

/// A line on stderr that shows how far a run is and when it will end: of runs beyond two seconds, only if stderr is
/// a terminal, redrawn ten times a second at most. A thread draws it, so that it moves on while a single step takes
/// long; the run itself only leaves two numbers.
class Progress {
 public:
  Progress(double begin, double end);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// After a step.
  void reached(double t) {
    t_.store(t, std::memory_order_relaxed);
    steps_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Takes the line away; nothing is drawn from then on.
  void clear();
  /// The line for a time that was reached after some seconds and steps.
  static std::string line(double begin, double end, double t, long steps, double seconds);

 private:
  void draw();

  const double begin_, end_;
  std::atomic<double> t_;
  std::atomic<long> steps_ = 0;
  std::mutex mutex_;
  std::condition_variable done_;
  bool stop_ = false;
  std::thread thread_;  // not started if stderr is not a terminal
};
