/// Relative kinematics of two frames, derivatives of Jacobians, inverse kinematics of velocities and accelerations.
#include "chasles/dynamics/energy.hpp"
#include "chasles/kinematics/higher_order.hpp"
#include "chasles/kinematics/system_jacobian.hpp"
#include "parts.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

PositionKinematics at(const Model& model, const ArrayLike& q, const std::string& what) {
  PositionKinematics kin(model);
  forward_kinematics(model, vector_of(q, what + ": q", model.nq()), kin);
  return kin;
}
VelocityKinematics at(const Model& model, const ArrayLike& q, const ArrayLike& v,
                      const std::string& what) {
  VelocityKinematics kin(model);
  forward_kinematics(model, vector_of(q, what + ": q", model.nq()),
                     vector_of(v, what + ": v", model.nv()), kin);
  return kin;
}
Frame known_frame(const Model& model, const FrameLike& frame, const std::string& what) {
  const Frame known = frame_of(model, frame, what);
  require_frame(known, model);
  return known;
}
/// A twist of every moving body.
std::vector<Twist> twists_of(const Model& model, const ArrayLike& twists, const std::string& what) {
  const Matrix rows = matrix_of(twists, what, static_cast<int>(moving_bodies(model).size()), 6);
  std::vector<Twist> list;
  for (Eigen::Index k = 0; k < rows.rows(); ++k)
    list.push_back({{rows(k, 0), rows(k, 1), rows(k, 2)}, {rows(k, 3), rows(k, 4), rows(k, 5)}});
  return list;
}
Array dense(const Sparse& x) { return to_array(Eigen::MatrixXd(x)); }

void add_relative(nb::module_& m) {
  m.def(
      "relative_pose",
      [](const BoundModel& b, ArrayLike q, FrameLike from, FrameLike to) {
        const std::string what = "relative_pose()";
        const PositionKinematics kin = at(b.model, q, what);
        return to_array(relative_pose(kin, known_frame(b.model, from, what + ": from_"),
                                      known_frame(b.model, to, what + ": to")));
      },
      "model"_a, "q"_a, "from_"_a, "to"_a,
      "Pose C_from^-1 C_to (4, 4) of a frame relative to another one, in axes of the latter.");
  m.def(
      "relative_twist",
      [](const BoundModel& b, ArrayLike q, ArrayLike v, FrameLike from, FrameLike to) {
        const std::string what = "relative_twist()";
        const VelocityKinematics kin = at(b.model, q, v, what);
        return to_array(relative_twist(kin, known_frame(b.model, from, what + ": from_"),
                                       known_frame(b.model, to, what + ": to")));
      },
      "model"_a, "q"_a, "v"_a, "from_"_a, "to"_a,
      "Twist (6,) of the frame `to` relative to `from_` [rad/s, m/s], in axes of `from_` and at "
      "its "
      "origin (spatial form there): relative_jacobian @ v.");
  m.def(
      "relative_jacobian",
      [](const BoundModel& b, ArrayLike q, FrameLike from, FrameLike to) {
        const std::string what = "relative_jacobian()";
        const PositionKinematics kin = at(b.model, q, what);
        Matrix6X J(6, b.model.nv());
        relative_jacobian(b.model, kin, known_frame(b.model, from, what + ": from_"),
                          known_frame(b.model, to, what + ": to"), J);
        return matrix_array(J);
      },
      "model"_a, "q"_a, "from_"_a, "to"_a,
      "Jacobian (6, nv) of the twist of the frame `to` relative to `from_`, in axes of `from_` and "
      "at its origin.");
  m.def(
      "jacobian_derivative",
      [](const BoundModel& b, ArrayLike q, FrameLike frame, RepresentationLike rep,
         const std::vector<int>& indices) {
        const std::string what = "jacobian_derivative()";
        const PositionKinematics kin = at(b.model, q, what);
        Matrix6X out(6, b.model.nv());
        jacobian_derivative(b.model, kin, known_frame(b.model, frame, what + ": frame"),
                            representation_of(rep, what + ": representation"), indices, out);
        return matrix_array(out);
      },
      "model"_a, "q"_a, "frame"_a, "representation"_a, "indices"_a,
      "Partial derivative (6, nv) of the Jacobian of a frame by the entries `indices` of v, one "
      "after the other: [0, 2] is d2J / dq0 dq2.");
  m.def(
      "momentum_about",
      [](const BoundModel& b, ArrayLike q, ArrayLike v, ArrayLike point) {
        const std::string what = "momentum_about()";
        return to_array(
            momentum_about(b.model, at(b.model, q, v, what), vec3_of(point, what + ": point")));
      },
      "model"_a, "q"_a, "v"_a, "point"_a,
      "Momentum (L; P) (6,) of all bodies about a point (3,) of the world, in world axes [kg "
      "m^2/s, kg m/s].");
}

