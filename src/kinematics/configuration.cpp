/// The configuration space: steps on it, differences, and what may enter from outside.
#include "chasles/kinematics/kinematics.hpp"
#include "kinematics/link_motion.hpp"

namespace chasles {
namespace {

using namespace kinematics;

void store(const SO3& R, double* q) {
  const Quaternion p = quaternion(R);
  const double sign = p.w < 0 ? -1 : 1;
  q[0] = sign * p.w, q[1] = sign * p.x, q[2] = sign * p.y, q[3] = sign * p.z;
}

}  // namespace

void plus(const Model& model, ConstVectorRef q, ConstVectorRef dv,
          Eigen::Ref<Eigen::VectorXd> out) {
  require_size("q", static_cast<std::size_t>(q.size()), model.nq());
  require_size("dv", static_cast<std::size_t>(dv.size()), model.nv());
  require_size("out", static_cast<std::size_t>(out.size()), model.nq());
  for (const Link& link : model.links()) {
    const double *a = q.data() + link.q_index, *d = dv.data() + link.v_index;
    double* b = out.data() + link.q_index;
    if (link.motion == LinkMotion::ball) {
      store(rotation_of(a) * exp(Vec3{d[0], d[1], d[2]}), b);
    } else if (link.motion == LinkMotion::rigid) {
      const SE3 C = SE3{rotation_of(a), {a[4], a[5], a[6]}} *
                    exp(Twist{{d[0], d[1], d[2]}, {d[3], d[4], d[5]}});
      store(C.R, b);
      b[4] = C.r.x, b[5] = C.r.y, b[6] = C.r.z;
    } else {
      for (int k = 0; k < link.nv; ++k) b[k] = a[k] + d[k];
    }
  }
}

void minus(const Model& model, ConstVectorRef q1, ConstVectorRef q0,
           Eigen::Ref<Eigen::VectorXd> out) {
  require_size("q1", static_cast<std::size_t>(q1.size()), model.nq());
  require_size("q0", static_cast<std::size_t>(q0.size()), model.nq());
  require_size("out", static_cast<std::size_t>(out.size()), model.nv());
  for (const Link& link : model.links()) {
    const double *a = q1.data() + link.q_index, *b = q0.data() + link.q_index;
    double* d = out.data() + link.v_index;
    if (link.motion == LinkMotion::ball) {
      const Vec3 w = log(inverse(rotation_of(b)) * rotation_of(a));
      d[0] = w.x, d[1] = w.y, d[2] = w.z;
    } else if (link.motion == LinkMotion::rigid) {
      const Twist X =
          minus(SE3{rotation_of(a), {a[4], a[5], a[6]}}, SE3{rotation_of(b), {b[4], b[5], b[6]}});
      d[0] = X.w.x, d[1] = X.w.y, d[2] = X.w.z, d[3] = X.v.x, d[4] = X.v.y, d[5] = X.v.z;
    } else {
      for (int k = 0; k < link.nv; ++k) d[k] = a[k] - b[k];
    }
  }
}

Eigen::VectorXd checked_configuration(const Model& model, ConstVectorRef q) {
  require_size("q", static_cast<std::size_t>(q.size()), model.nq());
  Eigen::VectorXd out = q;
  for (const ModelJoint& joint : model.joints()) {
    for (int k = 0; k < joint.nq; ++k)
      if (!std::isfinite(q[joint.q_index + k]))
        throw Error("joint '" + joint.name + "': q = " + to_text(q[joint.q_index + k]) +
                    " is not finite");
  }
  for (const Link& link : model.links()) {
    if (link.motion != LinkMotion::ball && link.motion != LinkMotion::rigid) continue;
    double* p = out.data() + link.q_index;
    const Quaternion given{p[0], p[1], p[2], p[3]};
    try {
      lie::rotation(given);
    } catch (const Error& e) {
      for (const ModelJoint& joint : model.joints())
        if (joint.q_index <= link.q_index && link.q_index < joint.q_index + joint.nq)
          throw Error("joint '" + joint.name + "': " + e.what());
      throw;
    }
    const Quaternion unit = normalized(given);
    p[0] = unit.w, p[1] = unit.x, p[2] = unit.y, p[3] = unit.z;
  }
  return out;
}

}  // namespace chasles
