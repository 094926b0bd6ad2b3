/// chasles.textbook: the algorithms as textbooks and papers have them, for comparison and teaching.
#include "chasles/textbook/closed_form.hpp"
#include "chasles/textbook/hamiltonian.hpp"
#include "chasles/textbook/recursive.hpp"
#include "chasles/textbook/regressor.hpp"
#include "common.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

/// Kinematics at (q, v, a); each argument by its name in messages.
template <class Kinematics>
Kinematics at(const BoundModel& b, const std::string& what, const ArrayLike& q,
              const ArrayLike* v = nullptr, const ArrayLike* a = nullptr) {
  Kinematics kin(b.model);
  const Vector x = vector_of(q, what + "(): q", b.model.nq());
  if constexpr (std::is_same_v<Kinematics, PositionKinematics>) {
    forward_kinematics(b.model, x, kin);
  } else {
    const Vector y = vector_of(*v, what + "(): v", b.model.nv());
    if constexpr (std::is_same_v<Kinematics, VelocityKinematics>)
      forward_kinematics(b.model, x, y, kin);
    else
      forward_kinematics(b.model, x, y, vector_of(*a, what + "(): a", b.model.nv()), kin);
  }
  return kin;
}
Vector of_v(const BoundModel& b, const ArrayLike& x, const std::string& what) {
  return vector_of(x, what, b.model.nv());
}

void add_recursions(nb::module_& t) {
  t.def(
      "inverse_dynamics",
      [](const BoundModel& b, ArrayLike q, ArrayLike v, ArrayLike a, RepresentationLike rep) {
        textbook::RecursiveDynamics work(b.model);
        return to_array(textbook::inverse_dynamics(
            b.model, at<VelocityKinematics>(b, "inverse_dynamics", q, &v),
            of_v(b, a, "inverse_dynamics(): a"),
            representation_of(rep, "inverse_dynamics(): representation"), work));
      },
      "model"_a, "q"_a, "v"_a, "a"_a, "representation"_a,
      "tau (nv,) by the recursive Newton-Euler algorithm in a representation of twists.");
  t.def(
      "forward_dynamics",
      [](const BoundModel& b, ArrayLike q, ArrayLike v, ArrayLike tau, RepresentationLike rep) {
        textbook::RecursiveDynamics work(b.model);
        return to_array(textbook::forward_dynamics(
            b.model, at<VelocityKinematics>(b, "forward_dynamics", q, &v),
            of_v(b, tau, "forward_dynamics(): tau"),
            representation_of(rep, "forward_dynamics(): representation"), work));
      },
      "model"_a, "q"_a, "v"_a, "tau"_a, "representation"_a,
      "a (nv,) by the articulated-body algorithm in a representation of twists.");
  t.def(
      "hamiltonian_dynamics",
      [](const BoundModel& b, ArrayLike q, ArrayLike p, ArrayLike tau) {
        const std::string what = "hamiltonian_dynamics";
        textbook::HamiltonianDynamics work(b.model);
        const auto kin = at<PositionKinematics>(b, what, q);
        const Vector x = of_v(b, p, what + "(): p");
        textbook::hamiltonian_dynamics(b.model, kin, x, of_v(b, tau, what + "(): tau"), work);
        return std::tuple{to_array(work.v), to_array(work.p_dot),
                          textbook::hamiltonian(b.model, kin, x, work)};
      },
      "model"_a, "q"_a, "p"_a, "tau"_a,
      "(v, dp/dt, H) of generalized momenta p = M v (nv,) under joint forces tau: Hamilton's "
      "equations, O(n).");
}

