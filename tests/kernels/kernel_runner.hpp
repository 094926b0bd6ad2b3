/// Runs a kernel of any table at one state, given to all lanes, and compares.
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "dynamics/kernel_memory.hpp"
#include "model/model_data.hpp"
#include "support/random_mechanism.hpp"

namespace chasles::kernels {

/// Memory as kernels want it, filled with what is not a number.
template <class Real>
class Aligned {
 public:
  void resize(std::size_t n) {
    lines_.resize(n * sizeof(Real) / sizeof(CacheLine) + 1);
    const auto bytes = std::span(reinterpret_cast<unsigned char*>(lines_.data()),
                                 lines_.size() * sizeof(CacheLine));
    std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0xff));
  }
  Real* data() { return reinterpret_cast<Real*>(lines_.data()); }

 private:
  std::vector<CacheLine> lines_;
};

/// Numbers that a kernel leaves per state, and where.
struct Written {
  int out = 0, pose = 0, twist = 0, acceleration = 0;
};
template <class Real>
Written written(Algorithm algorithm, const Tree<Real>& tree) {
  const int links = static_cast<int>(tree.links.size());
  switch (algorithm) {
    case positions:
      return {.pose = 12 * links};
    case velocities:
      return {.pose = 12 * links, .twist = 6 * links};
    case accelerations:
      return {.pose = 12 * links, .twist = 6 * links, .acceleration = 6 * links};
    case jacobian:
      return {.out = 6 * tree.nv, .pose = 12};
    case frame_poses:
    case frame_twists:
    case frame_accelerations:
      return {};
    default:
      return {.out = output_size(algorithm, tree)};
  }
}

template <class Real>
struct Runner {
  Tree<Real> tree;
  std::vector<FrameConstants<Real>> frames;
  std::vector<double> wrenches;  // on places
  Real* out_M = nullptr;         // Pass::out_M
  explicit Runner(const Model& model) : tree(tree_links(model), model.gravity()) {
    tree.list_entries();
  }

  /// All results of one state, one after the other.
  std::vector<Real> operator()(const KernelTable<Real>& table, Algorithm algorithm,
                               const Model& model, const Eigen::VectorXd& at,
                               const Eigen::VectorXd& velocity, const Eigen::VectorXd& f) {
    const int lanes = table.lanes;
    tree.list_blocks(table.block_width);
    const auto spread = [&](const Eigen::VectorXd& from, Aligned<Real>& to) {
      to.resize(static_cast<std::size_t>(from.size() * lanes));
      for (Eigen::Index e = 0; e < from.size(); ++e)
        for (int l = 0; l < lanes; ++l) to.data()[e * lanes + l] = static_cast<Real>(from[e]);
    };
    const auto room = [&](Aligned<Real>& to, int n) {
      to.resize(static_cast<std::size_t>(n * lanes));
      return to.data();
    };
    spread(at, q_), spread(velocity, v_), spread(f, force_);
    room(group_, tree.group_size);
    for (int l = 0; l < lanes; ++l)
      fill_group(model, tree, q_.data(), v_.data(), lanes, l, group_.data());
    work_.resize(table.work(algorithm, tree) / sizeof(Real) + 1);
    const Written size = written(algorithm, tree);
    Pass<Real> pass{.tree = &tree,
                    .q = q_.data(),
                    .v = v_.data(),
                    .force = force_.data(),
                    .wrench = nullptr,
                    .group = group_.data(),
                    .work = work_.data(),
                    .out = room(out_, size.out)};
    pass.pose = room(pose_, size.pose);
    pass.twist = room(twist_, size.twist);
    pass.acceleration = room(acceleration_, size.acceleration);
    pass.out_M = out_M;
    pass.frames = frames.data();
    pass.frame_count = static_cast<int>(frames.size());
    if (!wrenches.empty()) {
      spread(Eigen::Map<const Eigen::VectorXd>(wrenches.data(), std::ssize(wrenches)), wrench_);
      pass.wrench = wrench_.data();
    }
    EXPECT_EQ(table.run(algorithm, pass), -1);
    std::vector<Real> all;
    const auto gather = [&](const Real* from, int n) {
      for (long e = 0; e < n; ++e) {
        all.push_back(from[e * lanes]);
        for (int l = 1; l < lanes; ++l)
          EXPECT_EQ(from[e * lanes + l], from[e * lanes]) << "lane " << l;
      }
    };
    gather(pass.out, size.out);
    gather(pass.pose, size.pose);
    gather(pass.twist, size.twist);
    gather(pass.acceleration, size.acceleration);
    return all;
  }

 private:
  Aligned<Real> q_, v_, force_, wrench_, group_, work_, out_, pose_, twist_, acceleration_;
};

/// The largest, relative to the largest of b.
template <class A, class B>
double difference(const std::vector<A>& a, const std::vector<B>& b) {
  EXPECT_EQ(a.size(), b.size());
  double size = 0, most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double e = static_cast<double>(
        std::abs(static_cast<long double>(a[i]) - static_cast<long double>(b[i])));
    if (!(e <= most)) most = e;
    size = std::max(size, static_cast<double>(std::abs(b[i])));
  }
  return size > 0 ? most / size : most;
}

}  // namespace chasles::kernels
