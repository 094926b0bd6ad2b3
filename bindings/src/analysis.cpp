/// Systems with constraints, linearization, equilibria, inverse kinematics, integrators, quantities, views.
#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>

#include "chasles/io/report.hpp"
#include "chasles/kinematics/inverse_kinematics.hpp"
#include "chasles/linearization/equilibrium.hpp"
#include "chasles/linearization/sensitivities.hpp"
#include "chasles/simulation/evaluation.hpp"
#include "chasles/simulation/scenario_system.hpp"
#include "chasles/systems/closed_dynamics.hpp"
#include "common.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

/// A mechanism under forces and constraints: of a model alone, or as in a run of a scenario.
class BoundSystem {
 public:
  explicit BoundSystem(const BoundModel& m)
      : model_(m.model), own_(std::make_unique<ConstrainedSystem>(m.model)) {}
  explicit BoundSystem(const Scenario& scenario)
      : model_(scenario.model), of_run_(std::make_unique<ScenarioSystem>(scenario)) {}

  const Model& model() const { return model_; }
  MechanicalSystem& system() { return own_ ? *own_ : of_run_->system(); }
  ConstrainedSystem* closed() { return own_ ? own_.get() : of_run_->closed(); }
  State start() const {
    return own_ ? State{0, own_->assembled(), Vector(model_.nv())} : of_run_->start();
  }
  Vector q(const ArrayLike& x, const std::string& what) const {
    return vector_of(x, what + ": q", model_.nq());
  }
  Vector v(const ArrayLike& x, const std::string& what, const char* name = "v") const {
    return vector_of(x, what + ": " + name, model_.nv());
  }
  void set(const ArrayLike& q_, const std::string& what, double t = 0) {
    system().set(t, q(q_, what), Vector(model_.nv()));
  }

 private:
  Model model_;
  std::unique_ptr<ConstrainedSystem> own_;
  std::unique_ptr<ScenarioSystem> of_run_;
};

Array accelerations(BoundSystem& s, ArrayLike q, ArrayLike v, double t) {
  s.system().set(t, s.q(q, "acceleration()"), s.v(v, "acceleration()"));
  Vector a(s.model().nv());
  s.system().acceleration(a);
  return to_array(a);
}
std::pair<Array, Array> forward(BoundSystem& s, ArrayLike q, ArrayLike v, ArrayLike tau) {
  const std::string what = "forward_dynamics()";
  ConstrainedSystem* closed = s.closed();
  if (!closed)
    throw Error(what + " needs a system of a model; forces of a scenario act by acceleration()");
  const Vector a = closed->forward_dynamics(s.q(q, what), s.v(v, what), s.v(tau, what, "tau"));
  return {to_array(a), to_array(closed->multipliers())};
}
nb::tuple closed_inverse(BoundSystem& s, ArrayLike q, ArrayLike v, ArrayLike a,
                         const std::vector<std::string>& actuators) {
  const std::string what = "inverse_dynamics()";
  ConstrainedSystem* closed = s.closed();
  if (!closed) throw Error(what + ": the system has no constraints; use chasles.inverse_dynamics");
  std::vector<int> entries;
  for (const std::string& name : actuators) {
    const ModelJoint& joint = *as<UnknownName>([&] { return &s.model().joint(name); });
    for (int k = 0; k < joint.nv; ++k) entries.push_back(joint.v_index + k);
  }
  const Vector x = s.q(q, what), y = s.v(v, what), z = s.v(a, what, "a");
  ClosedKinematics kin(*closed);
  kin.at(x, y);
  const ClosedInverseDynamics out = closed_inverse_dynamics(*closed, kin, x, y, z, entries);
  return nb::make_tuple(to_array(out.tau), to_array(out.lambda));
}
std::pair<Array, Array> projected(BoundSystem& s, ArrayLike q, ArrayLike v, double t) {
  State x{t, s.q(q, "project()"), s.v(v, "project()")};
  s.system().project(x);
  return {to_array(x.q), to_array(x.v)};
}
nb::list mode_list(BoundSystem& s, ArrayLike q, double t) {
  nb::list out;
  for (const VibrationMode& mode : modes(s.system(), t, s.q(q, "modes()"))) {
    nb::dict row;
    row["eigenvalue"] = mode.lambda, row["frequency"] = mode.frequency,
    row["damping"] = mode.damping;
    nb::list shape;
    for (const std::complex<double>& x : mode.shape) shape.append(x);
    row["shape"] = shape;
    out.append(row);
  }
  return out;
}

