/// Forces of tendons, actuators and tables, signals of time, drives with springs, sensors of controllers.
#include <nanobind/stl/complex.h>
#include <nanobind/stl/map.h>

#include "callback.hpp"
#include "chasles/simulation/actuator_force.hpp"
#include "chasles/simulation/element_forces.hpp"
#include "chasles/simulation/expression_force.hpp"
#include "chasles/simulation/sampled_loop.hpp"
#include "chasles/simulation/series_elastic_control.hpp"
#include "chasles/simulation/stops.hpp"
#include "chasles/suggest.hpp"
#include "parts.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

const std::string& known_joint(const Model& model, const std::string& joint) {
  as<UnknownName>([&] { return &model.joint(joint); });
  return joint;
}
BodyPoint point_on(const Model& model, const std::string& body, const ArrayLike& point,
                   const std::string& what) {
  as<UnknownName>([&] { return model.frame(body); });
  return {body, vec3_of(point, what)};
}
const Tendon& tendon_named(const Model& model, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Tendon& tendon : model.tendons()) {
    if (tendon.name == name) return tendon;
    names.push_back(tendon.name);
  }
  throw UnknownName("there is no tendon '" + name + "'" + did_you_mean(name, names));
}
/// Signals from one number or function, or a list of them.
std::vector<Signal> signals_of(nb::handle values, const std::string& what) {
  const bool list =
      PyList_Check(values.ptr()) || PyTuple_Check(values.ptr()) || PyArray_Check(values.ptr());
  if (!list) return {signal_of(values, what)};
  std::vector<Signal> out;
  for (nb::handle x : nb::iter(values)) out.push_back(signal_of(x, what));
  return out;
}
const Controller& controller_of(const Force& force, const std::string& what) {
  if (!force.controller) throw Error(what + ": force '" + force.name + "' is not a controller");
  return *force.controller;
}

void add_signals(nb::module_& m) {
  nb::class_<Signal>(m, "Signal", "A function of time with the times at which it is not smooth.")
      .def(
          "__call__", [](const Signal& s, double t) { return s(t); }, "t"_a,
          "The value at a time [s].")
      .def("next_break", &Signal::next_break, "t"_a,
           "The first time after t at which it is not smooth [s]; infinity: never.");
  nb::module_ s = m.def_submodule(
      "signals",
      "Functions of time for torques, wrenches and targets: steps of runs end where they "
      "are not smooth, so that no pulse is missed.");
  s.def(
      "sinusoid",
      [](double amplitude, double frequency, double phase, double offset) {
        return signals::sinusoid({amplitude, frequency, phase, offset});
      },
      "amplitude"_a = 1.0, "frequency"_a = 1.0, "phase"_a = 0.0, "offset"_a = 0.0,
      "offset + amplitude sin(2 pi frequency t + phase); frequency [Hz].");
  s.def(
      "table", &signals::table, "times"_a, "values"_a,
      "Piecewise linear through (times, values), constant outside; a time given twice is a jump.");
  s.def(
      "function",
      [](nb::handle f, std::vector<double> breaks) {
        std::sort(breaks.begin(), breaks.end());
        const Signal plain = signal_of(f, "the signal");
        return Signal([plain](double t) { return plain(t); },
                      [breaks = std::move(breaks)](double t) {
                        const auto next = std::upper_bound(breaks.begin(), breaks.end(), t);
                        return next == breaks.end() ? Signal::never : *next;
                      });
      },
      "f"_a, "breaks"_a = std::vector<double>{},
      nb::sig("def function(f: collections.abc.Callable[[float], float], breaks: "
              "numpy.typing.ArrayLike = []) -> chasles._core.Signal"),
      "A function of t [s] that is not smooth at the times `breaks` [s].");
  nb::module_ r = nb::borrow<nb::module_>(m.attr("references"));
  r.def(
      "harmonics",
      [](double frequency, double mean, std::vector<double> cosines, std::vector<double> sines) {
        return references::harmonics({frequency, mean, std::move(cosines), std::move(sines)});
      },
      "frequency"_a, "mean"_a = 0.0, "cosines"_a = std::vector<double>{},
      "sines"_a = std::vector<double>{},
      "mean + sum_k cosines[k] cos((k + 1) w t) + sines[k] sin((k + 1) w t), w = 2 pi frequency.");
  r.def(
      "smooth_step",
      [](double from, double to, double start, double duration) {
        return references::smooth_step({from, to, start, duration});
      },
      "from_"_a = 0.0, "to"_a = 1.0, "start"_a = 0.0, "duration"_a = 1.0,
      "From one value to another by 10 s^3 - 15 s^4 + 6 s^5, s = (t - start) / duration, constant "
      "before and after.");
}

