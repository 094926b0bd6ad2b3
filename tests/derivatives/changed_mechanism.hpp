/// The mechanism in which a parameter has changed, as a user would describe it: what sensitivities are
/// compared with.
#pragma once

#include "chasles/derivatives/parameters.hpp"
#include "chasles/screws/eigen.hpp"
#include "support/random_mechanism.hpp"

namespace chasles::test {

using lie::to_eigen;

inline Body& body_of(Mechanism& mechanism, const ModelJoint& joint) {
  for (Body& body : mechanism.bodies)
    if (body.joint.name == joint.name) return body;
  throw Error("no joint '" + joint.name + "'");
}

/// The frame of a joint, or its axis, moved by the screw U. Joints are between two frames S_p, S_c, the
/// body is at S_p S_c^-1 on its parent.
inline Mechanism changed(Mechanism mechanism, const ModelJoint& joint, Parameter::Kind kind,
                         const Twist& U) {
  auto& frames = std::get<FramesGeometry>(body_of(mechanism, joint).joint.geometry);
  const SE3 B = frames.parent * inverse(frames.child);
  frames.parent = B * exp(U) * frames.child;
  if (kind == Parameter::Kind::axis) frames.child = exp(U) * frames.child;
  return mechanism;
}

/// Without the armatures of joints with several screws, each of which may change its length.
inline Mechanism without_common_armatures(Mechanism mechanism) {
  for (Body& body : mechanism.bodies) {
    const auto kinds = coordinate_kinds(body.joint);
    if (kinds.size() > 1 && coordinate_kind_info(kinds[0]).is_scalar) body.joint.armature = 0;
  }
  return mechanism;
}

/// A screw by axis, point and pitch, and its length: exp(X q) is the screw motion by length q.
struct LongScrew {
  ScrewData data;
  double length;
  explicit LongScrew(const Twist& X) {
    const double ww = dot(X.w, X.w);
    length = ww > 0 ? norm(X.w) : norm(X.v);
    if (ww > 0)
      data = {X.w, cross(X.w, X.v) / ww, dot(X.w, X.v) / ww};
    else
      data = {X.v, {}, std::numeric_limits<double>::infinity()};
  }
};

/// The compiled mechanism with a parameter at h. Screws have unit length in a description, so that if one
/// grows its coordinate does instead: q = scale q_described.
struct Changed {
  Model model;
  Eigen::VectorXd scale;         // nv
  int q_index = 0, v_index = 0;  // of the screw that changed

  Changed(const Mechanism& mechanism, const Parameter& p, double h) {
    const ModelJoint& joint = p.model.joints()[static_cast<std::size_t>(p.owner)];
    scale = Eigen::VectorXd::Ones(p.model.nv());
    if (p.kind != Parameter::Kind::screw) {
      model = compile(changed(mechanism, joint, p.kind, h * p.U));
      return;
    }
    // As a custom joint, its screws in the frame of the body.
    Mechanism with_screws = mechanism;
    Joint& described = body_of(with_screws, joint).joint;
    auto& frames = std::get<FramesGeometry>(described.geometry);
    frames = {frames.parent * inverse(frames.child), {}};
    described.type = JointType::custom;
    described.pitch = 0;
    described.screws.clear();
    for (int k = 0; k < joint.nv; ++k) {
      Twist X = joint.X[static_cast<std::size_t>(k)];
      if (k == p.entry) X += h * p.U;
      const LongScrew screw(X);
      described.screws.push_back(screw.data);
      scale[joint.v_index + k] = screw.length;
    }
    described.armature /=
        scale[joint.v_index] * scale[joint.v_index];  // only joints of one screw have it
    model = compile(with_screws);
    q_index = joint.q_index + p.entry, v_index = joint.v_index + p.entry;
  }

  Eigen::VectorXd configuration(Eigen::VectorXd q) const {
    q[q_index] *= scale[v_index];
    return q;
  }
};

}  // namespace chasles::test
