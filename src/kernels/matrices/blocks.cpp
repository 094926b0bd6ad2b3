#include "kernels/matrices/blocks.hpp"

#include <algorithm>

#include "kernels/tree.hpp"

namespace chasles::kernels {
namespace {

template <class Real, int W>
void set_lane(const LinkConstants<Real>& link, const BodyConstants<Real>& body, std::size_t l,
              Block<Real, W>& to) {
  const bool root = link.parent < 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) to.C[j][i][l] = root ? Real(i == j) : link.C[j][i];
    to.r[i][l] = root ? Real(0) : link.r[i];
    to.com[i][l] = body.com[i];
    to.E[i][l] = body.E_diag[i];
    to.E[3 + i][l] = body.E_off[i];
  }
  to.m[l] = link.mass();
  to.composite[l] = link.carried();
  const bool slides = link.motion == LinkMotion::prismatic;
  to.turn[l] = Real(slides ? 0 : 1);
  to.pitch[l] = slides ? Real(1) : link.motion == LinkMotion::helical ? link.pitch() : Real(0);
  to.angle[l] = root ? Real(0) : to.turn[l];
  to.slide[l] = root ? Real(0) : to.pitch[l];
  if (link.motion != LinkMotion::revolute) to.turns = false;
}

}  // namespace

template <class Real, int W>
void Blocks<Real, W>::join() {
  const auto join_masses = [](Real m_1, Real m_2, Real& part, Real& mu) {
    const Real m = m_1 + m_2;
    part = m == 0 ? 0 : m_2 / m;
    mu = m == 0 ? 0 : m_1 * m_2 / m;
  };
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Block<Real, W>& block = blocks[b];
    // Masses of composites within the block, then including child blocks.
    Real mass[2 * W] = {};
    for (int l = 0; l < W; ++l) mass[l] = block.m[l];
    for (int step = 0, N = 1; N < W; ++step, N *= 2)
      for (int l = 0; l < W; ++l) {
        join_masses(mass[l], mass[l + N], block.part[step][l], block.mu[step][l]);
        mass[l] += mass[l + N];  // mass[l + N] still has its value before this step
      }
    for (int child = block.first_child; child >= 0;
         child = blocks[static_cast<std::size_t>(child)].next) {
      Block<Real, W>& at = blocks[static_cast<std::size_t>(child)];
      for (int l = 0; l <= at.lane; ++l) {
        join_masses(mass[l], at.composite[0], at.parent_part[l], at.parent_mu[l]);
        mass[l] += at.composite[0];
      }
    }
  }
}

template <class Real, int W>
void Blocks<Real, W>::list(const List<LinkConstants<Real>>& links,
                           const List<BodyConstants<Real>>& bodies, int nv) {
  blocks.clear(), paths.clear(), where.clear();
  if (links.empty()) return;
  const int count = static_cast<int>(links.size());
  for (int i = 0; i < count; ++i) {
    const auto& link = links[static_cast<std::size_t>(i)];
    const bool free_root = i == 0 && link.motion == LinkMotion::floating_se3;
    if ((link.parent < 0) != (i == 0) || !(one_screw(link.motion) || free_root)) return;
  }
  root_nv = links[0].motion == LinkMotion::floating_se3 ? 6 : 0;
  where.assign(links.size(), Step{-1, 0});
  for (int i = root_nv ? 1 : 0; i < count; ++i) {
    const auto& link = links[static_cast<std::size_t>(i)];
    const Step from = link.parent < 0 ? Step{-1, 0} : where[static_cast<std::size_t>(link.parent)];
    const bool joins =
        !blocks.empty() && link.parent == i - 1 && from.block >= 0 && blocks.back().count < W;
    if (!joins) {
      Block<Real, W>& to = blocks.emplace_back();
      to.link = i, to.q = link.q, to.v = link.v;
      to.room = std::min(W, nv - link.v);
      to.parent = from.block, to.lane = from.lane;
      to.first_child = to.next = -1;
      to.turns = true;
    }
    Block<Real, W>& to = blocks.back();
    where[static_cast<std::size_t>(i)] = {static_cast<int>(blocks.size()) - 1, to.count};
    set_lane(link, bodies[static_cast<std::size_t>(i)], static_cast<std::size_t>(to.count++), to);
  }

  const int size = static_cast<int>(blocks.size());
  const auto at = [&](int b) -> Block<Real, W>& { return blocks[static_cast<std::size_t>(b)]; };
  for (int b = 0; b < size; ++b) {
    Block<Real, W>& block = at(b);
    block.path = static_cast<int>(paths.size());
    for (int p = block.parent, lane = block.lane; p >= 0; lane = at(p).lane, p = at(p).parent)
      paths.push_back({p, lane});
    std::reverse(paths.begin() + block.path, paths.end());
    block.path_end = static_cast<int>(paths.size());
    if (block.parent < 0) continue;
    block.next = at(block.parent).first_child;
    at(block.parent).first_child = b;
  }
  join();
}

template struct Blocks<double, 4>;
template struct Blocks<double, 8>;
template struct Blocks<float, 4>;
template struct Blocks<float, 8>;
template struct Blocks<long double, 4>;
template struct Blocks<long double, 8>;

}  // namespace chasles::kernels
