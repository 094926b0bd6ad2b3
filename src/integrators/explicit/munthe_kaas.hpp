/// Munthe-Kaas methods: a Runge-Kutta tableau applied in the algebra, where q = q_n exp(x).
///
///     x_i = h sum_{j<i} a_ij K_j,   v_i = v_n + h sum_{j<i} a_ij k_j,   q_i = q_n exp(x_i)    (1)
///     K_i = dexp_{-x_i}^-1 v_i,     k_i = f(t_n + c_i h, q_i, v_i)                            (2)
///     x = h sum_i b_i K_i,          v_{n+1} = v_n + h sum_i b_i k_i,   q_{n+1} = q_n exp(x)   (3)
///
/// 001 (33), (34), with dexp^-1 in closed form instead of a truncated series, so that the order is that of the tableau.
/// Cayley coordinates and coordinates of the second kind work alike. A fixed step that reaches the singularity of the
/// chart (exp: a full turn within a step) is an error; a controlled step stays below two radians.
#pragma once

#include "integrators/one_step.hpp"
#include "integrators/stage_quadrature.hpp"

namespace chasles {

class MuntheKaas : public OneStep, public StageQuadrature {
 public:
  /// @param k  order of the error estimate plus one; 0: fixed step
  MuntheKaas(DynamicalSystem& system, const IntegratorOptions& options, const Tableau& tableau,
             int k);

  bool stage(int i, double& weight, State& out) const override;

 protected:
  double attempt(double h) override;
  int dense_rows() const override {
    return tableau_->rows > 0 ? tableau_->rows : OneStep::dense_rows();
  }
  void dense(Matrix& F_x, Matrix& F_v) const override;

 private:
  void stage(const double* a, int n, double c, int column) const;  // (1) and (2)
  double estimate(std::span<const double> e, double h);

  const Tableau* tableau_;
  double limit_;              // largest rotation in x [rad]
  mutable Matrix K_, a_;      // nv x (stages + 1 + extra): K and k
  mutable Vector x_i_, v_i_;  // nv
  mutable Vector q_i_;        // nq
  double step_ = 0;           // [s] of the attempt
};

}  // namespace chasles
