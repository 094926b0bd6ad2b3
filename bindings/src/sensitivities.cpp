/// Derivatives of motions and by parameters: steps with their derivatives, sensitivities, adjoints, parameters of the
/// description.
#include "chasles/linearization/sensitivities.hpp"

#include "chasles/derivatives/parameters.hpp"
#include "entered.hpp"
#include "methods.hpp"
#include "system.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

/// A step with its derivatives, and its system.
class BoundStep {
 public:
  BoundStep(nb::object of, const IntegratorOptions& options)
      : kept_(of), system_(required(of)), step_(system_.system(), options) {}

  void set_parameters(int count, nb::object jacobian) {
    const int nv = system_.model().nv();
    step_.set_parameters(
        count, [f = std::move(jacobian), count, nv](double t, ConstVectorRef q, ConstVectorRef v,
                                                    ConstVectorRef a, Matrix& P) {
          const nb::object value = f(t, to_array(q).value, to_array(v).value, to_array(a).value);
          P = matrix_of({value}, "the result of the function of set_parameters", nv, count);
        });
  }
  std::tuple<Array, Array, Array, Array> operator()(double h, ArrayLike u, ArrayLike q, ArrayLike v,
                                                    double t, ArrayLike memory) {
    const Entered entered(busy_, in_use);
    const std::string what = "DifferentiableStep()";
    State x = state(t, q, v, what);
    take(memory, what);
    if (memory.value.is_none())
      step_(h, system_.v(u, what, "u"), x);
    else
      step_(h, system_.v(u, what, "u"), x, memory_);
    return {to_array(x.q), to_array(x.v), to_array(step_.dx()), to_array(step_.du())};
  }
  std::pair<Array, Array> move(double h, ArrayLike u, ArrayLike q, ArrayLike v, double t,
                               ArrayLike memory) {
    const Entered entered(busy_, in_use);
    State x = state(t, q, v, "move()");
    take(memory, "move()");
    if (memory.value.is_none())
      step_.move(h, system_.v(u, "move()", "u"), x);
    else
      step_.move(h, system_.v(u, "move()", "u"), x, memory_);
    return {to_array(x.q), to_array(x.v)};
  }
  Array memory() const { return to_array(memory_); }
  Array dp() const { return to_array(step_.dp()); }

  State state(double t, const ArrayLike& q, const ArrayLike& v, const std::string& what) const {
    return {t, system_.q(q, what), system_.v(v, what)};
  }
  const Model& model() const { return system_.model(); }
  DifferentiableStep& get() { return step_; }
  std::atomic<bool>& busy() { return busy_; }
  static constexpr const char* in_use = "the DifferentiableStep is in use";

 private:
  static BoundSystem& required(const nb::object& of) {
    if (!nb::isinstance<BoundSystem>(of))
      raise(PyExc_TypeError,
            "DifferentiableStep(): system is a " + text(of.type()) + "; give a System");
    return *nb::inst_ptr<BoundSystem>(of);
  }
  void take(const ArrayLike& memory, const std::string& what) {
    memory_ = memory.value.is_none() ? Vector() : vector_of(memory, what + ": memory");
  }
  nb::object kept_;
  BoundSystem& system_;
  DifferentiableStep step_;
  Vector memory_{};  // what the method carries from step to step
  std::atomic<bool> busy_ = false;
};

constexpr const char* gradient_functions =
    "end: collections.abc.Callable[[float, numpy.typing.NDArray[numpy.float64], "
    "numpy.typing.NDArray[numpy.float64]], numpy.typing.ArrayLike], running: "
    "collections.abc.Callable[[int, float, numpy.typing.NDArray[numpy.float64], "
    "numpy.typing.NDArray[numpy.float64]], tuple[numpy.typing.ArrayLike, "
    "numpy.typing.ArrayLike]] | None = None, t: float = 0.0) -> MotionGradient";

/// Lengths of steps: one for all, or one each.
std::vector<double> lengths(const ArrayLike& h, Eigen::Index steps, const std::string& what) {
  const nb::object array = real_array(h.value, what);
  if (PyArray_NDIM(reinterpret_cast<PyArrayObject*>(array.ptr())) == 0)
    return std::vector<double>(static_cast<std::size_t>(steps),
                               nb::cast<double>(nb::float_(array)));
  const Vector x = vector_of({array}, what, static_cast<int>(steps));
  return {x.data(), x.data() + x.size()};
}

