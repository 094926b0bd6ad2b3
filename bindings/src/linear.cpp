/// Linear systems: linearization, equilibria, vibration modes, regulators, filters, sampled loops.
#include <nanobind/stl/complex.h>

#include "chasles/linearization/equilibrium.hpp"
#include "chasles/linearization/linear_quadratic.hpp"
#include "chasles/linearization/sampled_system.hpp"
#include "chasles/simulation/state_feedback.hpp"
#include "system.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

Matrix any_matrix(const ArrayLike& x, const std::string& what) {
  return matrix_of(x, what, -1, -1);
}

/// A state, and the coordinates that describe its neighbors.
struct At {
  double t;
  Vector q, v;
  CoordinateChoice choice;
  At(BoundSystem& s, const std::string& what, double time, const ArrayLike& x, const ArrayLike* y,
     const std::vector<std::string>& independent)
      : t(time),
        q(s.q(x, what)),
        v(y ? s.v(*y, what) : Vector(s.model().nv())),
        choice{s.entries(independent), s.held(t, q, v)} {}
};

void add_linear_system(nb::module_& m) {
  nb::class_<LinearSystem>(m, "LinearSystem",
                           "x' = A x + B u, or x(k + 1) = A x(k) + B u(k) after discretize.")
      .def_prop_ro(
          "A", [](const LinearSystem& s) { return to_array(s.A); }, "(n, n)")
      .def_prop_ro(
          "B", [](const LinearSystem& s) { return to_array(s.B); }, "(n, nv): by joint forces.")
      .def_prop_ro(
          "C", [](const LinearSystem& s) { return to_array(s.C); },
          "(2 nv, n): (e; dv) of all joints is C x.")
      .def_ro("positions", &LinearSystem::positions, "Entries of v whose increments are in x.")
      .def_ro("velocities", &LinearSystem::velocities,
              "Entries of v whose deviations are in x, after the positions.")
      .def(
          "discretize", [](const LinearSystem& s, double h) { return discretize(s, h); }, "h"_a,
          "Zero-order hold for h [s]: exp of A h, and its integral times B.")
      .def(
          "eigenvalues", [](const LinearSystem& s) { return eigenvalues(s); }, "Of A [1/s].")
      .def("__repr__", [](const LinearSystem& s) {
        return "<chasles.LinearSystem: " + std::to_string(s.A.rows()) + " states, " +
               std::to_string(s.B.cols()) + " inputs>";
      });
  nb::class_<ReducedDynamics>(
      m, "ReducedDynamics",
      "M z'' + D z' + K z = N^T u of independent coordinates z; all joints move by N z.")
      .def_prop_ro(
          "M", [](const ReducedDynamics& r) { return to_array(r.M); }, "(n, n)")
      .def_prop_ro(
          "D", [](const ReducedDynamics& r) { return to_array(r.D); }, "(n, n)")
      .def_prop_ro(
          "K", [](const ReducedDynamics& r) { return to_array(r.K); }, "(n, n)")
      .def_prop_ro(
          "N", [](const ReducedDynamics& r) { return to_array(r.N); }, "(nv, n)")
      .def_ro("independent", &ReducedDynamics::independent, "Entries of v.");
}