void add_system(nb::module_& m) {
  nb::class_<BoundSystem>(m, "System",
                          "A mechanism with its loops, couplings and, if made from a scenario, "
                          "forces and drivers. Not for "
                          "several threads at once.")
      .def(nb::init<const BoundModel&>(), "model"_a)
      .def(nb::init<const Scenario&>(), "scenario"_a)
      .def_prop_ro("constraint_count", [](BoundSystem& s) { return s.system().constraint_count(); })
      .def_prop_ro(
          "mobility",
          [](BoundSystem& s) {
            return s.closed() ? s.closed()->mobility().mobility : s.model().nv();
          },
          "Degrees of freedom under the constraints.")
      .def(
          "start",
          [](BoundSystem& s) {
            const State x = s.start();
            return std::pair{to_array(x.q), to_array(x.v)};
          },
          "(q, v) with all loops closed.")
      .def("project", &projected, "q"_a, "v"_a, "t"_a = 0.0,
           "The nearest state (q, v) that satisfies the constraints.")
      .def("acceleration", &accelerations, "q"_a, "v"_a, "t"_a = 0.0,
           "dv/dt (nv,) under the forces of the system and gravity.")
      .def("forward_dynamics", &forward, "q"_a, "v"_a, "tau"_a,
           "Constrained forward dynamics: (a, lambda) with M a = tau - h - B^T lambda and B a + "
           "dB/dt v = 0.")
      .def("inverse_dynamics", &closed_inverse, "q"_a, "v"_a, "a"_a, "actuators"_a,
           nb::sig(
               "def inverse_dynamics(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, "
               "a: numpy.typing.ArrayLike, "
               "actuators: collections.abc.Sequence[str]) -> "
               "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
           "Efforts of motors in the named joints for a motion that satisfies the constraints, and "
           "multipliers.")
      .def(
          "constraint_error",
          [](BoundSystem& s, ArrayLike q, double t) {
            s.set(q, "constraint_error()", t);
            Vector Phi(s.system().constraint_count());
            s.system().constraint_error(Phi);
            return to_array(Phi);
          },
          "q"_a, "t"_a = 0.0, "Phi(q) (equations,) [rad, m].")
      .def(
          "constraint_matrix",
          [](BoundSystem& s, ArrayLike q, double t) {
            s.set(q, "constraint_matrix()", t);
            Matrix B;
            s.system().constraint_matrix(B);
            return to_array(B);
          },
          "q"_a, "t"_a = 0.0, "B(q) (equations, nv): B v = 0.")
      .def(
          "linearize",
          [](BoundSystem& s, ArrayLike q, ArrayLike v, double t) {
            return linearize(s.system(), t, s.q(q, "linearize()"), s.v(v, "linearize()"));
          },
          "q"_a, "v"_a, "t"_a = 0.0,
          "x' = A x + B u near the state; x = (e; dv) of the independent coordinates.")
      .def(
          "find_equilibrium",
          [](BoundSystem& s, ArrayLike q, double t) {
            return to_array(find_equilibrium(s.system(), t, s.q(q, "find_equilibrium()")));
          },
          "q"_a, "t"_a = 0.0, "A configuration near q at which everything is in balance.")
      .def("modes", &mode_list, "q"_a, "t"_a = 0.0,
           nb::sig("def modes(self, q: numpy.typing.ArrayLike, t: float = 0.0) -> list[dict[str, "
                   "typing.Any]]"),
           "Vibration modes at an equilibrium, slowest first: eigenvalue [1/s], frequency [rad/s], "
           "damping ratio, shape (nv).")
      .def("__repr__", [](BoundSystem& s) {
        return "<chasles.System of '" + s.model().name() +
               "': " + std::to_string(s.system().constraint_count()) + " constraint equations>";
      });
  nb::class_<LinearSystem>(m, "LinearSystem",
                           "x' = A x + B u, or x(k + 1) = A x(k) + B u(k) after discretize.")
      .def_prop_ro("A", [](const LinearSystem& s) { return to_array(s.A); })
      .def_prop_ro("B", [](const LinearSystem& s) { return to_array(s.B); })
      .def_prop_ro(
          "C", [](const LinearSystem& s) { return to_array(s.C); }, "(e; dv) of all joints is C x.")
      .def_ro("positions", &LinearSystem::positions, "Entries of v whose increments are in x.")
      .def_ro("velocities", &LinearSystem::velocities)
      .def(
          "discretize", [](const LinearSystem& s, double h) { return discretize(s, h); }, "h"_a,
          "Zero-order hold for h [s].")
      .def(
          "eigenvalues", [](const LinearSystem& s) { return eigenvalues(s); }, "[1/s]");
}

IkResult solve_ik(const BoundModel& b, nb::handle frame, ArrayLike target, nb::object q0,
                  double position_weight, double rotation_weight, double position_tolerance,
                  double rotation_tolerance, int starts, std::uint64_t seed) {
  const std::string what = "inverse_kinematics()";
  IkOptions options;
  if (!q0.is_none()) options.q0 = vector_of({q0}, what + ": q0", b.model.nq());
  options.position_weight = position_weight, options.rotation_weight = rotation_weight;
  options.position_tolerance = position_tolerance, options.rotation_tolerance = rotation_tolerance;
  options.starts = starts, options.seed = seed;
  const Frame moved = frame_of(b.model, frame, what + ": frame");
  const SE3 C = pose_of(target, what + ": target");
  const nb::gil_scoped_release released;
  return inverse_kinematics(b.model, moved, C, options);
}

/// An integrator with its system.
class BoundIntegrator {
 public:
  BoundIntegrator(nb::object of, const std::string& method, std::optional<double> step,
                  std::optional<double> tolerance)
      : kept_(of), system_(nb::cast<BoundSystem&>(of)) {
    integrator_ =
        make_integrator(system_.system(), {.method = method, .step = step, .tolerance = tolerance});
  }
  Integrator& get() { return *integrator_; }
  BoundSystem& system() { return system_; }

 private:
  nb::object kept_;
  BoundSystem& system_;
  std::unique_ptr<Integrator> integrator_;
};
/// A step with its derivatives, and its system.
class BoundStep {
 public:
  BoundStep(nb::object of, const std::string& method)
      : kept_(of), system_(nb::cast<BoundSystem&>(of)), step_(system_.system(), method) {}
  nb::tuple operator()(double h, ArrayLike u, ArrayLike q, ArrayLike v, double t) {
    const std::string what = "DifferentiableStep()";
    State x{t, system_.q(q, what), system_.v(v, what)};
    step_(h, system_.v(u, what, "u"), x);
    return nb::make_tuple(to_array(x.q), to_array(x.v), to_array(step_.dx()), to_array(step_.du()));
  }

 private:
  nb::object kept_;
  BoundSystem& system_;
  DifferentiableStep step_;
};
nb::tuple to_tuple(const State& x) { return nb::make_tuple(x.t, to_array(x.q), to_array(x.v)); }

void add_integrators(nb::module_& m) {
  const char* state =
      "tuple[float, numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]";
  const std::string returns = std::string(") -> ") + state;
  nb::class_<BoundIntegrator>(m, "Integrator",
                              "An integration method for a System: own loops over steps.")
      .def(nb::init<nb::object, const std::string&, std::optional<double>, std::optional<double>>(),
           "system"_a, "method"_a = "auto", "step"_a = nb::none(), "tolerance"_a = nb::none(),
           nb::sig("def __init__(self, system: System, method: str = 'auto', step: float | None = "
                   "None, tolerance: float | None = None) -> None"))
      .def(
          "reset",
          [](BoundIntegrator& i, ArrayLike q, ArrayLike v, double t) {
            i.get().reset({t, i.system().q(q, "reset()"), i.system().v(v, "reset()")});
          },
          "q"_a, "v"_a, "t"_a = 0.0, "Starts at a state.")
      .def(
          "step",
          [](BoundIntegrator& i, double until) {
            i.get().step(until);
            return to_tuple(i.get().state());
          },
          "until"_a, nb::sig(("def step(self, until: float" + returns).c_str()),
          "One step, not beyond `until` [s]: (t, q, v).")
      .def(
          "advance",
          [](BoundIntegrator& i, double until) {
            while (i.get().state().t < until) i.get().step(until);
            return to_tuple(i.get().state());
          },
          "until"_a, nb::sig(("def advance(self, until: float" + returns).c_str()),
          "Steps exactly to `until` [s]: (t, q, v).")
      .def_prop_ro("steps", [](BoundIntegrator& i) { return i.get().statistics().steps; })
      .def_prop_ro("evaluations",
                   [](BoundIntegrator& i) { return i.get().statistics().evaluations; });
  nb::class_<BoundStep>(m, "DifferentiableStep",
                        "A step of a Munthe-Kaas method with its exact derivatives, for iLQR and "
                        "DDP; for systems without constraints.")
      .def(nb::init<nb::object, const std::string&>(), "system"_a, "method"_a = "mk4",
           nb::sig("def __init__(self, system: System, method: str = 'mk4') -> None"))
      .def("__call__", &BoundStep::operator(), "h"_a, "u"_a, "q"_a, "v"_a, "t"_a = 0.0,
           nb::sig("def __call__(self, h: float, u: numpy.typing.ArrayLike, q: "
                   "numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, "
                   "t: float = 0.0) -> tuple[numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
           "A step of h [s] under joint forces u (nv,): (q, v, dx, du) with dx (2 nv, 2 nv) and du "
           "(2 nv, nv), the derivatives of "
           "the end by the start (e; dv), q -> plus(q, e), and by u.");
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

nb::dict evaluate(const BoundModel& b, const std::vector<std::string>& names, ArrayLike q,
                  nb::object v, nb::object a, nb::object tau) {
  const int nv = b.model.nv();
  const auto given = [&](const nb::object& x, const char* name) {
    return x.is_none() ? Vector(nv) : vector_of({x}, std::string("evaluate(): ") + name, nv);
  };
  Evaluation evaluation(b.model, names, QuantitySource::state);
  EvaluationState moment(b.model);
  moment.q = vector_of(q, "evaluate(): q", b.model.nq());
  moment.v = given(v, "v"), moment.a = given(a, "a"), moment.acting.tau = given(tau, "tau");
  moment.gives_a = !a.is_none(), moment.gives_tau = !tau.is_none();
  evaluation.at(moment);
  nb::dict out;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Matrix& x = evaluation.values()[k];
    const Quantity::Shape shape = evaluation.quantities()[k].shape;
    if (shape == Quantity::Shape::number)
      out[names[k].c_str()] = x(0, 0);
    else if (shape == Quantity::Shape::list)
      out[names[k].c_str()] = vector_array(Eigen::VectorXd(x.reshaped()));
    else
      out[names[k].c_str()] = to_array(x);
  }
  return out;
}

}  // namespace

void add_analysis(nb::module_& m) {
  add_system(m);
  add_integrators(m);
  nb::class_<IkResult>(m, "IkResult", "The result of inverse_kinematics.")
      .def_ro("success", &IkResult::success, "Both errors are within their tolerances.")
      .def_prop_ro(
          "q", [](const IkResult& r) { return to_array(r.q); },
          "The best configuration found, within the limits.")
      .def_ro("position_error", &IkResult::position_error, "[m]")
      .def_ro("rotation_error", &IkResult::rotation_error, "[rad]")
      .def_ro("starts", &IkResult::starts)
      .def_ro("iterations", &IkResult::iterations)
      .def("__repr__", [](const IkResult& r) {
        return std::string("<chasles.IkResult: ") + (r.success ? "solved" : "not solved") + ", " +
               to_short_text(r.position_error) + " m, " + to_short_text(r.rotation_error) + " rad>";
      });
  m.def("inverse_kinematics", &solve_ik, "model"_a, "frame"_a, "target"_a, "q0"_a = nb::none(),
        "position_weight"_a = 1.0, "rotation_weight"_a = 1.0, "position_tolerance"_a = 1e-9,
        "rotation_tolerance"_a = 1e-9, "starts"_a = 20, "seed"_a = 1,
        nb::sig("def inverse_kinematics(model: Model, frame: str | Frame, target: "
                "numpy.typing.ArrayLike, "
                "q0: numpy.typing.ArrayLike | None = None, position_weight: float = 1.0, "
                "rotation_weight: float = 1.0, "
                "position_tolerance: float = 1e-09, rotation_tolerance: float = 1e-09, starts: int "
                "= 20, seed: int = 1) -> IkResult"),
        "The configuration in which a body or frame has the pose `target` (4, 4), within the "
        "limits of the joints, by the "
        "Levenberg-Marquardt method from q0 and random starts. A weight of 0 frees position or "
        "rotation.");
  m.def("evaluate", &evaluate, "model"_a, "names"_a, "q"_a, "v"_a = nb::none(), "a"_a = nb::none(),
        "tau"_a = nb::none(),
        nb::sig("def evaluate(model: Model, names: collections.abc.Sequence[str], q: "
                "numpy.typing.ArrayLike, "
                "v: numpy.typing.ArrayLike | None = None, a: numpy.typing.ArrayLike | None = None, "
                "tau: numpy.typing.ArrayLike | None = None) -> dict[str, typing.Any]"),
        "Quantities by the names of `chasles eval`, such as 'energy', 'pose:hand', "
        "'twist:hand:body': see quantities().");
  m.def(
      "quantities",
      [] {
        nb::dict out;
        for (const QuantityInfo& row : quantity_list())
          out[form(row).c_str()] = std::string(row.meaning);
        return out;
      },
      nb::sig("def quantities() -> dict[str, str]"),
      "Names of quantities for evaluate and Scenario.quantities, and what they are.");
  m.def(
      "_view",
      [](const std::string& page, const BoundModel& b, ArrayLike q) {
        return write_view(page, b.model, b.mechanism ? b.mechanism->appearance : Appearance{},
                          vector_of(q, "show(): q", b.model.nq()));
      },
      "page"_a, "model"_a, "q"_a);
}

}  // namespace chasles::python