MotionSensitivities motion_sensitivities(BoundStep& step, ArrayLike q, ArrayLike v, ArrayLike h,
                                         ArrayLike U, double t) {
  const std::string what = "sensitivities()";
  const Matrix rows = matrix_of(U, what + ": U", -1, step.model().nv());
  const std::vector<double> times = lengths(h, rows.rows(), what + ": h");
  const Entered entered(step.busy(), BoundStep::in_use);
  return sensitivities(step.get(), step.state(t, q, v, what), times, Matrix(rows.transpose()));
}
/// dJ/dx at the end of a motion, by a function of Python.
EndGradient end_gradient(const nb::object& end, int nv, const std::string& what) {
  return [end, nv, what](const State& x) {
    return vector_of({end(x.t, to_array(x.q).value, to_array(x.v).value)},
                     "the result of " + what + ": end", 2 * nv);
  };
}
/// dl_k/dx and dl_k/du before each step; None: empty.
RunningGradient running_gradient(const nb::object& running, int nv, const std::string& what) {
  if (running.is_none()) return {};
  return [running, nv, result_of = "the result of " + what + ": running"](
             int k, const State& x, VectorRef dx, VectorRef du) {
    const nb::object result = running(k, x.t, to_array(x.q).value, to_array(x.v).value);
    if (!PyTuple_Check(result.ptr()) || PyTuple_Size(result.ptr()) != 2)
      raise(PyExc_TypeError, result_of + " is a " + text(result.type()) +
                                 "; give a tuple (dl/dx (2 nv,), dl/du (nv,))");
    dx += vector_of({PyTuple_GetItem(result.ptr(), 0)}, result_of + ": dx", 2 * nv);
    du += vector_of({PyTuple_GetItem(result.ptr(), 1)}, result_of + ": du", nv);
  };
}
MotionGradient motion_adjoint(BoundStep& step, ArrayLike q, ArrayLike v, ArrayLike h, ArrayLike U,
                              nb::object end, nb::object running, double t) {
  const std::string what = "adjoint()";
  const int nv = step.model().nv();
  const Matrix rows = matrix_of(U, what + ": U", -1, nv);
  const std::vector<double> times = lengths(h, rows.rows(), what + ": h");
  const Entered entered(step.busy(), BoundStep::in_use);
  return adjoint(step.get(), step.state(t, q, v, what), times, Matrix(rows.transpose()),
                 end_gradient(end, nv, what), running_gradient(running, nv, what));
}
MotionGradient motion_hessian_product(BoundStep& step, ArrayLike q, ArrayLike v, ArrayLike h,
                                      ArrayLike U, ArrayLike x, ArrayLike U_change, nb::object end,
                                      nb::object running, double t) {
  const std::string what = "hessian_product()";
  const int nv = step.model().nv();
  const Matrix rows = matrix_of(U, what + ": U", -1, nv);
  const int steps = static_cast<int>(rows.rows());
  const Matrix changes = matrix_of(U_change, what + ": U_change", steps, nv);
  const std::vector<double> times = lengths(h, rows.rows(), what + ": h");
  const Entered entered(step.busy(), BoundStep::in_use);
  return hessian_product(step.get(), step.state(t, q, v, what), times, Matrix(rows.transpose()),
                         vector_of(x, what + ": x", 2 * nv), Matrix(changes.transpose()),
                         end_gradient(end, nv, what), running_gradient(running, nv, what));
}

