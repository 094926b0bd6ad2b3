#include "chasles/motion/model_system.hpp"

#include <algorithm>

#include "chasles/lie/cayley.hpp"
#include "kinematics/link_motion.hpp"

namespace chasles {
namespace {

Vec3 three(const double* p) { return {p[0], p[1], p[2]}; }
void put(const Vec3& a, double* p) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }

}  // namespace

ModelSystem::ModelSystem(const Model& model)
    : model_(&model), work_(model), kin_(model), acting_{Eigen::VectorXd::Zero(model.nv()), {}} {
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const LinkMotion motion = model.links()[i].motion;
    if (motion == LinkMotion::ball || motion == LinkMotion::rigid)
      groups_.push_back(static_cast<int>(i));
  }
}
void ModelSystem::set_forces(ForceFunction forces) { forces_ = std::move(forces); }
int ModelSystem::nq() const { return model_->nq(); }
int ModelSystem::nv() const { return model_->nv(); }

const JointForces& ModelSystem::forces(double t, const VelocityKinematics& kin) {
  acting_.wrenches.clear();
  acting_.tau.setZero();
  if (forces_) forces_(t, kin, acting_);
  return acting_;
}

bool ModelSystem::acts_from_outside() const {
  if (!acting_.wrenches.empty()) return true;
  for (const Link& link : model_->links())
    if (link.parent < 0 && !acting_.tau.segment(link.v_index, link.nv).isZero(0)) return true;
  return false;
}

void ModelSystem::acceleration(double t, ConstVectorRef q, ConstVectorRef v, Vector out) {
  if (forces_) {
    velocities(*model_, q, v, kin_);
    forces(t, kin_);
  }
  out = forward_dynamics(*model_, q, v, acting_.tau, work_, acting_.wrenches);
}

void ModelSystem::plus(ConstVectorRef q, ConstVectorRef x, Vector out) const {
  chasles::plus(*model_, q, x, out);
}
void ModelSystem::minus(ConstVectorRef q1, ConstVectorRef q0, Vector out) const {
  chasles::minus(*model_, q1, q0, out);
}

void ModelSystem::dexp_inv(ConstVectorRef x, ConstVectorRef v, Vector out) const {
  out = v;
  for (const int i : groups_) {
    const Link& link = model_->links()[static_cast<std::size_t>(i)];
    const double *x_i = x.data() + link.v_index, *v_i = v.data() + link.v_index;
    double* out_i = out.data() + link.v_index;
    if (link.motion == LinkMotion::ball) {
      put(lie::dexp_inv(-three(x_i))(three(v_i)), out_i);
    } else {
      const Twist u =
          lie::dexp_inv(-Twist{three(x_i), three(x_i + 3)})(Twist{three(v_i), three(v_i + 3)});
      put(u.w, out_i), put(u.v, out_i + 3);
    }
  }
}
void ModelSystem::dexp(ConstVectorRef x, ConstVectorRef u, Vector out) const {
  out = u;
  for (const int i : groups_) {
    const Link& link = model_->links()[static_cast<std::size_t>(i)];
    const double *x_i = x.data() + link.v_index, *u_i = u.data() + link.v_index;
    double* out_i = out.data() + link.v_index;
    if (link.motion == LinkMotion::ball) {
      put(lie::dexp(-three(x_i))(three(u_i)), out_i);
    } else {
      const Twist v =
          lie::dexp(-Twist{three(x_i), three(x_i + 3)})(Twist{three(u_i), three(u_i + 3)});
      put(v.w, out_i), put(v.v, out_i + 3);
    }
  }
}
void ModelSystem::dexp_inv_dual(ConstVectorRef x, ConstVectorRef p, Vector out) const {
  out = p;
  for (const int i : groups_) {
    const Link& link = model_->links()[static_cast<std::size_t>(i)];
    const double *x_i = x.data() + link.v_index, *p_i = p.data() + link.v_index;
    double* out_i = out.data() + link.v_index;
    if (link.motion == LinkMotion::ball) {
      put(lie::dexp_inv(-three(x_i)).dual(three(p_i)), out_i);
    } else {
      const Wrench W = lie::dexp_inv(-Twist{three(x_i), three(x_i + 3)})
                           .dual(Wrench{three(p_i), three(p_i + 3)});
      put(W.t, out_i), put(W.f, out_i + 3);
    }
  }
}
void ModelSystem::ad_dual(ConstVectorRef v, ConstVectorRef p, Vector out) const {
  out.setZero();
  for (const int i : groups_) {
    const Link& link = model_->links()[static_cast<std::size_t>(i)];
    const double *v_i = v.data() + link.v_index, *p_i = p.data() + link.v_index;
    double* out_i = out.data() + link.v_index;
    if (link.motion == LinkMotion::ball) {
      put(cross(three(p_i), three(v_i)), out_i);
    } else {
      const Wrench W =
          lie::ad_dual(Twist{three(v_i), three(v_i + 3)}, Wrench{three(p_i), three(p_i + 3)});
      put(W.t, out_i), put(W.f, out_i + 3);
    }
  }
}
double ModelSystem::rotation(ConstVectorRef x) const {
  double most = 0;
  for (const int i : groups_) {
    const Link& link = model_->links()[static_cast<std::size_t>(i)];
    most = std::max(most, norm(three(x.data() + link.v_index)));
  }
  return most;
}