void add_to_system(nb::module_& m) {
  auto system = nb::borrow<nb::class_<BoundSystem>>(m.attr("System"));
  system
      .def(
          "linearize",
          [](BoundSystem& s, ArrayLike q, ArrayLike v, double t,
             const std::vector<std::string>& independent) {
            const At at(s, "linearize()", t, q, &v, independent);
            return linearize(s.system(), t, at.q, at.v, at.choice);
          },
          "q"_a, "v"_a, "t"_a = 0.0, "independent"_a = std::vector<std::string>{},
          "x' = A x + B u near the state (q, v): x = (e; dv) of the independent coordinates, q -> "
          "plus(q, e). The state need not "
          "be an equilibrium: x is the deviation from the motion through it. Efforts of sampled "
          "controllers are held.\n\n"
          "independent: joints of these coordinates, as many as degrees of freedom; none: those "
          "that determine the rest well.")
      .def(
          "reduced_dynamics",
          [](BoundSystem& s, ArrayLike q, ArrayLike v, double t,
             const std::vector<std::string>& independent) {
            const At at(s, "reduced_dynamics()", t, q, &v, independent);
            return reduced_dynamics(s.system(), t, at.q, at.v, at.choice);
          },
          "q"_a, "v"_a, "t"_a = 0.0, "independent"_a = std::vector<std::string>{},
          "M z'' + D z' + K z = N^T u near the state, with mass, damping and stiffness matrices of "
          "independent coordinates.")
      .def(
          "find_equilibrium",
          [](BoundSystem& s, ArrayLike q, double t, const std::vector<std::string>& held,
             int load_steps) {
            const At at(s, "find_equilibrium()", t, q, nullptr, {});
            EquilibriumOptions options{at.choice.held, load_steps};
            for (const int k : s.entries(held)) options.held.push_back(k);
            return to_array(find_equilibrium(s.system(), t, at.q, options));
          },
          "q"_a, "t"_a = 0.0, "held"_a = std::vector<std::string>{}, "load_steps"_a = 0,
          "A configuration (nq,) near q at which applied forces, gravity and constraint forces are "
          "in balance (statics).\n\n"
          "held: joints that do not move. load_steps > 0 releases the forces that are out of "
          "balance in so many steps.")
      .def(
          "find_equilibria",
          [](BoundSystem& s, ArrayLike starts, double t) {
            const Matrix x = matrix_of(starts, "find_equilibria(): starts", -1, s.model().nq());
            std::vector<Vector> list;
            for (Eigen::Index k = 0; k < x.rows(); ++k)
              list.push_back(Vector(x.row(k).transpose()));
            const std::vector<Vector> found = find_equilibria(s.system(), t, list);
            std::vector<double> rows;
            for (const Vector& q : found) rows.insert(rows.end(), q.data(), q.data() + q.size());
            return to_array(rows, {static_cast<npy_intp>(found.size()), s.model().nq()});
          },
          "starts"_a, "t"_a = 0.0,
          "The different equilibria (n, nq) that are found from several starts (.., nq).")
      .def(
          "modes",
          [](BoundSystem& s, ArrayLike q, double t, const std::vector<std::string>& independent) {
            const At at(s, "modes()", t, q, nullptr, independent);
            return modes(s.system(), t, at.q, at.choice);
          },
          "q"_a, "t"_a = 0.0, "independent"_a = std::vector<std::string>{},
          "Vibration modes at an equilibrium, slowest first.");
  nb::class_<VibrationMode>(m, "VibrationMode",
                            "A mode exp(eigenvalue t) of a linear system of second order.")
      .def_ro("eigenvalue", &VibrationMode::lambda,
              "[1/s]; of a pair the one with positive imaginary part.")
      .def_ro("frequency", &VibrationMode::frequency, "|eigenvalue| [rad/s]")
      .def_ro("damping", &VibrationMode::damping,
              "-Re / |.|: 0 undamped, 1 and more no vibration, negative unstable.")
      .def_ro("shape", &VibrationMode::shape,
              "nv complex numbers: motion of all joints, largest entry 1.")
      .def("__repr__", [](const VibrationMode& x) {
        return "<chasles.VibrationMode: " + to_short_text(x.frequency) + " rad/s, damping " +
               to_short_text(x.damping) + ">";
      });
}

