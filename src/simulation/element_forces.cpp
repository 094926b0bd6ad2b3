#include "chasles/simulation/element_forces.hpp"

#include "chasles/lie/so3.hpp"
#include "math/decompositions.hpp"
#include "math/monotone_table.hpp"
#include "mechanism/named_parts.hpp"
#include "simulation/point_line.hpp"
#include "simulation/polynomial.hpp"
#include "simulation/series_parts.hpp"

namespace chasles {
namespace {

using forces::require_not_negative;
using Mat36 = std::array<double, 36>;

/// A x, for x = (upper; lower).
struct Six {
  Vec3 t, f;
};
Six six_times(const Mat36& A, const Six& x) {
  const auto row = [&](int r) {
    const double* a = A.data() + 6 * r;
    return a[0] * x.t.x + a[1] * x.t.y + a[2] * x.t.z + a[3] * x.f.x + a[4] * x.f.y + a[5] * x.f.z;
  };
  return {{row(0), row(1), row(2)}, {row(3), row(4), row(5)}};
}
double product(const Six& a, const Six& b) { return dot(a.t, b.t) + dot(a.f, b.f); }

/// dexp_inv(phi) and its transpose act on vectors; a column of a matrix at a time.
template <class F>
Mat3 by_columns(const F& f) {
  Mat3 out;
  for (int j = 0; j < 3; ++j) {
    Vec3 unit{};
    unit[j] = 1;
    const Vec3 column = f(unit);
    for (int i = 0; i < 3; ++i) out(i, j) = column[i];
  }
  return out;
}

/// The state of a bushing: R_a, xi, xi', and the relative velocities in axes of a.
struct BushingState {
  SO3 R;   // axes of a
  Vec3 p;  // origin of b
  Six xi, xi_dot;
  Vec3 w, u;  // angular velocity, and velocity of b's origin, relative to a, in its axes
};

/// With A = dexp_phi^-1, symbols of element_forces.hpp, world axes about p = the origin of b:
///
///     d phi = A R^T (theta_b - theta_a),    dx = R^T (delta_b - delta_a)                                (1)
///     dw = R^T (dw_b - dw_a - theta_a x (w_b - w_a)),    d phi' = A dw + (dA/dphi w) d phi              (2)
///     dx' = R^T (dv_b - dv_a + (w_b - w_a) x delta_b - theta_a x (v_b - v_a))                           (3)
///     d torque = theta_a x m + delta_b x f + R (A^T dQ_phi + (dA^T/dphi Q_phi) d phi)                   (4)
///     d force  = theta_a x f + R dQ_x,    dQ = -K d xi - D d xi'                                        (5)
struct BushingLaw {
  Frame a, b;
  Mat36 K, D;
  Six preload;

