/// Systems with constraints, quantities by name, views.
#include "chasles/io/report.hpp"
#include "chasles/simulation/evaluation.hpp"
#include "chasles/systems/closed_dynamics.hpp"
#include "system.hpp"

namespace chasles::python {

ConstrainedSystem& BoundSystem::closed(const std::string& what) {
  ConstrainedSystem* system = closed();
  if (!system)
    throw Error(what +
                ": the system is that of a scenario without constraints; make one of its model: "
                "System(scenario.model)");
  return *system;
}

namespace {

using namespace nb::literals;

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
std::pair<Array, Array> closed_inverse(BoundSystem& s, ArrayLike q, ArrayLike v, ArrayLike a,
                                       const std::vector<std::string>& actuators) {
  const std::string what = "inverse_dynamics()";
  ConstrainedSystem& closed = s.closed(what);
  const Vector x = s.q(q, what), y = s.v(v, what), z = s.v(a, what, "a");
  ClosedKinematics kin(closed);
  kin.at(x, y);
  const ClosedInverseDynamics out =
      closed_inverse_dynamics(closed, kin, x, y, z, s.entries(actuators));
  return {to_array(out.tau), to_array(out.lambda)};
}
std::pair<Array, Array> projected(BoundSystem& s, ArrayLike q, ArrayLike v, double t) {
  State x{t, s.q(q, "project()"), s.v(v, "project()")};
  s.system().project(x);
  return {to_array(x.q), to_array(x.v)};
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
      .def("__repr__", [](BoundSystem& s) {
        return "<chasles.System of '" + s.model().name() +
               "': " + std::to_string(s.system().constraint_count()) + " constraint equations>";
      });
}

/// Quantities at given states. Loops and couplings of the model are closed.
class BoundEvaluation {
 public:
  BoundEvaluation(const BoundModel& m, const std::vector<std::string>& names,
                  const std::vector<std::string>& actuators)
      : evaluation_(m.model, names, QuantitySource::state), moment_(m.model) {
    BoundSystem system(m);
    moment_.actuators = system.entries(actuators);
    if (system.closed()->constraint_count() > 0) closed_ = *system.closed();
    if (!closed_ && !actuators.empty())
      throw Error(
          "Evaluation(): actuators share forces among joints by loops and couplings, and the model "
          "has none");
  }

  nb::dict operator()(ArrayLike q, ArrayLike v, ArrayLike a, ArrayLike tau, ArrayLike jerk,
                      ArrayLike snap, double t) {
    const Model& model = moment_.model;
    const auto given = [&](const ArrayLike& x, const char* name) {
      return x.value.is_none() ? Vector(model.nv())
                               : vector_of(x, std::string("evaluate(): ") + name, model.nv());
    };
    moment_.closed = closed_ ? &*closed_ : nullptr;
    moment_.t = t;
    moment_.q = vector_of(q, "evaluate(): q", model.nq());
    moment_.v = given(v, "v"), moment_.a = given(a, "a"), moment_.acting.tau = given(tau, "tau");
    moment_.jerk = given(jerk, "jerk"), moment_.snap = given(snap, "snap");
    moment_.gives_a = !a.value.is_none(), moment_.gives_tau = !tau.value.is_none();
    warn_if_open();
    evaluation_.at(moment_);
    return values();
  }

 private:
  void warn_if_open() {
    if (!closed_) return;
    const double gap = closed_->violation(moment_.q),
                 slip = closed_->velocity_violation(moment_.q, moment_.v);
    if (gap <= 1e-6 && slip <= 1e-6) return;
    const std::string text = "evaluate(): the state does not satisfy the constraints of '" +
                             moment_.model.name() + "': |Phi| = " + to_short_text(gap) +
                             ", |B v| = " + to_short_text(slip) +
                             "; System.project gives a state that does";
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) throw nb::python_error();
  }
  nb::dict values() const {
    nb::dict out;
    for (std::size_t k = 0; k < evaluation_.values().size(); ++k) {
      const Matrix& x = evaluation_.values()[k];
      const Quantity& quantity = evaluation_.quantities()[k];
      const char* name = quantity.name.c_str();
      if (quantity.shape == Quantity::Shape::number)
        out[name] = x(0, 0);
      else if (quantity.shape == Quantity::Shape::list)
        out[name] = vector_array(Eigen::VectorXd(x.reshaped()));
      else
        out[name] = to_array(x);
    }
    return out;
  }

  std::optional<ConstrainedSystem> closed_;
  Evaluation evaluation_;
  EvaluationState moment_;
};

void add_evaluation(nb::module_& m) {
  const char* sig =
      "def __call__(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike | None = None, a: "
      "numpy.typing.ArrayLike | None = None, "
      "tau: numpy.typing.ArrayLike | None = None, jerk: numpy.typing.ArrayLike | None = None, "
      "snap: numpy.typing.ArrayLike | None = None, "
      "t: float = 0.0) -> dict[str, typing.Any]";
  nb::class_<BoundEvaluation>(m, "Evaluation",
                              "The evaluated state: quantities by name at given states. Loops and "
                              "couplings of the model are closed. "
                              "Not for several threads at once.")
      .def(nb::init<const BoundModel&, const std::vector<std::string>&,
                    const std::vector<std::string>&>(),
           "model"_a, "names"_a, "actuators"_a = std::vector<std::string>{},
           "names: those of `chasles eval`, see quantities(). actuators: joints with motors, for "
           "inverse_dynamics of closed mechanisms.")
      .def("__call__", &BoundEvaluation::operator(), "q"_a, "v"_a.none() = nb::none(),
           "a"_a.none() = nb::none(), "tau"_a.none() = nb::none(), "jerk"_a.none() = nb::none(),
           "snap"_a.none() = nb::none(), "t"_a = 0.0, nb::sig(sig),
           "The quantities at (q, v, a) under joint forces tau: {name: number or array}. What is "
           "not given is zero; without a, a closed "
           "mechanism accelerates according to tau. Warns if the state does not satisfy the "
           "constraints.");
  m.def(
      "evaluate",
      [](const BoundModel& b, const std::vector<std::string>& names, ArrayLike q, ArrayLike v,
         ArrayLike a, ArrayLike tau) {
        return BoundEvaluation(b, names, {})(q, v, a, tau, {nb::none()}, {nb::none()}, 0);
      },
      "model"_a, "names"_a, "q"_a, "v"_a.none() = nb::none(), "a"_a.none() = nb::none(),
      "tau"_a.none() = nb::none(),
      nb::sig("def evaluate(model: Model, names: collections.abc.Sequence[str], q: "
              "numpy.typing.ArrayLike, "
              "v: numpy.typing.ArrayLike | None = None, a: numpy.typing.ArrayLike | None = None, "
              "tau: numpy.typing.ArrayLike | None = None) -> dict[str, typing.Any]"),
      "Quantities by the names of `chasles eval`, such as 'energy', 'pose:hand', "
      "'twist:hand:body', at q (nq,), v, a, tau (nv,): see "
      "quantities(). For many states make an Evaluation.");
}

}  // namespace

void add_analysis(nb::module_& m) {
  add_system(m);
  add_evaluation(m);
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
