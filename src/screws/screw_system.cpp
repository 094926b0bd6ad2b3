#include "chasles/screws/screw_system.hpp"

#include "chasles/screws/eigen.hpp"
#include "math/decompositions.hpp"

namespace chasles {
namespace {

using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic>;

using Scale = ScrewSystem::Scale;

/// About the center, with lengths in units of the scale, axes are near the origin and both parts comparable.
Twist reduced(const Twist& X, const Scale& s) {
  return {X.w, (X.v - cross(s.center, X.w)) / s.length};
}
Twist restored(const Twist& X, const Scale& s) {
  return {X.w, s.length * X.v + cross(s.center, X.w)};
}

/// The mean of the points of the axes, and the largest distance of an axis from it (or of its pitch).
Scale scale_of(std::span<const Twist> screws) {
  Scale s;
  int axes = 0;
  for (const Twist& X : screws)
    if (const ScrewAxis a = screw_axis(X); a.magnitude > 0 && !std::isinf(a.pitch))
      s.center += a.point, ++axes;
  if (axes == 0) return s;
  s.center = s.center / static_cast<double>(axes);
  double largest = 0;
  for (const Twist& X : screws)
    if (const ScrewAxis a = screw_axis(X); a.magnitude > 0 && !std::isinf(a.pitch)) {
      const Vec3 d = a.point - s.center;
      largest = std::max({largest, norm(d - dot(d, a.axis) * a.axis), std::abs(a.pitch)});
    }
  const double far = 1e-12 * norm(s.center);  // rounding of points far from the origin
  if (largest > far) s.length = largest;
  return s;
}

/// Unit columns in the scale; zero screws are left out.
Columns columns_of(std::span<const Twist> screws, const Scale& scale) {
  Columns all(6, 0);
  for (const Twist& X : screws) {
    Eigen::Matrix<double, 6, 1> x = to_eigen(reduced(X, scale));
    const double largest = x.cwiseAbs().maxCoeff();
    if (largest == 0) continue;
    if (!std::isfinite(largest))
      throw Error("the screw " + tuple_text(coordinates(X)) +
                  " of a screw system is too large; scale it");
    x /= largest;  // squares stay within the range of numbers
    all.conservativeResize(6, all.cols() + 1);
    all.rightCols<1>() = x.normalized();
  }
  return all;
}

/// An orthonormal basis of the columns, and of its complement.
struct Split {
  Eigen::MatrixXd inside, outside;
};
Split split(const Columns& A) {
  const Eigen::MatrixXd all = Eigen::MatrixXd::Identity(6, 6), none(6, 0);
  if (A.cols() == 0) return {none, all};
  const PivotedQr qr = pivoted_qr(A);
  const Eigen::Index most = std::min<Eigen::Index>(6, A.cols());
  Eigen::Index rank = 0;
  while (rank < most && std::abs(qr.R(rank, rank)) > screw_tolerance) ++rank;
  if (rank == 0) return {none, all};
  if (rank == 6) return {all, none};
  Eigen::MatrixXd leading(6, rank);
  for (Eigen::Index k = 0; k < rank; ++k) leading.col(k) = A.col(qr.order[k]);
  return {orthonormal_columns(leading), orthogonal_complement(leading).basis};
}

std::vector<Twist> restored(const Eigen::MatrixXd& columns, const Scale& scale) {
  std::vector<Twist> list;
  for (Eigen::Index k = 0; k < columns.cols(); ++k)
    list.push_back(restored(from_eigen<Twist>(columns.col(k)), scale));
  return list;
}

/// The dimension of the translations in S.
int translations(const ScrewSystem& S) {
  Columns w = Columns::Zero(6, S.dimension());
  for (int k = 0; k < S.dimension(); ++k)
    w.col(k).head<3>() = to_eigen(S.basis()[static_cast<std::size_t>(k)].w);
  return S.dimension() - static_cast<int>(split(w).inside.cols());
}

/// Whether all rotations of S, less its translations, have no pitch.
bool has_no_pitch(const ScrewSystem& S) {
  Twist turning{};
  for (const Twist& X : S.basis())
    if (norm(X.w) > norm(turning.w)) turning = X;
  const ScrewAxis a = screw_axis(turning);
  if (S.dimension() == 1) return std::abs(a.pitch) <= screw_tolerance * S.scale().length;
  // Normal to the plane of translations, the linear part along the axis is that of the pitch.
  return S.contains(screw(a.axis, a.point));
}

}  // namespace

ScrewSystem::ScrewSystem(std::span<const Twist> screws) : ScrewSystem(screws, scale_of(screws)) {}

ScrewSystem::ScrewSystem(std::span<const Twist> screws, const Scale& scale) : scale_(scale) {
  for (const Twist& X : screws)
    if (!is_finite(X.w) || !is_finite(X.v))
      throw Error("the screw " + tuple_text(coordinates(X)) +
                  " of a screw system is not finite; leave it out");
  const Columns A = columns_of(screws, scale);
  if (A.cols() > 0) basis_ = restored(split(A).inside, scale);
}

bool ScrewSystem::contains(const Twist& X) const {
  std::vector<Twist> all = basis_;
  all.push_back(X);
  return ScrewSystem(all, scale_).dimension() == dimension();
}

ScrewSystem sum(const ScrewSystem& a, const ScrewSystem& b) {
  if (b.dimension() == 0) return a;
  if (a.dimension() == 0) return b;
  std::vector<Twist> all = a.basis();
  all.insert(all.end(), b.basis().begin(), b.basis().end());
  const Scale &s = a.scale(), &t = b.scale();
  const double apart = norm(s.center - t.center), largest = std::max(s.length, t.length);
  return {all, {0.5 * (s.center + t.center), std::max(apart, largest)}};
}

ScrewSystem reciprocal(const ScrewSystem& S) {
  const Columns A = columns_of(S.basis(), S.scale());
  // In every scale X o Y changes by the factor `length` only.
  Columns swapped(6, A.cols());
  swapped << A.bottomRows<3>(), A.topRows<3>();
  return {restored(split(swapped).outside, S.scale()), S.scale()};
}

ScrewSystem intersection(const ScrewSystem& a, const ScrewSystem& b) {
  return reciprocal(sum(reciprocal(a), reciprocal(b)));
}

ScrewSystem closure(const ScrewSystem& S) {
  ScrewSystem closed = S;
  for (;;) {
    std::vector<Twist> all = closed.basis();
    const std::size_t n = all.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        const Twist bracket = ad(all[i], all[j]);
        // The basis is orthonormal in the scale: smaller brackets are rounding.
        if (to_eigen(reduced(bracket, S.scale())).norm() > screw_tolerance) all.push_back(bracket);
      }
    ScrewSystem next(all, S.scale());
    if (next.dimension() == closed.dimension()) return closed;
    closed = std::move(next);
  }
}

