/// Integration methods for systems: own loops over steps.
#include "chasles/integrators/integrator.hpp"
#include "chasles/systems/matrix_group.hpp"
#include "entered.hpp"
#include "methods.hpp"
#include "parts.hpp"
#include "system.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

/// Differential equations on a matrix group, with a function of Python.
struct BoundFirstOrderSystem {
  std::shared_ptr<const MatrixGroup> group;
  std::shared_ptr<FirstOrderSystem> system;

  BoundFirstOrderSystem(const MatrixGroup& g, nb::object rate)
      : group(std::make_shared<MatrixGroup>(g)) {
    if (!PyCallable_Check(rate.ptr()))
      raise(PyExc_TypeError, "FirstOrderSystem(): rate is a " + text(rate.type()) +
                                 "; give a function of (t, Y) that returns A");
    const auto n = static_cast<npy_intp>(group->matrix_size());
    system = std::make_shared<FirstOrderSystem>(
        group, [f = std::move(rate), n, m = group->nv()](double t, ConstVectorRef q, VectorRef A) {
          const Matrix Y = Eigen::MatrixXd::Map(q.data(), n, n);
          A = vector_of({f(t, to_array(Y).value)}, "the result of the function of FirstOrderSystem",
                        m);
        });
  }
};

/// An integrator with its system. A force of Python must not use it while it is in a step.
class BoundIntegrator {
 public:
  BoundIntegrator(nb::object of, const IntegratorOptions& options) : kept_(of) {
    if (nb::isinstance<BoundFirstOrderSystem>(of)) {
      const auto& on_group = *nb::inst_ptr<BoundFirstOrderSystem>(of);
      matrix_size_ = on_group.group->matrix_size();
      integrator_ = make_integrator(*on_group.system, options);
      nq_ = on_group.system->nq(), nv_ = on_group.system->nv();
    } else if (nb::isinstance<BoundSystem>(of)) {
      MechanicalSystem& system = nb::inst_ptr<BoundSystem>(of)->system();
      integrator_ = make_integrator(system, options);
      nq_ = system.nq(), nv_ = system.nv();
    } else {
      raise(PyExc_TypeError, "Integrator(): system is a " + text(of.type()) +
                                 "; give a System or a FirstOrderSystem");
    }
  }
  void reset(ArrayLike q, ArrayLike v, double t) {
    const Entered entered(busy_, in_step);
    integrator_->reset(state_of(t, q, v, "reset()"));
  }
  void resume(ArrayLike q, ArrayLike v, double t, const Checkpoint& from) {
    const Entered entered(busy_, in_step);
    integrator_->resume(state_of(t, q, v, "resume()"), from);
  }
  void replace(ArrayLike q, ArrayLike v) {
    const Entered entered(busy_, in_step);
    const State x = state_of(0, q, v, "replace()");
    require_start();
    integrator_->replace(x.q, x.v);
  }
  using Reached = std::tuple<double, Array, Array>;
  Reached step(double until) {
    require_reachable(until, "step()");
    const Entered entered(busy_, in_step);
    integrator_->step(until);
    return given(integrator_->state());
  }
  Reached advance(double until) {
    require_reachable(until, "advance()");
    const Entered entered(busy_, in_step);
    while (integrator_->state().t < until) {
      integrator_->step(until);
      if (PyErr_CheckSignals() < 0) throw nb::python_error();  // Ctrl-C
    }
    return given(integrator_->state());
  }
  Reached interpolate(double t) {
    const Entered entered(busy_, in_step);
    require_in_step(t, "interpolate()");
    State x = integrator_->state();
    integrator_->interpolate(t, x);
    return given(x);
  }
  Reached retry(double until) {
    const Entered entered(busy_, in_step);
    require_in_step(until, "retry()");
    integrator_->retry(until);
    return given(integrator_->state());
  }
  Reached state() const { return given(integrator_->state()); }
  Reached before() const { return given(integrator_->before()); }
  Array multipliers() {
    const Entered entered(busy_, in_step);
    require_start();
    return to_array(integrator_->multipliers());
  }
  Checkpoint checkpoint() const { return integrator_->checkpoint(); }
  const StepStatistics& statistics() const { return integrator_->statistics(); }

 private:
  static constexpr const char* in_step = "the integrator is in a step";

