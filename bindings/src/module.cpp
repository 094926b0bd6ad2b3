/// The module chasles._core.
#define CHASLES_IMPORTS_NUMPY
#include "chasles/version.hpp"
#include "parts.hpp"

namespace {
/// import_array returns from its function.
int import_numpy() {
  import_array1(-1);
  return 0;
}
}  // namespace

NB_MODULE(_core, m) {
  using namespace chasles::python;
  if (import_numpy() < 0) throw nb::python_error();
  nb::set_leak_warnings(
      false);  // a law that refers to its own simulation is a cycle, and stays until the end
  m.doc() = "Multibody dynamics with screws; the functions of the package chasles.";
  m.attr("__version__") = std::string(chasles::version());
  register_errors(m);
  add_model(m);
  add_mechanism(m);
  add_transformations(m);
  add_verbs(m);
  add_lie(m);
  add_groups(m);
  add_screws(m);
  add_forces(m);
  add_contacts(m);
  add_simulation(m);
  add_analysis(m);
  add_linear_systems(m);
  add_closed_systems(m);
  add_integrators(m);
  add_sensitivities(m);
  add_fits(m);
  add_motions(m);
  add_textbook(m);
  add_verification(m);
  add_inertias(m);
  add_more_kinematics(m);
  add_more_forces(m);
  add_constraints(m);
  add_scenario_options(m);
  add_recorded_runs(m);
  add_accessibility(m);
}
