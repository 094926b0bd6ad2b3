#include <algorithm>

#include "chasles/simulation/element_forces.hpp"
#include "mechanism/named_parts.hpp"
#include "simulation/polynomial.hpp"
#include "simulation/tendon_length.hpp"

namespace chasles {
namespace forces {

TendonLength::TendonLength(const Model& model, const Tendon& tendon, const std::string& what) {
  for (const Actuator::Term& term : tendon.terms) add_term(model, term, what);
  for (std::size_t i = 0; i + 1 < tendon.points.size(); ++i) {
    const auto& [from, weight, wrap] = tendon.points[i];
    if (weight == 0) continue;
    Segment segment{frame_of(model, {from}, what),
                    frame_of(model, {tendon.points[i + 1].frame}, what), weight,
                    wrap ? std::optional(wrap_of(model, *wrap, what)) : std::nullopt};
    const Frame &a = segment.a, &b = segment.b;
    const bool fixed = a.link == b.link && (!wrap || segment.wrap->frame.link == a.link);
    if (fixed && !wrap) {
      constant_ += weight * norm(b.offset.r - a.offset.r);
      continue;
    }
    if (!fixed)
      internal_ =
          internal_ && a.link >= 0 && b.link >= 0 && (!wrap || segment.wrap->frame.link >= 0),
      moves_ = true;
    segments_.push_back(std::move(segment));
  }
  if (entries_.empty() && !moves_)
    throw Error(what + ": its length never changes; give joints, or points of different bodies");
}

TendonLength::Wrap TendonLength::wrap_of(const Model& model, const Tendon::Wrap& given,
                                         const std::string& what) {
  if (!(given.radius > 0 && std::isfinite(given.radius)))
    throw Error(what + ": the radius " + to_text(given.radius) + " that it wraps around at '" +
                given.frame + "' is not positive");
  Wrap wrap{frame_of(model, {given.frame}, what), given.shape, given.radius, {}};
  if (!given.side.empty()) wrap.side = frame_of(model, {given.side}, what);
  return wrap;
}

TendonLength::Parts TendonLength::parts(const PositionKinematics& kin, const Segment& s) {
  if (s.wrap) {
    const auto& [frame, shape, radius, side] = *s.wrap;
    const SE3 seen = inverse(pose(kin, frame));
    const auto at = [&](const Frame& point) { return seen * pose(kin, point).r; };
    const auto path = wrapped_path(shape, radius, at(s.a), at(s.b),
                                   side ? std::optional(at(*side)) : std::nullopt);
    if (path)
      return {{{{s.a, frame.at({SO3{}, path->first})}, {frame.at({SO3{}, path->second}), s.b}}},
              2,
              path->arc};
  }
  return {{{{s.a, s.b}, {}}}, 1, 0};
}

void TendonLength::add_term(const Model& model, const Actuator::Term& term,
                            const std::string& what) {
  const ModelJoint& joint = model.joint(term.joint);
  if (!joint.is_vector() || term.coordinate < 0 || term.coordinate >= joint.nv)
    throw Error(what + ": joint '" + joint.name + "' has no coordinate " +
                std::to_string(term.coordinate) + " that it could drive");
  entries_.push_back(
      {joint.q_index + term.coordinate, joint.v_index + term.coordinate, term.coefficient});
  internal_ = internal_ && !model.on_ground(joint);
}

double TendonLength::value(const PositionKinematics& kin) const {
  double l = constant_;
  for (const Entry& e : entries_) l += e.coefficient * kin.q()[e.q];
  for (const Segment& s : segments_) {
    const auto [lines, count, arc] = parts(kin, s);
    double length = arc;
    for (std::size_t i = 0; i < count; ++i) length += length_of(kin, lines[i][0], lines[i][1]);
    l += s.weight * length;
  }
  return l;
}

double TendonLength::rate(const VelocityKinematics& kin) const {
  double rate = 0;
  for (const Entry& e : entries_) rate += e.coefficient * kin.v()[e.v];
  for (const Segment& s : segments_) {
    const auto [lines, count, arc] = parts(kin, s);
    for (std::size_t i = 0; i < count; ++i)
      rate += s.weight * line(kin, lines[i][0], lines[i][1]).d_dot;
  }
  return rate;
}

void TendonLength::push(const VelocityKinematics& kin, double f, JointForces& out) const {
  for (const Entry& e : entries_) out.tau[e.v] += e.coefficient * f;
  for (const Segment& s : segments_) {
    const auto [lines, count, arc] = parts(kin, s);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [a, b] = lines[i];
      add_tension(line(kin, a, b), -s.weight * f, a, b, out);
    }
  }
}

/// Of a segment: tension T = -w f with dT = w^2 (k dd + c dd').
void TendonLength::tangent(const VelocityKinematics& kin, double f, double k, double c,
                           ForceTangent& out) const {
  for (const Entry& a : entries_)
    for (const Entry& b : entries_) {
      const double square = a.coefficient * b.coefficient;
      if (a.v == b.v)
        add_entry(out, a.v, k * square, c * square);
      else
        out.crosses.push_back({a.v, b.v, k * square, c * square});
    }
  for (const Segment& s : segments_) {
    const double square = s.weight * s.weight;
    add_line_tangent(kin, s.a, s.b, line(kin, s.a, s.b), -s.weight * f, k * square, c * square,
                     out);
  }
}

}  // namespace forces

