/// Options of integration methods, as arguments by name.
#pragma once

#include <nanobind/stl/vector.h>

#include "chasles/integrators/runge_kutta.hpp"
#include "common.hpp"

namespace chasles::python {

/// Names of options that are texts in Python.
std::string_view composition_name(Composition composition);
Composition composition_of(const std::string& name);
std::string_view chart_name(Chart chart);
Chart chart_of(const std::string& name);
std::string_view stabilization_name(Stabilization stabilization);
Stabilization stabilization_of(const std::string& name);

/// The options of an integrator as they are given in Python: None for what is not.
struct MethodOptions {
  std::string method = "auto";
  std::optional<double> step{}, tolerance{}, first_step{}, max_step{}, rho{};
  std::optional<int> order{}, index{};
  std::optional<std::string> composition{}, chart{};
  const RungeKuttaTableau* tableau = nullptr;  // instead of a method

  IntegratorOptions options() const;
};

}  // namespace chasles::python
