/// What is fuzzed: each target takes any bytes, and lets nothing out but a Failure where something
/// holds no longer. The same functions run under libFuzzer (tests/fuzz/run) and in the tests, which
/// replay what was found before.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace chasles::fuzz {

struct Failure : std::logic_error {
  using std::logic_error::logic_error;
};
inline void require(bool holds, const std::string& what) {
  if (!holds) throw Failure(what);
}

void model_yaml(std::string_view bytes);  // a model file, read, written and read again
void urdf(std::string_view bytes);        // the same; its conversion is read as well
void mjcf(std::string_view bytes);        // the same
void sdf(std::string_view bytes);         // the same
void mesh(std::string_view bytes);        // a mesh and its hull; the first byte: STL, OBJ or MSH
void expression(std::string_view bytes);  // arithmetic of a file: value, gradient and series
void scenario(std::string_view bytes);    // a scenario of an arm or a rig, and some steps of it
void states(std::string_view bytes);      // states of that arm, evaluated
void absolute(std::string_view bytes);    // the same scenario in maximal coordinates
void run(std::string_view bytes);         // a recorded run of it; the first byte: c CSV, else JSON
void broken_run(
    std::string_view bytes);  // the same from a disk that fails; the next two bytes: where
void mechanism(std::string_view bytes);  // a random mechanism: the laws of its dynamics
void closed(
    std::string_view bytes);  // the same with loops, of custom joints too: the laws of constraints

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};
inline constexpr Target targets[] = {{"model_yaml", model_yaml},
                                     {"urdf", urdf},
                                     {"mjcf", mjcf},
                                     {"sdf", sdf},
                                     {"mesh", mesh},
                                     {"expression", expression},
                                     {"scenario", scenario},
                                     {"states", states},
                                     {"run", run},
                                     {"mechanism", mechanism},
                                     {"absolute", absolute},
                                     {"broken_run", broken_run},
                                     {"closed", closed}};

}  // namespace chasles::fuzz
