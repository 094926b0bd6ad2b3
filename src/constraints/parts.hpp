/// The constraint equations at a configuration, as wrenches on links and as entries of v.
#pragma once

#include "chasles/constraints/constraints.hpp"
#include "constraints/cut_joint.hpp"

namespace chasles {

/// The equations of one constraint: loops act on two links by wrenches, all others on entries of v.
struct RowBlock {
  int rows = 0;
  std::vector<int> links;    // links on which wrenches act; never ground
  std::vector<int> entries;  // indices into v
  std::vector<double> b;     // entries x rows

  const double* coefficients(std::size_t entry) const {
    return b.data() + entry * static_cast<std::size_t>(rows);
  }
};

/// A loop: the wrench W of equation k acts at the origin of `to` on the link of `to`, its opposite at the same point on
/// the link of `from`.
struct LoopPart {
  CutJoint joint;
  Frame from, to;
  SE3 C{};  // pose of `to`

  double sign(int link) const { return link == to.link ? 1 : -1; }
  Twist in_frame(const Twist& X) const {
    return {inverse_times(C.R, X.w), inverse_times(C.R, X.v)};
  }
  /// W in world axes about the point `here`.
  Wrench felt_at(const Vec3& here, const Wrench& W) const {
    const Vec3 f = C.R * W.f;
    return {C.R * W.t + cross(C.r - here, f), f};
  }
};

struct Constraints::Parts {
  std::vector<RowBlock> blocks;                         // in the order of Constraints::blocks
  std::vector<LoopPart> loops;                          // blocks of loops come first
  std::vector<const ModelCoupling*> couplings;          // then couplings
  std::vector<std::shared_ptr<const Constraint>> more;  // then user-defined constraints
  std::vector<const RheonomicConstraint*> timed;  // for each of them; null: does not depend on time
  bool depends_on_time = false;
  double t = 0;  // [s], within from ... to
  double from = -std::numeric_limits<double>::infinity(),
         to = std::numeric_limits<double>::infinity();
  bool follows = false;   // B depends on q through more than poses: wrenches of loops, nonlinear
                          // couplings, user-defined constraints
  bool turns = false;     // wrenches of loops depend on q
  Vector q;               // at the last update
  bool updated = false;   // up to date at q
  std::vector<Wrench> F;  // links: scratch
  Matrix B;               // scratch of `more`
  Vector accepted;        // constraint errors that count as zero; empty: none

  /// Checks a precondition: `update` itself does not compare kinematics, it evaluates what it is given.
  bool is_at(const PositionKinematics& kin) const {
    return updated && q.size() == kin.q().size() && q == kin.q();
  }
};

/// Equations that contradict each other by `gap` have rows of B that are dependent only up to a part of their length:
/// the gap divided by the length of bodies.
inline double rows_differ_by(double gap) {
  constexpr double shortest = 0.01;  // [m]
  return gap / shortest;
}
inline double contradiction_in_rows(const Constraints& constraints) {
  return rows_differ_by(constraints.accepted_gap());
}

/// c f''(q) of a term of a coupling.
double curvature(const ModelCoupling::Term& term, const PositionKinematics& kin);

/// R_j X_k: column k of the screws of a link, in world axes at its origin.
Twist world_screw(const PositionKinematics& kin, std::size_t link, int k);

}  // namespace chasles
