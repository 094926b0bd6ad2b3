#include "systems/motion_series.hpp"

namespace chasles::derivatives {

MotionSeries::MotionSeries(TreeSeries& tree, const Matrix& q, std::size_t order)
    : tree_(tree), q_(q), poses_(tree_links(tree.model()).size(), links::PoseSeries(order + 2)) {}

void MotionSeries::start(double t, const PositionKinematics* kin) {
  t_ = t, k_ = 0;
  with_poses_ = kin != nullptr;
  if (!with_poses_) return;
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    poses_[i].R_t[0] = transpose(kin->C()[i].R.matrix());
    poses_[i].r[0] = kin->C()[i].r;
  }
}

void MotionSeries::advance(std::size_t k) {
  k_ = k;
  for (std::size_t i = 0; with_poses_ && i < poses_.size(); ++i) {  // (1)
    poses_[i].u[k] = tree_.twist(i, k);
    poses_[i].extend_rotation(k);
    poses_[i].extend_position(k);
  }
}

PowerSeries MotionSeries::time() const {
  PowerSeries t(t_, k_ + 1);
  if (k_ > 0) t[1] = 1;
  return t;
}
PowerSeries MotionSeries::q(int entry) const {
  PowerSeries x(0, k_ + 1);
  for (std::size_t j = 0; j <= k_; ++j) x[j] = q_(entry, static_cast<Eigen::Index>(j));
  return x;
}
PowerSeries MotionSeries::v(int entry) const {
  PowerSeries x(0, k_ + 1);
  for (std::size_t j = 0; j <= k_; ++j) x[j] = tree_.v(entry, static_cast<Eigen::Index>(j));
  return x;
}

VectorSeries MotionSeries::position(const Frame& frame) const {
  VectorSeries out{{PowerSeries(0, k_ + 2), PowerSeries(0, k_ + 2), PowerSeries(0, k_ + 2)}};
  if (frame.link < 0) {
    for (std::size_t c = 0; c < 3; ++c) out.x[c][0] = frame.offset.r[static_cast<int>(c)];
    return out;
  }
  const links::PoseSeries& C = poses_[static_cast<std::size_t>(frame.link)];
  for (std::size_t j = 0; j < k_ + 2; ++j) {
    const Vec3 r = C.r[j] + transpose_times(C.R_t[j], frame.offset.r);
    for (std::size_t c = 0; c < 3; ++c) out.x[c][j] = r[static_cast<int>(c)];
  }
  return out;
}

Vec3 MotionSeries::in_link(std::size_t link, const VectorSeries& x) const {
  Vec3 sum;
  for (std::size_t j = 0; j <= k_; ++j)
    sum += poses_[link].R_t[j] * Vec3{x.x[0][k_ - j], x.x[1][k_ - j], x.x[2][k_ - j]};
  return sum;
}
void MotionSeries::push(const Frame& frame, const VectorSeries& force) {
  if (frame.link < 0) return;
  const auto i = static_cast<std::size_t>(frame.link);
  const Vec3 f = in_link(i, force);
  tree_.loads()[i] += {cross(frame.offset.r, f), f};
}
void MotionSeries::twist_by(const Frame& frame, const VectorSeries& torque) {
  if (frame.link < 0) return;
  const auto i = static_cast<std::size_t>(frame.link);
  tree_.loads()[i] += {in_link(i, torque), {}};
}
void MotionSeries::load(const Frame& frame, const Wrench& coefficient) {
  if (frame.link >= 0)
    tree_.loads()[static_cast<std::size_t>(frame.link)] += Ad_inv_dual(frame.offset, coefficient);
}

}  // namespace chasles::derivatives