void add_steps(nb::module_& m) {
  nb::class_<BoundStep>(m, "DifferentiableStep",
                        "A step of an explicit, implicit or variational method with its exact "
                        "derivatives, for iLQR and DDP; also of systems with constraints.\n\n"
                        "A neighbor of a state is x = (e; dv): plus(q, e), v + dv.")
      .def(
          "__init__",
          [](BoundStep* self, nb::object system, const std::string& method,
             std::optional<int> order, std::optional<std::string> composition,
             std::optional<double> rho, std::optional<int> index) {
            MethodOptions given{.method = method};
            given.order = order, given.composition = std::move(composition), given.rho = rho,
            given.index = index;
            new (self) BoundStep(std::move(system), given.options());
          },
          "system"_a, "method"_a = "mk4", nb::kw_only(), "order"_a.none() = nb::none(),
          "composition"_a.none() = nb::none(), "rho"_a.none() = nb::none(),
          "index"_a.none() = nb::none(),
          nb::sig("def __init__(self, system: System, method: str = 'mk4', *, order: int | None = "
                  "None, composition: str | None = None, rho: float | None = None, index: int | "
                  "None = None) -> None"),
          "method: a Munthe-Kaas one (euler, mk2 .. mk10; bs32, dp54, dop853 for steps that are "
          "given), midpoint, gauss2, gauss3, gauss, radau5, generalized_alpha, blied2, verlet, "
          "variational or rattle; the options of those that take them as for Integrator.")
      .def("__call__", &BoundStep::operator(), "h"_a, "u"_a, "q"_a, "v"_a, "t"_a = 0.0,
           "memory"_a.none() = nb::none(),
           nb::sig("def __call__(self, h: float, u: numpy.typing.ArrayLike, q: "
                   "numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, t: float = 0.0, memory: "
                   "numpy.typing.ArrayLike | None = None) -> "
                   "tuple[numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64]]"),
           "A step of h [s] under joint forces u (nv,): (q, v, dx, du) with dx (2 nv, 2 nv) and du "
           "(2 nv, nv), the derivatives of the end by "
           "the start (e; dv) and by u.\n\n"
           "memory: of methods that carry numbers along, such as generalized_alpha: empty before "
           "the first step, then the property memory; dx has rows and columns for them.")
      .def("move", &BoundStep::move, "h"_a, "u"_a, "q"_a, "v"_a, "t"_a = 0.0,
           "memory"_a.none() = nb::none(),
           nb::sig("def move(self, h: float, u: numpy.typing.ArrayLike, q: "
                   "numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, t: float = 0.0, memory: "
                   "numpy.typing.ArrayLike | None = None) -> "
                   "tuple[numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64]]"),
           "The step without derivatives: (q, v).")
      .def_prop_ro("memory", &BoundStep::memory,
                   "What the method carries to the next step; empty for most methods.")
      .def("set_parameters", &BoundStep::set_parameters, "count"_a, "jacobian"_a,
           nb::sig("def set_parameters(self, count: int, jacobian: "
                   "collections.abc.Callable[[float, numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]], "
                   "numpy.typing.ArrayLike]) -> None"),
           "Parameters to differentiate by: jacobian(t, q, v, a) returns dr/dp (nv, count) of the "
           "residual r = M a - f, such as force_sensitivity.")
      .def_prop_ro("dp", &BoundStep::dp, "(2 nv, parameters), of the last step with derivatives.");
}

