/// Analysis of constraints: redundant equations, mobility, and assembly (a configuration with all loops closed).
///
///     Vector q = assemble(constraints, model.neutral());
///     MobilityReport report = analyze(constraints, q);
///     // report.mobility == 1, report.gruebler == -2: a planar four-bar in space
#pragma once

#include "chasles/constraints/constraints.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// A configuration near `start` with Phi = 0: Levenberg-Marquardt on the Lie group,
///
///     minimize |Phi(q exp d)|^2 + mu |d|^2,      q <- q exp(d)                                (1)
///
/// with mu decreased after success and increased after failure. Stays on the assembly branch of the start. Redundant
/// equations that are inconsistent by at most 1e-5, as from rounded numbers in a file, are solved in the least-squares
/// sense and the remaining errors are accepted (Constraints::accept_gaps, contradiction).
/// @param start  nq
/// @param kept   nv: entries that must not move; empty: all may
/// @throws Error naming the constraint with the largest error, if there is no such configuration nearby
Vector assemble(Constraints& constraints, ConstVectorRef start, const std::vector<bool>& kept = {});

/// The velocities nearest to v that satisfy B v = 0 at q.
/// @param kept  nv: entries of v that must not change; empty: all may
/// @throws Error naming the constraint that the fixed entries violate
Vector consistent_velocity(Constraints& constraints, ConstVectorRef q, ConstVectorRef v,
                           const std::vector<bool>& kept = {});

struct MobilityReport {
  int equations = 0;   // rows of B
  int rank = 0;        // generic rank, except at isolated configurations
  int mobility = 0;    // nv - rank: degrees of freedom
  int gruebler = 0;    // nv - equations: the Gruebler count
  int local_rank = 0;  // the rank at the configuration itself; smaller: singular
  std::vector<int> independent_equations;  // `rank` indices, ascending, at one configuration
  /// For each block of Constraints: the number of redundant equations, and whether its forces are determined by the
  /// motion.
  struct Block {
    int redundant = 0;
    bool unique = true;
    /// Generic increase of rank over the blocks that are eliminated before it.
    int rank = 0;
    /// Equations x k, orthonormal columns V: V^T B omits the combinations that vanish at every configuration, whether
    /// loops are closed or not.
    Matrix kept;
  };
  std::vector<Block> blocks;
  std::vector<int> independent,
      dependent;               // entries of v: `mobility` independent ones determine the rest
  std::vector<Vector> nearby;  // the sampled configurations
};

/// Ranks of B at q and at assembled configurations nearby, scaled by mass: an equation that depends on others at all
/// of them is redundant; if only at q, then q is singular.
/// @param q  nq, assembled
MobilityReport analyze(Constraints& constraints, ConstVectorRef q);

}  // namespace CHASLES_API
