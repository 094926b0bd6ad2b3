#include "chasles/integrators/model_system.hpp"

#include <algorithm>

#include "chasles/lie/se3.hpp"

namespace chasles {
namespace {

Vec3 three(const double* p) { return {p[0], p[1], p[2]}; }
void put(const Vec3& a, double* p) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }

}  // namespace

ModelSystem::ModelSystem(const Model& model)
    : model_(&model),
      work_(model),
      kin_(model),
      acting_{Eigen::VectorXd::Zero(model.nv()), {}} {
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const LinkMotion motion = model.links()[i].motion;
    if (motion == LinkMotion::ball || motion == LinkMotion::rigid)
      groups_.push_back(static_cast<int>(i));
  }
}
void ModelSystem::set_forces(ForceFunction forces) { forces_ = std::move(forces); }
int ModelSystem::nq() const { return model_->nq(); }
int ModelSystem::nv() const { return model_->nv(); }

void ModelSystem::acceleration(double t, ConstVectorRef q, ConstVectorRef v, Vector out) {
  acting_.wrenches.clear();
  if (forces_) {
    acting_.tau.setZero();
    velocities(*model_, q, v, kin_);
    forces_(t, kin_, acting_);
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
      const Twist v = lie::dexp(-Twist{three(x_i), three(x_i + 3)})(Twist{three(u_i), three(u_i + 3)});
      put(v.w, out_i), put(v.v, out_i + 3);
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

}  // namespace chasles
