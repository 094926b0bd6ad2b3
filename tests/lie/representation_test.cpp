#include "chasles/screws/representation.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "chasles/lie/geodesic.hpp"
#include "support/near.hpp"

namespace chasles {
namespace {

using lie::convert;
using enum Representation;
constexpr Representation all[] = {body, spatial, hybrid, mixed};

/// A smooth motion C(t) = C0 exp(t X + t^2 Y + t^3 Z), its matrix differentiated by central
/// differences of order 6 and 8: twists and accelerations from their definitions, without any
/// formula of representation.hpp.
class Motion : public ::testing::Test {
 protected:
  std::mt19937_64 generator{8};
  const SE3 C0 = random_element<SE3>(generator);
  const lie::Twist<long double> X = twist(), Y = twist(), Z = twist();

  lie::Twist<long double> twist() {
    return random_tangent<lie::Twist<long double>>(generator, 0.5);
  }
  lie::SE3<long double> pose(long double t) const {
    lie::SE3<long double> C;
    lie::Mat3<long double> R;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) R(i, j) = C0.R.matrix()(i, j);
    C.R = lie::SO3<long double>::unchecked(R).normalized();
    C.r = {C0.r.x, C0.r.y, C0.r.z};
    return C * exp(t * X + (t * t) * Y + (t * t * t) * Z);
  }
  /// d/dt of a vector-valued function at t, order 8.
  template <class F>
  static auto derivative(const F& f, long double t) {
    const long double h = 0.01L, w[4] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
    auto d = w[0] / h * (f(t + h) - f(t - h));
    for (int k = 1; k < 4; ++k) d = d + w[k] / h * (f(t + (k + 1) * h) - f(t - (k + 1) * h));
    return d;
  }
  /// The twist by its definition, Table 4 of paper 003.
  lie::Twist<long double> twist_at(long double t, Representation rep) const {
    const auto C = pose(t);
    const auto R_dot = derivative([&](long double s) { return pose(s).R.matrix(); }, t);
    const auto r_dot = derivative([&](long double s) { return pose(s).r; }, t);
    const auto w_s = vee(R_dot * transpose(C.R.matrix())),
               w_b = vee(transpose(C.R.matrix()) * R_dot);
    switch (rep) {
      case body:
        return {w_b, inverse_times(C.R, r_dot)};
      case spatial:
        return {w_s, r_dot - cross(w_s, C.r)};
      case hybrid:
        return {w_s, r_dot};
      case mixed:
        return {w_b, r_dot};
    }
    return {};
  }
  static Twist rounded(const lie::Twist<long double>& V) {
    const auto a = lie::coordinates(V);
    std::array<double, 6> b;
    for (std::size_t i = 0; i < 6; ++i) b[i] = static_cast<double>(a[i]);
    return lie::from_coordinates<Twist>(b);
  }
};

TEST_F(Motion, twists_convert_between_all_four) {
  for (const Representation from : all)
    for (const Representation to : all)
      EXPECT_CLOSE(convert(rounded(twist_at(0, from)), C0, from, to), rounded(twist_at(0, to)),
                   1e-14);
}

TEST_F(Motion, the_mixed_twist_is_the_tangent_of_the_direct_product) {
  const SO3xR3 C = to_so3xr3(C0);
  const Twist V_b = rounded(twist_at(0, body)), V_m = rounded(twist_at(0, mixed));
  EXPECT_CLOSE(mixed_twist(V_b, C), (MixedTwist{V_m.w, V_m.v}), 1e-14);
  EXPECT_CLOSE(body_twist(mixed_twist(V_b, C), C), V_b, 1e-14);
  EXPECT_EQ(to_se3(C), C0);
}

TEST_F(Motion, accelerations_convert_between_all_four) {
  for (const Representation from : all)
    for (const Representation to : all) {
      const auto rate = [&](Representation rep) {
        return rounded(derivative([&](long double t) { return twist_at(t, rep); }, 0));
      };
      const Twist V = rounded(twist_at(0, from));
      EXPECT_CLOSE(convert_acceleration(rate(from), V, C0, from, to), rate(to),
                   1e-12);  // truncation of the differences
    }
}

TEST_F(Motion, classical_acceleration_is_the_second_derivative_of_position) {
  const auto r_ddot = derivative(
      [&](long double t) { return derivative([&](long double s) { return pose(s).r; }, t); }, 0);
  const Vec3 expected{static_cast<double>(r_ddot.x), static_cast<double>(r_ddot.y),
                      static_cast<double>(r_ddot.z)};
  for (const Representation rep : all) {
    const Twist A = rounded(derivative([&](long double t) { return twist_at(t, rep); }, 0));
    EXPECT_CLOSE(classical_acceleration(A, rounded(twist_at(0, rep)), C0, rep), expected, 1e-12);
  }
}

TEST_F(Motion, power_is_the_same_in_all_four) {
  const Twist V = random_tangent<Twist>(generator);
  const Wrench W = random_tangent<Wrench>(generator);
  for (const Representation from : all)
    for (const Representation to : all) {
      EXPECT_NEAR(dot(convert(W, C0, from, to), convert(V, C0, from, to)), dot(W, V), 2e-14);
      EXPECT_CLOSE(convert(convert(W, C0, from, to), C0, to, from), W, 1e-14);
    }
}

TEST_F(Motion, kinetic_energy_is_the_same_in_all_four) {
  const Inertia M = lie::compose_inertia(2.0, Vec3{0.1, -0.2, 0.3}, Sym3::diagonal(0.1, 0.2, 0.25));
  const Twist V_b = random_tangent<Twist>(generator);
  for (const Representation rep : all) {
    const auto m = inertia_matrix(M, C0, rep);
    const auto v = coordinates(convert(V_b, C0, body, rep));
    double energy = 0;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        energy += 0.5 * v[static_cast<std::size_t>(i)] * m(i, j) * v[static_cast<std::size_t>(j)];
    EXPECT_NEAR(energy, kinetic_energy(M, V_b), 1e-14);
    if (rep == mixed) continue;
    EXPECT_CLOSE(matrix(convert(M, C0, body, rep)), m, 1e-14);
    EXPECT_CLOSE(convert(convert(M, C0, body, rep), C0, rep, body), M, 1e-14);
  }
}

}  // namespace
}  // namespace chasles
