/// Worker threads: a job runs once on each of them; the caller is thread 0.
#pragma once

#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "chasles/error.hpp"

namespace chasles {

class ThreadPool {
 public:
  /// @throws Error if the system cannot create this many threads
  explicit ThreadPool(int threads) {
    try {
      for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
    } catch (const std::system_error& e) {
      const int given = size();
      stop();
      throw Error("of " + std::to_string(threads) + " threads the system gave " +
                  std::to_string(given) + " (" + e.what() +
                  "); use fewer, or 0 for one per processor");
    }
  }
  ~ThreadPool() { stop(); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// job(thread number) on every thread; returns when all are done. `job` must not throw.
  template <class Job>
  void run(const Job& job) {
    if (!threads_.empty()) {
      context_ = &job;
      job_ = [](const void* context, int thread) { (*static_cast<const Job*>(context))(thread); };
      running_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
      start();
    }
    job(0);
    for (int left; (left = running_.load(std::memory_order_acquire)) > 0;) running_.wait(left);
  }

 private:
  void stop() {
    job_ = nullptr;
    start();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  void start() {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  void serve(int thread) {
    for (unsigned seen = 0;; ++seen) {
      round_.wait(seen, std::memory_order_acquire);
      if (!job_) return;
      job_(context_, thread);
      if (running_.fetch_sub(1, std::memory_order_release) == 1) running_.notify_one();
    }
  }

  const void* context_ = nullptr;
  void (*job_)(const void*, int) = nullptr;
  std::atomic<unsigned> round_ = 0;
  std::atomic<int> running_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace chasles
