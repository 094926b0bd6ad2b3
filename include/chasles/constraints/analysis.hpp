/// What constraints leave of the motion of a mechanism: which rows depend on others, how many degrees
/// of freedom are left, and a configuration at which all loops are closed.
///
///     Vector q = assemble(constraints, model.neutral());
///     MobilityReport report = analyze(constraints, q);
///     // report.mobility == 1, report.gruebler == -2: a planar four-bar in space
#pragma once

#include "chasles/constraints/constraints.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// A configuration near `start` with Phi = 0: Levenberg and Marquardt on the group,
///
///     minimize |Phi(q exp d)|^2 + mu |d|^2,      q <- q exp(d)                                (1)
///
/// mu smaller after success, larger after failure. Keeps the branch of the start. Redundant equations that contradict
/// each other by 1e-5 or less, as numbers of a file that were rounded do, are met in the sense of least squares, and
/// the gaps that are left are accepted (Constraints::accept_gaps, contradiction).
/// @param start  nq
/// @param kept   nv: what may not move; empty: all may
/// @throws Error naming the constraint with the largest gap, if there is no such configuration nearby
Vector assemble(Constraints& constraints, ConstVectorRef start, const std::vector<bool>& kept = {});

/// The velocities with B v = 0 at q that are nearest to v.
/// @param kept  nv: entries of v that stay; empty: all may change
/// @throws Error naming the constraint that cannot be met, if entries that stay contradict it
Vector consistent_velocity(Constraints& constraints, ConstVectorRef q, ConstVectorRef v,
                           const std::vector<bool>& kept = {});

struct MobilityReport {
  int equations = 0;   // of B
  int rank = 0;        // but for single configurations
  int mobility = 0;    // nv - rank: the degrees of freedom that are left
  int gruebler = 0;    // nv - rows: what counting says
  int local_rank = 0;  // the rank at the configuration itself; less: it is singular
  std::vector<int> independent_equations;  // `rank` of them, ascending: those of one configuration
  /// For each block of Constraints: rows that are redundant, and whether its forces are determined by
  /// the motion.
  struct Block {
    int redundant = 0;
    bool unique = true;
    /// What it adds to the rank of the blocks that are eliminated before it, but for single configurations.
    int rank = 0;
    /// rows x k, orthonormal columns V: V^T B has all of the block but what vanishes at every
    /// configuration, with closed loops or without.
    Matrix kept;
  };
  std::vector<Block> blocks;
  std::vector<int> independent, dependent;  // entries of v: `mobility` of them move the rest
  std::vector<Vector> nearby;               // the configurations that were looked at
};

/// Ranks of B at q and at configurations nearby that are assembled as well, scaled by masses: a row
/// that depends on others at all of them is redundant, at q alone q is singular.
/// @param q  nq, assembled
MobilityReport analyze(Constraints& constraints, ConstVectorRef q);

}  // namespace CHASLES_API
