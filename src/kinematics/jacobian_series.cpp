#include "chasles/kinematics/higher_order.hpp"
#include "chasles/screws/eigen.hpp"
#include "kinematics/link_series.hpp"

namespace chasles {
namespace {

using links::LinkSeries;
using Vectors = std::vector<Vec3>;   // coefficients of a power series in time
using Matrices = std::vector<Mat3>;  // the same

/// sum_j f(a[j], b[k-j]) for every k.
template <class A, class B, class F>
auto product(const std::vector<A>& a, const std::vector<B>& b, const F& f) {
  std::vector<decltype(f(a[0], b[0]))> c(a.size());
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t j = 0; j <= k; ++j) c[k] = c[k] + f(a[j], b[k - j]);
  return c;
}
template <class B>
auto times(const Matrices& A, const std::vector<B>& b) {
  return product(A, b, [](const Mat3& x, const B& y) { return x * y; });
}
Vectors transposed_times(const Matrices& A, const Vectors& b) {
  return product(A, b, [](const Mat3& x, const Vec3& y) { return transpose_times(x, y); });
}
Vectors crossed(const Vectors& a, const Vectors& b) {
  return product(a, b, [](const Vec3& x, const Vec3& y) { return cross(x, y); });
}
Vectors plus(Vectors a, const Vectors& b, double sign = 1) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] += sign * b[k];
  return a;
}

/// A pose C(t) = (R, r) in the world.
struct Pose {
  Matrices R;
  Vectors r;
};
Pose constant(const SE3& C, std::size_t length) {
  Pose pose{Matrices(length), Vectors(length)};
  pose.R[0] = C.R.matrix();
  pose.r[0] = C.r;
  return pose;
}
Pose operator*(const Pose& a, const Pose& b) {
  return {times(a.R, b.R), plus(times(a.R, b.r), a.r)};
}

/// The motion of a link in its joint frame.
Pose motion(const LinkSeries& series, std::size_t length) {
  Pose T = constant({}, length);
  if (!series.along_z()) {
    for (std::size_t k = 0; k < length; ++k)
      T.R[k] = transpose(series.R_t()[k]), T.r[k] = series.shifts() ? series.r()[k] : Vec3{};
    if (!series.shifts()) T.r[0] = series.pose().r;
    return T;
  }
  for (std::size_t k = 0; k < length; ++k) {
    if (series.turns_about_z()) {
      const double c = series.c()[k], s = series.s()[k];
      T.R[k] = Mat3::rows({c, -s, 0}, {s, c, 0}, {0, 0, k == 0 ? 1.0 : 0.0});
    }
    if (series.slides_along_z()) T.r[k] = {0, 0, series.d()[k]};
  }
  return T;
}

/// The screws of a link on the path: pose, and its X(t).
struct Moved {
  const Link* link;
  Pose C;
  LinkSeries series;
};

/// (2) to (5) of jacobian.hpp for column c of a link; C: the frame.
std::pair<Vectors, Vectors> column(const Moved& at, std::size_t c, const Pose& C,
                                   Representation rep) {
  const std::size_t length = C.r.size();
  Vectors w(length), v(length);
  for (std::size_t k = 0; k < (at.series.screws_turn() ? length : 1); ++k)
    w[k] = at.series.X(k, c).w, v[k] = at.series.X(k, c).v;
  const Vectors e = times(at.C.R, w), l = times(at.C.R, v);
  if (rep == Representation::spatial) return {e, plus(l, crossed(at.C.r, e))};
  const Vectors moved = plus(l, crossed(e, plus(C.r, at.C.r, -1)));
  if (rep == Representation::hybrid) return {e, moved};
  return {transposed_times(C.R, e),
          rep == Representation::mixed ? moved : transposed_times(C.R, moved)};
}

}  // namespace

std::vector<Matrix6X> jacobian_time_derivatives(const Model& model, ConstVectorRef q,
                                                ConstMatrixRef rates, const Frame& frame,
                                                Representation rep) {
  require_frame(frame, model);
  lie::require_known(rep);
  require_size("q", q, model.nq());
  require_size("rates, by rows,", static_cast<std::size_t>(rates.rows()), model.nv());
  const auto length = static_cast<std::size_t>(rates.cols()) + 1;
  Eigen::MatrixXd v = rates;  // coefficients: divided by factorials
  for (Eigen::Index k = 2; k < v.cols(); ++k) v.rightCols(v.cols() - k) /= static_cast<double>(k);

  std::vector<int> path;
  for (int i = frame.link; i >= 0; i = tree_links(model)[static_cast<std::size_t>(i)].parent)
    path.insert(path.begin(), i);
  std::vector<Moved> moved;
  Pose C = constant({}, length);
  for (const int i : path) {
    const Link& link = tree_links(model)[static_cast<std::size_t>(i)];
    LinkSeries series(model, link, length);
    series.start(model, link, q.data() + link.q_index);
    for (std::size_t k = 0; k + 1 < length; ++k)
      series.extend(model, link, v.data() + link.v_index, static_cast<std::size_t>(model.nv()), k);
    C = C * constant(link.P, length) * motion(series, length);
    moved.push_back({&link, C, std::move(series)});
  }
  C = C * constant(frame.offset, length);

  std::vector<Matrix6X> J(length, Matrix6X(6, model.nv()));
  for (const Moved& at : moved)
    for (int c = 0; c < at.link->nv; ++c) {
      const auto [w, u] = column(at, static_cast<std::size_t>(c), C, rep);
      double factorial = 1;
      for (std::size_t k = 0; k < length; ++k) {
        if (k > 0) factorial *= static_cast<double>(k);
        J[k].col(at.link->v_index + c) << factorial * to_eigen(w[k]), factorial * to_eigen(u[k]);
      }
    }
  return J;
}

}  // namespace chasles