bool is_closed(const ScrewSystem& S) { return closure(S).dimension() == S.dimension(); }

ScrewSystem transform(const SE3& C, const ScrewSystem& S) {
  std::vector<Twist> moved;
  for (const Twist& X : S.basis()) moved.push_back(Ad(C, X));
  return {moved, {C * S.scale().center, S.scale().length}};
}

std::string_view subgroup_name(MotionSubgroup subgroup) {
  constexpr std::string_view names[] = {"1",       "R",         "SO(2)",     "H",
                                        "R^2",     "SO(2) x R", "R^3",       "SO(3)",
                                        "H x R^2", "SE(2)",     "SE(2) x R", "SE(3)"};
  require_known(subgroup, MotionSubgroup::full, "motion subgroup");
  return names[static_cast<std::size_t>(subgroup)];
}
std::string_view subgroup_motion(MotionSubgroup subgroup) {
  constexpr std::string_view motions[] = {"no motion",
                                          "translations along a line",
                                          "rotations about an axis",
                                          "helical motions about an axis",
                                          "translations in a plane",
                                          "cylindrical motions",
                                          "translations",
                                          "spherical motions",
                                          "translations in a plane with a helical motion across it",
                                          "planar motions",
                                          "Schoenflies motions",
                                          "all motions"};
  require_known(subgroup, MotionSubgroup::full, "motion subgroup");
  return motions[static_cast<std::size_t>(subgroup)];
}

MotionSubgroup motion_subgroup(const ScrewSystem& closed) {
  if (!is_closed(closed))
    throw Error("a screw system of dimension " + std::to_string(closed.dimension()) +
                " is not a subalgebra; take its closure first");
  const int t = translations(closed);
  using enum MotionSubgroup;
  switch (closed.dimension()) {
    case 0:
      return trivial;
    case 1:
      return t == 1 ? translation : has_no_pitch(closed) ? rotation : helical;
    case 2:
      return t == 2 ? translation2 : cylindrical;
    case 3:
      return t == 3                 ? translation3
             : t == 0               ? spherical
             : has_no_pitch(closed) ? planar
                                    : planar_helical;
    case 4:
      return schoenflies;
    default:
      return full;  // there is no subalgebra of dimension 5
  }
}

}  // namespace chasles
