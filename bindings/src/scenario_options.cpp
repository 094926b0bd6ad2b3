/// Options of scenarios: integration methods, stops, events that change velocities, interrupted runs.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>

#include "callback.hpp"
#include "chasles/io/run_file.hpp"
#include "chasles/simulation/scenario.hpp"
#include "methods.hpp"
#include "parts.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;
using ScenarioClass = nb::class_<Scenario>;

template <class T>
void option(ScenarioClass& c, const char* name, std::optional<T> IntegratorOptions::*member,
            const char* doc) {
  c.def_prop_rw(
      name, [member](const Scenario& s) { return s.integrator.*member; },
      [member](Scenario& s, std::optional<T> x) { s.integrator.*member = x; },
      nb::arg("value").none(), doc, nb::for_setter(nb::name(name)));
}

void add_method_options(ScenarioClass& c) {
  option(c, "first_step", &IntegratorOptions::first_step,
         "Of adaptive methods [s]; None: estimated.");
  option(c, "max_step", &IntegratorOptions::max_step, "Of adaptive methods [s]; None: unlimited.");
  option(c, "rho", &IntegratorOptions::rho,
         "Of generalized_alpha: spectral radius at infinite frequency; 0 full numerical damping, 1 "
         "none; None: 0.8.");
  option(c, "index", &IntegratorOptions::index,
         "Of generalized_alpha: 2 keeps Phi = 0 and B v = 0, 3 Phi = 0 only; None: 2.");
  c.def_prop_rw(
       "composition",
       [](const Scenario& s) -> std::optional<std::string> {
         if (!s.integrator.composition) return std::nullopt;
         return std::string(composition_name(*s.integrator.composition));
       },
       [](Scenario& s, const std::optional<std::string>& x) {
         s.integrator.composition.reset();
         if (x) s.integrator.composition = composition_of(*x);
       },
       nb::arg("value").none(),
       "Of symmetric methods: 'yoshida', 'suzuki' or 'kahan_li'; None: that of the order.",
       nb::for_setter(nb::name("composition")))
      .def_prop_rw(
          "chart",
          [](const Scenario& s) -> std::optional<std::string> {
            if (!s.integrator.chart) return std::nullopt;
            return std::string(chart_name(*s.integrator.chart));
          },
          [](Scenario& s, const std::optional<std::string>& x) {
            s.integrator.chart.reset();
            if (x) s.integrator.chart = chart_of(*x);
          },
          nb::arg("value").none(),
          "Of Munthe-Kaas methods: 'exponential', 'cayley' or 'second_kind'; None: exponential.",
          nb::for_setter(nb::name("chart")))
      .def_prop_rw(
          "stabilization",
          [](const Scenario& s) {
            return std::string(stabilization_name(s.integrator.stabilization));
          },
          [](Scenario& s, const std::string& x) {
            s.integrator.stabilization = stabilization_of(x);
          },
          "How methods that do not keep constraints by themselves stay on them: 'projection', "
          "'none' or 'baumgarte'.",
          nb::for_setter(nb::name("stabilization")))
      .def_prop_rw(
          "baumgarte",
          [](const Scenario& s) -> std::optional<std::pair<double, double>> {
            const auto& rates = s.integrator.baumgarte;
            if (!rates) return std::nullopt;
            return std::pair{rates->alpha, rates->beta};
          },
          [](Scenario& s, const std::optional<std::pair<double, double>>& x) {
            s.integrator.baumgarte.reset();
            if (x) s.integrator.baumgarte = {x->first, x->second};
          },
          nb::arg("value").none(), "Its rates (alpha, beta) [1/s].",
          nb::for_setter(nb::name("baumgarte")))
      .def_prop_rw(
          "scales", [](const Scenario& s) { return to_array(s.integrator.scales); },
          [](Scenario& s, ArrayLike x) {
            s.integrator.scales = vector_of(x, "Scenario.scales", s.model.nv());
          },
          "What counts as 1 in errors (nv,) [rad] or [m]; empty: 1.",
          nb::for_setter(nb::name("scales")))
      .def_prop_rw(
          "momentum_form", [](const Scenario& s) { return s.integrator.momentum_form; },
          [](Scenario& s, bool x) { s.integrator.momentum_form = x; },
          "Floating bases: the momentum is integrated instead of the velocity of the base.",
          nb::for_setter(nb::name("momentum_form")))
      .def_prop_rw(
          "keep_invariants", [](const Scenario& s) { return s.integrator.keep_invariants; },
          [](Scenario& s, bool x) { s.integrator.keep_invariants = x; },
          "Every step is projected onto energy and momenta of the start; for motions without any "
          "forces.",
          nb::for_setter(nb::name("keep_invariants")))
      .def(
          "set_tableau",
          [](Scenario& s, const RungeKuttaTableau* tableau) {
            s.integrator.own = tableau ? runge_kutta_method(*tableau) : nullptr;
          },
          "tableau"_a.none(),
          "A RungeKuttaTableau as integration method, instead of `method`; None: `method` again.");
}

