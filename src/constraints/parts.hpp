/// The rows of constraints at a configuration, as wrenches on links and as entries of v.
#pragma once

#include "chasles/constraints/constraints.hpp"
#include "constraints/cut_joint.hpp"

namespace chasles {

/// B v = sum over links K . V_h + sum over entries b v.
struct RowBlock {
  int rows = 0;
  std::vector<int> links;    // on which wrenches act; never ground
  std::vector<Wrench> K;     // links x rows: hybrid, at the origin of the link
  std::vector<int> entries;  // places in v
  std::vector<double> b;     // entries x rows

  Wrench* wrenches(std::size_t link) { return K.data() + link * static_cast<std::size_t>(rows); }
  const Wrench* wrenches(std::size_t link) const {
    return K.data() + link * static_cast<std::size_t>(rows);
  }
  const double* coefficients(std::size_t entry) const {
    return b.data() + entry * static_cast<std::size_t>(rows);
  }
};

struct LoopPart {
  CutJoint joint;
  Place from, to;
};

struct Constraints::Parts {
  std::vector<RowBlock> blocks;                         // in the order of Constraints::blocks
  std::vector<LoopPart> loops;                          // the first blocks
  std::vector<const ModelCoupling*> linear;             // the next
  std::vector<std::shared_ptr<const Constraint>> more;  // then these
  Vector q;                                             // where they are
  std::vector<Wrench> F;                                // links: scratch
  Matrix B;                                             // scratch of `more`
};

/// R_j X_k: column k of the screws of a link, in world axes at its origin.
Twist world_screw(const PositionKinematics& kin, std::size_t link, int k);

}  // namespace chasles
