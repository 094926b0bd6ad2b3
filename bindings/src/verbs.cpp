/// The table of verbs: one row per function. In the documentation: q (nq,), v, a, tau (nv,); a row per state for
/// batches, which add the number of states in front of every shape.
#include "chasles/dynamics/centroidal.hpp"
#include "chasles/dynamics/coriolis.hpp"
#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/factorization.hpp"
#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/joint_reactions.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/dynamics/momentum.hpp"
#include "chasles/dynamics/operational_space.hpp"
#include "chasles/dynamics/regressor.hpp"
#include "chasles/screws/eigen.hpp"
#include "verb_row.hpp"

namespace chasles::python {

namespace {

/// A workspace with a vector of nq and one of nv entries.
struct Room {
  Vector q, v;
  explicit Room(const Model& model) : q(model.nq()), v(model.nv()) {}
};
template <class Kinematics>
struct AtFrame {
  Kinematics kin;
  Matrix6X J;
  explicit AtFrame(const Model& model) : kin(model), J(6, model.nv()) {}
};
struct Momentum {
  PositionKinematics kin;
  MomentumDynamics work;
  Vector p;
  explicit Momentum(const Model& model) : kin(model), work(model), p(model.nv()) {}
};
struct Factors {
  PositionKinematics kin;
  MassFactorization M;
  Vector x;
  Matrix Lambda{6, 6};
  explicit Factors(const Model& model) : kin(model), M(model), x(model.nv()) {}
};
struct ComJacobian {
  PositionKinematics kin;
  CenterOfMassJacobian J;
  explicit ComJacobian(const Model& model) : kin(model), J(model) {}
};
struct Reactions {
  AccelerationKinematics kin;
  JointReactions W;
  explicit Reactions(const Model& model) : kin(model), W(model) {}
};

void give(const Call& c, const Twist& x) { c.give(lie::to_eigen(x)); }
void give(const Call& c, const Wrench& x) { c.give(lie::to_eigen(x)); }

/// Batches write matrices by columns; results are by rows.
template <class Real>
void to_rows(std::span<const Real> columns, std::span<Real> rows, int states, int height,
             int width) {
  using Columns = Eigen::Matrix<Real, -1, -1>;
  using Rows = Eigen::Matrix<Real, -1, -1, Eigen::RowMajor>;
  const Eigen::Index size = Eigen::Index{height} * width;
  for (Eigen::Index s = 0; s < states; ++s)
    Eigen::Map<Rows>(rows.data() + s * size, height, width) =
        Eigen::Map<const Columns>(columns.data() + s * size, height, width);
}
template <class Real>
void to_matrices(std::span<const Real> poses, std::span<Real> out) {
  const std::size_t states = poses.size() / 12;
  for (std::size_t s = 0; s < states; ++s)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j)
        out[16 * s + 4 * i + j] = i < 3 ? poses[12 * s + 3 * j + i] : Real(j == 3);
}
template <class C>
auto stage(const C& c, std::size_t per_state) {
  using Real = typename std::remove_cvref_t<decltype(c.out)>::value_type;
  return std::vector<Real>(per_state * static_cast<std::size_t>(c.states));
}

const Verb table[] = {
    row("inverse_dynamics", {"q", "v", "a"}, "qvv", "v", applied,
        one<InverseDynamics>([](const Call& c, InverseDynamics& w) {
          c.give(inverse_dynamics(c.model, c.q(), c.v(1), c.v(2), w, c.applied));
        }),
        many([](auto& b, const auto& c) {
          b.inverse_dynamics(c.states, c.in[0], c.in[1], c.in[2], c.out);
        }),
        R"(Joint forces of a motion (recursive Newton-Euler algorithm).

    tau = M(q) a + h(q, v) - sum_k J_k^T W_k

q (nq,), v [rad/s, m/s], a [rad/s^2, m/s^2] (nv,). Returns tau (nv,): torques [N m] of revolute, forces [N] of
prismatic joints. applied: wrenches (torque; force) on bodies, {frame: wrench} at the origin of the frame in world axes,
or {frame: (wrench, representation)}. Batches: (states, nq) and (states, nv).

>>> arm = chasles.load('examples/puma560.yaml')
>>> float(chasles.inverse_dynamics(arm, arm.neutral(), [0.] * 6, [0.] * 6).round(2)[1])
37.48
)"),
    row("forward_dynamics", {"q", "v", "tau"}, "qvv", "v", applied,
        one<ForwardDynamics>([](const Call& c, ForwardDynamics& w) {
          c.give(forward_dynamics(c.model, c.q(), c.v(1), c.v(2), w, c.applied));
        }),
        many([](auto& b, const auto& c) {
          b.forward_dynamics(c.states, c.in[0], c.in[1], c.in[2], c.out);
        }),
        R"(Joint accelerations under joint forces (articulated-body algorithm).

    a = M(q)^-1 (tau - h(q, v) + sum_k J_k^T W_k)

q (nq,), v [rad/s, m/s], tau [N m, N] (nv,). Returns a (nv,) [rad/s^2, m/s^2]. Loops and couplings are not closed: see
System. applied as for inverse_dynamics. Raises SingularError if a joint moves no inertia.)"),
    row("bias", {"q", "v"}, "qv", "v", 0,
        one<InverseDynamics>(
            [](const Call& c, InverseDynamics& w) { c.give(bias(c.model, c.q(), c.v(1), w)); }),
        many([](auto& b, const auto& c) {
          b.inverse_dynamics(c.states, c.in[0], c.in[1], {}, c.out);
        }),
        R"(Bias forces: Coriolis, centrifugal and gravity forces.

    h(q, v) = C(q, v) v + g(q)

Returns h (nv,) [N m, N], the joint forces of a motion without acceleration.)"),
    row("gravity_forces", {"q"}, "q", "v", 0,
        one<InverseDynamics>(
            [](const Call& c, InverseDynamics& w) { c.give(gravity_forces(c.model, c.q(), w)); }),
        one_by_one(),
        R"(Joint forces that hold the mechanism still against gravity: g(q) (nv,) [N m, N].)"),
    row("mass_matrix", {"q"}, "q", "vv", 0, one<MassMatrix>([](const Call& c, MassMatrix& w) {
          c.give(mass_matrix(c.model, c.q(), w));
        }),
        many([](auto& b, const auto& c) { b.mass_matrix(c.states, c.in[0], c.out); }),
        R"(Mass matrix (composite-rigid-body algorithm): kinetic energy v^T M(q) v / 2.

Returns M (nv, nv), symmetric [kg m^2, kg m, kg].)"),
    row("mass_matrix_inverse", {"q"}, "q", "vv", 0,
        one<MassMatrixInverse>([](const Call& c, MassMatrixInverse& w) {
          c.give(mass_matrix_inverse(c.model, c.q(), w));
        }),
        many([](auto& b, const auto& c) { b.mass_matrix_inverse(c.states, c.in[0], c.out); }),
        R"(Inverse of the mass matrix, O(n^2), without forming M. Returns M^-1 (nv, nv).)"),
    row("mass_times", {"q", "x"}, "qv", "v", 0, one<Momentum>([](const Call& c, Momentum& w) {
          forward_kinematics(c.model, c.q(), w.kin);
          mass_times(c.model, w.kin, c.v(1), w.p, w.work);
          c.give(w.p);
        }),
        one_by_one(),
        R"(Product M(q) x (nv,) in O(n), without forming M. For x = v these are the generalized momenta.)"),
    row("mass_solve", {"q", "x"}, "qv", "v", 0, one<Factors>([](const Call& c, Factors& w) {
          forward_kinematics(c.model, c.q(), w.kin);
          w.M.factorize(c.model, w.kin);
          w.M.solve(c.v(1), w.x);
          c.give(w.x);
        }),
        one_by_one(),
        R"(Solution of M(q) y = x: y (nv,), in O(n) from the articulated-body factorization.)"),
    row("coriolis_matrix", {"q", "v"}, "qv", "vv", 0,
        one<CoriolisMatrix>([](const Call& c, CoriolisMatrix& w) {
          c.give(coriolis_matrix(c.model, c.q(), c.v(1), w));
        }),
        many([](auto& b, const auto& c) { b.coriolis_matrix(c.states, c.in[0], c.in[1], c.out); }),
        R"(Coriolis matrix from the Christoffel symbols: dM/dt - 2 C is skew, and C v + g = h.

Returns C (nv, nv).)"),
    row("torque_regressor", {"q", "v", "a"}, "qvv", "vp", 0,
        one<TorqueRegressor>([](const Call& c, TorqueRegressor& w) {
          c.give(torque_regressor(c.model, c.q(), c.v(1), c.v(2), w));
        }),
        one_by_one(),
        R"(Joint forces as a linear function of the inertial parameters: tau = Y pi, plus armatures times a.

Returns Y (nv, 10 bodies); pi = model.inertial_parameters(): (m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) per
body, in the frame of the body, I about its origin.)"),
    row("kinetic_energy", {"q", "v"}, "qv", "", 0,
        one<VelocityKinematics>([](const Call& c, VelocityKinematics& w) {
          forward_kinematics(c.model, c.q(), c.v(1), w);
          *c.out = kinetic_energy(c.model, w);
        }),
        one_by_one(),
        R"(Kinetic energy v^T M(q) v / 2 [J], without armatures: a float; (states,) for a batch.)"),
    row("potential_energy", {"q"}, "q", "", 0,
        one<PositionKinematics>([](const Call& c, PositionKinematics& w) {
          forward_kinematics(c.model, c.q(), w);
          *c.out = potential_energy(c.model, w);
        }),
        one_by_one(),
        R"(Potential energy of gravity [J], zero at the height of the world origin: a float; (states,) for a batch.)"),
    row("spatial_momentum", {"q", "v"}, "qv", "6", 0,
        one<VelocityKinematics>([](const Call& c, VelocityKinematics& w) {
          forward_kinematics(c.model, c.q(), c.v(1), w);
          give(c, spatial_momentum(c.model, w));
        }),
        many([](auto& b, const auto& c) { b.momenta(c.states, c.in[0], c.in[1], c.out); }),
        R"(Momentum (L; P) about the world origin, in world axes: (6,) [kg m^2/s, kg m/s].)"),
    row("centroidal_momentum", {"q", "v"}, "qv", "6", 0,
        one<VelocityKinematics>([](const Call& c, VelocityKinematics& w) {
          forward_kinematics(c.model, c.q(), c.v(1), w);
          give(c, centroidal_momentum(c.model, w));
        }),
        one_by_one(),
        R"(Momentum (L; P) about the center of mass, in world axes: (6,) [kg m^2/s, kg m/s].)"),
    row("centroidal_matrices", {"q", "v"}, "qv", "26v", 0,
        one<CentroidalMomentum>([](const Call& c, CentroidalMomentum& w) {
          centroidal_momentum_matrix(c.model, c.q(), c.v(1), w);
          c.give(w.A), c.give(w.A_rate, 6 * Eigen::Index{c.nv});
        }),
        many([](auto& b, const auto& c) {
          auto columns = stage(c, static_cast<std::size_t>(12 * c.nv));
          b.centroidal_matrices(c.states, c.in[0], c.in[1], columns);
          using Real = typename decltype(columns)::value_type;
          to_rows<Real>(columns, c.out, 2 * c.states, 6, c.nv);
        }),
        R"(Centroidal momentum matrix and its time derivative: h_G = A v, dh_G/dt = A dv/dt + A_rate v.

Returns (2, 6, nv): A and A_rate; momenta (L; P) about the center of mass, in world axes.)"),
    row("center_of_mass", {"q"}, "q", "3", 0,
        one<PositionKinematics>([](const Call& c, PositionKinematics& w) {
          forward_kinematics(c.model, c.q(), w);
          c.give(lie::to_eigen(center_of_mass(c.model, w)));
        }),
        one_by_one(), R"(Center of mass of the moving bodies in the world: (3,) [m].)"),
    row("center_of_mass_jacobian", {"q"}, "q", "3v", 0,
        one<ComJacobian>([](const Call& c, ComJacobian& w) {
          forward_kinematics(c.model, c.q(), w.kin);
          center_of_mass_jacobian(c.model, w.kin, w.J);
          c.give(w.J.J);
        }),
        one_by_one(),
        R"(Jacobian of the center of mass: its velocity in world axes is J v. Returns (3, nv).)"),
    row("plus", {"q", "dv"}, "qv", "q", 0, one<Room>([](const Call& c, Room& w) {
          plus(c.model, c.q(), c.v(1), w.q);
          c.give(w.q);
        }),
        one_by_one(),
        R"(Configuration reached from q by an increment: q + dv for vector coordinates, q exp(dv) for spherical and floating
joints. Returns (nq,).)"),
    row("minus", {"q1", "q0"}, "qq", "v", 0, one<Room>([](const Call& c, Room& w) {
          minus(c.model, c.q(0), c.q(1), w.v);
          c.give(w.v);
        }),
        one_by_one(),
        R"(Increment from q0 to q1: plus(model, q0, minus(model, q1, q0)) is q1. Returns (nv,).)"),
    row("pose", {"q"}, "q", "44", frame, one<FrameJacobian>([](const Call& c, FrameJacobian& w) {
          jacobian(c.model, c.q(), c.frame, Representation::hybrid, w);
          c.give(lie::to_eigen(w.C));
        }),
        many([](auto& b, const auto& c) {
          auto poses = stage(c, 12);
          b.poses(c.states, c.in[0], {&c.frame, 1}, poses);
          using Real = typename decltype(poses)::value_type;
          to_matrices<Real>(poses, c.out);
        }),
        R"(Pose of a body or frame in the world as a homogeneous matrix (4, 4): [[R, r], [0, 1]], p_world = R p_frame + r.)"),
    row("twist", {"q", "v"}, "qv", "6", frame | rep,
        one<VelocityKinematics>([](const Call& c, VelocityKinematics& w) {
          forward_kinematics(c.model, c.q(), c.v(1), w);
          give(c, twist(w, c.frame, c.representation));
        }),
        many([](auto& b, const auto& c) {
          b.twists(c.states, c.in[0], c.in[1], {&c.frame, 1}, c.representation, c.out);
        }),
        R"(Twist (w; v) of a body or frame in a representation: (6,) [rad/s, m/s], angular first.

'body': at its origin in its axes; 'spatial': at the world origin in world axes; 'hybrid': at its origin in world axes;
'mixed': w in its axes, v in world axes.)"),
    row("acceleration", {"q", "v", "a"}, "qvv", "6", frame | rep,
        one<AccelerationKinematics>([](const Call& c, AccelerationKinematics& w) {
          forward_kinematics(c.model, c.q(), c.v(1), c.v(2), w);
          give(c, acceleration(w, c.frame, c.representation));
        }),
        many([](auto& b, const auto& c) {
          b.accelerations(c.states, c.in[0], c.in[1], c.in[2], {&c.frame, 1}, c.representation,
                          c.out);
        }),
        R"(Time derivative of the twist of a body or frame in a representation: (6,) [rad/s^2, m/s^2].

Its linear part is the acceleration of the origin in 'hybrid' and 'mixed' form only.)"),
    row("jacobian", {"q"}, "q", "6v", frame | rep,
        one<FrameJacobian>([](const Call& c, FrameJacobian& w) {
          c.give(jacobian(c.model, c.q(), c.frame, c.representation, w));
        }),
        many([](auto& b, const auto& c) {
          auto columns = stage(c, static_cast<std::size_t>(6 * c.nv));
          b.jacobians(c.states, c.in[0], c.frame, c.representation, columns);
          using Real = typename decltype(columns)::value_type;
          to_rows<Real>(columns, c.out, c.states, 6, c.nv);
        }),
        R"(Jacobian of a body or frame: its twist is J v, (6, nv), angular rows first.

The representation is that of the twist: 'body', 'spatial', 'hybrid' or 'mixed'.)"),
    row("jacobian_rate", {"q", "v"}, "qv", "6v", frame | rep,
        one<AtFrame<VelocityKinematics>>([](const Call& c, AtFrame<VelocityKinematics>& w) {
          forward_kinematics(c.model, c.q(), c.v(1), w.kin);
          jacobian_rate(c.model, w.kin, c.frame, c.representation, w.J);
          c.give(w.J);
        }),
        one_by_one(),
        R"(Time derivative of the Jacobian along v: the acceleration of the frame is J dv/dt + J_rate v. Returns (6, nv).)"),
    row("operational_space_inertia", {"q"}, "q", "66", frame | rep,
        one<Factors>([](const Call& c, Factors& w) {
          forward_kinematics(c.model, c.q(), w.kin);
          w.M.factorize(c.model, w.kin);
          operational_space_inertia(w.M, c.frame, c.representation, w.Lambda);
          c.give(w.Lambda);
        }),
        one_by_one(),
        R"(Operational-space inertia Lambda = (J M^-1 J^T)^-1 of a frame: (6, 6).

Raises SingularError if the joints do not move the frame in all six directions.)"),
    row("inverse_operational_space_inertia", {"q"}, "q", "66", frame | rep,
        one<Factors>([](const Call& c, Factors& w) {
          forward_kinematics(c.model, c.q(), w.kin);
          w.M.factorize(c.model, w.kin);
          inverse_operational_space_inertia(w.M, c.frame, c.representation, w.Lambda);
          c.give(w.Lambda);
        }),
        one_by_one(), R"(J M^-1 J^T of a frame: its acceleration per unit wrench on it, (6, 6).)"),
    row("joint_reactions", {"q", "v", "a"}, "qvv", "j6", rep | applied,
        one<Reactions>([](const Call& c, Reactions& w) {
          forward_kinematics(c.model, c.q(), c.v(1), c.v(2), w.kin);
          const auto& W = joint_reactions(c.model, w.kin, c.representation, w.W, c.applied);
          for (std::size_t k = 0; k < W.size(); ++k)
            c.give(lie::to_eigen(W[k]), static_cast<Eigen::Index>(6 * k));
        }),
        one_by_one(),
        R"(Wrenches (t; f) that the joints transmit from parent to child: (joints, 6) [N m, N], in the order of model.joints.

At the frames of the child bodies, in the representation. Of the tree, without loops.)"),
};

std::vector<Verb> all() {
  std::vector<Verb> list(std::begin(table), std::end(table));
  const std::span<const Verb> more = derivative_verbs();
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

}  // namespace

std::span<const Verb> verbs() {
  static const std::vector<Verb> list = all();
  return list;
}

}  // namespace chasles::python
