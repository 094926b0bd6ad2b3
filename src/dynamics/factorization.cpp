#include "chasles/dynamics/factorization.hpp"

#include "dynamics/articulated_factors.hpp"
#include "model/model_data.hpp"

namespace chasles {

using namespace dynamics;

struct MassFactorization::Factors : ArticulatedFactors {
  using ArticulatedFactors::ArticulatedFactors;
};

MassFactorization::MassFactorization(const Model& model)
    : model_(model), factors_(ValuePtr<Factors>::make(model)) {
  const std::size_t n = tree_links(model).size();
  H_.resize(static_cast<std::size_t>(model.nv()));
  C_.resize(n), d_.resize(n), M_.resize(n), V_.resize(n), z_.resize(n);
}

void MassFactorization::factorize(const Model& model, const PositionKinematics& kin) {
  require_model("the factorization", model_, model);
  require_model("the kinematics", kin.model(), model);
  ready_ = false;
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const SE3& C = C_[i] = kin.C()[i];
    d_[i] = link.parent < 0 ? Vec3{} : C.r - kin.C()[parent_of(link)].r;
    M_[i] = transform(SE3{C.R, {}}, link.inertia);
    for (std::size_t k = first; k < last; ++k) {
      const Twist X = screw_of_v(model, link, kin.q(), k);
      H_[k] = {C.R * X.w, C.R * X.v};
    }
  });
  factors_->factorize(model, H_.data(), M_.data(), [&](std::size_t i, const auto& inertia) {
    if constexpr (std::is_same_v<std::decay_t<decltype(inertia)>, Inertia>)
      return transform(SE3{SO3{}, d_[i]}, inertia);
    else
      return shift(d_[i], inertia);
  });
  ready_ = true;
}

void MassFactorization::require_ready() const {
  if (!ready_) throw Error("the mass matrix has not been factorized: call factorize first");
}
void MassFactorization::require_factors(ConstVectorRef x, ConstVectorRef y) const {
  require_size("x", x, model_.nv());
  require_size("y", y, model_.nv());
  require_ready();
}
const std::vector<Wrench>& MassFactorization::G() const { return factors_->G(); }
void MassFactorization::solve_joint(const Link& link, std::size_t i, double* x) const {
  factors_->solve_joint(link, i, x);
}

namespace {

Twist at_child(const Twist& V, const Vec3& d) { return {V.w, V.v + cross(V.w, d)}; }
Wrench at_parent(const Wrench& W, const Vec3& d) { return {W.t + cross(d, W.f), W.f}; }

}  // namespace

void MassFactorization::solve(ConstVectorRef x, VectorRef y) {
  require_factors(x, y);
  if (y.data() != x.data()) y = x;
  std::fill(z_.begin(), z_.end(), Wrench{});
  for_links_inward(model_,
                   [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
                     Wrench z = z_[i];
                     for (std::size_t k = first; k < last; ++k) {
                       double& y_k = y[static_cast<Eigen::Index>(k)];
                       y_k -= dot(z_[i], H_[k]);
                       z += y_k * factors_->G(k);
                     }
                     factors_->solve_joint(link, i, y.data() + first);
                     if (link.parent >= 0) z_[parent_of(link)] += at_parent(z, d_[i]);
                   });
  for_links(model_, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const Twist V_p = link.parent < 0 ? Twist{} : at_child(V_[parent_of(link)], d_[i]);
    V_[i] = V_p;
    for (std::size_t k = first; k < last; ++k) {
      double& y_k = y[static_cast<Eigen::Index>(k)];
      y_k -= dot(factors_->G(k), V_p);
      V_[i] += y_k * H_[k];
    }
  });
}

void MassFactorization::multiply(ConstVectorRef x, VectorRef y) {
  require_factors(x, y);
  for_links(model_, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    V_[i] = link.parent < 0 ? Twist{} : at_child(V_[parent_of(link)], d_[i]);
    for (std::size_t k = first; k < last; ++k) V_[i] += x[static_cast<Eigen::Index>(k)] * H_[k];
    z_[i] = M_[i] * V_[i];
  });
  for_links_inward(model_,
                   [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
                     for (std::size_t k = first; k < last; ++k) {
                       const auto row = static_cast<Eigen::Index>(k);
                       y[row] = dot(z_[i], H_[k]) + link.armature * x[row];
                     }
                     if (link.parent >= 0) z_[parent_of(link)] += at_parent(z_[i], d_[i]);
                   });
}

}  // namespace chasles
