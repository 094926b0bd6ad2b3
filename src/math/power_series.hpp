/// Truncated power series in time, of a length known at run time: coefficient k of every function follows from the
/// coefficients 0 ... k of its arguments, so that a motion may be expanded while it is being computed.
///
///     y = a / b         y_k = (a_k - sum_{j>0} b_j y_{k-j}) / b_0                             (1)
///     y = sqrt(a)       y_k = (a_k - sum_{0<j<k} y_j y_{k-j}) / (2 y_0)                       (2)
///     y' = f(y) a'      k y_k = sum_{j>0} j a_j f_{k-j}      exp, sin, cos, tanh, log, power  (3)
///
/// The length of a result is that of its shorter argument. No memory is allocated.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace chasles {

class PowerSeries {
 public:
  static constexpr std::size_t most = 43;  // coefficients: order 40 of `taylor`, and rates

  PowerSeries() = default;
  /// A constant with n coefficients.
  PowerSeries(double constant, std::size_t n) : n_(n) { c_[0] = constant; }
  std::size_t size() const { return n_; }
  double operator[](std::size_t k) const { return c_[k]; }
  double& operator[](std::size_t k) { return c_[k]; }

  friend PowerSeries operator+(const PowerSeries& a, const PowerSeries& b) {
    return each(a, b, [](double x, double y) { return x + y; });
  }
  friend PowerSeries operator-(const PowerSeries& a, const PowerSeries& b) {
    return each(a, b, [](double x, double y) { return x - y; });
  }
  friend PowerSeries operator*(double s, const PowerSeries& a) {
    return each(a, a, [s](double x, double) { return s * x; });
  }
  friend PowerSeries operator-(const PowerSeries& a) { return -1.0 * a; }
  friend PowerSeries operator*(const PowerSeries& a, const PowerSeries& b) {
    PowerSeries y(0, std::min(a.n_, b.n_));
    for (std::size_t k = 0; k < y.n_; ++k)
      for (std::size_t j = 0; j <= k; ++j) y.c_[k] += a.c_[j] * b.c_[k - j];
    return y;
  }
  friend PowerSeries operator/(const PowerSeries& a, const PowerSeries& b) {  // (1)
    PowerSeries y(0, std::min(a.n_, b.n_));
    for (std::size_t k = 0; k < y.n_; ++k) {
      double sum = a.c_[k];
      for (std::size_t j = 1; j <= k; ++j) sum -= b.c_[j] * y.c_[k - j];
      y.c_[k] = sum / b.c_[0];
    }
    return y;
  }
  /// a + constant.
  PowerSeries plus(double constant) const {
    PowerSeries y = *this;
    y.c_[0] += constant;
    return y;
  }
  /// The time derivative, one shorter.
  PowerSeries rate() const {
    PowerSeries y(0, n_ - 1);
    for (std::size_t k = 0; k < y.n_; ++k) y.c_[k] = static_cast<double>(k + 1) * c_[k + 1];
    return y;
  }
  /// (3): the series with the value `start` and the rate f(y) a', where f(k, y) gives coefficient k of f from y up to k.
  template <class F>
  static PowerSeries solve(double start, const PowerSeries& a, const F& f) {
    PowerSeries y(start, a.n_);
    std::array<double, most> slope{};
    for (std::size_t k = 1; k < a.n_; ++k) {
      slope[k - 1] = f(k - 1, y);
      double sum = 0;
      for (std::size_t j = 1; j <= k; ++j) sum += static_cast<double>(j) * a.c_[j] * slope[k - j];
      y.c_[k] = sum / static_cast<double>(k);
    }
    return y;
  }

 private:
  template <class F>
  static PowerSeries each(const PowerSeries& a, const PowerSeries& b, const F& f) {
    PowerSeries y(0, std::min(a.n_, b.n_));
    for (std::size_t k = 0; k < y.n_; ++k) y.c_[k] = f(a.c_[k], b.c_[k]);
    return y;
  }
  std::size_t n_ = 0;
  std::array<double, most> c_{};
};

