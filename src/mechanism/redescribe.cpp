#include "chasles/mechanism/redescribe.hpp"

#include <unordered_map>

namespace chasles {
namespace {

constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();

bool same(const Vec3& a, const Vec3& b) {
  return max_abs(a - b) <= rounding * std::max(1.0, max_abs(b));
}
bool same(const SO3& a, const SO3& b) {
  const Mat3 &A = a.matrix(), &B = b.matrix();
  return same(A.c0, B.c0) && same(A.c1, B.c1) && same(A.c2, B.c2);
}

/// The pose C in the frame F.
SE3 seen_from(const SE3& F, const SE3& C) { return (inverse(F) * C).normalized(); }

/// The joint frame J, expressed in the frame of the description, as axis, point and x_axis.
AxisGeometry axis_geometry(const SE3& J, DescribedIn in, const std::string& what) {
  AxisGeometry g{J.R.matrix().c2, J.r, {}, in};
  if (!same(joint_frame(g.axis, g.point, {}, what).R, J.R)) g.x_axis = J.R.matrix().c0;
  return g;
}

/// Custom joints: the screws, given in the frame J, expressed in the world or body frame.
std::vector<ScrewData> seen_from(const SE3& F, const SE3& J, std::vector<ScrewData> screws) {
  const SE3 C = seen_from(F, J);
  for (ScrewData& screw : screws) screw = {C.R * screw.axis, C * screw.point, screw.pitch};
  return screws;
}

/// Whether an axis and a point can describe the joint frame J of a body at A.
bool has_axis_form(const Joint& joint, const SE3& A, const SE3& J) {
  const JointTypeInfo& type = joint_type_info(joint.type);
  if (type.takes_axis || type.motions[0] == ElementaryMotion::none) return true;
  return same(A.R, J.R) && (type.takes_point || same(A.r, J.r));
}

/// World or body. Elements already in the requested form are copied bit for bit.
void by_axis(Body& body, const SE3& parent, const SE3& A, const SE3& J, DescribedIn in) {
  if (!has_axis_form(body.joint, A, J)) return;
  const auto* given = std::get_if<AxisGeometry>(&body.joint.geometry);
  const DescribedIn pose_in = in == DescribedIn::world ? DescribedIn::world : DescribedIn::parent;
  if (given == nullptr || body.pose.in != pose_in)
    body.pose = {pose_in == DescribedIn::world ? A.normalized() : seen_from(parent, A), pose_in};
  if (given != nullptr && given->in == in) return;
  const SE3 frame = in == DescribedIn::world ? SE3{} : A;
  if (body.joint.type == JointType::custom) {
    body.joint.screws = seen_from(frame, J, body.joint.screws);
    body.joint.geometry = AxisGeometry{{0, 0, 1}, {}, {}, in};
  } else if (joint_type_info(body.joint.type).takes_axis) {
    body.joint.geometry =
        axis_geometry(seen_from(frame, J), in, describe(body.where, "joint", body.joint.name));
  } else {
    body.joint.geometry = AxisGeometry{{0, 0, 1}, inverse_times(frame, J.r), {}, in};
  }
}

void by_frames(Body& body, const SE3& parent, const SE3& A, const SE3& J) {
  if (std::holds_alternative<FramesGeometry>(body.joint.geometry)) return;
  body.joint.geometry = FramesGeometry{seen_from(parent, J), seen_from(A, J)};
  body.pose = {};
}

}  // namespace

Mechanism redescribe(const Mechanism& mechanism, Description description) {
  require_known(description, Description::frames, "description");
  const ReferenceGeometry g = reference_geometry(mechanism);
  std::unordered_map<std::string_view, SE3> pose_of{{ground, SE3{}}};
  for (std::size_t i = 0; i < g.A.size(); ++i) pose_of[mechanism.bodies[i].name] = g.A[i];
  Mechanism result = mechanism;
  for (std::size_t i = 0; i < g.A.size(); ++i) {
    Body& body = result.bodies[i];
    const SE3& parent = pose_of.at(body.parent);
    if (description == Description::frames)
      by_frames(body, parent, g.A[i], g.J[i]);
    else
      by_axis(body, parent, g.A[i], g.J[i],
              description == Description::world ? DescribedIn::world : DescribedIn::body);
  }
  return result;
}

}  // namespace chasles
