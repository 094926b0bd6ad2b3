/// An object that is in use: it may be entered once at a time, neither by two threads, nor by a function of Python that
/// it calls.
#pragma once

#include <atomic>

#include "chasles/error.hpp"

namespace chasles::python {

class Entered {
 public:
  /// @param what  begins the message: "the simulation is in a step"
  explicit Entered(std::atomic<bool>& busy, const char* what) : busy_(busy) {
    if (busy.exchange(true, std::memory_order_acquire))
      throw Error(std::string(what) +
                  "; it cannot be used by another thread, nor by a function that it calls");
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  ~Entered() { busy_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool>& busy_;
};

}  // namespace chasles::python
