/// Parts of the module besides those of common.hpp.
#pragma once

#include "common.hpp"

namespace chasles::python {

void add_accessibility(nb::module_& m);
void add_constraints(nb::module_& m);
void add_inertias(nb::module_& m);
void add_methods(nb::module_& m);
void add_more_forces(nb::module_& m);
void add_more_kinematics(nb::module_& m);
void add_recorded_runs(nb::module_& m);
void add_scenario_options(nb::module_& m);
void add_transformations(nb::module_& m);

}  // namespace chasles::python