namespace {

using kinematics::rotation_of;

void put_rotation(const SO3& R, double* q) {
  const Quaternion p = quaternion(R);
  const double sign = p.w < 0 ? -1 : 1;
  q[0] = sign * p.w, q[1] = sign * p.x, q[2] = sign * p.y, q[3] = sign * p.z;
}

/// exp(x_1 e_1) exp(x_2 e_2) exp(x_3 e_3); the translation comes first, so that its rate is R v.
SO3 second_kind(const Vec3& x) {
  return exp(Vec3{x.x, 0, 0}) * exp(Vec3{0, x.y, 0}) * exp(Vec3{0, 0, x.z});
}
/// The rate of x at the angular velocity w: inverse of w = sum of the axes carried by the factors
/// after them.
Vec3 second_kind_rate(const Vec3& x, const Vec3& w) {
  const double c2 = std::cos(x.y), s2 = std::sin(x.y), c3 = std::cos(x.z), s3 = std::sin(x.z);
  const double d1 = (c3 * w.x - s3 * w.y) / c2;
  return {d1, s3 * w.x + c3 * w.y, w.z - s2 * d1};
}

}  // namespace

void ModelSystem::chart_plus(LocalCoordinates kind, ConstVectorRef q, ConstVectorRef x,
                             Vector out) const {
  plus(q, x, out);
  if (kind == LocalCoordinates::exponential) return;
  const bool cayley = kind == LocalCoordinates::cayley;
  for (const int i : groups_) {
    const Link& link = model_->links()[static_cast<std::size_t>(i)];
    const double *x_i = x.data() + link.v_index, *q_i = q.data() + link.q_index;
    double* out_i = out.data() + link.q_index;
    const SO3 R = rotation_of(q_i);
    const Vec3 w = three(x_i);
    put_rotation(R * (cayley ? cay(w) : second_kind(w)), out_i);
    if (link.motion == LinkMotion::ball) continue;
    const Vec3 r = cayley ? cay(Twist{w, three(x_i + 3)}).r : three(x_i + 3);
    put(R * r + three(q_i + 4), out_i + 4);
  }
}
void ModelSystem::chart_rate(LocalCoordinates kind, ConstVectorRef x, ConstVectorRef v,
                             Vector out) const {
  if (kind == LocalCoordinates::exponential) return dexp_inv(x, v, out);
  const bool cayley = kind == LocalCoordinates::cayley;
  out = v;
  for (const int i : groups_) {
    const Link& link = model_->links()[static_cast<std::size_t>(i)];
    const double *x_i = x.data() + link.v_index, *v_i = v.data() + link.v_index;
    double* out_i = out.data() + link.v_index;
    const Vec3 w = three(x_i);
    if (!cayley) {
      put(second_kind_rate(w, three(v_i)), out_i);
      if (link.motion == LinkMotion::rigid) put(second_kind(w) * three(v_i + 3), out_i + 3);
    } else if (link.motion == LinkMotion::ball) {
      put(lie::dcay_inv(-w)(three(v_i)), out_i);
    } else {
      const Twist u = lie::dcay_inv(-Twist{w, three(x_i + 3)})(Twist{three(v_i), three(v_i + 3)});
      put(u.w, out_i), put(u.v, out_i + 3);
    }
  }
}

void ModelSystem::coordinate_rate(ConstVectorRef q, ConstVectorRef v, Vector out) const {
  for (const Link& link : model_->links()) {
    const double *q_i = q.data() + link.q_index, *v_i = v.data() + link.v_index;
    double* out_i = out.data() + link.q_index;
    if (link.motion != LinkMotion::ball && link.motion != LinkMotion::rigid) {
      std::copy_n(v_i, link.nv, out_i);
      continue;
    }
    const Vec3 w = three(v_i), p = three(q_i + 1);  // quaternion rate: q (0, w) / 2
    out_i[0] = -0.5 * dot(p, w);
    put(0.5 * (q_i[0] * w + cross(p, w)), out_i + 1);
    if (link.motion == LinkMotion::rigid) put(rotation_of(q_i) * three(v_i + 3), out_i + 4);
  }
}
void ModelSystem::normalize(Vector q) const {
  for (const int i : groups_) {
    auto p = q.segment<4>(model_->links()[static_cast<std::size_t>(i)].q_index);
    p /= p.norm();
  }
}

}  // namespace chasles
