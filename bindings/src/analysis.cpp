#include "common.hpp"
namespace chasles::python {
void add_analysis(nb::module_&) {}
void add_simulation(nb::module_&) {}
}  // namespace chasles::python
