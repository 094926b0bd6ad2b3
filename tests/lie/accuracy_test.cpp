/// Every map of every group against quadruple-precision series, over all angles: at most 8 units in
/// the last place of the dominant entry. Each test prints its largest error.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>

#include "chasles/lie/cayley.hpp"
#include "chasles/lie/geodesic.hpp"
#include "support/reference.hpp"

namespace chasles {
namespace {

using reference::QMatrix;
using reference::Quad;
using reference::quad;
using reference::sum;
using reference::ulps;

constexpr double two_pi = 6.283185307179586;

std::vector<double> angles(double largest) {
  std::vector<double> a;
  for (const double t :
       {0.0,         1e-300,       1e-160,        1e-20,        1e-8,      1e-4, 1e-2, 0.1,
        0.3,         0.5,          0.7,           0.9999999,    1.0000001, 1.2,  1.5,  1.9,
        1.9999999,   2.0000001,    2.0943,        2.0945,       2.4,       2.8,  3.0,  M_PI - 1e-4,
        M_PI - 1e-8, M_PI - 1e-12, M_PI,          M_PI + 1e-12, 3.5,       4.0,  4.7,  5.5,
        6.0,         6.2,          two_pi - 1e-3, two_pi - 1e-6})
    if (t <= largest) a.push_back(t);
  return a;
}

template <class G>
class Accuracy : public ::testing::Test {
 public:
  using Tangent = typename G::Tangent;
  std::mt19937_64 generator{7};

  /// A tangent with |w| = t in a random direction, among them the coordinate axes, and a linear
  /// part of size `linear`.
  Tangent tangent(double t, int sample, double linear) {
    std::normal_distribution<double> normal;
    double a[6];
    for (double& c : a) c = normal(generator);
    if (sample < 3)
      for (int i = 0; i < 3; ++i) a[i] = i == sample ? 1 : 0;
    const double n = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    auto c = coordinates(Tangent{});
    for (std::size_t i = 0; i < c.size(); ++i)
      c[i] = static_cast<typename G::Scalar>(i < 3 ? a[i] * (t / n) : a[i] * linear);
    return lie::from_coordinates<Tangent>(c);
  }

