#include "chasles/constraints/loop_screws.hpp"

#include <algorithm>

#include "access.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "constraints/parts.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

/// The screws of the elementary joints of a loop in the order of the ring, in the world.
using Ring = std::vector<std::vector<Twist>>;

std::vector<int> path_to_ground(const Model& model, int link) {
  std::vector<int> path;
  for (int i = link; i >= 0; i = tree_links(model)[static_cast<std::size_t>(i)].parent)
    path.push_back(i);
  return path;
}

/// The screws of a link, columns of the spatial Jacobian J of a frame that it moves.
std::vector<Twist> screws_of_link(const Model& model, int i, const Matrix6X& J) {
  const Link& link = tree_links(model)[static_cast<std::size_t>(i)];
  std::vector<Twist> screws;
  for (int k = 0; k < link.nv; ++k) screws.push_back(from_eigen<Twist>(J.col(link.v_index + k)));
  return screws;
}

/// All screws that do no work on the wrenches of the cut joint.
ScrewSystem cut_screws(const LoopPart& loop) {
  std::vector<Twist> wrenches;
  for (const Wrench& W : loop.joint.W()) wrenches.push_back(lie::as_screw(W));
  return transform(loop.C, reciprocal(ScrewSystem(wrenches)));
}

Ring ring_of(const Model& model, const PositionKinematics& kin, const LoopPart& loop) {
  std::vector<int> to = path_to_ground(model, loop.to.link),
                   from = path_to_ground(model, loop.from.link);
  while (!to.empty() && !from.empty() && to.back() == from.back()) to.pop_back(), from.pop_back();
  Ring ring;
  Matrix6X J(6, model.nv());
  jacobian(model, kin, loop.to, Representation::spatial, J);
  std::for_each(to.rbegin(), to.rend(),
                [&](int i) { ring.push_back(screws_of_link(model, i, J)); });
  ring.push_back(cut_screws(loop).basis());
  jacobian(model, kin, loop.from, Representation::spatial, J);
  for (const int i : from) ring.push_back(screws_of_link(model, i, J));
  return ring;
}

/// The span of the joints `first` ... `first + count - 1` of the ring.
ScrewSystem span_of(const Ring& ring, std::size_t first, std::size_t count) {
  std::vector<Twist> all;
  for (std::size_t k = 0; k < count; ++k) {
    const auto& screws = ring[(first + k) % ring.size()];
    all.insert(all.end(), screws.begin(), screws.end());
  }
  return ScrewSystem(all);
}

/// (1).
int least_dimension(const Ring& ring, int uncut) {
  int least = uncut;
  const std::size_t n = ring.size();
  if (n > static_cast<std::size_t>(most_cut_joints)) return least;
  for (std::size_t first = 0; first < n; ++first)
    for (std::size_t count = 1; first + count < n; ++count) {
      const ScrewSystem A = closure(span_of(ring, first, count));
      if (A.dimension() >= least) break;  // longer chains have no smaller closure
      const ScrewSystem B = closure(span_of(ring, first + count, n - count));
      least = std::min(least, sum(A, B).dimension());
    }
  return least;
}

}  // namespace

std::vector<LoopScrewSystem> loop_screw_systems(Constraints& constraints, ConstVectorRef q) {
  const Model& model = constraints.model();
  require_size("q", q, model.nq());
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  constraints.update(kin);
  std::vector<LoopScrewSystem> list;
  const std::vector<LoopPart>& loops = detail::Access::parts(constraints).loops;
  for (std::size_t l = 0; l < loops.size(); ++l) {
    const Ring ring = ring_of(model, kin, loops[l]);
    LoopScrewSystem out;
    out.name = model.loops()[l].name;
    out.screws = span_of(ring, 0, ring.size());
    const ScrewSystem generated = closure(out.screws);
    out.subgroup = motion_subgroup(generated);
    for (const auto& screws : ring) out.joint_freedom += static_cast<int>(screws.size());
    out.bound = least_dimension(ring, generated.dimension());
    out.equations = loops[l].joint.constraint_count();
    out.redundant = std::min(6 - out.bound, out.equations);
    out.mobility = std::max(0, out.joint_freedom - out.bound);
    list.push_back(std::move(out));
  }
  return list;
}

}  // namespace chasles
