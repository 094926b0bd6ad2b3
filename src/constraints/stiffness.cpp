/// Geometric stiffness: the derivative of the constraint forces B^T lambda by q, at fixed multipliers.
///
/// The wrench F = W lambda of a loop is fixed in the frame `to`; it acts on the link of `to`, and its opposite on the
/// link of `from`:
///
///     (B^T lambda)_k = s_k F . S_k,     s_k = [k moves `to`] - [k moves `from`]               (1)
///
/// with the screws S_k and F about one fixed point. A step of joint j moves everything beyond it by S_j: S_k changes by
/// ad_{S_j} S_k if j carries k, F . V by -F . ad_{S_j} V if j moves `to`. So
///
///     d(B^T lambda)_k / dq_j = s_k F . ad_{S_j} S_k ([j carries k] - [j moves `to`])          (2)
#include "constraints/parts.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

using dynamics::carries;

/// (2) of one loop.
void add_stiffness(const PositionKinematics& kin, const LoopPart& loop, const double* lambda,
                   Matrix& S) {
  const Model& model = kin.model();
  const SE3 C = pose(kin, loop.to);
  Wrench F;
  for (std::size_t r = 0; r < loop.joint.W().size(); ++r) F += lambda[r] * loop.joint.W()[r];
  F = {C.R * F.t, C.R * F.f};
  struct Column {
    int link, v;
    double sign;
    Twist X;  // about the origin of `to`
  };
  const auto walk = [&](int from, int other, double sign, const auto& use) {
    for (int i = from; i >= 0; i = tree_links(model)[static_cast<std::size_t>(i)].parent) {
      if (other >= 0 && carries(model, i, other)) return;  // it moves both
      const Link& link = tree_links(model)[static_cast<std::size_t>(i)];
      for (int c = 0; c < link.nv; ++c) {
        Twist X = world_screw(kin, static_cast<std::size_t>(i), c);
        X.v += cross(X.w, C.r - kin.C()[static_cast<std::size_t>(i)].r);
        use(Column{i, link.v_index + c, sign, X});
      }
    }
  };
  // Screws are recomputed for each pair: storing them would allocate.
  const auto each = [&](const auto& use) {
    walk(loop.to.link, loop.from.link, 1, use);
    walk(loop.from.link, loop.to.link, -1, use);
  };
  each([&](const Column& k) {
    each([&](const Column& j) {
      const double change = (carries(model, j.link, k.link) ? 1 : 0) - (j.sign > 0 ? 1 : 0);
      if (change != 0) S(k.v, j.v) += k.sign * change * dot(F, ad(j.X, k.X));
    });
  });
}

}  // namespace

bool Constraints::stiffness(const PositionKinematics& kin, ConstVectorRef lambda, Matrix& S) const {
  require_update(kin);
  require_size("lambda", lambda, count_);
  for (const Link& link : tree_links(model_))
    if (screws_turn(link.motion)) return false;
  for (const LoopPart& loop : parts_->loops)
    if (!loop.joint.is_subgroup()) return false;
  if (!parts_->more.empty()) return false;
  S.setZero(model_.nv(), model_.nv());
  for (std::size_t i = 0; i < parts_->loops.size(); ++i)
    add_stiffness(kin, parts_->loops[i], lambda.data() + blocks_[i].first, S);
  for (std::size_t i = 0; i < parts_->couplings.size(); ++i)
    for (const ModelCoupling::Term& term : parts_->couplings[i]->terms)
      S(term.v_index, term.v_index) +=
          lambda[blocks_[parts_->loops.size() + i].first] * curvature(term, kin);
  return true;
}

}  // namespace chasles
