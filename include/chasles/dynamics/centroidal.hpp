/// Centroidal momentum as a linear function of v (optimized kernel), for balance and whole-body control.
///
///     h_G = A_G(q) v = (L; P),      h_Gd = A_G vd + A_Gd v                                   (1)
///
/// in world axes [kg m^2/s, kg m/s]. O(n): src/kernels/matrices/centroidal.inl.
///
///     CentroidalMomentum work(model);
///     centroidal_momentum_matrix(model, q, v, work);      // work.A, work.A_rate, work.com, ...
#pragma once

#include "chasles/dynamics/workspace.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Workspace and result: one per thread; after construction no call allocates.
struct CentroidalMomentum {
  Matrix6X A, A_rate;  // 6 x nv
  Vec3 com;            // [m]
  Wrench h;            // A v
  Wrench bias;         // A_Gd v
  Workspace work;
  explicit CentroidalMomentum(const Model& model);

 private:
  friend const Matrix6X& centroidal_momentum_matrix(const Model&, ConstVectorRef, ConstVectorRef,
                                                    CentroidalMomentum&);
  std::vector<double> out_;
};
/// Computes all members at (q, v) and returns out.A. q: nq; v: nv.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models; Error if no moving body has
///         mass
const Matrix6X& centroidal_momentum_matrix(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                           CentroidalMomentum& out);

}  // namespace CHASLES_API
