/// Analysis of constraints: redundant equations, mobility, and assembly (a configuration with all loops closed).
///
///     Vector q = assemble(constraints, model.neutral());
///     MobilityReport report = analyze(constraints, q);
///     // report.mobility == 1, report.gruebler == -2: a planar four-bar in space
#pragma once

#include <array>
#include <cstdint>

#include "chasles/constraints/constraints.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// How a configuration with Phi = 0 is chosen.
struct AssemblyOptions {
  std::vector<bool> kept{};  // nv: entries that must not move; empty: all may
  /// nv: entries whose values in the start choose among assembly modes: of all solutions found, the one nearest in
  /// these entries is taken. Empty: the first one found.
  std::vector<bool> near{};
  int starts = 40;  // the first is the start itself, the others are random, first around it
  std::uint64_t seed = 1;
};

/// A configuration near `start` with Phi = 0: Levenberg-Marquardt on the Lie group,
///
///     minimize |Phi(q exp d)|^2 + mu |d|^2,      q <- q exp(d)                                (1)
///
/// with mu decreased after success and increased after failure. From a start near a closed configuration it stays on
/// the assembly branch of the start. Where (1) ends in a gap, as from bars that are all in line, random starts follow.
/// Solutions within the joint limits are preferred, unless the start is closed already. Redundant
/// equations that are inconsistent by at most 1e-5, as from rounded numbers in a file, are solved in the least-squares
/// sense and the remaining errors are accepted (Constraints::accept_gaps, contradiction).
/// @param start  nq
/// @throws Error naming the constraint with the largest error, and the smallest gap found
Vector assemble(Constraints& constraints, ConstVectorRef start, const AssemblyOptions& options);
/// @param kept   nv: entries that must not move; empty: all may
Vector assemble(Constraints& constraints, ConstVectorRef start, const std::vector<bool>& kept = {});

/// Configurations with Phi = 0 from random ones, for searches: angles within half a revolution of `around`, distances
/// within the reach of the mechanism or, if the joint has limits, within these. Those that cannot be closed are left
/// out, so there may be fewer than `count`.
std::vector<Vector> random_assemblies(Constraints& constraints, ConstVectorRef around, int count,
                                      const AssemblyOptions& options = {});

/// The velocities nearest to v that satisfy B v + Phi_t = 0 at q.
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

/// Whether the motion determines the components of reactions: moment x, y, z and force x, y, z, in the frame of the
/// joint (z along its axis).
using DeterminedComponents = std::array<bool, 6>;
/// Of each joint, then of each loop. Multipliers are determined up to the null space of B^T, 0 = B^T n; a component is
/// determined if it is zero in the reactions to the loop forces of every n. In a planar loop in space these are the
/// forces in the plane; the force and the moments out of it are not.
/// @param q  nq, assembled
std::vector<DeterminedComponents> determined_reactions(Constraints& constraints, ConstVectorRef q);

}  // namespace CHASLES_API
