/// The motion of one link along a curve of its coordinates, as power series in time: coefficient k + 1
/// follows from coefficients 0 ... k, so that a curve may be expanded while it is being computed.
///
///     q' = v (on the group),  T' = T hat(u),  u = X v                                        (1)
///
/// With R by its rows, which are vectors in the axes of the link, and x[k] the coefficient of t^k:
///
///     revolute, helical  (k+1) c[k+1] = -sum s[j] v[k-j],   (k+1) s[k+1] = sum c[j] v[k-j]         (2)
///     others             (k+1) R_i[k+1] = sum R_i[j] x u_w[k-j],  (k+1) r[k+1] = sum R[j] u_v[k-j]  (3)
///     floating_so3xr3    (k+1) r[k+1] = Q rd[k],  X[k] = diag(1, R^T[k] Q)                         (4)
///
/// custom: X = dexp_{-x} Z, x = Z q. Since ad (ad^2 + |w|^2)^2 = 0 for every ad_x = ad_(w; v),
///
///     dexp_{-x} = 1 - f_1 ad + f_2 ad^2 - f_3 ad^3 + f_4 ad^4                                 (5)
///     f_1 = sum (1-m) y_m / (2m+2)!,   f_2 = sum (1-m) y_m / (2m+3)!                          (6)
///     f_3 = sum (1+m) y_m / (2m+4)!,   f_4 = sum (1+m) y_m / (2m+5)!,    y_m = (-|w|^2)^m
///
/// at x / 2^s, where the sums are accurate, and doubled s times: with E = exp(x / 2^l),
///
///     dexp_{-2x} = (1 + Ad_E^-1) / 2 dexp_{-x}                                                (7)
#pragma once

#include <span>
#include <vector>

#include "model/link_motion.hpp"
#include "model/model_data.hpp"

namespace chasles::links {

/// A rigid motion T(t) and its body-fixed twist u(t): (3).
struct PoseSeries {
  std::vector<Mat3> R_t;  // R^T: its columns are the rows of R
  std::vector<Vec3> r;
  std::vector<Twist> u;

  explicit PoseSeries(std::size_t length = 0) : R_t(length), r(length), u(length) {}
  /// Coefficient k + 1 of the rotation, and of the position.
  void extend_rotation(std::size_t k);
  void extend_position(std::size_t k);
};

/// dexp_{-x} applied to the screws of a custom link: (5) to (7).
class ScrewSeries {
 public:
  ScrewSeries(int screws, std::size_t length);
  /// Coefficient 0 at x. Z: the screws.
  /// @throws Error if x rotates by more than 1e8 rad; the caller names the joint
  void start(const Twist& x, const Twist* Z);
  /// Coefficient k >= 1 of the screws. x: coefficient k of the coordinates; v: coefficients of their rates up
  /// to k - 1, `stride` apart.
  void extend(std::size_t k, const Twist& x, const Twist* Z, const double* v, std::size_t stride);
  /// Coefficient k of screw c.
  const Twist& X(std::size_t k, std::size_t c) const { return levels_[level_].X[k * n_ + c]; }

 private:
  struct Level {
    std::vector<Twist> X;     // length x screws
    std::vector<Vec3> moved;  // the same: v - r x w of Ad_E^-1 X
    PoseSeries E;
  };
  void reduced(std::size_t k, const Twist* Z);
  void doubled(std::size_t k, Level& from, Level& to) const;

  std::size_t n_, length_, terms_;
  std::size_t level_ = 0;         // s
  std::vector<double> f_factor_;  // 4 x terms: the coefficients of (6)
  std::vector<double> y_;         // terms x length
  std::vector<double> f_;         // 4 x length
  std::vector<Twist> a_, b_;      // length; screws x 4 x length: ad^m Z
  std::vector<Level> levels_;
};

class LinkSeries {
 public:
  /// Coefficients 0 ... length - 1.
  LinkSeries(const Model& model, const Link& link, std::size_t length);

  /// Coefficient 0, at the coordinates q of the link.
  void start(const Model& model, const Link& link, const double* q);
  /// Coefficient k + 1. v: coefficients of the link's rates, `stride` apart, known up to k.
  void extend(const Model& model, const Link& link, const double* v, std::size_t stride,
              std::size_t k);

  /// T[0]: the pose in the joint frame, which is link.P in the parent.
  const SE3& pose() const { return T_0_; }
  bool turns_about_z() const { return turns_; }
  bool slides_along_z() const { return slides_; }
  bool along_z() const { return along_z_; }
  /// Motions along z: cosine, sine and shift.
  const double* c() const { return c_.data(); }
  const double* s() const { return s_.data(); }
  const double* d() const { return d_.data(); }
  /// Other motions: R^T and r; `shifts` is false if r = 0.
  bool shifts() const { return shifts_; }
  const Mat3* R_t() const { return T_.R_t.data(); }
  const Vec3* r() const { return T_.r.data(); }

  /// Whether X depends on time, and its coefficients; constant screws have only coefficient 0.
  bool screws_turn() const { return turning_; }
  const Twist& X(std::size_t k, std::size_t c) const { return X_[k * n_ + c]; }

 private:
  void extend_screws(const Model& model, const Link& link, const double* v, std::size_t stride,
                     std::size_t k);

  bool along_z_, turns_, slides_, shifts_;
  bool turning_;
  std::size_t n_;  // degrees of freedom
  SE3 T_0_;
  std::vector<double> c_, s_, d_;
  PoseSeries T_;
  std::vector<Twist> X_;
  std::vector<ScrewSeries> exponential_;  // one or none
};

}  // namespace chasles::links
