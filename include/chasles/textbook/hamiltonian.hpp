/// Hamiltonian dynamics, 000 (79), by an O(n) algorithm that the paper leaves to future work: from (q, p, Q) to
/// (v, pd), without accelerations and without forming M: as in Naudet's algorithm.
///
///     p = M(q) v,     p_k = J_k^T h_i,      h_i = sum of Pi over the subtree of i            (1)
///     Pi_i = M_i V_i                        the spatial momenta                    (79)      (2)
///     Pid_i = W_i                           Newton-Euler in spatial form                     (3)
///
/// Differentiating (1), with f_i gravity and the applied wrenches on the subtree of i:
///
///     pd_k = Q_k + J_k^T f_i + Jd_k^T h_i,     Jd_k = ad_{V_i} J_k + Ad_{C_i} Xd_k           (4)
///
/// v follows from p by the factorization of M, factorization.hpp (2). Where v = qd this is Hamilton's
/// pd = Q - dH/dq, H = p^T M^-1 p / 2 + U; for spherical and floating joints p is the body-fixed momentum, and (4)
/// holds unchanged. Spatial form about a fixed reference point near the mechanism.
///
///     textbook::HamiltonianDynamics work(model);
///     textbook::hamiltonian_dynamics(model, kin, p, tau, work);     // work.v, work.p_dot
#pragma once

#include "chasles/export.hpp"
#include "chasles/textbook/factorization.hpp"

namespace chasles CHASLES_API {
namespace textbook {

/// Workspace and result: one per thread; after construction no call allocates.
struct HamiltonianDynamics {
  Vector v;                // nv
  Vector p_dot;            // nv
  std::vector<Twist> V;    // links: spatial twists about the reference point
  std::vector<Wrench> Pi;  // links: (2) about the reference point
  std::vector<Wrench> h;   // links: of (1)
  std::vector<Wrench> f;   // links: of (4)
  Factorization factorization;
  explicit HamiltonianDynamics(const Model& model);

 private:
  friend struct detail::Access;
  void fit(const Model& model);
};

/// Computes (4) and v. O(n).
/// @param kin  up to date at q
/// @param p    nv: generalized momenta
/// @param Q    nv: joint forces
/// @throws SizeError naming the argument and both sizes; SingularError naming the joint
/// @paper 000 (79), Outlook
void hamiltonian_dynamics(const Model& model, const PositionKinematics& kin, ConstVectorRef p,
                          ConstVectorRef Q, HamiltonianDynamics& out, AppliedWrenches applied = {});

/// p = M v by (1), O(n), into p: nv.
/// @paper 000 (79)
void generalized_momenta(const Model& model, const VelocityKinematics& kin, VectorRef p,
                         HamiltonianDynamics& work);

/// H = p^T v / 2 + U after hamiltonian_dynamics with the same arguments [J].
double hamiltonian(const Model& model, const PositionKinematics& kin, ConstVectorRef p,
                   const HamiltonianDynamics& dynamics);

}  // namespace textbook
}  // namespace CHASLES_API
