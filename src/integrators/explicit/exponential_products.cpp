#include "integrators/explicit/exponential_products.hpp"

#include <algorithm>

#include "integrators/explicit/combine.hpp"

namespace chasles {

using integrators::combine;
namespace {

/// Estimates below this part of the tolerance are checked by (5).
constexpr double suspicious = 1e-2;

}  // namespace

ExponentialProducts::ExponentialProducts(DynamicalSystem& system, const IntegratorOptions& options,
                                         int stages, std::span<const ExponentialFactor> factors,
                                         bool adaptive)
    : OneStep(system, options), stages_(stages), factors_(factors) {
  k_ = adaptive ? 4 : 0;
  order_ = stages > 5 ? 5 : 4;  // of the interpolant: a cubic is sufficient up to order 4
  stability_ = 2.78;            // of the classical tableau
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
  const double err = error_norm(e_x_, e_v_);
  return err < suspicious ? std::max(err, defect(h)) : err;
}

double ExponentialProducts::defect(double h) {
  constexpr double s = 0.25;
  // The cubic with the change D and the rates k_0, k_1 at its ends: its value at s, and its slope.
  const auto cubic = [&](const Vector& D, const Vector& k_0, const Vector& k_1, Vector& value,
                         Vector& slope) {
    slope = D + (1 - 2 * s) * (h * k_0 - D) + s * (2 - 3 * s) * (2 * D - h * (k_0 + k_1));
    value = s * (D + (1 - s) * (h * k_0 - D + s * (2 * D - h * (k_0 + k_1))));
  };
  group().dexp_inv(x_, V_1_, w_);
  cubic(x_, V_0_, w_, x_s_, e_x_);
  w_ = now_.v - before_.v;
  cubic(w_, a_0_, a_1_, v_i_, e_v_);
  v_i_ += before_.v;
  group().plus(before_.q, x_s_, q_i_);
  rates(before_.t + s * h, q_i_, v_i_, w_, v_s_);
  e_v_ = h * v_s_ - e_v_;
  group().dexp_inv(x_s_, w_, v_s_);
  e_x_ = h * v_s_ - e_x_;
  return error_norm(e_x_, e_v_);
}

namespace factors {
namespace {

/// The factors of a Crouch-Grossman method: exp(h a_i1 K_1) exp(h a_i2 K_2) ... for each stage, and with b for the step.
/// @param ab  the rows of a below the diagonal, then b
template <std::size_t s>
constexpr auto crouch_grossman(const double (&ab)[s * (s + 1) / 2]) {
  std::array<ExponentialFactor, s*(s + 1) / 2> list{};
  std::size_t k = 0;
  for (std::size_t i = 1; i <= s; ++i)
    for (std::size_t j = 0; j < i; ++j, ++k) {
      const int stage = static_cast<int>(i);
      list[k] = {stage, j == 0 ? 0 : stage, {}};
      list[k].a[j] = ab[k];
    }
  return list;
}

constexpr double cg2_ab[] = {1, 1 / 2., 1 / 2.};
constexpr double cg3_ab[] = {3 / 4., 119 / 216., 17 / 108., 13 / 51., -2 / 3., 24 / 17.};

// clang-format off
// Owren & Marthinsen 1999, to 20 digits.
constexpr double cg4_ab[] = {
  .81772279881248518386,
  .31998763754764268141, .065986426355602187355,
  .9214417194464946126, .49978577767735729863, -1.0969984448371582077,
  .35523585590233220105, .23909583723073256959, 1.3918565724203245943, -1.1092979392113465106,
  .13708315206307553703, -.018369853156402019113, .73978139853707799893, -.1907142565505888967,
    .33221955910683737985};
// Computed for this project: a solution of the 38 order conditions in 45 unknowns by Levenberg-Marquardt, refined in
// quadruple precision to residuals of 1e-30. Not the tableau of Jackiewicz, Marthinsen & Owren 2000.
constexpr double cg5_ab[] = {
  0.2856497057084036585002,
  0.1360466624081638676963, 0.2118314629514933014314,
  0.06360776497126007395552, -0.01824519361114904939736, 0.02138492749290598048843,
  -0.576333985976362057341, -0.03787160496356722144985, 0.04931872169566444103522,
    0.9358424928888698452105,
  0.09073602878122286894337, -0.9090846095546878419717, -0.1933312100830130525413,
    0.001449887037345635857841, 1.864333181013391886235,
  -0.09970835121458565226553, -0.6465462574970898425176, -0.09548005695227118159171,
    -0.1406623044608654232461, 0.9735730600778941231991, -0.1431991545292201831828,
  -0.01085050731121376230079, -0.7109167952032466796857, 1.287885941601829910946,
    -0.3108662257488158957667, -0.07120818322300157458261, -0.1281916667784478339297,
    0.2576284340794903240451,
  0.1232323632074800353784, -0.05604354567173387572585, 0.8963495033449534186088,
    -0.240794346077700027855, -0.2479046851477871945622, 0.1675478218388072352938,
    0.06448134341952108483888, 0.1518158752282961316227,
  0.818811681975993267212, 0, 0.04770891607062623939816,
    -0.7228035907212447875075, 0.4144628900389963916754, -0.101375213887914884496,
    -0.1074149986462227977114, 0.2026994832829572189455, 0.4479108318868093524838};
// clang-format on

constexpr auto cg2_list = crouch_grossman<2>(cg2_ab);
constexpr auto cg3_list = crouch_grossman<3>(cg3_ab);
constexpr auto cg4_list = crouch_grossman<5>(cg4_ab);
constexpr auto cg5_list = crouch_grossman<9>(cg5_ab);

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
                                         cg5 = cg5_list, cf2 = cg2_list, cf3 = cf3_list,
                                         cf4 = cf4_list;

}  // namespace factors
}  // namespace chasles
