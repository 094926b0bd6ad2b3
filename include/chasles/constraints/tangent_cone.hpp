/// Local analysis of closed mechanisms to second order: the tangent cone at singular configurations, with the tangents
/// of the branches of motion that meet there, and instantaneous mobility told from finite mobility.
///
/// A motion with Phi(q) = 0 through q has, with B = dPhi/dq along plus(), v = q', a = v',
///
///     B v = 0,     B a + Bd(v) v = 0                                                             (1)
///
/// The second equation can be solved for a if and only if no combination n of rows that vanishes, n^T B = 0, has a rest.
/// With K a basis of the kernel of B and N one of its left kernel, v = K x is tangent to a motion to second order iff
///
///     x^T F_c x = 0,     F_c = the symmetric part of  n_c^T Bd(K x) K x  as a form in x           (2)
///
/// (2) is a cone of real vectors. At regular configurations, also of overconstrained mechanisms, all F_c vanish and the
/// cone is the tangent space. If only x = 0 solves (2), then no motion passes through q: the mobility is only
/// instantaneous (a shaky structure). Two branches cross in two lines.
///
/// A vector of the cone may still fail at third order. So every tangent found is followed for a finite distance:
/// Newton's method on Phi = 0 with the component along it prescribed.
///
///     TangentCone cone = tangent_cone(constraints, q);
///     // a parallelogram in line: cone.kernel == 2, cone.branches.size() == 2
#pragma once

#include "chasles/constraints/constraints.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

struct TangentCone {
  int kernel = 0;      // dim K: instantaneous mobility
  int conditions = 0;  // number of independent forms F_c
  int dimension = 0;   // of the cone, the largest of its components; 0: only v = 0
  struct Branch {
    Vector tangent;       // nv, of length one
    bool finite = false;  // a motion continues along it, in one direction at least
  };
  /// The lines of the cone if it consists of lines; for larger dimensions examples of its vectors: a basis of the
  /// kernel without conditions, else those found.
  std::vector<Branch> branches;
  /// Some vector of the cone continues to a finite motion.
  bool moves() const;
  /// There are velocities, but no motion.
  bool only_instantaneous() const { return kernel > 0 && !moves(); }
};

/// The tangent cone of (2) and its branches. Of holonomic constraints; cost: bias of the constraints for kernel^2 / 2
/// velocities.
/// @param q  nq, with Phi = 0
/// @throws SizeError; Error if a constraint depends on time, or if the kernel has more than 12 dimensions
/// @paper 003 Outlook
TangentCone tangent_cone(Constraints& constraints, ConstVectorRef q);

}  // namespace CHASLES_API
