/// Crouch-Grossman and commutator-free methods: stages and step as products of exponentials. No
/// dexp, and no bound on the rotation within a step.
///
///     q_i = q_{from} exp(h sum_j a_j K_j),     one factor at a time                           (1)
///     v_i = v_n + h sum_j A_ij k_j,            A_i the sum of the a along the factors of i    (2)
///     K_i = v_i,     k_i = f(t_n + c_i h, q_i, v_i)                                           (3)
///
/// Crouch & Grossman 1993 (001 (26), with Table I corrected): one K per factor, from q_n always.
/// CG5, of 9 stages and 45 factors (001 section V), solves the 38 conditions for order 5 on ordered forests
/// (docs/theory/order-conditions.md). Celledoni, Marthinsen & Owren 2003 (001 (29)-(31), with the step h restored in the fourth stage of CF4): sums in the
/// exponents, starting from earlier stages. CF4(3): the weights (1/6, 1/3, 1/3, 0, 1/6) with the rate K_5 at the end
/// are of order 3, so that
///
///     err = (h/6) (K_4 - K_5)                                                                 (4)
///
/// needs no extra evaluation, K_5 being the first rate of the next step. Where rates depend on time alone, K_4 and K_5
/// are equal: three nodes have one quadrature of order 3, Simpson's, so that no other weights help. A step with an
/// estimate so small that the next one would be several times as long is checked by one more rate, at a quarter of the
/// cubic P through both ends:
///
///     err = h f(P(1/4)) - P'(1/4),     which is h^4 f'''/128 for f(t)                         (5)
#pragma once

#include <array>

#include "integrators/one_step.hpp"

namespace chasles {

/// One factor of (1): stage; `from` (the stage itself: its factors so far; 0: q_n); a. The stage after the last is the
/// end of the step.
struct ExponentialFactor {
  static constexpr int most_stages = 9;
  int stage, from;
  std::array<double, most_stages> a;
};

class ExponentialProducts : public OneStep {
 public:
  ExponentialProducts(DynamicalSystem& system, const IntegratorOptions& options, int stages,
                      std::span<const ExponentialFactor> factors, bool adaptive = false);

 protected:
  double attempt(double h) override;

 private:
  double defect(double h);  // the norm of (5)
  int stages_;
  std::span<const ExponentialFactor> factors_;
  std::array<std::array<double, ExponentialFactor::most_stages>, ExponentialFactor::most_stages + 1>
      A_{};  // of (2)
  std::array<double, ExponentialFactor::most_stages + 1> c_{};
  Matrix q_, K_, a_;  // nq x (stages + 1), nv x stages: q_i, K, k
  Vector v_i_, q_i_;
};

namespace factors {
extern const std::span<const ExponentialFactor> cg2, cg3, cg4, cg5, cf2, cf3, cf4;
}  // namespace factors

}  // namespace chasles