void add_joint_forces(nb::module_& m) {
  m.def(
      "pd_hold",
      [](const BoundModel& b, const std::string& joint, double stiffness, double damping,
         nb::handle target) {
        return pd_hold(b.model, known_joint(b.model, joint), stiffness, damping,
                       signals_of(target, "pd_hold(): target"));
      },
      "model"_a, "joint"_a, "stiffness"_a, "damping"_a, "target"_a,
      nb::sig("def pd_hold(model: Model, joint: str, stiffness: float, damping: float, target: "
              "float | Signal | collections.abc.Callable[[float], float] | "
              "collections.abc.Sequence[typing.Any]) -> Force"),
      "tau = -stiffness (q - target(t)) - damping v in a joint: a number or function of t per "
      "entry "
      "of q. Its power counts as work.");
  m.def(
      "joint_dynamics", [](const BoundModel& b) { return joint_dynamics(b.model); }, "model"_a,
      "The forces of the description, which runs add by themselves (Scenario.joint_dynamics): "
      "springs, damping and friction of joints, tendons. For systems made in other ways.");
  m.def(
      "joint_spring_table",
      [](const BoundModel& b, const std::string& joint, std::vector<double> positions,
         std::vector<double> forces, double damping, bool cubic) {
        return joint_spring_table(b.model, known_joint(b.model, joint), std::move(positions),
                                  std::move(forces), damping,
                                  cubic ? TableInterpolation::cubic : TableInterpolation::linear);
      },
      "model"_a, "joint"_a, "positions"_a, "forces"_a, "damping"_a = 0.0, "cubic"_a = false,
      "tau = f(q) - damping v in a joint with one coordinate, f by a table of positions [rad] or "
      "[m] and forces [N m] or [N]; linear, or piecewise cubic without overshoot.");
  m.def(
      "joint_progressive",
      [](const BoundModel& b, const std::string& joint) {
        return joint_progressive(b.model, known_joint(b.model, joint));
      },
      "model"_a, "joint"_a,
      "The terms of higher order of the spring and damper in the description of a joint.");
  m.def(
      "soft_stops",
      [](const BoundModel& b, ArrayLike q, double time, double ratio,
         std::optional<double> stiffness, std::optional<double> damping, double depth) {
        return soft_stops(b.model, vector_of(q, "soft_stops(): q", b.model.nq()),
                          {time, ratio, stiffness, damping, depth});
      },
      "model"_a, "q"_a, "time"_a = 0.01, "ratio"_a = 1.0, "stiffness"_a.none() = nb::none(),
      "damping"_a.none() = nb::none(), "depth"_a = 1e-3,
      "Compliant stops at all limits of joints and tendons, with stiffness I / time^2 and damping "
      "ratio of the apparent inertias I at q (nq,), unless given.");
}

void add_elements(nb::module_& m) {
  m.def(
      "tendon_force",
      [](const BoundModel& b, const std::string& tendon) {
        return tendon_force(b.model, tendon_named(b.model, tendon));
      },
      "model"_a, "tendon"_a,
      "Spring, damper and friction of a tendon of the description, by name.");
  m.def(
      "tendon_stop",
      [](const BoundModel& b, const std::string& tendon, double stiffness, double damping,
         double depth) {
        return tendon_stop(b.model, tendon_named(b.model, tendon), {stiffness, damping, depth});
      },
      "model"_a, "tendon"_a, "stiffness"_a, "damping"_a = 0.0, "depth"_a = 1e-3,
      "Compliant stops at the ends of the range of a tendon [N/m, N s/m].");
  m.def(
      "actuator_force",
      [](const BoundModel& b, const std::string& actuator, nb::handle control) {
        if (!b.mechanism)
          throw Error("actuator_force(): the model '" + b.model.name() +
                      "' has no description with actuators");
        const Actuator& known = as<UnknownName>(
            [&]() -> const Actuator& { return find_actuator(*b.mechanism, actuator); });
        return actuator_force(b.model, known, signal_of(control, "actuator_force(): control"));
      },
      "model"_a, "actuator"_a, "control"_a,
      nb::sig("def actuator_force(model: Model, actuator: str, control: float | Signal | "
              "collections.abc.Callable[[float], float]) -> Force"),
      "The force of an actuator of the description, by name, under a control: a number or a "
      "function of t, limited to its range.");
  m.def(
      "point_expression",
      [](const BoundModel& b, const std::string& body_a, ArrayLike point_a,
         const std::string& body_b, ArrayLike point_b, const std::string& tension,
         const std::map<std::string, double>& parameters) {
        const std::string what = "point_expression(): ";
        return point_expression(b.model, point_on(b.model, body_a, point_a, what + "point_a"),
                                point_on(b.model, body_b, point_b, what + "point_b"), tension,
                                ExpressionParameters(parameters.begin(), parameters.end()));
      },
      "model"_a, "body_a"_a, "point_a"_a, "body_b"_a, "point_b"_a, "tension"_a,
      "parameters"_a = std::map<std::string, double>{},
      "A tension between two points (3,) of bodies as text with t, the distance d and its rate "
      "d_dot: 'k*(d - 0.2) + c*d_dot'; positive pulls them together.");
}

