/// The entry of libFuzzer for the target that is named when this is compiled.
#include <cstdint>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chasles::fuzz::TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
