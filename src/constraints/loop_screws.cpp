#include "chasles/constraints/loop_screws.hpp"

#include <algorithm>
#include <map>

#include "access.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "constraints/parts.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

/// A loop as a ring of elementary joints: joint k connects links[k] and the link after it.
struct Ring {
  std::vector<std::vector<Twist>> joints;  // their screws in the world
  std::vector<int> links;                  // -1: ground
  std::size_t cut = 0;                     // index of the cut joint
  std::size_t size() const { return joints.size(); }
  int link(std::size_t k) const { return links[k % size()]; }
};

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
  int common = -1;
  while (!to.empty() && !from.empty() && to.back() == from.back())
    common = to.back(), to.pop_back(), from.pop_back();
  Ring ring;
  ring.links.push_back(common);
  Matrix6X J(6, model.nv());
  jacobian(model, kin, loop.to, Representation::spatial, J);
  for (auto i = to.rbegin(); i != to.rend(); ++i)
    ring.joints.push_back(screws_of_link(model, *i, J)), ring.links.push_back(*i);
  ring.cut = ring.joints.size();
  ring.joints.push_back(cut_screws(loop).basis());
  jacobian(model, kin, loop.from, Representation::spatial, J);
  for (const int i : from)
    ring.links.push_back(i), ring.joints.push_back(screws_of_link(model, i, J));
  return ring;  // if `from` is empty, the cut joint ends at the common link; otherwise the last joint
}

/// The span of the joints `first` ... `first + count - 1` of the ring.
ScrewSystem span_of(const Ring& ring, std::size_t first, std::size_t count) {
  std::vector<Twist> all;
  for (std::size_t k = 0; k < count; ++k) {
    const auto& screws = ring.joints[(first + k) % ring.size()];
    all.insert(all.end(), screws.begin(), screws.end());
  }
  return ScrewSystem(all);
}

/// Algebras in which the relative motion of two links stays because of loops that are closed.
using Pair = std::pair<int, int>;
using Restrictions = std::map<Pair, ScrewSystem>;

Pair pair_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

/// The algebras of all chains of a ring; those without its cut joint with the restrictions by other loops.
class Arcs {
 public:
  Arcs(const Ring& ring, const Restrictions& known)
      : n_(ring.size()), arcs_(n_ * n_), restricted_(n_ * n_, false) {
    for (std::size_t count = 1; count < n_; ++count)
      for (std::size_t first = 0; first < n_; ++first) find(ring, known, first, count);
  }
  const ScrewSystem& operator()(std::size_t first, std::size_t count) const {
    return arcs_[index(first, count)];
  }
  /// (1) and (2): the least dimension of two chains that are the ring; at most `uncut`.
  int least_dimension(int uncut) const {
    int least = uncut;
    for (std::size_t first = 0; first < n_; ++first)
      for (std::size_t count = 1; first + count < n_; ++count)
        least = std::min(
            least, sum((*this)(first, count), (*this)(first + count, n_ - count)).dimension());
    return least;
  }

 private:
  std::size_t index(std::size_t first, std::size_t count) const { return count * n_ + first % n_; }
  void find(const Ring& ring, const Restrictions& known, std::size_t first, std::size_t count) {
    ScrewSystem S = closure(span_of(ring, first, count));
    const int unrestricted = S.dimension();
    for (std::size_t m = 1; m < count; ++m)
      if (restricted_[index(first, m)] || restricted_[index(first + m, count - m)])
        S = intersection(S, closure(sum((*this)(first, m), (*this)(first + m, count - m))));
    const bool has_cut = (ring.cut + n_ - first) % n_ < count;
    const auto by = known.find(pair_of(ring.link(first), ring.link(first + count)));
    if (by != known.end() && !has_cut) S = intersection(S, by->second);
    restricted_[index(first, count)] = S.dimension() < unrestricted;
    arcs_[index(first, count)] = std::move(S);
  }

  std::size_t n_;
  std::vector<ScrewSystem> arcs_;
  std::vector<bool> restricted_;
};

/// The relative motion of two links of a closed ring stays in the algebras of both chains between them.
void add_restrictions(const Ring& ring, const Arcs& arcs, Restrictions& known) {
  for (std::size_t i = 0; i < ring.size(); ++i)
    for (std::size_t j = i + 1; j < ring.size(); ++j)
      known[pair_of(ring.link(i), ring.link(j))] =
          intersection(arcs(i, j - i), arcs(j, ring.size() - (j - i)));
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
  Restrictions known;
  for (std::size_t l = 0; l < loops.size(); ++l) {
    const Ring ring = ring_of(model, kin, loops[l]);
    LoopScrewSystem out;
    out.name = model.loops()[l].name;
    out.screws = span_of(ring, 0, ring.size());
    const ScrewSystem generated = closure(out.screws);
    out.subgroup = motion_subgroup(generated);
    for (const auto& screws : ring.joints) out.joint_freedom += static_cast<int>(screws.size());
    out.bound = out.bound_with_others = generated.dimension();
    if (ring.size() <= static_cast<std::size_t>(most_cut_joints)) {
      out.bound = Arcs(ring, {}).least_dimension(out.bound);
      const Arcs arcs(ring, known);
      out.bound_with_others = arcs.least_dimension(out.bound);
      add_restrictions(ring, arcs, known);
    }
    out.equations = loops[l].joint.constraint_count();
    out.redundant = std::min(6 - out.bound_with_others, out.equations);
    out.mobility = std::max(0, out.joint_freedom - out.bound);
    list.push_back(std::move(out));
  }
  return list;
}

}  // namespace chasles
