/// Forces, controllers and references of runs.
#include <nanobind/stl/map.h>

#include <chrono>

#include "callback.hpp"
#include "chasles/simulation/control.hpp"
#include "chasles/simulation/expression_force.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

Force python_force(const BoundModel& m, const std::string& name, nb::object law, bool internal) {
  const StateFunction f(std::move(law), "force '" + name + "'", m.model.nq(), m.model.nv());
  Force force{name, m.model,
              ForceLaw([f](double t, const VelocityKinematics& kin, JointForces& out) {
                f.add(t, kin.q(), kin.v(), out.tau);
              })};
  force.internal = internal;
  return force;
}
Force python_controller(const std::string& name, const BoundModel& m, nb::object law,
                        std::vector<std::string> joints, double period, double delay,
                        std::vector<double> max_effort) {
  const StateFunction f(std::move(law), "controller '" + name + "'", m.model.nq(), m.model.nv());
  Controller c{name, m.model, [f](double t, const VelocityKinematics& kin, VectorRef tau) {
                 f.add(t, kin.q(), kin.v(), tau);
               }};
  c.joints = std::move(joints), c.period = period, c.delay = delay,
  c.max_effort = std::move(max_effort);
  return control(c);
}
/// The name of a joint of the model.
const std::string& known(const Model& model, const std::string& joint) {
  as<UnknownName>([&] { return &model.joint(joint); });
  return joint;
}
/// Nanoseconds of an evaluation of a force, in a loop without the GIL as in runs: for the benchmark of callbacks.
double time_force(const Force& force, ArrayLike q, ArrayLike v, int count) {
  VelocityKinematics kin(force.model);
  forward_kinematics(force.model, vector_of(q, "_time_force(): q", force.model.nq()),
                     vector_of(v, "_time_force(): v", force.model.nv()), kin);
  JointForces out;
  out.tau = Vector(force.model.nv());
  const nb::gil_scoped_release released;
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < count; ++k) force.law.add(0, kin, out);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  return time.count() / count;
}

}  // namespace

