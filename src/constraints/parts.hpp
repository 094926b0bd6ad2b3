/// The rows of constraints at a configuration, as wrenches on links and as entries of v.
#pragma once

#include "chasles/constraints/constraints.hpp"
#include "constraints/cut_joint.hpp"

namespace chasles {

/// Rows of loops act on two links by wrenches, all others on entries of v.
struct RowBlock {
  int rows = 0;
  std::vector<int> links;    // on which wrenches act; never ground
  std::vector<int> entries;  // places in v
  std::vector<double> b;     // entries x rows

  const double* coefficients(std::size_t entry) const {
    return b.data() + entry * static_cast<std::size_t>(rows);
  }
};

/// The wrench W of row k acts at the origin of `to` on what carries it, its opposite there on what
/// carries `from`.
struct LoopPart {
  CutJoint joint;
  Frame from, to;
  SE3 C{};  // pose of `to`

  double sign(int link) const { return link == to.link ? 1 : -1; }
  Twist in_frame(const Twist& X) const {
    return {inverse_times(C.R, X.w), inverse_times(C.R, X.v)};
  }
  /// In world axes, as felt at the point `here`.
  Wrench felt_at(const Vec3& here, const Wrench& W) const {
    const Vec3 f = C.R * W.f;
    return {C.R * W.t + cross(C.r - here, f), f};
  }
};

struct Constraints::Parts {
  std::vector<RowBlock> blocks;                         // in the order of Constraints::blocks
  std::vector<LoopPart> loops;                          // the first blocks
  std::vector<const ModelCoupling*> linear;             // the next
  std::vector<std::shared_ptr<const Constraint>> more;  // then these
  bool follows = false;   // rows depend on kinematics: wrenches that turn, constraints of one's own
  bool turns = false;     // wrenches of loops depend on q
  Vector q;               // of the last update
  bool updated = false;   // and nothing has changed since
  std::vector<Wrench> F;  // links: scratch
  Matrix B;               // scratch of `more`
  Vector accepted;        // gaps that count as zero; empty: none

  /// A precondition: `update` itself compares no numbers, it evaluates whatever it is given.
  bool is_at(const PositionKinematics& kin) const {
    return updated && q.size() == kin.q().size() && q == kin.q();
  }
};

/// Equations that contradict each other do so in their rows of B as well: of rows of length one this part differs,
/// the gap over the lengths of bodies.
inline double rows_differ_by(double gap) {
  constexpr double shortest = 0.01;  // [m]
  return gap / shortest;
}
inline double contradiction_in_rows(const Constraints& constraints) {
  return rows_differ_by(constraints.accepted_gap());
}

/// R_j X_k: column k of the screws of a link, in world axes at its origin.
Twist world_screw(const PositionKinematics& kin, std::size_t link, int k);

}  // namespace chasles