namespace {

/// (3) and (4) of mechanism/tendon.hpp.
struct TendonSpring {
  forces::TendonLength length;
  forces::SpringPolynomial stiffness;
  forces::DamperPolynomial damping;
  double friction;
  std::array<double, 2> rest;

  double stretch(const PositionKinematics& kin) const {
    const double l = length.value(kin);
    return l - std::clamp(l, rest[0], rest[1]);
  }
  double resistance(double rate) const {
    return damping(rate) + friction * std::tanh(rate / Friction{}.velocity);
  }
  double force(const VelocityKinematics& kin) const {
    return -stiffness(stretch(kin)) - resistance(length.rate(kin));
  }
  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    length.push(kin, force(kin), out);
  }
  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    const double x = stretch(kin), rate = length.rate(kin);
    const bool slack = rest[0] < rest[1] && x == 0;
    const double t = std::tanh(rate / Friction{}.velocity);
    length.tangent(kin, force(kin), slack ? 0 : stiffness.slope(x),
                   damping.slope(rate) + friction * (1 - t * t) / Friction{}.velocity, out);
  }
  double potential(const PositionKinematics& kin) const { return stiffness.integral(stretch(kin)); }
  double power(double, const VelocityKinematics& kin) const {
    const double rate = length.rate(kin);
    return -resistance(rate) * rate;
  }
  /// Without |v|, friction, a range of rest lengths and wrapped points.
  bool is_analytic() const {
    return damping.more[0] == 0 && friction == 0 && !length.wraps() &&
           (rest[0] == rest[1] || (stiffness.a == 0 && stiffness.more == std::array<double, 2>{}));
  }
  void add(forces::MotionSeries& motion, VectorRef tau) const {
    length.push(motion, tau, [&](const PowerSeries& l, const PowerSeries& rate) {
      const PowerSeries x = l.plus(-rest[0]);
      const auto& [k_2, k_3] = stiffness.more;
      return -(x * (x * (k_3 * x).plus(k_2)).plus(stiffness.a)) -
             rate * (damping.more[1] * rate * rate).plus(damping.a);
    });
  }
};

}  // namespace

Force tendon_force(const Model& model, const Tendon& tendon) {
  const std::string what = "tendon '" + tendon.name + "'";
  check_spring(tendon, what);
  check_weights(tendon, what);
  const forces::TendonLength length(model, tendon, what);
  const TendonSpring law{length,
                         {tendon.stiffness, tendon.stiffening},
                         {tendon.damping, tendon.drag},
                         tendon.friction,
                         tendon.rest};
  Force force{what, model, law};
  force.internal = length.is_internal();
  force.actuator = false;
  if (!length.has_tangent()) force.law.tangent = {};
  if (tendon.damping == 0 && tendon.friction == 0 && tendon.drag == std::array<double, 2>{})
    force.law.power = {};
  if (law.is_analytic()) force.law.expand = forces::series_of(law, length.has_segments());
  return force;
}

}  // namespace chasles
