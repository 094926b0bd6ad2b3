/// Wrenches on bodies, and springs between them.
#include "simulation/point_line.hpp"
#include "simulation/series_parts.hpp"

namespace chasles {
namespace {

using forces::frame_of, forces::Line, forces::length_of, forces::line;

/// A wrench (t; f) that is constant in its representation. About the origin p of its frame, in world axes, a
/// displacement (theta; delta) changes it by
///
///     body    (theta x t + delta x f; theta x f)        hybrid  (delta x f; 0)
///     mixed   (theta x t + delta x f; 0)                spatial, about the origin of the world: 0
struct ConstantWrench {
  Frame frame;
  std::array<Signal, 6> signals;
  Representation representation;

  AppliedWrench at(double t) const {
    return {frame,
            {{signals[0](t), signals[1](t), signals[2](t)},
             {signals[3](t), signals[4](t), signals[5](t)}},
            representation};
  }
  void operator()(double t, const VelocityKinematics&, JointForces& out) const {
    out.wrenches.push_back(at(t));
  }
  void expand(ForceExpansion& out) const { out.wrenches.push_back(at(0)); }
  void tangent(double time, const VelocityKinematics& kin, ForceTangent& out) const {
    using enum Representation;
    if (frame.link < 0) return;
    const SE3 C = pose(kin, frame);
    auto [t, f] = at(time).W;
    if (representation == body || representation == mixed) t = C.R * t;
    if (representation == body) f = C.R * f;
    const bool fixed = representation == spatial;
    auto& e = forces::add_element(out, -1, frame.link, fixed ? Vec3{} : C.r, t, f);
    if (fixed) return;
    forces::add_block(e.K_b, 0, 3, hat(-f));
    if (representation != hybrid) forces::add_block(e.K_b, 0, 0, hat(-t));
    if (representation == body) forces::add_block(e.K_b, 3, 0, hat(-f));
  }
};

/// A wrench whose components have expansions.
struct WrenchSeries {
  Frame frame;
  std::array<Signal, 6> signals;
  Representation representation;

  void add(forces::MotionSeries& motion, VectorRef) const {
    using enum Representation;
    std::array<PowerSeries, 6> c;
    for (std::size_t i = 0; i < 6; ++i) c[i] = forces::signal_series(signals[i], motion);
    const std::size_t k = motion.order();
    const Wrench W{{c[0][k], c[1][k], c[2][k]}, {c[3][k], c[4][k], c[5][k]}};
    if (representation == body) return motion.load(frame, W);
    forces::VectorSeries t{{c[0], c[1], c[2]}}, f{{c[3], c[4], c[5]}};
    if (representation == spatial) {  // about the origin of the frame: t - p x f
      const forces::VectorSeries p = motion.position(frame);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t a = (i + 1) % 3, b = (i + 2) % 3;
        t.x[i] = t.x[i] - (p.x[a] * f.x[b] - p.x[b] * f.x[a]);
      }
    }
    if (representation == mixed)
      motion.load(frame, {W.t, {}});
    else
      motion.twist_by(frame, t);
    motion.push(frame, f);
  }
};

/// T = k (d - length) + c d' of point_line.hpp.
struct PointSpring {
  std::string what;
  Frame a, b;
  double stiffness, damping, length;

  double tension(const Line& s, double t) const {
    if (s.d == 0 && length > 0)
      throw ForceError("force '" + what + "': the points coincide at t = " + to_text(t) +
                       ", so the spring has no direction");
    return stiffness * (s.d - length) + damping * s.d_dot;
  }
  void operator()(double t, const VelocityKinematics& kin, JointForces& out) const {
    const Line s = line(kin, a, b);
    forces::add_tension(s, tension(s, t), a, b, out);
  }
  double potential(const PositionKinematics& kin) const {
    const double stretch = length_of(kin, a, b) - length;
    return stiffness * stretch * stretch / 2;
  }
  double power(double, const VelocityKinematics& kin) const {
    const double d_dot = line(kin, a, b).d_dot;
    return -damping * d_dot * d_dot;
  }
  void tangent(double t, const VelocityKinematics& kin, ForceTangent& out) const {
    const Line s = line(kin, a, b);
    forces::add_line_tangent(kin, a, b, s, tension(s, t), stiffness, damping, out);
  }
  void add(forces::MotionSeries& motion, VectorRef) const {
    const forces::LineSeries s = forces::line_series(motion, a, b);
    if (length == 0 && damping == 0)  // exists where the points coincide
      return forces::add_tension(motion, a, b, s, {stiffness, motion.order() + 1});
    const PowerSeries T = stiffness * s.d.plus(-length) + damping * s.d.rate();
    forces::add_tension(motion, a, b, s, T / s.d);
  }
};

}  // namespace

Force body_wrench(const Model& model, const BodyPoint& at, std::array<Signal, 6> wrench,
                  Representation representation) {
  const std::string what = "wrench on '" + at.body + "'";
  lie::require_known(representation);
  Force force{what, model, ConstantWrench{frame_of(model, at, what), wrench, representation}};
  force.next_break = forces::next_break_of(wrench);
  force.actuator = false;
  if (forces::all_constant(wrench)) return force;
  force.law.expand = {};
  if (forces::all_expand(wrench))
    force.law.expand =
        forces::series_of(WrenchSeries{frame_of(model, at, what), wrench, representation},
                          representation != Representation::body);
  return force;
}

Force point_spring_damper(const Model& model, const BodyPoint& a, const BodyPoint& b,
                          double stiffness, double damping, double length) {
  const std::string what = "spring and damper between '" + a.body + "' and '" + b.body + "'";
  forces::require_not_negative(what, {{"stiffness", stiffness}, {"damping", damping}});
  if (!(length >= 0 && std::isfinite(length)))
    throw Error(what + ": length " + to_text(length) + " is not a length; give 0 or more");
  const Frame at_a = frame_of(model, a, what), at_b = frame_of(model, b, what);
  if (at_a.link == at_b.link)
    throw Error(what + ": both points move together, so the spring does nothing");
  Force force{what, model, PointSpring{what, at_a, at_b, stiffness, damping, length}};
  force.internal = at_a.link >= 0 && at_b.link >= 0;
  force.actuator = false;
  if (damping == 0) force.law.power = {};
  force.law.expand =
      forces::series_of(PointSpring{what, at_a, at_b, stiffness, damping, length}, true);
  return force;
}

}  // namespace chasles
