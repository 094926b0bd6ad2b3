#include "integrators/explicit/exponential_products.hpp"

#include "integrators/explicit/combine.hpp"

namespace chasles {

using integrators::combine;

ExponentialProducts::ExponentialProducts(DynamicalSystem& system, const IntegratorOptions& options,
                                         int stages, std::span<const ExponentialFactor> factors,
                                         bool adaptive)
    : OneStep(system, options), stages_(stages), factors_(factors) {
  k_ = adaptive ? 4 : 0;
  stability_ = 2.78;  // of the classical tableau
  q_.setZero(system.nq(), stages + 1);
  K_.setZero(system.nv(), stages);
  a_ = K_;
  v_i_.setZero(system.nv());
  q_i_.setZero(system.nq());
  for (const ExponentialFactor& f : factors) {
    auto& row = A_[static_cast<std::size_t>(f.stage)];
    if (f.from != f.stage) row = A_[static_cast<std::size_t>(f.from)];
    for (std::size_t j = 0; j < row.size(); ++j) row[j] += f.a[j];
  }
  for (std::size_t i = 0; i < A_.size(); ++i)
    for (const double a : A_[i]) c_[i] += a;
}

double ExponentialProducts::attempt(double h) {
  q_.col(0) = before_.q;
  K_.col(0) = V_0_;
  a_.col(0) = a_0_;
  const auto finish = [&](int i) {  // (2), (3)
    const auto row = static_cast<std::size_t>(i);
    combine(A_[row].data(), std::min(i, stages_), h, a_, v_i_);
    v_i_ += before_.v;
    if (i < stages_) rates(before_.t + c_[row] * h, q_.col(i), v_i_, K_.col(i), a_.col(i));
  };
  int i = 1;
  for (const ExponentialFactor& f : factors_) {
    if (f.stage != i) finish(i), i = f.stage;
    combine(f.a.data(), std::min(i, stages_), h, K_, x_);
    group().plus(q_.col(f.from), x_, q_i_);  // (1)
    q_.col(i) = q_i_;
  }
  finish(stages_);
  now_.q = q_.col(stages_);
  now_.v = v_i_;
  if (k_ == 0) {
    group().minus(now_.q, before_.q, x_);
    return 0;
  }
  end_rates();
  e_x_ = (h / 6) * (K_.col(3) - V_1_);  // (4)
  e_v_ = (h / 6) * (a_.col(3) - a_1_);
  group().minus(now_.q, before_.q, x_);
  return error_norm(e_x_, e_v_);
}

namespace factors {
namespace {

constexpr ExponentialFactor cg2_list[] = {{1, 0, {1}}, {2, 0, {1 / 2.}}, {2, 2, {0, 1 / 2.}}};

constexpr ExponentialFactor cg3_list[] = {{1, 0, {3 / 4.}},                                 //
                                          {2, 0, {119 / 216.}},    {2, 2, {0, 17 / 108.}},  //
                                          {3, 0, {13 / 51.}},      {3, 3, {0, -2 / 3.}},
                                          {3, 3, {0, 0, 24 / 17.}}};

// Owren & Marthinsen 1999, to 20 digits.
constexpr ExponentialFactor cg4_list[] = {{1, 0, {.81772279881248518386}},
                                          {2, 0, {.31998763754764268141}},
                                          {2, 2, {0, .065986426355602187355}},
                                          {3, 0, {.9214417194464946126}},
                                          {3, 3, {0, .49978577767735729863}},
                                          {3, 3, {0, 0, -1.0969984448371582077}},
                                          {4, 0, {.35523585590233220105}},
                                          {4, 4, {0, .23909583723073256959}},
                                          {4, 4, {0, 0, 1.3918565724203245943}},
                                          {4, 4, {0, 0, 0, -1.1092979392113465106}},
                                          {5, 0, {.13708315206307553703}},
                                          {5, 5, {0, -.018369853156402019113}},
                                          {5, 5, {0, 0, .73978139853707799893}},
                                          {5, 5, {0, 0, 0, -.1907142565505888967}},
                                          {5, 5, {0, 0, 0, 0, .33221955910683737985}}};

constexpr ExponentialFactor cf3_list[] = {
    {1, 0, {1 / 3.}}, {2, 0, {0, 2 / 3.}}, {3, 1, {-1 / 12., 0, 3 / 4.}}};

constexpr ExponentialFactor cf4_list[] = {{1, 0, {1 / 2.}},
                                          {2, 0, {0, 1 / 2.}},
                                          {3, 1, {-1 / 2., 0, 1}},
                                          {4, 0, {1 / 4., 1 / 6., 1 / 6., -1 / 12.}},
                                          {4, 4, {-1 / 12., 1 / 6., 1 / 6., 1 / 4.}}};

}  // namespace

// With Heun's tableau the two families coincide.
const std::span<const ExponentialFactor> cg2 = cg2_list, cg3 = cg3_list, cg4 = cg4_list,
                                         cf2 = cg2_list, cf3 = cf3_list, cf4 = cf4_list;

}  // namespace factors
}  // namespace chasles
