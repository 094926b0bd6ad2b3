/// Anderson acceleration of fixed-point iterations z = G(z) (Anderson 1965): with f_k = G(z_k) - z_k, dF and dG the
/// differences of the last m values, and gamma the least-squares solution of dF gamma = f_k,
///
///     z_{k+1} = G(z_k) - dG gamma                                                             (1)
///
/// For linear G this is equivalent to GMRES: slowly convergent or divergent components are resolved in a few steps.
#pragma once

#include "chasles/math/dense.hpp"

namespace chasles {

class Anderson {
 public:
  explicit Anderson(Eigen::Index size, int depth = 5);
  void restart() { count_ = 0; }
  /// Replaces z by the next iterate (1).
  void next(Vector& z, const Vector& G);

 private:
  int depth_, count_ = 0;
  Matrix dF_, dG_, Q_;        // size x depth
  Matrix R_;                  // depth x depth
  Vector f_, f_old_, G_old_;  // size
  Vector gamma_;              // depth
};

/// Stopping rule of an iteration to rounding: it has reached `goal`, or it no longer improves and is at rounding level,
/// which is a thousand times the goal, or the rounding errors of G if G is ill conditioned.
class Settling {
 public:
  explicit Settling(double goal) : goal_(goal) {}
  /// @param change  from z to G(z)
  /// @param noise   noise(goal) estimates the rounding errors of G(z) by the effect of changes of z by the goal; called
  ///                only if needed
  template <class Noise>
  bool operator()(double change, const Noise& noise) {
    if (change <= goal_) return true;
    if (change < 0.5 * best_) {
      best_ = change, stalled_ = 0;
      return false;
    }
    if (++stalled_ < 2) return false;
    if (change <= 1e3 * goal_) return true;
    if (stalled_ == 2) noise_ = noise(goal_);
    // The estimate is from one sample, and Anderson's combinations accumulate the errors of several.
    return change <= 16 * noise_;
  }

 private:
  double goal_, best_ = 1e300, noise_ = 0;
  int stalled_ = 0;
};

/// Changes each entry of z by d with alternating sign, so that changes do not cancel in sums.
template <class Entries>
void shake(Entries&& z, double d) {
  for (Eigen::Index i = 0; i < z.size(); ++i) z[i] += i % 2 == 0 ? d : -d;
}

}  // namespace chasles
