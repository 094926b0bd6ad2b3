/// Constraint forces B^T lambda: wrenches of loops along the tree, and entries of v.
#include <algorithm>

#include "constraints/parts.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles {

void Constraints::force(const PositionKinematics& kin, ConstVectorRef lambda, VectorRef out) {
  require_update(kin);
  require_size("lambda", lambda, count_);
  require_size("the force", out, model_.nv());
  out.setZero();
  std::vector<Wrench>& F = parts_->F;
  std::fill(F.begin(), F.end(), Wrench{});
  Eigen::Index first = 0;
  for (std::size_t number = 0; number < parts_->blocks.size(); ++number) {
    const RowBlock& block = parts_->blocks[number];
    if (number < parts_->loops.size()) {
      const LoopPart& loop = parts_->loops[number];
      Wrench W;
      for (int k = 0; k < block.rows; ++k)
        W += lambda[first + k] * loop.joint.W()[static_cast<std::size_t>(k)];
      for (const int end : block.links) {
        const auto i = static_cast<std::size_t>(end);
        F[i] += loop.sign(end) * loop.felt_at(kin.C()[i].r, W);
      }
    }
    for (std::size_t e = 0; e < block.entries.size(); ++e)
      for (int k = 0; k < block.rows; ++k)
        out[block.entries[e]] += lambda[first + k] * block.coefficients(e)[k];
    first += block.rows;
  }
  dynamics::for_links_inward(
      model_, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
        for (int c = 0; c < link.nv; ++c)
          out[link.v_index + c] += dot(F[i], world_screw(kin, i, c));
        if (link.parent < 0) return;
        const Vec3 way = kin.C()[i].r - kin.C()[dynamics::parent_of(link)].r;
        F[dynamics::parent_of(link)] += {F[i].t + cross(way, F[i].f), F[i].f};
      });
}

void Constraints::forces(const PositionKinematics& kin, ConstVectorRef lambda,
                         std::vector<AppliedWrench>& wrenches, Vector& tau) const {
  require_update(kin);
  require_size("lambda", lambda, count_);
  wrenches.clear();
  tau.setZero(model_.nv());
  Eigen::Index first = 0;
  for (std::size_t i = 0; i < parts_->blocks.size(); ++i) {
    const RowBlock& block = parts_->blocks[i];
    if (i < parts_->loops.size()) {
      const LoopPart& loop = parts_->loops[i];
      Wrench W;
      for (int k = 0; k < block.rows; ++k)
        W += lambda[first + k] * loop.joint.W()[static_cast<std::size_t>(k)];
      const SE3 E = inverse(pose(kin, loop.from)) * pose(kin, loop.to);
      wrenches.push_back({loop.to, -1.0 * W, Representation::body});
      wrenches.push_back({loop.from.at(E), W, Representation::body});
    }
    for (std::size_t e = 0; e < block.entries.size(); ++e)
      for (int k = 0; k < block.rows; ++k)
        tau[block.entries[e]] -= lambda[first + k] * block.coefficients(e)[k];
    first += block.rows;
  }
}

}  // namespace chasles