void add_sensors(nb::module_& m) {
  nb::class_<Sensors>(m, "Sensors",
                      "Noise, resolution and delay of what a sampled controller measures.")
      .def(
          "__init__",
          [](Sensors* self, std::vector<double> position_noise, std::vector<double> velocity_noise,
             std::vector<double> position_resolution, std::vector<double> velocity_resolution,
             double delay, std::uint64_t seed) {
            new (self) Sensors{std::move(position_noise),
                               std::move(velocity_noise),
                               std::move(position_resolution),
                               std::move(velocity_resolution),
                               delay,
                               seed};
          },
          "position_noise"_a = std::vector<double>{}, "velocity_noise"_a = std::vector<double>{},
          "position_resolution"_a = std::vector<double>{},
          "velocity_resolution"_a = std::vector<double>{}, "delay"_a = 0.0, "seed"_a = 1,
          "Standard deviations and resolutions [rad] or [m], per second: nv numbers, one for all, "
          "or none; delay [s]. Numbers depend on seed and sample only.")
      .def_ro("delay", &Sensors::delay, "[s]")
      .def_ro("seed", &Sensors::seed, "Of the noise.");
  nb::borrow<nb::class_<Force>>(m.attr("Force"))
      .def(
          "sampled",
          [](const Force& force, double period, double delay, std::vector<double> max_effort,
             const Sensors* sensors) {
            Controller c = controller_of(force, "sampled()");
            c.period = period, c.delay = delay;
            if (!max_effort.empty()) c.max_effort = std::move(max_effort);
            if (sensors) c.sensors = *sensors;
            return control(c);
          },
          "period"_a, "delay"_a = 0.0, "max_effort"_a = std::vector<double>{},
          "sensors"_a.none() = nb::none(),
          "This controller, evaluated at multiples of period [s]; its result is applied delay [s] "
          "later and held. max_effort: of each motor [N m] or [N]. sensors: what it measures with.")
      .def_prop_ro(
          "is_controller", [](const Force& f) { return f.controller != nullptr; },
          "Whether it was made from a controller.");
  nb::class_<SampledLoop>(m, "SampledLoop",
                          "The least stable eigenvalue of a loop that a sampled controller closes.")
      .def_ro("eigenvalue", &SampledLoop::eigenvalue, "The one with the largest modulus.")
      .def_ro("joint", &SampledLoop::joint, "The joint that moves most in its eigenvector.")
      .def_prop_ro("radius", &SampledLoop::radius, "|eigenvalue|; stable below 1.")
      .def_prop_ro("unstable", &SampledLoop::unstable, "Whether radius exceeds 1.");
  m.def(
      "sampled_loop",
      [](const Force& force, ArrayLike q) {
        const Controller& c = controller_of(force, "sampled_loop()");
        return sampled_loop(c, vector_of(q, "sampled_loop(): q", c.model.nq()));
      },
      "controller"_a, "q"_a,
      "Stability of the loop that a sampled controller with known gains (pd_control) closes at q "
      "(nq,), at rest, without other forces; None: it cannot be told.");
}

void add_drives(nb::module_& m) {
  m.def(
      "effort_limits",
      [](const BoundModel& b, const std::vector<std::string>& joints) {
        for (const std::string& joint : joints) known_joint(b.model, joint);
        return effort_limits(b.model, joints);
      },
      "model"_a, "joints"_a,
      "The largest efforts of joints [N m] or [N], for Force.sampled and controller. Raises naming "
      "a joint that has none.");
  m.def(
      "driven_joints", [](const BoundModel& b) { return driven_joints(b.model); }, "model"_a,
      "The joints with motors by default: all but floating ones, those that mimic others, and "
      "rotors.");
  m.def(
      "flatness_control",
      [](const BoundModel& b, const std::vector<SeriesElasticDrive>& drives, SequenceLike reference,
         std::vector<double> frequency, double period) {
        std::vector<Reference> wanted =
            references_of(reference, "the reference of flatness_control");
        Controller c = flatness_control(b.model, drives, std::move(wanted), std::move(frequency));
        c.period = period;
        return control(c);
      },
      "model"_a, "drives"_a, "reference"_a, "frequency"_a, "period"_a = 0.0,
      "Control of drives with springs, whose joints are a flat output: errors obey (d/dt + w)^4 e "
      "= "
      "0, with w = frequency [rad/s]. model: of with_series_elastic_drives. reference: of each "
      "drive, with jerk and snap; functions of t return (q, v, a, jerk, snap).");
  m.def(
      "control_by_motors",
      [](const BoundModel& b, const Force& rigid, const std::vector<SeriesElasticDrive>& drives) {
        return control(
            control_by_motors(b.model, controller_of(rigid, "control_by_motors()"), drives));
      },
      "model"_a, "rigid"_a, "drives"_a,
      "A controller made for the model of with_rigid_drives, put on elastic ones: it measures and "
      "drives the motors as if they were the joints.");
}

}  // namespace

void add_more_forces(nb::module_& m) {
  add_signals(m);
  add_joint_forces(m);
  add_elements(m);
  add_sensors(m);
  add_drives(m);
}

}  // namespace chasles::python
