/// Motions to higher order: time derivatives of twists, Jacobians and joint forces; system matrices; joint rates by
/// least squares.
#include "chasles/derivatives/time_derivatives.hpp"
#include "chasles/kinematics/higher_order.hpp"
#include "chasles/kinematics/system_jacobian.hpp"
#include "common.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

/// v and its time derivatives as columns, from rows.
Matrix rates_of(const Model& model, const ArrayLike& rates, const std::string& what) {
  return matrix_of(rates, what, -1, model.nv()).transpose();
}
Vector q_of(const Model& model, const ArrayLike& q, const std::string& what) {
  return vector_of(q, what + ": q", model.nq());
}
Array rows_of(const Matrix& columns) { return to_array(Matrix(columns.transpose())); }
Array stacked_6(const std::vector<Matrix6X>& list, int nv) {
  std::vector<Matrix> copies(list.begin(), list.end());
  return stacked(copies, 6, nv);
}
Array dense(const Sparse& x) { return to_array(Eigen::MatrixXd(x)); }

void add_derivatives(nb::module_& m) {
  m.def(
      "twist_derivatives",
      [](const BoundModel& b, ArrayLike q, ArrayLike rates, FrameLike frame,
         RepresentationLike rep) {
        const std::string what = "twist_derivatives()";
        const Matrix columns = rates_of(b.model, rates, what + ": rates");
        if (columns.cols() == 0)
          raise(PyExc_ValueError,
                what + ": rates is empty; give v (1, nv), or v and its time derivatives");
        TwistDerivatives out(b.model, static_cast<int>(columns.cols()));
        twist_derivatives(b.model, q_of(b.model, q, what), columns,
                          frame_of(b.model, frame, what + ": frame"),
                          representation_of(rep, what + ": representation"), out);
        std::vector<double> rows;
        for (const Twist& V : out.V)
          rows.insert(rows.end(), {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z});
        return to_array(rows, {static_cast<npy_intp>(out.V.size()), 6});
      },
      "model"_a, "q"_a, "rates"_a, "frame"_a, "representation"_a,
      "V, dV/dt, .. (N, 6) of a frame, from v and its first N - 1 time derivatives, the rows of "
      "rates (N, nv): twist, acceleration, jerk, ..");
  m.def(
      "jacobian_time_derivatives",
      [](const BoundModel& b, ArrayLike q, ArrayLike rates, FrameLike frame,
         RepresentationLike rep) {
        const std::string what = "jacobian_time_derivatives()";
        return stacked_6(
            jacobian_time_derivatives(b.model, q_of(b.model, q, what),
                                      rates_of(b.model, rates, what + ": rates"),
                                      frame_of(b.model, frame, what + ": frame"),
                                      representation_of(rep, what + ": representation")),
            b.model.nv());
      },
      "model"_a, "q"_a, "rates"_a, "frame"_a, "representation"_a,
      "J, dJ/dt, .. (N + 1, 6, nv) of a frame, along v and its first N - 1 time derivatives, the "
      "rows of rates (N, nv).");
  m.def(
      "kinematic_hessian",
      [](const BoundModel& b, ArrayLike q, FrameLike frame, RepresentationLike rep) {
        const std::string what = "kinematic_hessian()";
        PositionKinematics kin(b.model);
        forward_kinematics(b.model, q_of(b.model, q, what), kin);
        return stacked_6(kinematic_hessian(b.model, kin, frame_of(b.model, frame, what + ": frame"),
                                           representation_of(rep, what + ": representation")),
                         b.model.nv());
      },
      "model"_a, "q"_a, "frame"_a, "representation"_a,
      "H (nv, 6, nv) with H[k] the derivative of the Jacobian along entry k of v: dJ/dt = sum_k "
      "H[k] v_k.");
  m.def(
      "inverse_dynamics_derivatives",
      [](const BoundModel& b, ArrayLike q, ArrayLike rates) {
        const std::string what = "inverse_dynamics_derivatives()";
        const Matrix columns = rates_of(b.model, rates, what + ": rates");
        if (columns.cols() < 2)
          raise(PyExc_ValueError, what + ": rates has " + std::to_string(columns.cols()) +
                                      " rows; it needs v, a and their time derivatives");
        TimeDerivatives work(b.model, static_cast<int>(columns.cols()) - 2);
        return rows_of(
            inverse_dynamics_derivatives(b.model, q_of(b.model, q, what), columns, work));
      },
      "model"_a, "q"_a, "rates"_a,
      "tau, dtau/dt, .. (N + 1, nv) of a motion, from v and its first N + 1 time derivatives, the "
      "rows of rates (N + 2, nv); O(n N^2).");
  m.def(
      "forward_dynamics_derivatives",
      [](const BoundModel& b, ArrayLike q, ArrayLike v, ArrayLike tau, int order) {
        const std::string what = "forward_dynamics_derivatives()";
        TimeDerivatives work(b.model, order);
        return rows_of(forward_dynamics_derivatives(b.model, q_of(b.model, q, what),
                                                    vector_of(v, what + ": v", b.model.nv()),
                                                    rates_of(b.model, tau, what + ": tau"), work));
      },
      "model"_a, "q"_a, "v"_a, "tau"_a, "order"_a,
      "a, da/dt, .. (order + 1, nv) under the joint forces tau (m, nv), the first row, and their "
      "time derivatives, the others; higher ones are zero.");
}

void add_system_matrices(nb::module_& m) {
  nb::class_<SystemKinematics>(
      m, "SystemKinematics",
      "System matrices of a mechanism: stacked twists V = J v = A X v of its moving bodies.")
      .def_ro("bodies", &SystemKinematics::bodies,
              "The n moving bodies, as indices in model.bodies.")
      .def_prop_ro(
          "J", [](const SystemKinematics& s) { return dense(s.J); }, "(6 n, nv)")
      .def_prop_ro(
          "A", [](const SystemKinematics& s) { return dense(s.A); },
          "(6 n, 6 n), block lower triangular.")
      .def_prop_ro(
          "X", [](const SystemKinematics& s) { return dense(s.X); }, "(6 n, nv), block diagonal.")
      .def_prop_ro(
          "D", [](const SystemKinematics& s) { return dense(s.D); }, "(6 n, 6 n)")
      .def_prop_ro(
          "A_inverse", [](const SystemKinematics& s) { return dense(s.A_inverse); }, "(6 n, 6 n)");
  m.def(
      "system_kinematics",
      [](const BoundModel& b, ArrayLike q, RepresentationLike rep) {
        const std::string what = "system_kinematics()";
        PositionKinematics kin(b.model);
        forward_kinematics(b.model, q_of(b.model, q, what), kin);
        return system_kinematics(b.model, kin, representation_of(rep, what + ": representation"));
      },
      "model"_a, "q"_a, "representation"_a, "J = A X, A, X, D and A^-1 of all moving bodies.");
}

}  // namespace

void add_motions(nb::module_& m) {
  add_derivatives(m);
  add_system_matrices(m);
}

}  // namespace chasles::python