  /// On a group q is given and returned as a matrix, and v is not used.
  State state_of(double t, const ArrayLike& q, const ArrayLike& v, const std::string& what) const {
    const Vector rates =
        v.value.is_none() && matrix_size_ > 0 ? Vector(nv_) : vector_of(v, what + ": v", nv_);
    if (matrix_size_ == 0) return {t, vector_of(q, what + ": q", nq_), rates};
    const Matrix Y = matrix_of(q, what + ": q", matrix_size_, matrix_size_);
    return {t, Vector(Eigen::VectorXd::Map(Y.data(), Y.size())), rates};
  }
  Reached given(const State& x) const {
    if (matrix_size_ > 0 && x.q.size() > 0)
      return {x.t, to_array(Matrix(Eigen::MatrixXd::Map(x.q.data(), matrix_size_, matrix_size_))),
              to_array(x.v)};
    return {x.t, to_array(x.q), to_array(x.v)};
  }
  void require_start() const {
    if (integrator_->state().q.size() != nq_)
      throw Error("there is no state yet; call reset with the start first");
  }
  void require_reachable(double until, const std::string& what) const {
    require_start();
    if (!std::isfinite(until) || until < integrator_->state().t)
      raise(PyExc_ValueError, what + ": until is " + to_text(until) + "; it needs a time from " +
                                  to_text(integrator_->state().t) +
                                  " s on, where the integrator is");
  }
  void require_in_step(double t, const std::string& what) const {
    require_start();
    if (statistics().steps == 0) throw Error(what + ": the integrator has made no step");
    const double from = integrator_->before().t, to = integrator_->state().t;
    if (!(t >= from && t <= to))
      raise(PyExc_ValueError, what + ": the time is " + to_text(t) + "; the last step was from " +
                                  to_text(from) + " to " + to_text(to) + " s");
  }

  nb::object kept_;
  int nq_ = 0, nv_ = 0, matrix_size_ = 0;  // the last: of systems on matrix groups
  std::unique_ptr<Integrator> integrator_;
  std::atomic<bool> busy_ = false;
};

void add_groups_of_matrices(nb::module_& m) {
  nb::class_<MatrixGroup>(m, "MatrixGroup",
                          "A matrix group, by a basis E_k of its algebra: hat(x) = sum_k x_k E_k.")
      .def(
          "__init__",
          [](MatrixGroup* self, std::string name, SequenceLike basis) {
            std::vector<Matrix> matrices;
            for (nb::handle x : basis.value)
              matrices.push_back(matrix_of({x}, "MatrixGroup(): basis", -1, -1));
            new (self) MatrixGroup(std::move(name), std::move(matrices));
          },
          "name"_a, "basis"_a,
          nb::sig("def __init__(self, name: str, basis: "
                  "collections.abc.Sequence[numpy.typing.ArrayLike] | "
                  "numpy.typing.NDArray[typing.Any]) -> None"),
          "basis: independent matrices (n, n) whose commutators are in their span.")
      .def_static("general_linear", &MatrixGroup::general_linear, "n"_a, "GL(n): all matrices.")
      .def_static("special_linear", &MatrixGroup::special_linear, "n"_a, "SL(n): determinant 1.")
      .def_static("special_orthogonal", &MatrixGroup::special_orthogonal, "n"_a,
                  "SO(n); n = 3: the basis of angular velocities.")
      .def_static("special_euclidean", &MatrixGroup::special_euclidean, "n"_a,
                  "SE(n), matrices of size n + 1; n = 3: the basis of twists, angular first.")
      .def_prop_ro("name", &MatrixGroup::name, "For messages.")
      .def_prop_ro("matrix_size", &MatrixGroup::matrix_size, "Of its elements.")
      .def_prop_ro("nv", &MatrixGroup::nv, "Dimension of the algebra.")
      .def(
          "identity", [](const MatrixGroup& g) { return to_array(g.element(g.identity())); },
          "The identity (n, n).")
      .def(
          "hat",
          [](const MatrixGroup& g, ArrayLike x) {
            return to_array(g.hat(vector_of(x, "hat(): x", g.nv())));
          },
          "x"_a, "sum_k x_k E_k (n, n).")
      .def(
          "vee",
          [](const MatrixGroup& g, ArrayLike X) {
            return to_array(g.vee(matrix_of(X, "vee(): X", g.matrix_size(), g.matrix_size())));
          },
          "X"_a, "The coordinates (nv,) of a matrix of the algebra.")
      .def(
          "exp",
          [](const MatrixGroup& g, ArrayLike x) {
            Vector q(g.nq());
            g.plus(g.identity(), vector_of(x, "exp(): x", g.nv()), q);
            return to_array(g.element(q));
          },
          "x"_a, "The matrix exponential of hat(x): (n, n).")
      .def("__repr__", [](const MatrixGroup& g) {
        return "<chasles.MatrixGroup " + g.name() + ": dimension " + std::to_string(g.nv()) + ">";
      });
  nb::class_<BoundFirstOrderSystem>(
      m, "FirstOrderSystem",
      "Y' = Y hat(A(t, Y)) on a matrix group, for Integrator, whose q is the matrix Y (n, n).")
      .def(nb::init<const MatrixGroup&, nb::object>(), "group"_a, "rate"_a,
           nb::sig("def __init__(self, group: MatrixGroup, rate: "
                   "collections.abc.Callable[[float, numpy.typing.NDArray[numpy.float64]], "
                   "numpy.typing.ArrayLike]) -> None"),
           "rate(t, Y) returns A (nv,), in the algebra at Y.");
}

