/// Coefficients of Gauss collocation with s stages: c_i are the zeros of the Legendre polynomial P_s on [0, 1],
///
///     b_i = 1 / ((1 - x_i^2) P_s'(x_i)^2),   x_i = 2 c_i - 1,      a_ij = int_0^{c_i} l_j(s) ds   (1)
///
/// with l_j the Lagrange polynomials on the nodes, of degree s - 1, integrated exactly by the Gauss formula on
/// [0, c_i]. In long double: double is rounded once.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

namespace chasles::integrators {

struct GaussNodes {
  std::vector<long double> c, b;
  long double a(std::size_t i, std::size_t j) const {
    long double sum = 0;
    for (std::size_t k = 0; k < c.size(); ++k) {
      long double l = 1;
      for (std::size_t m = 0; m < c.size(); ++m)
        if (m != j) l *= (c[i] * c[k] - c[m]) / (c[j] - c[m]);
      sum += b[k] * l;
    }
    return c[i] * sum;
  }
};

inline GaussNodes gauss_nodes(int stages) {
  GaussNodes out;
  for (int i = 1; i <= stages; ++i) {
    long double x = -std::cos(std::numbers::pi_v<long double> * (i - 0.25L) / (stages + 0.5L));
    long double slope = 1;
    for (int k = 0; k < 20; ++k) {  // Newton: converges in about four iterations
      long double P = x, P_before = 1;
      for (int n = 2; n <= stages; ++n) {
        const long double next = ((2 * n - 1) * x * P - (n - 1) * P_before) / n;
        P_before = P, P = next;
      }
      slope = stages * (x * P - P_before) / (x * x - 1);
      x -= P / slope;
    }
    out.c.push_back((1 + x) / 2);
    out.b.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return out;
}

}  // namespace chasles::integrators