void add_forces(nb::module_& m) {
  nb::class_<Force>(
      m, "Force",
      "A force of a Scenario, made by the functions below or from a function of Python.")
      .def(
          "__init__",
          [](Force* f, const std::string& name, const BoundModel& model, nb::object law,
             bool internal) { new (f) Force(python_force(model, name, std::move(law), internal)); },
          "name"_a, "model"_a, "law"_a, "internal"_a = false,
          nb::sig("def __init__(self, name: str, model: Model, law: collections.abc.Callable[..., "
                  "numpy.typing.ArrayLike | None], "
                  "internal: bool = False) -> None"),
          "law(t, q, v, tau) adds joint forces to tau (nv,), which is zero before the call, or "
          "returns them. It is called "
          "at every evaluation, also within steps; q and v are read-only.")
      .def_ro("name", &Force::name, "For messages.")
      .def("__repr__", [](const Force& f) { return "<chasles.Force '" + f.name + "'>"; });
  m.def("controller", &python_controller, "name"_a, "model"_a, "law"_a,
        "joints"_a = std::vector<std::string>{}, "period"_a = 0.0, "delay"_a = 0.0,
        "max_effort"_a = std::vector<double>{},
        nb::sig(
            "def controller(name: str, model: Model, law: collections.abc.Callable[..., "
            "numpy.typing.ArrayLike | None], "
            "joints: collections.abc.Sequence[str] = [], period: float = 0.0, delay: float = 0.0, "
            "max_effort: numpy.typing.ArrayLike = []) -> Force"),
        "Motors with law(t, q, v, tau), as for Force. period [s]: it is called at multiples of it "
        "only, and its result is "
        "held; 0: continuous. joints: those with a motor; none: all.");
  m.def(
      "joint_spring_damper",
      [](const BoundModel& b, const std::string& joint, double stiffness, double damping,
         std::vector<double> rest) {
        return joint_spring_damper(b.model, known(b.model, joint), stiffness, damping,
                                   std::move(rest));
      },
      "model"_a, "joint"_a, "stiffness"_a, "damping"_a = 0.0, "rest"_a = std::vector<double>{},
      "tau = -stiffness (q - rest) - damping v in a joint [N m/rad, N m s/rad] or [N/m, N s/m]; "
      "rest: nq numbers, "
      "zero if empty. It stores energy.");
  m.def(
      "joint_friction",
      [](const BoundModel& b, const std::string& joint, double viscous, double coulomb,
         bool stick) {
        return joint_friction(b.model, known(b.model, joint), {viscous, coulomb, 1e-3, stick});
      },
      "model"_a, "joint"_a, "viscous"_a = 0.0, "coulomb"_a = 0.0, "stick"_a = false,
      "tau = -viscous v - coulomb sign(v) in a joint [N m s/rad, N m] or [N s/m, N], regularized "
      "below 1e-3 unless "
      "stick: then a joint at rest sticks.");
  m.def(
      "expression_force",
      [](const BoundModel& b, const std::string& joint, const std::vector<std::string>& force,
         const std::map<std::string, double>& parameters) {
        return expression_force(b.model, known(b.model, joint), force,
                                ExpressionParameters(parameters.begin(), parameters.end()));
      },
      "model"_a, "joint"_a, "force"_a, "parameters"_a = std::map<std::string, double>{},
      "The force in a joint as text, '-k*q.elbow - c*v.elbow^3', one text per entry of v; "
      "differentiated exactly.");
  m.def(
      "pd_control",
      [](const BoundModel& b, std::vector<std::string> joints, SequenceLike reference,
         std::vector<double> stiffness, std::vector<double> damping, bool gravity, double period) {
        Controller c = pd_control(
            b.model, std::move(joints), references_of(reference, "the reference of pd_control"),
            {.stiffness = std::move(stiffness), .damping = std::move(damping), .gravity = gravity});
        c.period = period;
        return control(c);
      },
      "model"_a, "joints"_a, "reference"_a, "stiffness"_a, "damping"_a, "gravity"_a = false,
      "period"_a = 0.0, "tau = stiffness (q_w - q) + damping (v_w - v) (+ g(q)).");
  m.def(
      "computed_torque",
      [](const BoundModel& b, std::vector<std::string> joints, SequenceLike reference,
         std::vector<double> frequency, std::vector<double> ratio, double period) {
        Controller c = computed_torque(b.model, std::move(joints),
                                       references_of(reference, "the reference of computed_torque"),
                                       std::move(frequency), std::move(ratio));
        c.period = period;
        return control(c);
      },
      "model"_a, "joints"_a, "reference"_a, "frequency"_a, "ratio"_a = std::vector<double>{1},
      "period"_a = 0.0,
      "Errors obey e'' + 2 ratio frequency e' + frequency^2 e = 0; frequency [rad/s].");
  m.def("_time_force", &time_force, "force"_a, "q"_a, "v"_a, "count"_a,
        "Nanoseconds of an evaluation of a force in C++.");
  nb::class_<Reference>(m, "Reference",
                        "The desired motion of a coordinate: position, velocity, acceleration.")
      .def(
          "__call__",
          [](const Reference& r, double t) {
            const Setpoint x = r(t);
            return nb::make_tuple(x.q, x.v, x.a);
          },
          "t"_a, nb::sig("def __call__(self, t: float) -> tuple[float, float, float]"),
          "(q, v, a) at a time [s].");
  nb::module_ r = m.def_submodule("references", "Motions for drivers and controllers.");
  r.def("speed", &references::speed, "v"_a, "q_0"_a = 0.0, "t_0"_a = 0.0, "q_0 + v (t - t_0).");
  r.def(
      "sinusoid",
      [](double amplitude, double frequency, double phase, double offset) {
        return references::sinusoid({amplitude, frequency, phase, offset});
      },
      "amplitude"_a, "frequency"_a, "phase"_a = 0.0, "offset"_a = 0.0,
      "offset + amplitude sin(2 pi frequency t + phase).");
  r.def("polynomial", &references::polynomial, "coefficients"_a, "c_0 + c_1 t + c_2 t^2 + ..");
  r.def(
      "spline",
      [](std::vector<double> times, std::vector<double> values) {
        return references::spline(std::move(times), std::move(values), references::Ends::clamped);
      },
      "times"_a, "values"_a, "Cubic spline through points, at rest at both ends.");
}

}  // namespace chasles::python