void add_stops(ScenarioClass& c) {
  const auto number = [&](const char* name, double SoftStops::*member, const char* doc) {
    c.def_prop_rw(
        name, [member](const Scenario& s) { return s.stops.*member; },
        [member](Scenario& s, double x) { s.stops.*member = x; }, doc,
        nb::for_setter(nb::name(name)));
  };
  number("stop_time", &SoftStops::time, "Soft stops have the stiffness I / stop_time^2 [s].");
  number("stop_ratio", &SoftStops::ratio, "Damping ratio of soft stops: 1 no rebound.");
  c.def_prop_rw(
       "restitution", [](const Scenario& s) { return s.rigid.restitution; },
       [](Scenario& s, double x) { s.rigid.restitution = x; },
       "Of rigid stops: 0 to 1, the ratio of velocities after and before.",
       nb::for_setter(nb::name("restitution")))
      .def_prop_rw(
          "rest_velocity", [](const Scenario& s) { return s.rigid.rest_velocity; },
          [](Scenario& s, double x) { s.rigid.rest_velocity = x; },
          "Below it joints rest at rigid stops [rad/s] or [m/s].",
          nb::for_setter(nb::name("rest_velocity")))
      .def_prop_rw(
          "mimic", [](const Scenario& s) { return s.constraints.mimic; },
          [](Scenario& s, bool x) { s.constraints.mimic = x; },
          "Relations between joints of the description hold as constraints.",
          nb::for_setter(nb::name("mimic")));
}

void add_events(ScenarioClass& c) {
  c.def(
       "add_velocity_event",
       [](Scenario& s, const std::string& name, nb::object g,
          const std::map<std::string, double>& velocities, int direction) {
         const StateFunction f(std::move(g), "event '" + name + "'", s.model.nq(), s.model.nv());
         RunEvent event{{name, [f](const State& x) { return f.number(x.t, x.q, x.v); },
                         static_cast<IntegratorEvent::Direction>(direction)}};
         require_known(event.event.direction);
         event.action = RunEvent::set_velocity;
         for (const auto& [joint, value] : velocities) {
           const ModelJoint& known = *as<UnknownName>([&] { return &s.model.joint(joint); });
           if (known.nv != 1)
             throw Error("event '" + name + "': joint '" + joint + "' has " +
                         std::to_string(known.nv) + " velocities; give joints with one");
           event.velocity.emplace_back(known.v_index, value);
         }
         s.events.push_back(std::move(event));
       },
       "name"_a, "g"_a, "velocities"_a, "direction"_a = 0,
       nb::sig("def add_velocity_event(self, name: str, g: collections.abc.Callable[[float, "
               "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]], float], "
               "velocities: collections.abc.Mapping[str, float], direction: int = 0) -> None"),
       "An event where g(t, q, v) crosses zero, as in add_event, which gives joints other "
       "velocities {joint: velocity} [rad/s] or [m/s]; loops follow.")
      .def(
          "add_impact",
          [](Scenario& s, const std::string& name, const std::string& joint, double level,
             int direction, double restitution, int coordinate) {
            as<UnknownName>([&] { return &s.model.joint(joint); });
            const auto known = static_cast<IntegratorEvent::Direction>(direction);
            require_known(known);
            s.events.push_back(
                impact_event(s.model, name, joint, level, known, restitution, coordinate));
          },
          "name"_a, "joint"_a, "level"_a, "direction"_a, "restitution"_a, "coordinate"_a = 0,
          "A joint that reaches `level` [rad] or [m] from below (direction 1) or above (-1) "
          "rebounds with -restitution times its velocity, by an impulse in the joint.");
}

}  // namespace

void add_scenario_options(nb::module_& m) {
  auto scenario = nb::borrow<ScenarioClass>(m.attr("Scenario"));
  add_method_options(scenario);
  add_stops(scenario);
  add_events(scenario);
  scenario.def("__copy__", [](const Scenario& s) { return Scenario(s); })
      .def(
          "__deepcopy__", [](const Scenario& s, nb::handle) { return Scenario(s); }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: dict[int, object]) -> Scenario"));
  scenario.def(
      "go_on",
      [](Scenario& s, const std::filesystem::path& path) {
        const std::optional<CutRun> cut = as<FileError>([&] { return find_cut_run(path, s); });
        if (cut) go_on(s, *cut);
        return cut.has_value();
      },
      "path"_a,
      "Continues an interrupted run, recorded in the file `path` by Simulation.run: the scenario "
      "then starts at its last sample. False: there is none, and nothing is changed.");
}

}  // namespace chasles::python
