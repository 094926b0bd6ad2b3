/// Integration methods for systems: own loops over steps.
#include "chasles/integrators/integrator.hpp"
#include "entered.hpp"
#include "system.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

/// An integrator with its system. A force of Python must not use it while it is in a step.
class BoundIntegrator {
 public:
  BoundIntegrator(nb::object of, const std::string& method, std::optional<double> step,
                  std::optional<double> tolerance, std::optional<int> order)
      : kept_(of), system_(nb::cast<BoundSystem&>(of)) {
    IntegratorOptions options{.method = method, .step = step, .tolerance = tolerance};
    options.order = order;
    integrator_ = make_integrator(system_.system(), options);
  }
  void reset(ArrayLike q, ArrayLike v, double t) {
    const Entered entered(busy_, "the integrator is in a step");
    integrator_->reset({t, system_.q(q, "reset()"), system_.v(v, "reset()")});
  }
  using Reached = std::tuple<double, Array, Array>;
  Reached step(double until) {
    require_reachable(until, "step()");
    const Entered entered(busy_, "the integrator is in a step");
    integrator_->step(until);
    return state();
  }
  Reached advance(double until) {
    require_reachable(until, "advance()");
    const Entered entered(busy_, "the integrator is in a step");
    while (integrator_->state().t < until) {
      integrator_->step(until);
      if (PyErr_CheckSignals() < 0) throw nb::python_error();  // Ctrl-C
    }
    return state();
  }
  Reached state() const {
    const State& x = integrator_->state();
    return {x.t, to_array(x.q), to_array(x.v)};
  }
  const StepStatistics& statistics() const { return integrator_->statistics(); }

 private:
  void require_reachable(double until, const std::string& what) const {
    if (!std::isfinite(until) || until < integrator_->state().t)
      raise(PyExc_ValueError, what + ": until is " + to_text(until) + "; it needs a time from " +
                                  to_text(integrator_->state().t) +
                                  " s on, where the integrator is");
  }
  nb::object kept_;
  BoundSystem& system_;
  std::unique_ptr<Integrator> integrator_;
  std::atomic<bool> busy_ = false;
};

}  // namespace

void add_integrators(nb::module_& m) {
  nb::class_<BoundIntegrator>(m, "Integrator",
                              "An integration method for a System: own loops over steps.")
      .def(nb::init<nb::object, const std::string&, std::optional<double>, std::optional<double>,
                    std::optional<int>>(),
           "system"_a, "method"_a = "auto", "step"_a.none() = nb::none(),
           "tolerance"_a.none() = nb::none(), "order"_a.none() = nb::none(),
           nb::sig("def __init__(self, system: System, method: str = 'auto', step: float | None = "
                   "None, tolerance: float | None = None, "
                   "order: int | None = None) -> None"),
           "step [s] of methods with fixed steps, tolerance of adaptive ones, order of families of "
           "methods: see methods().")
      .def("reset", &BoundIntegrator::reset, "q"_a, "v"_a, "t"_a = 0.0,
           "Starts at a state: q (nq,), v (nv,), t [s].")
      .def("step", &BoundIntegrator::step, "until"_a,
           "One step, not beyond `until` [s]: (t, q, v).")
      .def("advance", &BoundIntegrator::advance, "until"_a,
           "Steps exactly to `until` [s]: (t, q, v).")
      .def_prop_ro(
          "steps", [](BoundIntegrator& i) { return i.statistics().steps; },
          "Accepted steps so far.")
      .def_prop_ro(
          "evaluations", [](BoundIntegrator& i) { return i.statistics().evaluations; },
          "Evaluations of the equations of motion so far.");
  m.def(
      "methods",
      [] {
        nb::dict out;
        for (const MethodInfo& info : methods())
          out[std::string(info.name).c_str()] = std::string(info.description);
        return out;
      },
      nb::sig("def methods() -> dict[str, str]"), "The integration methods and what they are.");
}

}  // namespace chasles::python
