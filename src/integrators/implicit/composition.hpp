/// Compositions of a symmetric method of order 2: a step is a sequence of steps of lengths w_1 h, ..., w_m h, some of them
/// backwards, whose errors of lower order cancel. With w symmetric and sum w_i = 1, the order is 4 if
/// sum w_i^3 = 0; order 6 and 8 need 2 and 5 further conditions (Hairer, Lubich & Wanner, V.3.2).
///
///     yoshida   order 4: 3 steps, 6: 7, 8: 15 (Yoshida 1990; order 8 by Suzuki & Umeno 1993)
///     suzuki    5 steps of order 2 in a step of order 4, five of these in one of order 6, ...: 5, 25, 125
///                   w = (s, s, 1 - 4 s, s, s),   s = 1 / (4 - 4^(1/(k+1)))   from order k to k + 2      (1)
///     kahan_li  order 6: 9 steps, 8: 17 (Kahan & Li 1997), chosen for small errors
///
/// The composed map is as symplectic, symmetric, and as true to constraints and momenta as its steps.
#pragma once

#include <vector>

#include "integrators/one_step.hpp"

namespace chasles {

/// The relative lengths of the steps of a composition.
/// @throws Error for an order or a pair of order and kind that does not exist
std::vector<double> composition_weights(const std::string& method, int order, Composition kind);

/// @tparam Method  a OneStep whose attempts need no rates at the start, and advance before_ to now_
template <class Method>
class Composed : public Method {
 public:
  template <class System>
  Composed(System& system, const IntegratorOptions& options, int order, std::vector<double> weights)
      : Method(system, options), weights_(std::move(weights)) {
    this->order_ = order;
    start_.q = Vector(system.nq()), start_.v = Vector(system.nv());
  }

 protected:
  double attempt(double h) override {
    start_ = this->before_;
    const double t_end = this->now_.t, h_last = this->h_;
    const auto restore = [&] { this->before_ = start_, this->h_ = h_last, this->now_.t = t_end; };
    double passed = 0;
    try {
      for (const double w : weights_) {
        passed += w;
        this->now_.t = start_.t + passed * h;
        Method::attempt(w * h);
        this->h_ = w * h;  // Method predicts from the step before
        this->before_ = this->now_;
      }
    } catch (...) {
      restore();
      throw;
    }
    restore();
    this->group().minus(this->now_.q, start_.q, this->x_);
    return 0;
  }

 private:
  std::vector<double> weights_;
  State start_;
};

}  // namespace chasles