  Six position(const PositionKinematics& kin, SO3& R, Vec3& p) const {
    const SE3 C_a = pose(kin, a), C_b = pose(kin, b);
    R = C_a.R, p = C_b.r;
    return {log(inverse(C_a.R) * C_b.R), inverse(C_a.R) * (C_b.r - C_a.r)};
  }
  BushingState at(const VelocityKinematics& kin) const {
    BushingState s;
    s.xi = position(kin, s.R, s.p);
    const Twist V_a = twist(kin, a, Representation::hybrid),
                V_b = twist(kin, b, Representation::hybrid);
    const SO3 R_T = inverse(s.R);
    const Vec3 at_p = V_a.v + cross(V_a.w, s.p - pose(kin, a).r);
    s.w = R_T * (V_b.w - V_a.w), s.u = R_T * (V_b.v - at_p);
    s.xi_dot = {lie::dexp_inv(s.xi.t)(s.w), s.u};
    return s;
  }
  Six force(const BushingState& s) const {
    const Six k = six_times(K, s.xi), d = six_times(D, s.xi_dot);
    return {preload.t - k.t - d.t, preload.f - k.f - d.f};
  }
  /// Torque and force on b in world axes.
  Six wrench(const BushingState& s, const Six& Q) const {
    return {s.R * lie::dexp_inv(-s.xi.t)(Q.t), s.R * Q.f};
  }

  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    const BushingState s = at(kin);
    const Six W = wrench(s, force(s));
    const Vec3 lever = s.p - pose(kin, a).r;
    out.wrenches.push_back({b, {W.t, W.f}, Representation::hybrid});
    out.wrenches.push_back({a, {-W.t - cross(lever, W.f), -W.f}, Representation::hybrid});
  }
  double potential(const PositionKinematics& kin) const {
    SO3 R;
    Vec3 p;
    const Six xi = position(kin, R, p);
    return product(xi, six_times(K, xi)) / 2 - product(preload, xi);
  }
  double power(double, const VelocityKinematics& kin) const {
    const BushingState s = at(kin);
    return -product(s.xi_dot, six_times(D, s.xi_dot));
  }

  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    const BushingState s = at(kin);
    const Six Q = force(s), W = wrench(s, Q);
    const Vec3 phi = s.xi.t;
    const Mat3 R = s.R.matrix(), R_T = transpose(R);
    const Mat3 A = by_columns([&](const Vec3&e) { return lie::dexp_inv(phi)(e); }),
               A_T = by_columns([&](const Vec3&e) { return lie::dexp_inv(-phi)(e); }),
               A_w = by_columns([&](const Vec3&e) { return lie::d_dexp_inv(phi, e, s.w); }),
               A_Q = by_columns([&](const Vec3&e) { return lie::d_dexp_inv(-phi, -e, Q.t); });
    auto& e = forces::add_element(out, a.link, b.link, s.p, W.t, W.f);
    // Columns by the components of theta and delta, dw and dv of each link.
    const auto add = [&](Mat36& to, int column, const Vec3& dphi, const Vec3& dx,
                         const Vec3& dphi_dot, const Vec3& dx_dot, Vec3 dt, Vec3 df) {
      const Six k = six_times(K, {dphi, dx}), d = six_times(D, {dphi_dot, dx_dot});
      dt += R * (A_T * (-k.t - d.t) + A_Q * dphi);  // (4)
      df += R * (-k.f - d.f);                       // (5)
      for (int i = 0; i < 3; ++i) {
        to[static_cast<std::size_t>(6 * i + column)] += dt[i];
        to[static_cast<std::size_t>(6 * (i + 3) + column)] += df[i];
      }
    };
    const Vec3 w = R * s.w, u = R * s.u, none{};
    for (int j = 0; j < 3; ++j) {
      Vec3 unit{};
      unit[j] = 1;
      const Vec3 own = R_T * unit, turned = A * own;
      if (b.link >= 0) {
        add(e.K_b, j, turned, none, A_w * turned, none, none, none);
        add(e.K_b, 3 + j, none, own, none, R_T * cross(w, unit), cross(unit, W.f), none);
        add(e.D_b, j, none, none, turned, none, none, none);
        add(e.D_b, 3 + j, none, none, none, own, none, none);
      }
      if (a.link < 0) continue;
      add(e.K_a, j, -turned, none, A * (R_T * cross(w, unit)) - A_w * turned, R_T * cross(u, unit),
          cross(unit, W.t), cross(unit, W.f));
      add(e.K_a, 3 + j, none, -own, none, none, none, none);
      add(e.D_a, j, none, none, -turned, none, none, none);
      add(e.D_a, 3 + j, none, none, none, -own, none, none);
    }
  }
};

/// @throws Error unless symmetric without negative eigenvalues
void require_semidefinite(const std::string& what, const char* name, const Mat36& A) {
  const Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>> M(A.data());
  if (!M.allFinite()) throw Error(what + ": " + name + " has an entry that is not finite");
  const double size = M.cwiseAbs().maxCoeff();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j)
      if (std::abs(M(i, j) - M(j, i)) > 1e-9 * size)
        throw Error(what + ": " + name + " is not symmetric: entries (" + std::to_string(j + 1) +
                    ", " + std::to_string(i + 1) + ") are " + to_text(M(j, i)) + " and " +
                    to_text(M(i, j)));
  const Eigen::MatrixXd symmetric = 0.5 * (M + M.transpose());
  if (const double least = symmetric_eigenvalues(symmetric)[0]; !(least >= -1e-9 * size))
    throw Error(what + ": " + name + " has the eigenvalue " + to_short_text(least) +
                ", so it would drive the motion; give a matrix without negative ones");
}

struct TableSpring {
  int q, v;
  MonotoneTable table;
  double damping;

  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    out.tau[v] += table.value(kin.q()[q]) - damping * kin.v()[v];
  }
  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    forces::add_entry(out, v, -table.slope(kin.q()[q]), damping);
  }
  double potential(const PositionKinematics& kin) const { return -table.integral(kin.q()[q]); }
  double power(double, const VelocityKinematics& kin) const {
    return -damping * kin.v()[v] * kin.v()[v];
  }
};

/// The terms of higher order of JointDynamics.
struct ProgressiveJoint {
  int q, v;
  double rest;
  forces::SpringPolynomial stiffness;
  forces::DamperPolynomial damping;

  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    out.tau[v] -= stiffness(kin.q()[q] - rest) + damping(kin.v()[v]);
  }
  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    forces::add_entry(out, v, stiffness.slope(kin.q()[q] - rest), damping.slope(kin.v()[v]));
  }
  double potential(const PositionKinematics& kin) const {
    return stiffness.integral(kin.q()[q] - rest);
  }
  double power(double, const VelocityKinematics& kin) const {
    return -damping(kin.v()[v]) * kin.v()[v];
  }
};

/// dF = H du, H = -(c + k |u|) - k u u^T / |u|, du = dv + w x delta at the point p; the torque of F changes by
/// delta x F.
struct PointDrag {
  Frame frame;
  Drag drag;

