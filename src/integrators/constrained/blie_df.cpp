#include "integrators/constrained/blie_df.hpp"

#include <cmath>

namespace chasles {
namespace {

IntegratorOptions damped(IntegratorOptions options) {
  options.rho = 0;
  return options;
}

}  // namespace

BLieDF::BLieDF(MechanicalSystem& system, const IntegratorOptions& options)
    : GeneralizedAlpha(system, damped(options)), t_past_(std::numeric_limits<double>::quiet_NaN()) {
  for (Vector* x : {&x_past_, &v_past_}) x->setZero(system.nv());
}

void BLieDF::restart() {
  GeneralizedAlpha::restart();
  t_past_ = std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> BLieDF::memory() const {
  if (!(t_past_ == now_.t)) return {};
  return pack(h_past_, {&x_past_, &v_past_, &lambda_});
}
void BLieDF::remember(std::span<const double> memory) {
  h_past_ = unpack(memory, {&x_past_, &v_past_, &lambda_});
  t_past_ = now_.t;
}

void BLieDF::moved() {
  GeneralizedAlpha::moved();
  x_past_ = x_;
}

double BLieDF::attempt(double h) {
  if (t_past_ == before_.t && std::abs(h - h_past_) <= 1e-9 * h) {
    v_star_ = (-0.5 / h) * x_past_;                                 // (2)
    a_star_ = (1.5 * v_star_ - 2 * before_.v + 0.5 * v_past_) / h;  // (3)
    x_ = h * (1.5 * before_.v - 0.5 * v_past_);
    solve(2.25 / (h * h), 1.5 / h);
  } else {
    GeneralizedAlpha::attempt(h);
  }
  t_past_ = now_.t;
  h_past_ = h;
  x_past_ = x_;
  v_past_ = before_.v;
  return 0;
}

}  // namespace chasles
