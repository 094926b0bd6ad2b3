#include "systems/loop_series.hpp"

#include <Eigen/QR>
#include <algorithm>

#include "access.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "constraints/parts.hpp"

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
      loops_.push_back({loop->from, loop->to, joint.W(), block.first, links::PoseSeries(n),
                        std::vector<Twist>(n), std::vector<Twist>(n), std::vector<Wrench>(n),
                        std::vector<Wrench>(n)});
      if (!joint.is_subgroup()) loops_.back().turning.emplace(*loop, order);
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

LoopSeries::TurningJoint::TurningJoint(const ModelLoop& loop, std::size_t order)
    : name(loop.name),
      motion(loop.joint, static_cast<int>(order)),
      kin(loop.joint),
      body(loop.joint.frame("body")),
      S(6, loop.joint.nv()),
      S_inverse(loop.joint.nv(), 6) {}

void LoopSeries::TurningJoint::start(const Vector& theta, const Twist& V_rel, std::size_t rank) {
  using Screws = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;
  forward_kinematics(motion.model(), theta, kin);
  jacobian(motion.model(), kin, body, Representation::body, S);
  Eigen::ColPivHouseholderQR<Screws> factors(Screws{S});
  factors.setThreshold(1e-7);
  if (static_cast<std::size_t>(factors.rank()) < rank)
    throw SingularError("taylor: loop '" + name +
                        "': the screws of its joint lose rank here, where its wrenches have no "
                        "series; take dop853, or radau5");
  S_inverse = factors.solve(Eigen::Matrix<double, 6, 6>::Identity());
  motion.v.col(0).noalias() = S_inverse * to_eigen(V_rel);
  motion.start(theta, {});
}

Wrench LoopSeries::TurningJoint::extend(std::size_t k, const Twist& V_rel, const Wrench& F_before) {
  const auto column = static_cast<Eigen::Index>(k);
  Wrench& load = motion.loads()[static_cast<std::size_t>(body.link)];
  if (k > 0) {
    motion.v.col(column).noalias() = S_inverse * to_eigen(V_rel - c);
    load = Ad_inv_dual(body.offset, F_before);
    motion.inverse(k - 1);
  }
  motion.v.col(column + 1).setZero();
  load = {};
  motion.inverse(k);
  c = Ad_inv(body.offset, motion.twist(static_cast<std::size_t>(body.link), k + 1));
  const Eigen::Matrix<double, 6, 1> F = S_inverse.transpose() * motion.tau.col(column);
  return from_eigen<Wrench>(F);
}

void LoopSeries::start() {
  if (empty()) return;
  const PositionKinematics& kin = system_->position();
  system_->constraint_matrix(B_);
  for (Eigen::Index r = 0; r < count_; ++r)
    if (!coupled_[static_cast<std::size_t>(r)]) B_.row(r).setZero();
  const std::vector<LoopPart>& parts = detail::Access::parts(system_->constraints()).loops;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    Loop& loop = loops_[i];
    const SE3 E = inverse(pose(kin, loop.from)) * pose(kin, loop.to);
    loop.E.R_t[0] = transpose(E.R.matrix());
    loop.E.r[0] = E.r;
    if (!loop.turning) continue;
    std::ranges::copy(parts[i].joint.W(), loop.W.begin());
    find_relative(loop, 0);
    loop.turning->start(parts[i].joint.theta(), loop.E.u[0], 6 - loop.W.size());
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
    if (loop.turning) {
      loop.F[k] = loop.turning->extend(k, loop.E.u[k], k > 0 ? loop.F[k - 1] : Wrench{});
      load(loop.to, -1.0 * loop.F[k]);
    }
    Wrench& turned = loop.turned[k];
    turned = {};
    for (std::size_t j = 0; j <= k; ++j) {
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
    const Twist known = loop.turning ? loop.turning->c : Twist{};
    for (std::size_t r = 0; r < loop.W.size(); ++r)
      residual_[loop.row + static_cast<Eigen::Index>(r)] = dot(loop.W[r], loop.E.u[k + 1] - known);
  }
  residual_ *= -static_cast<double>(next);
  system_->solve(none_, residual_, change_, lambda_);  // (2)
  tau.noalias() -= B_.transpose() * lambda_;
  for (Loop& loop : loops_) {
    Wrench F;
    for (std::size_t r = 0; r < loop.W.size(); ++r)
      F += lambda_[loop.row + static_cast<Eigen::Index>(r)] * loop.W[r];
    loop.F[k] += F;
    load(loop.to, -1.0 * F);
    const Wrench turned{transpose_times(loop.E.R_t[0], F.t), transpose_times(loop.E.R_t[0], F.f)};
    loop.turned[k] += turned;
    load(loop.from, {turned.t + cross(loop.E.r[0], turned.f), turned.f});
  }
}

}  // namespace chasles::derivatives