  /// Runs error(x, y) over all angles up to `largest`, and reports and bounds the largest.
  template <class Error>
  void sweep(const char* name, double largest, const Error& error, double bound = 8) {
    double worst = 0, at = 0;
    for (const double t : angles(largest))
      for (int sample = 0; sample < 24; ++sample) {
        const Tangent x = tangent(t, sample, sample % 3 == 0 ? 0.01 : sample % 3 == 1 ? 1 : 20);
        const Tangent y = tangent(1, sample + 3, 1);
        if (const double e = error(x, y); e > worst) worst = e, at = t;
      }
    std::printf("  %-12s largest error %.2f ulp at angle %.9g\n", name, worst, at);
    EXPECT_LE(worst, bound) << name << " at angle " << at;
  }
};

using Groups =
    ::testing::Types<SO3, SE3, SO3xR3, lie::SO3<float>, lie::SE3<float>, lie::SE3<long double>>;
TYPED_TEST_SUITE(Accuracy, Groups);

template <class G>
auto plain(const G& C) {
  if constexpr (requires { matrix(C).c0; }) {
    lie::Matrix<typename G::Scalar, 3> m;
    m.set_block(0, 0, matrix(C));
    return m;
  } else {
    return matrix(C);
  }
}

template <class X>
auto linear_size(const X& x) {
  if constexpr (requires { x.v; })
    return max_abs(x.v);
  else
    return decltype(max_abs(x)){0};
}

/// Near a full turn the translation is far smaller than the v it comes from: an ulp of v is then
/// what can be asked.
/// @paper 001 (10)
/// @paper 003 (69), (70)
/// @paper 004 (7)
TYPED_TEST(Accuracy, exp) {
  this->sweep("exp", two_pi, [](const auto& x, const auto&) {
    return ulps(plain(exp(x)), reference::exp(x), linear_size(x));
  });
}

TYPED_TEST(Accuracy, log_of_rounded_exp) {
  using G = TypeParam;
  using S = typename G::Scalar;
  // The matrix is the exact exponential rounded entry by entry: what remains is that rounding and
  // the error of log.
  this->sweep("log", M_PI - 1e-12, [](const auto& x, const auto&) {
    const auto q = reference::exp(x);
    lie::Mat3<S> R;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) R(i, j) = static_cast<S>(q(i, j));
    G C;
    if constexpr (requires { C.r; }) {
      C.R = lie::SO3<S>::unchecked(R);
      constexpr int first = std::is_same_v<G, lie::SO3xR3<S>> ? 3 : 0,
                    last = decltype(matrix(C))::size - 1;
      C.r = {static_cast<S>(q(first, last)), static_cast<S>(q(first + 1, last)),
             static_cast<S>(q(first + 2, last))};
    } else {
      C = G::unchecked(R);
    }
    const auto got = coordinates(log(C)), want = coordinates(x);
    // Near a half turn in float, pi - 1e-12 is pi: both signs are right.
    const bool flipped =
        got[0] * want[0] + got[1] * want[1] + got[2] * want[2] < 0 && sizeof(S) == 4;
    if (flipped) return 0.0;
    return reference::ulps(std::vector<S>(got.begin(), got.end()),
                           std::vector<Quad>(want.begin(), want.end()));
  });
}

TYPED_TEST(Accuracy, dexp) {
  this->sweep("dexp", two_pi,
              [](const auto& x, const auto&) { return ulps(dexp_matrix(x), reference::dexp(x)); });
}

TYPED_TEST(Accuracy, dexp_inv) {
  this->sweep("dexp_inv", 4.7, [](const auto& x, const auto&) {
    return ulps(dexp_inv_matrix(x), reference::inverted(reference::dexp(x)));
  });
}

TYPED_TEST(Accuracy, d_dexp) {
  this->sweep("d_dexp", two_pi, [](const auto& x, const auto& y) {
    using X = std::decay_t<decltype(x)>;
    return ulps(lie::matrix_of<X>([&](const X& z) { return d_dexp(x, y, z); }),
                reference::d_dexp(x, y, false));
  });
}

TYPED_TEST(Accuracy, d_dexp_inv) {
  this->sweep("d_dexp_inv", M_PI, [](const auto& x, const auto& y) {
    using X = std::decay_t<decltype(x)>;
    return ulps(lie::matrix_of<X>([&](const X& z) { return d_dexp_inv(x, y, z); }),
                reference::d_dexp(x, y, true));
  });
}

/// (I - X^/2)^-1 (I + X^/2).
template <class X>
auto reference_cay(const X& x) {
  const auto x_hat = quad(hat(x));
  const auto one = decltype(x_hat)::identity();
  return reference::inverted(sum(one, x_hat, Quad(-0.5))) * sum(one, x_hat, Quad(0.5));
}

TYPED_TEST(Accuracy, cay) {
  this->sweep("cay", two_pi,
              [](const auto& x, const auto&) { return ulps(plain(cay(x)), reference_cay(x)); });
}

TYPED_TEST(Accuracy, dcay) {
  this->sweep("dcay", two_pi, [](const auto& x, const auto&) {
    const auto x_hat = quad(hat(x));
    const auto one = decltype(x_hat)::identity();
    const auto left = reference::inverted(sum(one, x_hat, Quad(-0.5))),
               right = reference::inverted(sum(one, x_hat, Quad(0.5)));
    using X = std::decay_t<decltype(x)>;
    const auto want =
        reference::operator_matrix<X>([&](const auto& y_hat) { return left * y_hat * right; });
    return std::max(ulps(lie::matrix_of<X>(dcay(x)), want),
                    ulps(lie::matrix_of<X>(dcay_inv(x)), reference::inverted(want)));
  });
}

/// The inverse of the matrix of C by its blocks, R^T being the inverse of a rotation by definition.
template <int N>
QMatrix<N> group_inverse(const QMatrix<N>& m) {
  auto inverse = QMatrix<N>::identity();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) inverse(i, j) = m(j, i);
  for (int i = 0; i < 3 && N == 4; ++i)
    for (int j = 0; j < 3; ++j) inverse(i, N - 1) -= m(j, i) * m(j, N - 1);
  for (int i = 3; i + 1 < N; ++i) inverse(i, N - 1) = -m(i, N - 1);
  return inverse;
}

TYPED_TEST(Accuracy, Ad_and_ad) {
  this->sweep("Ad, ad", two_pi, [](const auto& x, const auto& y) {
    using X = std::decay_t<decltype(x)>;
    const auto C = exp(x);
    const auto m = quad(plain(C)), m_inv = group_inverse(m);
    const auto want =
        reference::operator_matrix<X>([&](const auto& y_hat) { return m * y_hat * m_inv; });
    const auto want_inv =
        reference::operator_matrix<X>([&](const auto& y_hat) { return m_inv * y_hat * m; });
    const auto inv = lie::matrix_of<X>([&](const X& z) { return Ad_inv(C, z); });
    return std::max(
        {ulps(Ad_matrix(C), want), ulps(inv, want_inv), ulps(ad_matrix(y), reference::ad(y))});
  });
}

TYPED_TEST(Accuracy, composition_and_inverse) {
  this->sweep("compose", two_pi, [](const auto& x, const auto& y) {
    const auto A = exp(x), B = exp(y);
    return std::max(ulps(plain(A * B), quad(plain(A)) * quad(plain(B))),
                    ulps(plain(inverse(A)), group_inverse(quad(plain(A)))));
  });
}

}  // namespace
}  // namespace chasles
