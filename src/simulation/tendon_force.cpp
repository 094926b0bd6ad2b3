#include <algorithm>

#include "chasles/simulation/element_forces.hpp"
#include "simulation/tendon_length.hpp"

namespace chasles {
namespace forces {

TendonLength::TendonLength(const Model& model, const Tendon& tendon, const std::string& what) {
  for (const Actuator::Term& term : tendon.terms) add_term(model, term, what);
  for (std::size_t i = 0; i + 1 < tendon.points.size(); ++i) {
    const auto& [from, weight] = tendon.points[i];
    if (weight == 0) continue;
    const Frame a = frame_of(model, {from}, what),
                b = frame_of(model, {tendon.points[i + 1].frame}, what);
    if (a.link == b.link) {
      constant_ += weight * norm(b.offset.r - a.offset.r);
      continue;
    }
    segments_.push_back({a, b, weight});
    internal_ = internal_ && a.link >= 0 && b.link >= 0;
  }
  if (entries_.empty() && segments_.empty())
    throw Error(what + ": its length never changes; give joints, or points of different bodies");
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
  for (const Segment& s : segments_) l += s.weight * length_of(kin, s.a, s.b);
  return l;
}

double TendonLength::rate(const VelocityKinematics& kin) const {
  double rate = 0;
  for (const Entry& e : entries_) rate += e.coefficient * kin.v()[e.v];
  for (const Segment& s : segments_) rate += s.weight * line(kin, s.a, s.b).d_dot;
  return rate;
}

void TendonLength::push(const VelocityKinematics& kin, double f, JointForces& out) const {
  for (const Entry& e : entries_) out.tau[e.v] += e.coefficient * f;
  for (const Segment& s : segments_) add_tension(line(kin, s.a, s.b), -s.weight * f, s.a, s.b, out);
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

/// (3) of mechanism/tendon.hpp.
struct TendonSpring {
  forces::TendonLength length;
  double stiffness, damping;
  std::array<double, 2> rest;

  double stretch(const PositionKinematics& kin) const {
    const double l = length.value(kin);
    return l - std::clamp(l, rest[0], rest[1]);
  }
  double force(const VelocityKinematics& kin) const {
    return -stiffness * stretch(kin) - damping * length.rate(kin);
  }
  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    length.push(kin, force(kin), out);
  }
  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    const bool slack = rest[0] < rest[1] && stretch(kin) == 0;
    length.tangent(kin, force(kin), slack ? 0 : stiffness, damping, out);
  }
  double potential(const PositionKinematics& kin) const {
    const double x = stretch(kin);
    return stiffness * x * x / 2;
  }
  double power(double, const VelocityKinematics& kin) const {
    const double rate = length.rate(kin);
    return -damping * rate * rate;
  }
};

}  // namespace

Force tendon_force(const Model& model, const Tendon& tendon) {
  const std::string what = "tendon '" + tendon.name + "'";
  forces::require_not_negative(what,
                               {{"stiffness", tendon.stiffness}, {"damping", tendon.damping}});
  if (!(tendon.rest[0] <= tendon.rest[1]))
    throw Error(what + ": rest " + tuple_text(tendon.rest) +
                " is not a range of lengths; give the least length first");
  const forces::TendonLength length(model, tendon, what);
  Force force{what, model, TendonSpring{length, tendon.stiffness, tendon.damping, tendon.rest}};
  force.internal = length.is_internal();
  force.actuator = false;
  if (!length.has_tangent()) force.law.tangent = {};
  if (tendon.damping == 0) force.law.power = {};
  return force;
}

}  // namespace chasles
