/// Fixed points z = G(z) by iteration, accelerated (Anderson 1965): with f_k = G(z_k) - z_k, the
/// differences of the last m values, and gamma the least-squares solution of dF gamma = f_k,
///
///     z_{k+1} = G(z_k) - dG gamma                                                             (1)
///
/// For a linear G this is GMRES: what converges slowly, or slowly diverges, is found in a few steps.
#pragma once

#include "chasles/math/dense.hpp"

namespace chasles {

class Anderson {
 public:
  explicit Anderson(Eigen::Index size, int depth = 5);
  void restart() { count_ = 0; }
  /// From z and G(z) the next z, (1), in place.
  void next(Vector& z, const Vector& G);

 private:
  int depth_, count_ = 0;
  Matrix dF_, dG_, Q_;        // size x depth
  Matrix R_;                  // depth x depth
  Vector f_, f_old_, G_old_;  // size
  Vector gamma_;              // depth
};

/// When to stop an iteration that should reach rounding: it has come to `goal`, or below a
/// thousand times that and no longer gets better.
class Settling {
 public:
  explicit Settling(double goal) : goal_(goal) {}
  bool operator()(double change) {
    if (change <= goal_) return true;
    if (change < 0.5 * best_) {
      best_ = change, stalled_ = 0;
      return false;
    }
    return ++stalled_ >= 2 && best_ <= 1e3 * goal_;
  }

 private:
  double goal_, best_ = 1e300;
  int stalled_ = 0;
};

}  // namespace chasles