void add_motions_by_inputs(nb::module_& m) {
  nb::class_<MotionSensitivities>(m, "MotionSensitivities",
                                  "Derivatives of the end of a motion of N steps.")
      .def_prop_ro(
          "t", [](const MotionSensitivities& s) { return s.end.t; }, "Of the end [s].")
      .def_prop_ro(
          "q", [](const MotionSensitivities& s) { return to_array(s.end.q); }, "Of the end (nq,).")
      .def_prop_ro(
          "v", [](const MotionSensitivities& s) { return to_array(s.end.v); }, "Of the end (nv,).")
      .def_prop_ro(
          "dx", [](const MotionSensitivities& s) { return to_array(s.dx); },
          "(2 nv, 2 nv): end by start.")
      .def_prop_ro(
          "du",
          [](const MotionSensitivities& s) {
            const Eigen::Index nv = s.du.empty() ? s.end.v.size() : s.du[0].cols();
            return stacked(s.du, s.dx.rows(), nv);
          },
          "(N, 2 nv, nv): end by the forces of each step.")
      .def_prop_ro(
          "dp", [](const MotionSensitivities& s) { return to_array(s.dp); }, "(2 nv, parameters)");
  nb::class_<MotionGradient>(m, "MotionGradient", "The gradient of a cost of a motion of N steps.")
      .def_prop_ro(
          "t", [](const MotionGradient& s) { return s.end.t; }, "Of the end [s].")
      .def_prop_ro(
          "q", [](const MotionGradient& s) { return to_array(s.end.q); }, "Of the end (nq,).")
      .def_prop_ro(
          "v", [](const MotionGradient& s) { return to_array(s.end.v); }, "Of the end (nv,).")
      .def_prop_ro(
          "dx", [](const MotionGradient& s) { return to_array(s.dx); }, "(2 nv,): by the start.")
      .def_prop_ro(
          "dU", [](const MotionGradient& s) { return to_array(Matrix(s.dU.transpose())); },
          "(N, nv): by the forces of each step.")
      .def_prop_ro(
          "dp", [](const MotionGradient& s) { return to_array(s.dp); }, "(parameters,)");
  m.def("sensitivities", &motion_sensitivities, "step"_a, "q"_a, "v"_a, "h"_a, "U"_a, "t"_a = 0.0,
        "Derivatives of the end of N steps from (q, v) by the start, the forces U (N, nv) and the "
        "parameters of the step (forward). "
        "h [s]: of all steps, or (N,).");
  const std::string motion =
      "(step: DifferentiableStep, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, h: "
      "numpy.typing.ArrayLike, U: numpy.typing.ArrayLike, ";
  m.def("adjoint", &motion_adjoint, "step"_a, "q"_a, "v"_a, "h"_a, "U"_a, "end"_a,
        "running"_a.none() = nb::none(), "t"_a = 0.0,
        nb::sig(("def adjoint" + motion + gradient_functions).c_str()),
        "The gradient of J(x_N) + sum_k l_k(x_k, u_k) by the start, all forces U (N, nv) and "
        "parameters, backward in O(sqrt N) memory.\n\n"
        "end(t, q, v) returns dJ/dx (2 nv,); running(k, t, q, v) returns (dl_k/dx (2 nv,), dl_k/du "
        "(nv,)). h [s]: of all steps, or (N,).");
  m.def(
      "hessian_product", &motion_hessian_product, "step"_a, "q"_a, "v"_a, "h"_a, "U"_a, "x"_a,
      "U_change"_a, "end"_a, "running"_a.none() = nb::none(), "t"_a = 0.0,
      nb::sig(("def hessian_product" + motion +
               "x: numpy.typing.ArrayLike, U_change: numpy.typing.ArrayLike, " + gradient_functions)
                  .c_str()),
      "The product of the Hessian of J(x_N) + sum_k l_k(x_k, u_k) with (x; U_change): the "
      "derivative of `adjoint` along a neighbor x = (e; dv) (2 nv,) of the start and a change "
      "(N, nv) of the forces.\n\n"
      "    sigma_k = dx^T sigma_k+1 + (d(dx) . (x_k, u_k))^T lambda_k+1 + d(dl_k/dx) . (x_k, "
      "u_k)\n\n"
      "end and running as for adjoint; running is differentiated by the state, second "
      "derivatives of l_k by u are to be added. Memory O(N). On a group it is not symmetric: the "
      "gradient is that at plus(q, s e), in the algebra there.");
  m.def(
      "saltation_matrix",
      [](ArrayLike before, ArrayLike after, ArrayLike g_x, double g_t, ArrayLike R_x,
         ArrayLike R_t) {
        const std::string what = "saltation_matrix(): ";
        const Vector f = vector_of(before, what + "before");
        const int n = static_cast<int>(f.size());
        EventJump jump{vector_of(g_x, what + "g_x", n), g_t, Eigen::MatrixXd::Identity(n, n)};
        if (!R_x.value.is_none()) jump.R_x = matrix_of(R_x, what + "R_x", n, n);
        if (!R_t.value.is_none()) jump.R_t = vector_of(R_t, what + "R_t", n);
        return to_array(saltation_matrix(f, vector_of(after, what + "after", n), jump));
      },
      "before"_a, "after"_a, "g_x"_a, "g_t"_a = 0.0, "R_x"_a.none() = nb::none(),
      "R_t"_a.none() = nb::none(),
      "The matrix (2 nv, 2 nv) from neighbors before an event g(t, x) = 0 to neighbors after it; "
      "rates (v; a) (2 nv,) before and after.\n\n"
      "    R_x + (f_after - R_x f_before - R_t) g_x^T / (g_t + g_x . f_before)");
}

Vector of_v(const Model& m, const ArrayLike& x, const std::string& what) {
  return vector_of(x, what, m.nv());
}
Vector of_q(const Model& m, const ArrayLike& x, const std::string& what) {
  return vector_of(x, what, m.nq());
}

