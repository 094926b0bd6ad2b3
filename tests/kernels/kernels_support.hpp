/// Runs kernels of any table on one state, and compares what they give.
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "chasles/dynamics/forward_dynamics.hpp"
#include "dynamics/kernel_memory.hpp"

namespace chasles::kernels {

template <class Real>
struct Runner {
  Tree<Real> tree;
  std::vector<Real> q, v, force, group, out;
  std::vector<CacheLine> work;
  Real* out_M = nullptr;  // Pass::out_M
  explicit Runner(const Model& model) : tree(model.links(), model.gravity()) {
    tree.list_entries();
  }

  /// The result of one state, from all lanes.
  std::vector<Real> operator()(const KernelTable<Real>& table, Algorithm algorithm,
                               const Model& model, const Eigen::VectorXd& at,
                               const Eigen::VectorXd& velocity, const Eigen::VectorXd& f) {
    const int lanes = table.lanes;
    tree.list_blocks(table.block_width);
    const auto spread = [&](const Eigen::VectorXd& from, std::vector<Real>& to) {
      to.assign(static_cast<std::size_t>((from.size() + 4) * lanes), Real(0));
      for (Eigen::Index e = 0; e < from.size(); ++e)
        for (int l = 0; l < lanes; ++l)
          to[static_cast<std::size_t>(e * lanes + l)] = static_cast<Real>(from[e]);
    };
    spread(at, q), spread(velocity, v), spread(f, force);
    const int size = output_size(algorithm, tree);
    group.resize(static_cast<std::size_t>(tree.group_size * lanes));
    for (int l = 0; l < lanes; ++l)
      fill_group(model, tree, q.data(), v.data(), lanes, l, group.data());
    work.resize(table.work(algorithm, tree) / sizeof(CacheLine) + 1);
    const auto poison =
        std::span(reinterpret_cast<unsigned char*>(work.data()), work.size() * sizeof(CacheLine));
    std::fill(poison.begin(), poison.end(), static_cast<unsigned char>(0xff));
    std::vector<CacheLine> aligned(
        static_cast<std::size_t>(size * lanes) * sizeof(Real) / sizeof(CacheLine) + 1);
    Real* to = reinterpret_cast<Real*>(aligned.data());
    std::fill_n(to, size * lanes, Real(NAN));
    std::vector<CacheLine> inputs[4];
    const auto align = [&](std::vector<Real>& from, int k) {
      inputs[k].resize(from.size() * sizeof(Real) / sizeof(CacheLine) + 1);
      std::copy(from.begin(), from.end(), reinterpret_cast<Real*>(inputs[k].data()));
      return reinterpret_cast<const Real*>(inputs[k].data());
    };
    EXPECT_EQ(table.run[algorithm]({&tree, align(q, 0), align(v, 1), align(force, 2), nullptr,
                                    align(group, 3), reinterpret_cast<Real*>(work.data()), to,
                                    false, false, out_M}),
              -1);
    out.clear();
    for (int e = 0; e < size; ++e) {
      out.push_back(to[e * lanes]);
      for (int l = 1; l < lanes; ++l) EXPECT_EQ(to[e * lanes + l], to[e * lanes]) << "lane " << l;
    }
    return out;
  }
};

template <class A, class B>
double difference(const std::vector<A>& a, const std::vector<B>& b) {
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
