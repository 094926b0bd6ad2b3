/// The entry of libFuzzer for the target that is named when this is compiled. Inputs that take longer than 25 s of
/// processor time are findings; on a busy machine libFuzzer's own timeout, by the clock on the wall, is not.
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "fuzz/targets.hpp"

namespace {

constexpr long most_seconds = 25;

void set_timer(long seconds) {
  const itimerval timer{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

extern "C" void take_as_finding(int) {
  constexpr char text[] = "timeout: the input takes longer than 25 s of processor time\n";
  [[maybe_unused]] const ssize_t said = write(STDERR_FILENO, text, sizeof text - 1);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::signal(SIGPROF, take_as_finding);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  set_timer(most_seconds);
  chasles::fuzz::TARGET({reinterpret_cast<const char*>(data), size});
  set_timer(0);
  return 0;
}
