/// A function by a table: piecewise linear, or piecewise cubic without overshoot (Fritsch and Carlson, SIAM J. Numer.
/// Anal. 17, 1980; slopes by the weighted harmonic mean of Fritsch and Butland). With x = x_i + h s, 0 <= s <= 1,
///
///     y = y_i + s (h d_i + s (3 D - h (2 d_i + d_i+1) + s (h (d_i + d_i+1) - 2 D))),   D = y_i+1 - y_i         (1)
///
/// Beyond its ends it continues along the tangent there. Its integral is exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "chasles/error.hpp"

namespace chasles {

class MonotoneTable {
 public:
  /// @throws Error: sizes, positions that do not increase, numbers that are not finite
  MonotoneTable(std::vector<double> x, std::vector<double> y, bool cubic)
      : x_(std::move(x)), y_(std::move(y)) {
    if (x_.size() != y_.size())
      throw Error("the table has " + std::to_string(x_.size()) + " positions and " +
                  std::to_string(y_.size()) + " values; give as many of both");
    if (x_.size() < 2) throw Error("the table has fewer than two entries");
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (!std::isfinite(x_[i]) || !std::isfinite(y_[i]))
        throw Error("the table has an entry that is not finite");
      if (i > 0 && !(x_[i - 1] < x_[i]))
        throw Error("the positions of the table do not increase: " + to_text(x_[i - 1]) + ", " +
                    to_text(x_[i]));
    }
    set_pieces(cubic);
  }

  double value(double x) const { return at(x).value; }
  double slope(double x) const { return at(x).slope; }
  /// From the entry at which it is largest.
  double integral(double x) const { return at(x).integral - most_; }

 private:
  struct Piece {
    double c[4];      // y = c0 + c1 u + c2 u^2 + c3 u^3, u = x - x_i
    double integral;  // up to x_i
  };
  struct Result {
    double value, slope, integral;
  };
  static double integral_of(const double* c, double u) {
    return u * (c[0] + u * (c[1] / 2 + u * (c[2] / 3 + u * c[3] / 4)));
  }

  void set_pieces(bool cubic) {
    const std::size_t n = x_.size();
    std::vector<double> secant(n - 1), d(n);
    for (std::size_t i = 0; i + 1 < n; ++i) secant[i] = (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]);
    d.front() = secant.front(), d.back() = secant.back();
    for (std::size_t i = 1; i + 1 < n; ++i) {
      const double h0 = x_[i] - x_[i - 1], h1 = x_[i + 1] - x_[i], a = secant[i - 1], b = secant[i];
      const double w = (h0 + 2 * h1) / (3 * (h0 + h1));
      d[i] = a * b > 0 ? a * b / (w * b + (1 - w) * a) : 0;
    }
    double sum = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double h = x_[i + 1] - x_[i];
      Piece piece{{y_[i], secant[i], 0, 0}, sum};
      if (cubic)
        piece = {{y_[i], d[i], (3 * secant[i] - 2 * d[i] - d[i + 1]) / h,
                  (d[i] + d[i + 1] - 2 * secant[i]) / (h * h)},
                 sum};
      pieces_.push_back(piece);
      sum += integral_of(piece.c, h);
    }
    pieces_.push_back({{y_.back(), cubic ? d.back() : secant.back(), 0, 0}, sum});
    before_ = {{y_.front(), cubic ? d.front() : secant.front(), 0, 0}, 0};
    for (const Piece& piece : pieces_) most_ = std::max(most_, piece.integral);
  }
  Result at(double x) const {
    const auto after = static_cast<std::size_t>(std::ranges::upper_bound(x_, x) - x_.begin());
    const Piece& piece = after == 0 ? before_ : pieces_[after - 1];
    const double u = x - (after == 0 ? x_.front() : x_[after - 1]);
    const double* c = piece.c;
    return {c[0] + u * (c[1] + u * (c[2] + u * c[3])), c[1] + u * (2 * c[2] + u * 3 * c[3]),
            piece.integral + integral_of(c, u)};
  }

  std::vector<double> x_, y_;
  std::vector<Piece> pieces_;  // one per entry; the last one is beyond the end
  Piece before_{};
  double most_ = 0;
};

}  // namespace chasles
