/// Files that cannot be read to their end, by the machine's fault: an Error that names the file, whatever is missing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "chasles/io/mechanism_file.hpp"
#include "support/allocation.hpp"
#include "support/three_formats.hpp"

namespace io_memory_test {

using namespace chasles;

TEST(FileReading, an_error_of_the_device_is_one_of_the_file) {
  // The first page of a process is not mapped: reading it is an error of input and output.
  try {
    read_mechanism("/proc/self/mem");
    ADD_FAILURE() << "no error";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("/proc/self/mem: reading failed"), std::string::npos)
        << error.what();
  }
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(FileReading, memory_that_runs_out_is_an_error_that_names_the_file) {
  const std::string yaml =
      "chasles: 1\nbodies:\n  - {name: a, joint: {type: revolute, axis: [0, 0, 1]}}\n  - {name: "
      "b}\n";
  for (const std::string& text :
       {test::arm_as_urdf(), test::arm_as_mjcf(), test::arm_as_sdf(), yaml}) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("chasles_memory_" + std::to_string(getpid()));
    std::ofstream(file) << text;
    int named = 0;
    // Every call, until one is beyond the last that reading makes.
    for (long call = 1; test::failing_allocation < test::allocations; ++call) {
      std::string said;
      test::failing_allocation = test::allocations + call;
      try {
        read_mechanism(file);
      } catch (const Error& error) {
        said = error.what();
      }
      if (said.empty()) continue;  // the failure was dealt with, or came too late
      ++named;
      EXPECT_NE(said.find(file.string()), std::string::npos) << call << ": " << said;
      EXPECT_NE(said.find("memory"), std::string::npos) << call << ": " << said;
    }
    test::failing_allocation = -1;
    EXPECT_GT(named, 10);
    std::filesystem::remove(file);
  }
}
#endif

}  // namespace io_memory_test
