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

/// When to stop an iteration that should reach rounding: it has come to `goal`, or it no longer gets
/// better and is where rounding keeps it. That is below a thousand goals, or, where G is badly
/// conditioned, where its rounding errors are.
class Settling {
 public:
  explicit Settling(double goal) : goal_(goal) {}
  /// @param change  from z to G(z)
  /// @param noise   noise(goal) estimates the rounding errors of G(z), as large as changes of z by
  ///                the goal make them; called only where needed
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
    // The estimate is of one sample, and Anderson's combinations add up the errors of several.
    return change <= 16 * noise_;
  }

 private:
  double goal_, best_ = 1e300, noise_ = 0;
  int stalled_ = 0;
};

/// z changed by d in each entry, up and down in turn, so that no sum hides it.
template <class Entries>
void shake(Entries&& z, double d) {
  for (Eigen::Index i = 0; i < z.size(); ++i) z[i] += i % 2 == 0 ? d : -d;
}

}  // namespace chasles
