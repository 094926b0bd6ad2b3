#pragma once

#include <csignal>
#include <cstddef>
#include <iterator>

/// The signal that ends the program, from CatchInterrupt; 0: none yet.
inline volatile std::sig_atomic_t interrupted = 0;

/// While it lives, Ctrl-C, SIGTERM and the end of the terminal set `interrupted`; a second one ends the
/// program at once. What was ignored when the program was started (nohup, jobs of a script) stays so.
class CatchInterrupt {
 public:
  CatchInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int signal) { interrupted = signal; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (std::size_t i = 0; i < std::size(signals); ++i) {
      sigaction(signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);
    }
  }
  ~CatchInterrupt() {
    for (std::size_t i = 0; i < std::size(signals); ++i)
      sigaction(signals[i], &before_[i], nullptr);
  }
  CatchInterrupt(const CatchInterrupt&) = delete;
  CatchInterrupt& operator=(const CatchInterrupt&) = delete;

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(signals)]{};
};
