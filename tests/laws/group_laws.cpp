/// The laws of a Lie group, stated once and run on every group. Tolerances: 1e-14 is fifty
/// roundings at unit size; where an angle near 2 pi amplifies them the law says so.
#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "chasles/lie/cayley.hpp"
#include "chasles/lie/geodesic.hpp"
#include "support/near.hpp"

namespace chasles {
namespace {

template <class G, class S>
struct Rebind;
template <template <class> class G, class D, class S>
struct Rebind<G<D>, S> {
  using type = G<S>;
};

template <class G>
class GroupLaws : public ::testing::Test {
 protected:
  using Tangent = typename G::Tangent;
  using Cotangent = typename G::Cotangent;
  std::mt19937_64 generator{11};

  G element() { return random_element<G>(generator); }
  Tangent tangent(double scale = 1) { return random_tangent<Tangent>(generator, scale); }
  Cotangent cotangent() { return random_tangent<Cotangent>(generator); }
  /// A tangent whose rotation has the angle t.
  Tangent with_angle(double t) {
    auto a = coordinates(tangent());
    const double n = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (std::size_t i = 0; i < 3; ++i) a[i] *= t / n;
    return lie::from_coordinates<Tangent>(a);
  }
  /// x + i h y for the complex step.
  auto complex_step(const Tangent& x, const Tangent& y) {
    using C = std::complex<double>;
    using X = typename Rebind<Tangent, C>::type;
    const auto a = coordinates(x), b = coordinates(y);
    auto c = coordinates(X{});
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = C(a[i], step * b[i]);
    return lie::from_coordinates<X>(c);
  }
  static constexpr double step = 1e-40;
};

template <class M>
auto imaginary_part(const M& m, double step) {
  auto e = test::entries(m);
  std::vector<double> r;
  r.reserve(e.size());
  for (const auto& c : e) r.push_back(c.imag() / step);
  return r;
}
double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double d = 0;
  for (std::size_t i = 0; i < a.size(); ++i) d = std::max(d, std::abs(a[i] - b[i]));
  return d;
}

using Groups = ::testing::Types<SO3, SE3, SO3xR3>;
TYPED_TEST_SUITE(GroupLaws, Groups);

constexpr double angles[] = {0, 1e-300, 1e-8, 1e-4, 0.1, 1, 1.9999, 2.0001, 3, M_PI - 1e-8, 4, 6};

/// @paper 000 (90)
/// @paper 001 (1), (2)
/// @paper 003 (60)-(62), Remark 17
/// @paper 004 section 2.2, (3), (4), (15)
TYPED_TEST(GroupLaws, group_axioms) {
  using G = TypeParam;
  for (int i = 0; i < 50; ++i) {
    const G A = this->element(), B = this->element(), C = this->element();
    EXPECT_CLOSE((A * B) * C, A * (B * C), 1e-14);
    EXPECT_CLOSE(A * G::identity(), A, 0);
    EXPECT_CLOSE(G::identity() * A, A, 0);
    EXPECT_CLOSE(A * inverse(A), G::identity(), 1e-15);
    EXPECT_CLOSE(inverse(A) * A, G::identity(), 4e-15);
    EXPECT_CLOSE(inverse(A * B), inverse(B) * inverse(A), 1e-14);
    EXPECT_CLOSE(matrix(A * B), matrix(A) * matrix(B), 1e-14);
  }
}

/// @paper 001 (3)
/// @paper 003 (68), (78)
/// @paper 001 (4)
TYPED_TEST(GroupLaws, vee_undoes_hat) {
  for (int i = 0; i < 10; ++i) {
    const auto x = this->tangent();
    EXPECT_EQ(vee(hat(x)), x);
  }
}

/// @paper 000 (113), (114), (116), section B.1
/// @paper 001 (6)
/// @paper 004 (6)
TYPED_TEST(GroupLaws, bracket_is_the_commutator) {
  for (int i = 0; i < 20; ++i) {
    const auto x = this->tangent(), y = this->tangent();
    const auto xy = hat(x) * hat(y), yx = hat(y) * hat(x);
    EXPECT_CLOSE(ad(x, y), (vee(xy) - vee(yx)), 2e-15);
    EXPECT_CLOSE(ad(x, y), -ad(y, x), 1e-15);
    const auto z = this->tangent();
    EXPECT_CLOSE(ad(x, ad(y, z)) + ad(y, ad(z, x)) + ad(z, ad(x, y)), this->tangent(0),
                 2e-14);  // Jacobi
  }
}

TYPED_TEST(GroupLaws, log_undoes_exp_below_pi) {
  for (const double t : angles) {
    if (t >= M_PI) continue;
    for (int i = 0; i < 20; ++i) {
      const auto x = this->with_angle(t);
      EXPECT_CLOSE(log(exp(x)), x, 1e-14) << "angle " << t;
    }
  }
}

TYPED_TEST(GroupLaws, exp_undoes_log) {
  for (int i = 0; i < 200; ++i) {
    const auto C = this->element();
    EXPECT_CLOSE(exp(log(C)), C, 1e-14);
    const auto half_turn = exp(this->with_angle(M_PI));
    EXPECT_CLOSE(exp(log(half_turn)), half_turn, 1e-14);
  }
}

TYPED_TEST(GroupLaws, exp_is_a_one_parameter_subgroup) {
  for (const double t : angles) {
    const auto x = this->with_angle(t);
    EXPECT_CLOSE(exp(x), exp(0.25 * x) * exp(0.75 * x), 1e-14);
    EXPECT_CLOSE(exp(-x), inverse(exp(x)), 1e-14);
  }
}

/// @paper 001 (7), (8)
/// @paper 003 (71)-(74), (76)
TYPED_TEST(GroupLaws, adjoint_is_conjugation) {
  for (int i = 0; i < 20; ++i) {
    const auto C = this->element(), D = this->element();
    const auto x = this->tangent(0.5);
    EXPECT_CLOSE(exp(Ad(C, x)), C * exp(x) * inverse(C), 2e-14);
    EXPECT_CLOSE(Ad(C, Ad(D, x)), Ad(C * D, x), 1e-14);
    EXPECT_CLOSE(Ad_inv(C, Ad(C, x)), x, 1e-14);
    EXPECT_CLOSE(Ad(inverse(C), x), Ad_inv(C, x), 1e-14);
    EXPECT_CLOSE(Ad(C, ad(x, x + this->tangent(0))), this->tangent(0), 1e-14);
  }
}

TYPED_TEST(GroupLaws, duals_are_transposes) {
  for (int i = 0; i < 20; ++i) {
    const auto C = this->element();
    const auto x = this->tangent(), y = this->tangent();
    const auto f = this->cotangent();
    const double tolerance = 2e-14;
    EXPECT_NEAR(dot(Ad_dual(C, f), x), dot(f, Ad(C, x)), tolerance);
    EXPECT_NEAR(dot(Ad_inv_dual(C, f), x), dot(f, Ad_inv(C, x)), tolerance);
    EXPECT_NEAR(dot(ad_dual(x, f), y), dot(f, ad(x, y)), tolerance);
    EXPECT_NEAR(dot(dexp_dual(x, f), y), dot(f, dexp(x, y)), tolerance);
    EXPECT_NEAR(dot(dexp_inv_dual(x, f), y), dot(f, dexp_inv(x, y)), tolerance);
    EXPECT_NEAR(dot(dcay(x).dual(f), y), dot(f, dcay(x)(y)), tolerance);
    EXPECT_NEAR(dot(dcay_inv(x).dual(f), y), dot(f, dcay_inv(x)(y)), tolerance);
  }
}

/// d/ds exp(x + s y) = hat(dexp_x y) exp(x), by the complex step.
/// @paper 000 (89)
/// @paper 001 (16), (20)-(22), Lemma 1
TYPED_TEST(GroupLaws, dexp_is_the_differential_of_exp) {
  for (const double t : angles) {
    const auto x = this->with_angle(t), y = this->tangent();
    const auto derivative = imaginary_part(exp(this->complex_step(x, y)), this->step);
    const auto expected = test::entries(hat(dexp(x, y)) * matrix(exp(x)));
    EXPECT_LE(largest_difference(derivative, expected), 2e-14) << "angle " << t;
  }
}

/// The complex step through log: d/ds log(exp(x + s y)) = y, so log differentiates as it should,
/// also at the identity.
TYPED_TEST(GroupLaws, log_differentiates) {
  for (const double t : angles) {
    if (t >= M_PI) continue;
    const auto x = this->with_angle(t), y = this->tangent();
    const auto derivative = imaginary_part(log(exp(this->complex_step(x, y))), this->step);
    EXPECT_LE(largest_difference(derivative, test::entries(y)), 1e-13) << "angle " << t;
  }
}

/// @paper 001 (17), (23), (24)
/// @paper 004 (9)
TYPED_TEST(GroupLaws, dexp_inv_inverts_dexp) {
  for (const double t : angles) {
    const auto x = this->with_angle(t), y = this->tangent();
    const double tolerance =
        t < 4 ? 2e-14 : 2e-12;  // the condition number of dexp grows towards 2 pi
    EXPECT_CLOSE(dexp_inv(x, dexp(x, y)), y, tolerance);
    EXPECT_CLOSE(dexp(x, dexp_inv(x, y)), y, tolerance);
  }
}

TYPED_TEST(GroupLaws, dexp_and_the_adjoint) {
  for (const double t : angles) {
    const auto x = this->with_angle(t), y = this->tangent();
    EXPECT_CLOSE(Ad(exp(x), y), y + ad(x, dexp(x, y)),
                 1e-13);  // Ad_exp(x) = e^ad_x = 1 + ad_x dexp_x
    EXPECT_CLOSE(dexp(x, y), Ad(exp(x), dexp(-x, y)), 1e-13);  // V^s = Ad V^b
    EXPECT_CLOSE(dexp(x, x), x, 1e-14 * std::max(1.0, max_abs(x)));
  }
}

TYPED_TEST(GroupLaws, derivatives_of_dexp_and_its_inverse) {
  for (const double t : angles) {
    const auto x = this->with_angle(t), y = this->tangent(), z = this->tangent();
    const auto z_complex = this->complex_step(z, this->tangent(0));
    const auto d = imaginary_part(dexp(this->complex_step(x, y), z_complex), this->step);
    EXPECT_LE(largest_difference(d, test::entries(d_dexp(x, y, z))), 1e-13) << "angle " << t;
    const auto e = imaginary_part(dexp_inv(this->complex_step(x, y), z_complex), this->step);
    const auto expected = test::entries(d_dexp_inv(x, y, z));
    double size = 1;
    for (const double c : expected) size = std::max(size, std::abs(c));
    EXPECT_LE(largest_difference(e, expected), (t < 4 ? 1e-13 : 1e-10) * size) << "angle " << t;
  }
}

TYPED_TEST(GroupLaws, cayley) {
  for (const double t : angles) {
    const auto x = this->with_angle(t), y = this->tangent();
    EXPECT_CLOSE(cay_inv(cay(x)), x, 2e-14 * std::max(1.0, max_abs(x)));
    EXPECT_CLOSE(cay(x) * cay(-x), TypeParam::identity(), 1e-14);
    EXPECT_CLOSE(dcay_inv(x)(dcay(x)(y)), y, 2e-14);
    const auto derivative = imaginary_part(cay(this->complex_step(x, y)), this->step);
    EXPECT_LE(largest_difference(derivative, test::entries(hat(dcay(x)(y)) * matrix(cay(x)))),
              2e-14);
  }
  const auto small = this->tangent(1e-4);  // cay(x) = exp(x) + O(x^3)
  EXPECT_CLOSE(cay(small), exp(small), 1e-11);
}

TYPED_TEST(GroupLaws, plus_and_minus) {
  for (int i = 0; i < 20; ++i) {
    const auto A = this->element(), B = this->element();
    EXPECT_CLOSE(plus(A, minus(B, A)), B, 1e-14);
    const auto x = this->with_angle(2.5);
    EXPECT_CLOSE(minus(plus(A, x), A), x, 2e-14);
    EXPECT_CLOSE(minus(A, A), this->tangent(0), 4e-15);
  }
}

TYPED_TEST(GroupLaws, interpolation_moves_at_a_constant_twist) {
  for (int i = 0; i < 20; ++i) {
    const auto A = this->element(), B = this->element();
    EXPECT_CLOSE(interpolate(A, B, 0.0), A, 0);
    EXPECT_CLOSE(interpolate(A, B, 1.0), B, 1e-14);
    const auto x = minus(B, A);
    for (const double s : {0.2, 0.7}) EXPECT_CLOSE(minus(interpolate(A, B, s), A), s * x, 2e-14);
  }
}

TYPED_TEST(GroupLaws, mean_is_where_the_logs_cancel_and_moves_with_the_frame) {
  using G = TypeParam;
  std::vector<G> elements, moved;
  const G frame = this->element();
  for (int i = 0; i < 9; ++i) {
    elements.push_back(plus(this->element(), this->tangent(0.3)));
    elements.back() = plus(G::identity(), 0.3 * log(elements.back()));
    moved.push_back(frame * elements.back());
  }
  const G C = mean(std::span<const G>(elements));
  auto sum = this->tangent(0);
  for (const G& e : elements) sum += minus(e, C);
  EXPECT_CLOSE(sum, this->tangent(0), 1e-13);
  EXPECT_CLOSE(mean(std::span<const G>(moved)), frame * C, 1e-13);
  EXPECT_CLOSE(mean(std::span<const G>(elements.data(), 1)), elements[0], 1e-15);
}

TYPED_TEST(GroupLaws, random_rotations_are_uniform) {
  // The mean of R is zero for the uniform distribution: each entry has variance 1/3.
  const int n = 20000;
  lie::Mat3<double> sum;
  for (int i = 0; i < n; ++i) sum = sum + random_rotation<double>(this->generator).matrix();
  for (const double e : test::entries(sum)) EXPECT_LE(std::abs(e / n), 5 * std::sqrt(1.0 / 3 / n));
}

}  // namespace
}  // namespace chasles