void add_statistics(nb::class_<BoundIntegrator>& c) {
  const auto count = [&](const char* name, long StepStatistics::*member, const char* doc) {
    c.def_prop_ro(
        name, [member](BoundIntegrator& i) { return i.statistics().*member; }, doc);
  };
  count("steps", &StepStatistics::steps, "Accepted steps so far.");
  count("rejected", &StepStatistics::rejected, "Steps that were repeated with a smaller length.");
  count("evaluations", &StepStatistics::evaluations,
        "Evaluations of the equations of motion so far.");
  count("iterations", &StepStatistics::iterations, "Of the equations of implicit steps.");
  count("implicit_steps", &StepStatistics::implicit_steps, "Of the method auto.");
  c.def_prop_ro(
      "smallest", [](BoundIntegrator& i) { return i.statistics().smallest; },
      "The shortest step [s]; infinite before the first.");
  c.def_prop_ro(
      "largest", [](BoundIntegrator& i) { return i.statistics().largest; },
      "The longest step [s].");
  c.def_prop_ro(
      "is_stiff", [](BoundIntegrator& i) { return i.statistics().is_stiff(); },
      "Whether an implicit method would need far fewer steps.");
}

void add_class(nb::module_& m) {
  nb::class_<Checkpoint>(m, "Checkpoint",
                         "What an integrator carries from step to step besides the state.")
      .def_ro("origin", &Checkpoint::origin, "Fixed steps end at origin + k step [s].")
      .def_ro("next_step", &Checkpoint::next_step, "Of adaptive methods [s]; 0: not known.")
      .def_ro("last_error", &Checkpoint::last_error, "Of the last step, 1: the tolerance.")
      .def_ro("memory", &Checkpoint::memory, "Of the method, such as accelerations.")
      .def("__getstate__",
           [](const Checkpoint& c) {
             return std::tuple{c.origin, c.next_step, c.last_error, c.memory};
           })
      .def("__setstate__",
           [](Checkpoint& c, const std::tuple<double, double, double, std::vector<double>>& x) {
             new (&c) Checkpoint{std::get<0>(x), std::get<1>(x), std::get<2>(x), std::get<3>(x)};
           });
  nb::class_<BoundIntegrator> c(m, "Integrator",
                                "An integration method for a System or a FirstOrderSystem: own "
                                "loops over steps.");
  c.def(
       "__init__",
       [](BoundIntegrator* self, nb::object system, const std::string& method,
          std::optional<double> step, std::optional<double> tolerance, std::optional<int> order,
          std::optional<double> first_step, std::optional<double> max_step,
          std::optional<std::string> composition, std::optional<std::string> chart,
          std::optional<double> rho, std::optional<int> index, const std::string& stabilization,
          std::optional<std::pair<double, double>> baumgarte, ArrayLike scales, bool momentum_form,
          bool keep_invariants, const RungeKuttaTableau* tableau) {
         MethodOptions given{method, step,  tolerance,   first_step, max_step, rho,
                             order,  index, composition, chart,      tableau};
         IntegratorOptions options = given.options();
         options.stabilization = stabilization_of(stabilization);
         if (baumgarte) options.baumgarte = {baumgarte->first, baumgarte->second};
         if (!scales.value.is_none()) options.scales = vector_of(scales, "Integrator(): scales");
         options.momentum_form = momentum_form, options.keep_invariants = keep_invariants;
         new (self) BoundIntegrator(std::move(system), options);
       },
       "system"_a, "method"_a = "auto", "step"_a.none() = nb::none(),
       "tolerance"_a.none() = nb::none(), "order"_a.none() = nb::none(), nb::kw_only(),
       "first_step"_a.none() = nb::none(), "max_step"_a.none() = nb::none(),
       "composition"_a.none() = nb::none(), "chart"_a.none() = nb::none(),
       "rho"_a.none() = nb::none(), "index"_a.none() = nb::none(), "stabilization"_a = "projection",
       "baumgarte"_a.none() = nb::none(), "scales"_a.none() = nb::none(), "momentum_form"_a = false,
       "keep_invariants"_a = false, "tableau"_a.none() = nb::none(),
       nb::sig("def __init__(self, system: System | FirstOrderSystem, method: str = 'auto', step: "
               "float | None = None, tolerance: float | None = None, order: int | None = None, *, "
               "first_step: float | None = None, max_step: float | None = None, composition: str | "
               "None = None, chart: str | None = None, rho: float | None = None, index: int | None "
               "= None, stabilization: str = 'projection', baumgarte: tuple[float, float] | None = "
               "None, scales: numpy.typing.ArrayLike | None = None, momentum_form: bool = False, "
               "keep_invariants: bool = False, tableau: RungeKuttaTableau | None = None) -> None"),
       "step [s] of methods with fixed steps, tolerance of adaptive ones, first_step and max_step "
       "[s] as well; order of families of methods: see methods() and method_info(name).options.\n\n"
       "composition: 'yoshida', 'suzuki' or 'kahan_li', of symmetric methods. chart: "
       "'exponential', "
       "'cayley' or 'second_kind', of Munthe-Kaas methods. rho, index: of generalized_alpha. "
       "stabilization: 'projection', 'none' or 'baumgarte' with its rates (alpha, beta) [1/s], for "
       "methods that do not keep constraints by themselves. scales (nv,): what counts as 1 in "
       "errors. tableau: a Runge-Kutta method by its coefficients, instead of a method.")
      .def("reset", &BoundIntegrator::reset, "q"_a, "v"_a.none() = nb::none(), "t"_a = 0.0,
           nb::sig("def reset(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike | None = "
                   "None, t: float = 0.0) -> None"),
           "Starts at a state: q (nq,), v (nv,), t [s]. Of a FirstOrderSystem: q (n, n), no v.")
      .def("step", &BoundIntegrator::step, "until"_a,
           "One step, not beyond `until` [s]: (t, q, v).")
      .def("advance", &BoundIntegrator::advance, "until"_a,
           "Steps exactly to `until` [s]: (t, q, v).")
      .def("interpolate", &BoundIntegrator::interpolate, "t"_a,
           "(t, q, v) at a time [s] within the last step.")
      .def("retry", &BoundIntegrator::retry, "until"_a,
           "Repeats the last step, but to `until` [s], a time within it: (t, q, v).")
      .def("replace", &BoundIntegrator::replace, "q"_a, "v"_a,
           "Another state at the same time, after an impact: q (nq,), v (nv,). Statistics and the "
           "length of steps are kept.")
      .def_prop_ro("state", &BoundIntegrator::state, nb::rv_policy::move, "(t, q, v) now, a copy.")
      .def_prop_ro("before", &BoundIntegrator::before, nb::rv_policy::move,
                   "(t, q, v) where the last step began, a copy.")
      .def_prop_ro("multipliers", &BoundIntegrator::multipliers,
                   "Constraint forces lambda (equations,) now.")
      .def("checkpoint", &BoundIntegrator::checkpoint,
           "What `resume` needs besides the state; it can be pickled.")
      .def("resume", &BoundIntegrator::resume, "q"_a, "v"_a, "t"_a, "checkpoint"_a,
           "Continues an integration that was stopped at a state; `reset` begins a new one.");
  add_statistics(c);
}

}  // namespace

void add_integrators(nb::module_& m) {
  add_methods(m);
  add_groups_of_matrices(m);
  add_class(m);
}

}  // namespace chasles::python
