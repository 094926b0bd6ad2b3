/// Linear combinations of stages, without temporaries.
#pragma once

#include <Eigen/Core>

namespace chasles::integrators {

/// out = h sum_{j<n} a_j K_j
inline void combine(const double* a, int n, double h, const Matrix& K, Vector& out) {
  const Eigen::Index size = out.size();
  double* y = out.data();
  bool first = true;
  for (int j = 0; j < n; ++j) {
    if (a[j] == 0) continue;
    const double f = h * a[j];
    const double* k = K.data() + j * K.rows();
    if (first)
      for (Eigen::Index i = 0; i < size; ++i) y[i] = f * k[i];
    else
      for (Eigen::Index i = 0; i < size; ++i) y[i] += f * k[i];
    first = false;
  }
  if (first) out.setZero();
}

}  // namespace chasles::integrators
