#include <algorithm>

#include "access.hpp"
#include "dynamics/ldl.hpp"
#include "math/overlap.hpp"
#include "textbook/linearized_parts.hpp"

namespace chasles::textbook {

using namespace dynamics;

ConventionalLinearization::ConventionalLinearization(const Model& model)
    : model_(model), d_(model), zero_(model.nv()) {
  const auto nv = static_cast<std::size_t>(model.nv());
  factors_.resize(nv * nv), least_pivot_.resize(nv), x_.resize(nv);
}

/// From the last joint to the first, like articulated bodies: pivots are judged by the same criterion, and
/// the factors have no fill-in.
void ConventionalLinearization::factorize(LinearizedInverseDynamics& inverse) {
  require_model("the linearization", inverse.model(), model_);
  ready_ = false;
  inverse.matrices(d_);
  const Eigen::Index n = model_.nv();
  for (Eigen::Index i = 0; i < n; ++i) {
    least_pivot_[static_cast<std::size_t>(i)] = singular * d_.M(n - 1 - i, n - 1 - i);
    for (Eigen::Index j = 0; j <= i; ++j)
      factors_[static_cast<std::size_t>(i * n + j)] = d_.M(n - 1 - i, n - 1 - j);
  }
  const int pivot = ldl_factor(factors_.data(), model_.nv(), least_pivot_.data());
  if (pivot >= 0) throw_singular(model_, model_.nv() - 1 - pivot);
  ready_ = true;
}

/// x := M^-1 x.
void ConventionalLinearization::solve(double* x) {
  std::reverse_copy(x, x + model_.nv(), x_.begin());
  ldl_solve(factors_.data(), model_.nv(), x_.data());
  std::reverse_copy(x_.begin(), x_.end(), x);
}

void ConventionalLinearization::require_ready() const {
  if (!ready_) throw Error("the mass matrix was not factorized yet; call factorize first");
}

void ConventionalLinearization::along(LinearizedInverseDynamics& inverse, ConstVectorRef dq,
                                      ConstVectorRef dv, ConstVectorRef dtau, VectorRef da) {
  require_model("the linearization", inverse.model(), model_);
  require_size("dtau", dtau, model_.nv());
  require_size("da", da, model_.nv());
  require_ready();
  if (begins_in(dtau, da)) [[unlikely]]  // da is written before dtau is read
    return along(inverse, dq, dv, Vector(dtau), da);
  inverse.along(dq, dv, zero_, da);
  da = dtau - da;
  solve(da.data());
}

const ForwardDynamicsMatrices& ConventionalLinearization::matrices(ForwardDynamicsMatrices& out) {
  detail::Access::fit(out, model_);
  require_ready();
  out.da_dq = -d_.dtau_dq;
  out.da_dv = -d_.dtau_dv;
  out.M_inv.setIdentity();
  for (Matrix* m : {&out.da_dq, &out.da_dv, &out.M_inv})
    for (Eigen::Index k = 0; k < m->cols(); ++k) solve(m->col(k).data());
  return out;
}

}  // namespace chasles::textbook