void add_regulators(nb::module_& m) {
  nb::class_<Regulator>(m, "Regulator", "A gain from a Riccati equation.")
      .def_prop_ro(
          "K", [](const Regulator& r) { return to_array(r.K); },
          "The gain, u = -K x; of filters L, (states, measurements).")
      .def_prop_ro(
          "P", [](const Regulator& r) { return to_array(r.P); },
          "Solution of the Riccati equation.")
      .def_ro("poles", &Regulator::poles, "Eigenvalues of A - B K, or A - L C.")
      .def_ro("residual", &Regulator::residual,
              "Of the Riccati equation, relative to its largest term.");
  const auto add =
      [&](const char* name,
          Regulator (*f)(ConstMatrixRef, ConstMatrixRef, ConstMatrixRef, ConstMatrixRef),
          const std::array<const char*, 4>& names, const char* doc) {
        m.def(
            name,
            [f, what = std::string(name) + "(): ", names](ArrayLike a, ArrayLike b, ArrayLike c,
                                                          ArrayLike d) {
              return f(any_matrix(a, what + names[0]), any_matrix(b, what + names[1]),
                       any_matrix(c, what + names[2]), any_matrix(d, what + names[3]));
            },
            nb::arg(names[0]), nb::arg(names[1]), nb::arg(names[2]), nb::arg(names[3]), doc);
      };
  add("lqr", &lqr, {"A", "B", "Q", "R"},
      "The feedback u = -K x that minimizes the integral of x^T Q x + u^T R u for x' = A x + B "
      "u:\n\n"
      "    K = R^-1 B^T P,   A^T P + P A - P B R^-1 B^T P + Q = 0\n\nA (n, n), B (n, m), Q (n, n), "
      "R (m, m).");
  add("sampled_lqr", &sampled_lqr, {"A", "B", "Q", "R"},
      "The same for x(k+1) = A x(k) + B u(k) and the sum: K = (R + B^T P B)^-1 B^T P A.");
  add("kalman_filter", &kalman_filter, {"A", "C", "W", "V"},
      "The gain L of the estimate z' = A z + B u + L (y - C z) with the least variance P, for "
      "white noise of intensity W in x' "
      "and V in y = C x:\n\n    L = P C^T V^-1,   A P + P A^T - P C^T V^-1 C P + W = 0\n\nResult K "
      "is L (n, p).");
  add("sampled_kalman_filter", &sampled_kalman_filter, {"A", "C", "W", "V"},
      "The same for z(k+1) = A z(k) + B u(k) + L (y(k) - C z(k)).");
  nb::class_<Reachability>(m, "Reachability", "The states that inputs reach, or measurements show.")
      .def_ro("rank", &Reachability::rank, "n: controllable, or observable.")
      .def_prop_ro(
          "basis", [](const Reachability& r) { return to_array(r.basis); },
          "(n, rank), orthonormal columns.")
      .def_ro("fixed", &Reachability::fixed,
              "Eigenvalues of A that no feedback changes: n - rank.");
  m.def(
      "controllability",
      [](ArrayLike A, ArrayLike B, double tolerance) {
        return controllability(any_matrix(A, "controllability(): A"),
                               any_matrix(B, "controllability(): B"), tolerance);
      },
      "A"_a, "B"_a, "tolerance"_a = 1e-10,
      "The smallest subspace with the columns of B (n, m) that A (n, n) leaves invariant "
      "(Kalman).");
  m.def(
      "observability",
      [](ArrayLike A, ArrayLike C, double tolerance) {
        return observability(any_matrix(A, "observability(): A"),
                             any_matrix(C, "observability(): C"), tolerance);
      },
      "A"_a, "C"_a, "tolerance"_a = 1e-10, "The states that y = C x shows; C (p, n).");
  m.def(
      "controllability_gramian",
      [](ArrayLike A, ArrayLike B, double horizon) {
        return to_array(controllability_gramian(any_matrix(A, "controllability_gramian(): A"),
                                                any_matrix(B, "controllability_gramian(): B"),
                                                horizon));
      },
      "A"_a, "B"_a, "horizon"_a,
      "Integral of exp(A t) B B^T exp(A^T t) from 0 to horizon [s]: (n, n).");
  m.def(
      "solve_lyapunov",
      [](ArrayLike A, ArrayLike W) {
        return to_array(solve_lyapunov(any_matrix(A, "solve_lyapunov(): A"),
                                       any_matrix(W, "solve_lyapunov(): W")));
      },
      "A"_a, "W"_a, "X (n, n) of A X + X A^T + W = 0 for a stable A.");
}

void add_sampled(nb::module_& m) {
  nb::class_<SampledSystem>(m, "SampledSystem",
                            "A mechanism under sampled feedback: y(k+1) = A y(k) + B w(k), with "
                            "the delayed efforts in y.")
      .def_ro("period", &SampledSystem::period, "[s]")
      .def_prop_ro("A", [](const SampledSystem& s) { return to_array(s.A); })
      .def_prop_ro("B", [](const SampledSystem& s) { return to_array(s.B); })
      .def("eigenvalues", &SampledSystem::eigenvalues,
           "Of A, largest modulus first; stable if all are within the unit circle.")
      .def_prop_ro("spectral_radius", &SampledSystem::spectral_radius)
      .def_prop_ro("is_stable", &SampledSystem::is_stable);
  m.def(
      "sample",
      [](const LinearSystem& plant, double period, ArrayLike gain, const std::vector<int>& entries,
         double delay) {
        const SampledFeedback loop{entries, any_matrix(gain, "sample(): gain"), delay};
        return sample(plant, period, {&loop, 1});
      },
      "plant"_a, "period"_a, "gain"_a, "entries"_a, "delay"_a = 0.0,
      "The loop of a linear system with a feedback u = gain x of period [s] on entries of v, "
      "applied delay [s] later and held.");
}

}  // namespace

void add_linear_systems(nb::module_& m) {
  add_linear_system(m);
  add_to_system(m);
  add_regulators(m);
  add_sampled(m);
}

}  // namespace chasles::python