/// (2). A square that starts with t^2m has the root with t^m for t > 0, whose last m coefficients are not known: zero.
inline PowerSeries sqrt(const PowerSeries& a) {
  std::size_t m = 0;
  while (2 * m + 1 < a.size() && a[2 * m] == 0 && a[2 * m + 1] == 0) ++m;
  PowerSeries y(0, a.size());
  if (a[2 * m] == 0) {
    if (2 * m + 1 < a.size()) y[0] = std::nan("");  // an odd power
    return y;
  }
  y[m] = std::sqrt(a[2 * m]);
  for (std::size_t k = 1; 2 * m + k < a.size(); ++k) {
    double sum = a[2 * m + k];
    for (std::size_t j = 1; j < k; ++j) sum -= y[m + j] * y[m + k - j];
    y[m + k] = sum / (2 * y[m]);
  }
  return y;
}
inline PowerSeries exp(const PowerSeries& a) {
  return PowerSeries::solve(std::exp(a[0]), a,
                            [](std::size_t k, const PowerSeries& y) { return y[k]; });
}
/// Sine and cosine, which have each other as rates.
struct SineAndCosine {
  PowerSeries sine, cosine;
};
inline SineAndCosine sine_and_cosine(const PowerSeries& a) {
  SineAndCosine y{{std::sin(a[0]), a.size()}, {std::cos(a[0]), a.size()}};
  for (std::size_t k = 1; k < a.size(); ++k) {
    for (std::size_t j = 1; j <= k; ++j) {
      const double part = static_cast<double>(j) * a[j] / static_cast<double>(k);
      y.sine[k] += part * y.cosine[k - j];
      y.cosine[k] -= part * y.sine[k - j];
    }
  }
  return y;
}
inline PowerSeries tanh(const PowerSeries& a) {
  return PowerSeries::solve(std::tanh(a[0]), a, [](std::size_t k, const PowerSeries& y) {
    double f = k == 0 ? 1 : 0;
    for (std::size_t j = 0; j <= k; ++j) f -= y[j] * y[k - j];
    return f;
  });
}
/// The series with the value `start` and this rate.
inline PowerSeries integral(double start, const PowerSeries& rate) {
  PowerSeries y(start, rate.size() + 1);
  for (std::size_t k = 0; k < rate.size(); ++k) y[k + 1] = rate[k] / static_cast<double>(k + 1);
  return y;
}
inline PowerSeries logarithm(const PowerSeries& a) {
  if (a.size() < 2) return {std::log(a[0]), a.size()};
  return integral(std::log(a[0]), a.rate() / a);
}
inline PowerSeries atan2(const PowerSeries& y, const PowerSeries& x) {
  const double start = std::atan2(y[0], x[0]);
  if (std::min(x.size(), y.size()) < 2) return {start, std::min(x.size(), y.size())};
  return integral(start, (x * y.rate() - y * x.rate()) / (x * x + y * y));
}
/// A constant power: whole ones by products, which exist at zero, too.
inline PowerSeries power(const PowerSeries& a, double p) {
  if (p == std::floor(p) && p >= 0 && p <= 64) {
    PowerSeries y(1, a.size()), square = a;
    for (auto left = static_cast<unsigned>(p); left > 0; left /= 2, square = square * square)
      if (left % 2 == 1) y = y * square;
    return y;
  }
  PowerSeries y(std::pow(a[0], p), a.size());  // a y' = p a' y
  for (std::size_t k = 1; k < a.size(); ++k) {
    double sum = 0;
    for (std::size_t j = 1; j <= k; ++j)
      sum += (p * static_cast<double>(j) - static_cast<double>(k - j)) * a[j] * y[k - j];
    y[k] = sum / (static_cast<double>(k) * a[0]);
  }
  return y;
}

}  // namespace chasles
