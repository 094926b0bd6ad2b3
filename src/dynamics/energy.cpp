#include "chasles/dynamics/energy.hpp"

#include "chasles/screws/eigen.hpp"
#include "dynamics/links.hpp"
#include "math/not_computed.hpp"
#include "model/model_data.hpp"

namespace chasles {

using namespace dynamics;

double kinetic_energy(const Model& model, const VelocityKinematics& kin) {
  require_model("the kinematics", kin.model(), model);
  double T = 0;
  for (std::size_t i = 0; i < tree_links(model).size(); ++i)
    T += kinetic_energy(tree_links(model)[i].inertia,
                        lie::to_body(kin.V_h()[i], kin.C()[i], Representation::hybrid));
  return T + armature_energy(model, kin.v().data());
}

double potential_energy(const Model& model, const PositionKinematics& kin) {
  require_model("the kinematics", kin.model(), model);
  Vec3 mc;
  for (std::size_t i = 0; i < tree_links(model).size(); ++i) {
    const Inertia& M = tree_links(model)[i].inertia;
    mc += kin.C()[i].R * M.mc + M.m * kin.C()[i].r;
  }
  return -dot(model.gravity(), mc);
}

Wrench momentum_about(const Model& model, const VelocityKinematics& kin, const Vec3& point) {
  require_model("the kinematics", kin.model(), model);
  Wrench h;
  for (std::size_t i = 0; i < tree_links(model).size(); ++i) {
    const SE3& C = kin.C()[i];
    const Twist V = lie::to_body(kin.V_h()[i], C, Representation::hybrid);
    h += Ad_inv_dual(SE3{C.R, C.r - point}, tree_links(model)[i].inertia * V);
  }
  return h;
}

Wrench spatial_momentum(const Model& model, const VelocityKinematics& kin) {
  return momentum_about(model, kin, {});
}

Wrench centroidal_momentum(const Model& model, const VelocityKinematics& kin) {
  return momentum_about(model, kin, center_of_mass(model, kin));
}

CentroidalMomentumMatrix::CentroidalMomentumMatrix(const Model& model)
    : A(not_computed<Matrix6X>(6, model.nv())),
      model_(model),
      composite_(tree_links(model).size()) {}

const Matrix6X& centroidal_momentum_matrix(const Model& model, const PositionKinematics& kin,
                                           CentroidalMomentumMatrix& out) {
  require_model("the workspace", out.model_, model);
  out.A.resize(6, model.nv());
  out.com = center_of_mass(model, kin);
  const auto at_com = [&](std::size_t i) { return SE3{kin.C()[i].R, kin.C()[i].r - out.com}; };
  for (std::size_t i = 0; i < tree_links(model).size(); ++i)
    out.composite_[i] = transform(at_com(i), tree_links(model)[i].inertia);
  for_links_inward(model,
                   [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
                     for (std::size_t k = first; k < last; ++k) {
                       const Twist J = Ad(at_com(i), screw_of_v(model, link, kin.q(), k));
                       out.A.col(static_cast<Eigen::Index>(k)) = to_eigen(out.composite_[i] * J);
                     }
                     if (link.parent >= 0) out.composite_[parent_of(link)] += out.composite_[i];
                   });
  return out.A;
}

}  // namespace chasles