void add_closed_forms(nb::module_& t) {
  t.def(
      "projection_equations",
      [](const BoundModel& b, ArrayLike q, ArrayLike v, ArrayLike a, RepresentationLike rep) {
        return to_array(textbook::projection_equations(
            b.model, at<AccelerationKinematics>(b, "projection_equations", q, &v, &a),
            representation_of(rep, "projection_equations(): representation")));
      },
      "model"_a, "q"_a, "v"_a, "a"_a, "representation"_a,
      "tau (nv,) = sum_i J_i^T (M_i dV_i/dt - ad_V^T M_i V_i - W_i): Jourdain's principle.");
  t.def(
      "mass_matrix",
      [](const BoundModel& b, ArrayLike q, RepresentationLike rep) {
        return to_array(textbook::projected_mass_matrix(
            b.model, at<PositionKinematics>(b, "mass_matrix", q),
            representation_of(rep, "mass_matrix(): representation")));
      },
      "model"_a, "q"_a, "representation"_a, "M (nv, nv) = sum_i J_i^T M_i J_i, and armatures.");
  t.def(
      "mass_matrix_rate",
      [](const BoundModel& b, ArrayLike q, ArrayLike v) {
        return to_array(textbook::mass_matrix_rate(
            b.model, at<VelocityKinematics>(b, "mass_matrix_rate", q, &v)));
      },
      "model"_a, "q"_a, "v"_a, "dM/dt (nv, nv) along v.");
  t.def(
      "coriolis_matrix",
      [](const BoundModel& b, ArrayLike q, ArrayLike v) {
        return to_array(textbook::coriolis_matrix(
            b.model, at<VelocityKinematics>(b, "coriolis_matrix", q, &v)));
      },
      "model"_a, "q"_a, "v"_a,
      "C (nv, nv) = sum_i J^T (M dJ/dt - Q J): C v are the Coriolis and centrifugal forces, dM/dt "
      "- 2 C is skew.");
  t.def(
      "christoffel_matrix",
      [](const BoundModel& b, ArrayLike q, ArrayLike v) {
        return to_array(textbook::christoffel_matrix(
            b.model, at<VelocityKinematics>(b, "christoffel_matrix", q, &v)));
      },
      "model"_a, "q"_a, "v"_a, "C (nv, nv) = sum_k Gamma_ijk v_k, of the Christoffel symbols.");
  t.def(
      "christoffel_symbols",
      [](const BoundModel& b, ArrayLike q) {
        const auto symbols = textbook::christoffel_symbols(
            b.model, at<PositionKinematics>(b, "christoffel_symbols", q));
        return stacked(symbols.Gamma, b.model.nv(), b.model.nv());
      },
      "model"_a, "q"_a, "(nv, nv, nv): entry [k, i, j] is Gamma_ijk, C_ij = sum_k Gamma_ijk v_k.");
  t.def(
      "lagrange_terms",
      [](const BoundModel& b, ArrayLike q, ArrayLike v, ArrayLike a) {
        const auto terms =
            textbook::lagrange_terms(b.model, at<VelocityKinematics>(b, "lagrange_terms", q, &v),
                                     of_v(b, a, "lagrange_terms(): a"));
        return std::tuple{to_array(terms.inertia), to_array(terms.coriolis),
                          to_array(terms.gravity)};
      },
      "model"_a, "q"_a, "v"_a, "a"_a, "(M a, C v, g), each (nv,): their sum is tau.");
}

void add_regressors(nb::module_& t) {
  t.def(
      "kinetic_energy_regressor",
      [](const BoundModel& b, ArrayLike q, ArrayLike v) {
        return to_array(textbook::kinetic_energy_regressor(
            b.model, at<VelocityKinematics>(b, "kinetic_energy_regressor", q, &v)));
      },
      "model"_a, "q"_a, "v"_a,
      "y (10 bodies,): kinetic energy = y . pi, without armatures; pi = "
      "model.inertial_parameters().");
  t.def(
      "potential_energy_regressor",
      [](const BoundModel& b, ArrayLike q) {
        return to_array(textbook::potential_energy_regressor(
            b.model, at<PositionKinematics>(b, "potential_energy_regressor", q)));
      },
      "model"_a, "q"_a, "y (10 bodies,): potential energy = y . pi.");
  nb::class_<textbook::BaseParameters>(t, "BaseParameters",
                                       "Identifiable combinations of inertial parameters: tau = "
                                       "Y[:, independent] (pi[independent] + K pi[dependent]).")
      .def_ro("independent", &textbook::BaseParameters::independent, "Columns of Y, ascending.")
      .def_ro("dependent", &textbook::BaseParameters::dependent, "The others, ascending.")
      .def_prop_ro(
          "K", [](const textbook::BaseParameters& p) { return to_array(p.K); },
          "(independent, dependent)")
      .def(
          "values",
          [](const textbook::BaseParameters& p, ArrayLike pi) {
            return to_array(p.values(vector_of(pi, "values(): pi")));
          },
          "pi"_a, "pi[independent] + K pi[dependent].");
  t.def(
      "base_parameters",
      [](const BoundModel& b, int states, double tolerance, std::uint64_t seed) {
        return textbook::base_parameters(b.model, {states, tolerance, seed});
      },
      "model"_a, "states"_a = 0, "tolerance"_a = 1e-9, "seed"_a = 1,
      "Base parameters by the rank of torque_regressor over random states; 0: as many as needed.");
}

}  // namespace

void add_textbook(nb::module_& m) {
  nb::module_ t = m.def_submodule("textbook",
                                  "The algorithms as textbooks and papers have them: recursions in "
                                  "every representation, closed forms, "
                                  "Hamilton's equations, regressors of energies. Of one state; the "
                                  "functions of chasles are faster.");
  add_recursions(t);
  add_closed_forms(t);
  add_regressors(t);
}

}  // namespace chasles::python