void add_inverse(nb::module_& m) {
  m.def(
      "moving_bodies", [](const BoundModel& b) { return moving_bodies(b.model); }, "model"_a,
      "The bodies that are not fixed to ground, as indices in model.bodies: the order of system "
      "matrices and of inverse_velocities.");
  m.def(
      "inverse_velocities",
      [](const BoundModel& b, ArrayLike q, ArrayLike V, RepresentationLike rep) {
        const std::string what = "inverse_velocities()";
        return to_array(inverse_velocities(b.model, at(b.model, q, what),
                                           twists_of(b.model, V, what + ": V"),
                                           representation_of(rep, what + ": representation")));
      },
      "model"_a, "q"_a, "V"_a, "representation"_a,
      "Joint velocities (nv,) of given twists V (n, 6) of all moving bodies, joint by joint: exact "
      "if they are consistent; otherwise fit_velocities minimizes over the mechanism.");
  m.def(
      "inverse_accelerations",
      [](const BoundModel& b, ArrayLike q, ArrayLike v, ArrayLike V_dot, RepresentationLike rep) {
        const std::string what = "inverse_accelerations()";
        return to_array(inverse_accelerations(b.model, at(b.model, q, v, what),
                                              twists_of(b.model, V_dot, what + ": V_dot"),
                                              representation_of(rep, what + ": representation")));
      },
      "model"_a, "q"_a, "v"_a, "V_dot"_a, "representation"_a,
      "Joint accelerations (nv,) of given time derivatives (n, 6) of the twists of all moving "
      "bodies.");
  nb::class_<SpatialFactors>(m, "SpatialFactors",
                             "Factors of the Jacobian of all moving bodies in spatial form, J = A "
                             "X.")
      .def_prop_ro(
          "A", [](const SpatialFactors& s) { return dense(s.A); }, "(6 n, 6 n)")
      .def_prop_ro(
          "X", [](const SpatialFactors& s) { return dense(s.X); }, "(6 n, nv), block diagonal.")
      .def_prop_ro(
          "A_inverse", [](const SpatialFactors& s) { return dense(s.A_inverse); }, "(6 n, 6 n)");
  m.def(
      "spatial_factors",
      [](const BoundModel& b, ArrayLike q, const std::string& form) {
        const std::string what = "spatial_factors()";
        const SpatialForm known = form == "reference" ? SpatialForm::reference
                                  : form == "body"    ? SpatialForm::body
                                                      : SpatialForm::hybrid;
        if (known == SpatialForm::hybrid && form != "hybrid")
          throw UnknownName(what + ": there is no form '" + form +
                            "'; it is reference, body or hybrid");
        return spatial_factors(b.model, at(b.model, q, what), known);
      },
      "model"_a, "q"_a, "form"_a,
      "J = A X in spatial form with the screws X at q = 0 ('reference'), in the bodies ('body'), "
      "or in world axes at the bodies ('hybrid').");
  m.def(
      "subtree_sums", [](const BoundModel& b) { return dense(subtree_sums(b.model)); }, "model"_a,
      "The block matrix (6 n, 6 n) with the identity where body j is i or an ancestor of i.");
}

}  // namespace

void add_more_kinematics(nb::module_& m) {
  add_relative(m);
  add_inverse(m);
}

}  // namespace chasles::python