void add_parameters(nb::module_& m) {
  nb::class_<Parameter>(m, "Parameter",
                        "A number of the description: of a joint's frame, axis or screw, or an "
                        "inertial parameter of a body.")
      .def_prop_ro(
          "owner",
          [](const Parameter& p) {
            const auto k = static_cast<std::size_t>(p.owner);
            return p.kind == Parameter::Kind::inertia ? p.model.bodies()[k].name
                                                      : p.model.joints()[k].name;
          },
          "The joint or body.")
      .def_prop_ro(
          "screw", [](const Parameter& p) { return to_array(p.U); },
          "(6,): along which the joint changes, in the frame of the child body at q = 0.");
  m.def(
      "parameter",
      [](const BoundModel& b, const std::string& owner, const std::string& name) {
        return as<UnknownName>([&] { return parameter(b.model, owner, name); });
      },
      "model"_a, "owner"_a, "name"_a,
      "A parameter by name. Joints: 'frame.wx' .. 'frame.vz', 'axis.wx' .., 'screw.wx' .., "
      "'pitch'; bodies: 'm', 'mcx', 'mcy', 'mcz', "
      "'Ixx', 'Ixy', 'Ixz', 'Iyy', 'Iyz', 'Izz'.");
  m.def(
      "frame_parameter",
      [](const BoundModel& b, const std::string& joint, ArrayLike U) {
        as<UnknownName>([&] { return &b.model.joint(joint); });
        return frame_parameter(b.model, joint, twist_of(U, "frame_parameter(): U"));
      },
      "model"_a, "joint"_a, "U"_a,
      "The pose of a joint moves along the screw U (6,), in the frame of the child body at q = 0: "
      "for calibration.");
  m.def(
      "axis_parameter",
      [](const BoundModel& b, const std::string& joint, ArrayLike U) {
        as<UnknownName>([&] { return &b.model.joint(joint); });
        return axis_parameter(b.model, joint, twist_of(U, "axis_parameter(): U"));
      },
      "model"_a, "joint"_a, "U"_a,
      "The axis of a joint moves along the screw U (6,), and the bodies stay: in the frame of the "
      "child body at q = 0.");
  m.def(
      "parameter_names",
      [](const BoundModel& b, const std::string& owner) {
        return as<UnknownName>([&] { return parameter_names(b.model, owner); });
      },
      "model"_a, "owner"_a, "All parameters of a joint or body.");
  m.def(
      "pose_sensitivity",
      [](const BoundModel& b, ArrayLike q, FrameLike frame, RepresentationLike rep,
         const std::vector<Parameter>& parameters) {
        const std::string what = "pose_sensitivity(): ";
        PositionKinematics kin(b.model);
        forward_kinematics(b.model, of_q(b.model, q, what + "q"), kin);
        Matrix6X out(6, static_cast<Eigen::Index>(parameters.size()));
        pose_sensitivity(b.model, kin, frame_of(b.model, frame, what + "frame"),
                         representation_of(rep, what + "representation"), parameters, out);
        return matrix_array(out);
      },
      "model"_a, "q"_a, "frame"_a, "representation"_a, "parameters"_a,
      "(6, parameters): the twist (rotation; displacement) of a frame per unit of each parameter, "
      "for calibration.");
  m.def(
      "jacobian_sensitivity",
      [](const BoundModel& b, ArrayLike q, FrameLike frame, RepresentationLike rep,
         const Parameter& parameter) {
        const std::string what = "jacobian_sensitivity(): ";
        PositionKinematics kin(b.model);
        forward_kinematics(b.model, of_q(b.model, q, what + "q"), kin);
        Matrix6X out(6, b.model.nv());
        jacobian_sensitivity(b.model, kin, frame_of(b.model, frame, what + "frame"),
                             representation_of(rep, what + "representation"), parameter, out);
        return matrix_array(out);
      },
      "model"_a, "q"_a, "frame"_a, "representation"_a, "parameter"_a, "(6, nv): dJ/dp.");
  m.def(
      "force_sensitivity",
      [](const BoundModel& b, ArrayLike q, ArrayLike v, ArrayLike a,
         const std::vector<Parameter>& parameters) {
        const std::string what = "force_sensitivity(): ";
        ForceSensitivity work(b.model, parameters);
        return to_array(force_sensitivity(b.model, of_q(b.model, q, what + "q"),
                                          of_v(b.model, v, what + "v"),
                                          of_v(b.model, a, what + "a"), work));
      },
      "model"_a, "q"_a, "v"_a, "a"_a, "parameters"_a,
      "(nv, parameters): dtau/dp of inverse dynamics.");
  m.def(
      "acceleration_sensitivity",
      [](const BoundModel& b, ArrayLike q, ArrayLike v, ArrayLike tau,
         const std::vector<Parameter>& parameters) {
        const std::string what = "acceleration_sensitivity(): ";
        AccelerationSensitivity work(b.model, parameters);
        return to_array(acceleration_sensitivity(b.model, of_q(b.model, q, what + "q"),
                                                 of_v(b.model, v, what + "v"),
                                                 of_v(b.model, tau, what + "tau"), work));
      },
      "model"_a, "q"_a, "v"_a, "tau"_a, "parameters"_a,
      "(nv, parameters): da/dp of forward dynamics.");
}

}  // namespace

void add_sensitivities(nb::module_& m) {
  add_steps(m);
  add_motions_by_inputs(m);
  add_parameters(m);
}

}  // namespace chasles::python
