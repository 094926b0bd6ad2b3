#include "integrators/implicit/anderson.hpp"

namespace chasles {

Anderson::Anderson(Eigen::Index size, int depth) : depth_(depth) {
  dF_.setZero(size, depth);
  dG_ = Q_ = dF_;
  R_.setZero(depth, depth);
  f_.setZero(size);
  f_old_ = G_old_ = f_;
  gamma_.setZero(depth);
}

void Anderson::next(Vector& z, const Vector& G) {
  f_ = G - z;
  z = G;
  if (count_ > 0) {
    const int newest = (count_ - 1) % depth_, m = std::min(count_, depth_);
    dF_.col(newest) = f_ - f_old_;
    dG_.col(newest) = G - G_old_;
    // Newest first, so that of nearly dependent columns the oldest are dropped.
    int rank = 0;
    int column[16];
    for (int j = 0; j < m && rank < 16; ++j) {
      const int c = (newest - j + depth_) % depth_;
      auto u = Q_.col(rank);
      u = dF_.col(c);
      const double size = u.norm();
      for (int i = 0; i < rank; ++i) {
        R_(i, rank) = Q_.col(i).dot(u);
        u -= R_(i, rank) * Q_.col(i);
      }
      const double left = u.norm();
      if (!(left > 1e-8 * size)) continue;
      u /= left;
      R_(rank, rank) = left;
      column[rank++] = c;
    }
    for (int i = rank - 1; i >= 0; --i) {
      double s = Q_.col(i).dot(f_);
      for (int j = i + 1; j < rank; ++j) s -= R_(i, j) * gamma_[j];
      gamma_[i] = s / R_(i, i);
    }
    for (int i = 0; i < rank; ++i) z -= gamma_[i] * dG_.col(column[i]);
  }
  f_old_ = f_;
  G_old_ = G;
  ++count_;
}

}  // namespace chasles