  Vec3 force(const Vec3& u) const { return -(drag.viscous + drag.quadratic * norm(u)) * u; }
  Vec3 relative(const VelocityKinematics& kin) const {
    return twist(kin, frame, Representation::hybrid).v - drag.wind;
  }
  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    out.wrenches.push_back({frame, {{}, force(relative(kin))}, Representation::hybrid});
  }
  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    const Vec3 u = relative(kin), F = force(u), p = pose(kin, frame).r;
    const double speed = norm(u);
    Mat3 H = -(drag.viscous + drag.quadratic * speed) * Mat3::identity();
    if (speed > 0) H = H - (drag.quadratic / speed) * outer(u, u);
    auto& e = forces::add_element(out, -1, frame.link, p, {}, F);
    const Vec3 w = twist(kin, frame, Representation::hybrid).w;
    forces::add_point(e.K_b, hat(-F), H * hat(w), {});
    forces::add_point(e.D_b, Mat3{}, H, {});
  }
  void add(forces::MotionSeries& motion, VectorRef) const {
    forces::VectorSeries u = motion.position(frame).rate();
    for (std::size_t i = 0; i < 3; ++i) u.x[i] = u.x[i].plus(-drag.wind[static_cast<int>(i)]);
    PowerSeries factor(-drag.viscous, motion.order() + 1);
    if (drag.quadratic > 0) factor = factor - drag.quadratic * sqrt(dot(u, u));
    motion.push(frame, factor * u);
  }
};

}  // namespace

Force bushing(const Model& model, const Bushing& given) {
  const std::string what = "bushing between '" + given.a.body + "' and '" + given.b.body + "'";
  require_semidefinite(what, "stiffness", given.stiffness);
  require_semidefinite(what, "damping", given.damping);
  for (const double x : given.preload)
    if (!std::isfinite(x)) throw Error(what + ": preload has an entry that is not finite");
  const Frame a = forces::frame_of(model, given.a, what).at({given.axes_a, {}}),
              b = forces::frame_of(model, given.b, what).at({given.axes_b, {}});
  if (a.link == b.link)
    throw Error(what + ": both frames move together, so the bushing does nothing");
  const auto& p = given.preload;
  Force force{
      what, model,
      BushingLaw{a, b, given.stiffness, given.damping, {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}}}};
  force.internal = a.link >= 0 && b.link >= 0;
  force.actuator = false;
  if (std::ranges::all_of(given.damping, [](double x) { return x == 0; })) force.law.power = {};
  return force;
}

Force joint_spring_table(const Model& model, std::string_view name, std::vector<double> positions,
                         std::vector<double> values, double damping,
                         TableInterpolation interpolation) {
  const ModelJoint& joint = model.joint(name);
  const std::string what = "spring table of joint '" + joint.name + "'";
  require_known(interpolation, TableInterpolation::cubic, "interpolation");
  require_not_negative(what, {{"damping", damping}});
  if (joint.nv != 1 || !joint.is_vector())
    throw Error(what + ": the joint has not one coordinate; use expression_force");
  try {
    MonotoneTable table(std::move(positions), std::move(values),
                        interpolation == TableInterpolation::cubic);
    Force force{what, model, TableSpring{joint.q_index, joint.v_index, std::move(table), damping}};
    force.internal = !model.on_ground(joint);
    force.actuator = false;
    if (damping == 0) force.law.power = {};
    return force;
  } catch (const Error& error) {
    throw Error(what + ": " + error.what());
  }
}

Force joint_progressive(const Model& model, std::string_view name) {
  const ModelJoint& joint = model.joint(name);
  const std::string what = "progressive spring of joint '" + joint.name + "'";
  if (joint.nv != 1 || !joint.is_vector())
    throw Error(what + ": the joint has not one coordinate; use expression_force");
  const JointDynamics& d = joint.dynamics;
  check_polynomials(d.damping, d.stiffening, d.drag, what);
  Force force{what, model,
              ProgressiveJoint{joint.q_index,
                               joint.v_index,
                               d.rest.empty() ? 0 : d.rest[0],
                               {0, d.stiffening},
                               {0, d.drag}}};
  force.internal = !model.on_ground(joint);
  force.actuator = false;
  if (d.drag == std::array<double, 2>{}) force.law.power = {};
  return force;
}

Force point_drag(const Model& model, const BodyPoint& at, const Drag& drag) {
  const std::string what = "drag on '" + at.body + "'";
  require_not_negative(what, {{"viscous", drag.viscous}, {"quadratic", drag.quadratic}});
  if (!is_finite(drag.wind)) throw Error(what + ": the wind is not finite");
  const Frame frame = forces::frame_of(model, at, what);
  if (frame.link < 0) throw Error(what + ": the body does not move, so it has no drag");
  Force force{what, model, PointDrag{frame, drag}};
  force.actuator = false;
  force.law.expand = forces::series_of(PointDrag{frame, drag}, true);
  return force;
}

}  // namespace chasles
