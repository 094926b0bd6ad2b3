#include "systems/loop_series.hpp"

#include <algorithm>

namespace chasles::derivatives {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error("taylor: " + what + " " + why +
              ", so it cannot be expanded in time; take dop853, or radau5");
}

}  // namespace

LoopSeries::LoopSeries(MechanismState& system, TreeSeries& tree, std::size_t order)
    : system_(&system), tree_(tree), count_(system.constraint_count()) {
  const Model& model = system.model();
  const std::vector<ConstraintBlock>& blocks = system.constraints().blocks();
  const std::size_t n = order + 2;
  coupled_.resize(static_cast<std::size_t>(count_));
  for (const ConstraintBlock& block : blocks) {
    if (block.kind == "loop") {
      const auto loop = std::ranges::find(model.loops(), block.name, &ModelLoop::name);
      const CutJoint joint(*loop);
      if (!joint.is_subgroup())
        refuse(block.text(), "is closed by a joint whose wrenches turn with its coordinates");
      loops_.push_back({loop->from, loop->to, joint.W(), block.first, links::PoseSeries(n),
                        std::vector<Twist>(n), std::vector<Twist>(n), std::vector<Wrench>(n),
                        std::vector<Wrench>(n)});
      continue;
    }
    const auto coupling = std::ranges::find_if(model.couplings(), [&](const ModelCoupling& c) {
      return c.name == block.name && (block.kind == "coupling" || block.kind == "mimic");
    });
    if (coupling == model.couplings().end())
      refuse(block.text(), "is a function that is not known as a series");
    if (!coupling->is_linear()) refuse(block.text(), "is not linear");
    for (int r = 0; r < block.rows; ++r) coupled_[static_cast<std::size_t>(block.first + r)] = true;
  }
  none_ = Vector(model.nv()), change_ = Vector(model.nv());
  residual_ = Vector(count_), lambda_ = Vector(count_);
}

void LoopSeries::start() {
  if (empty()) return;
  const PositionKinematics& kin = system_->position();
  system_->constraint_matrix(B_);
  for (Eigen::Index r = 0; r < count_; ++r)
    if (!coupled_[static_cast<std::size_t>(r)]) B_.row(r).setZero();
  for (Loop& loop : loops_) {
    const SE3 E = inverse(pose(kin, loop.from)) * pose(kin, loop.to);
    loop.E.R_t[0] = transpose(E.R.matrix());
    loop.E.r[0] = E.r;
  }
}

/// (1): Ad_E^-1 V = (R^T w; R^T (v - r x w)), as a product of series.
void LoopSeries::find_relative(Loop& loop, std::size_t k) {
  const auto in_frame = [&](const Frame& frame) {
    return frame.link < 0
               ? Twist{}
               : Ad_inv(frame.offset, tree_.twist(static_cast<std::size_t>(frame.link), k));
  };
  loop.V[k] = in_frame(loop.from);
  Twist& moved = loop.moved[k];
  moved = loop.V[k];
  for (std::size_t j = 0; j <= k; ++j) moved.v -= cross(loop.E.r[j], loop.V[k - j].w);
  Twist V = in_frame(loop.to);
  for (std::size_t j = 0; j <= k; ++j) {
    V.w -= loop.E.R_t[j] * loop.V[k - j].w;
    V.v -= loop.E.R_t[j] * loop.moved[k - j].v;
  }
  loop.E.u[k] = V;
}

void LoopSeries::load(const Frame& frame, const Wrench& F) {
  if (frame.link >= 0)
    tree_.loads()[static_cast<std::size_t>(frame.link)] += Ad_inv_dual(frame.offset, F);
}

/// The wrench F in `to` is (R t + r x R f; R f) in `from`.
void LoopSeries::load(std::size_t k) {
  for (Loop& loop : loops_) {
    find_relative(loop, k);  // with the accelerations of the constrained motion
    loop.E.extend_rotation(k), loop.E.extend_position(k);
    loop.F[k] = {};
    Wrench& turned = loop.turned[k];
    turned = {};
    for (std::size_t j = 1; j <= k; ++j) {
      turned.t += transpose_times(loop.E.R_t[j], loop.F[k - j].t);
      turned.f += transpose_times(loop.E.R_t[j], loop.F[k - j].f);
    }
    Wrench back = turned;
    for (std::size_t j = 0; j <= k; ++j) back.t += cross(loop.E.r[j], loop.turned[k - j].f);
    load(loop.from, back);
  }
}

void LoopSeries::solve(std::size_t k, VectorRef tau) {
  const auto next = static_cast<Eigen::Index>(k + 1);
  residual_.noalias() = B_ * tree_.v.col(next);
  for (Loop& loop : loops_) {
    find_relative(loop, k + 1);
    for (std::size_t r = 0; r < loop.W.size(); ++r)
      residual_[loop.row + static_cast<Eigen::Index>(r)] = dot(loop.W[r], loop.E.u[k + 1]);
  }
  residual_ *= -static_cast<double>(next);
  system_->solve(none_, residual_, change_, lambda_);  // (2)
  tau.noalias() -= B_.transpose() * lambda_;
  for (Loop& loop : loops_) {
    Wrench& F = loop.F[k];
    for (std::size_t r = 0; r < loop.W.size(); ++r)
      F += lambda_[loop.row + static_cast<Eigen::Index>(r)] * loop.W[r];
    load(loop.to, -1.0 * F);
    const Wrench turned{transpose_times(loop.E.R_t[0], F.t), transpose_times(loop.E.R_t[0], F.f)};
    loop.turned[k] += turned;
    load(loop.from, {turned.t + cross(loop.E.r[0], turned.f), turned.f});
  }
}

}  // namespace chasles::derivatives
