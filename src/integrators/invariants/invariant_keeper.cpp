#include "integrators/invariants/invariant_keeper.hpp"

#include <cmath>

#include "math/decompositions.hpp"

namespace chasles {
namespace {

/// The least rotation that turns a into the direction of b.
SO3 turn(const Vec3& a, const Vec3& b) {
  const Vec3 n = cross(a, b);
  const double s = norm(n), c = dot(a, b);
  return s > 0 ? exp((std::atan2(s, c) / s) * n) : SO3{};
}
Vec3 rows(const Matrix& M, int first, Eigen::Index column) {
  return {M(first, column), M(first + 1, column), M(first + 2, column)};
}

}  // namespace

InvariantKeeper::InvariantKeeper(const ModelSystem& system)
    : model_(system.model()),
      base_(model_, "keep_invariants"),
      mass_(model_),
      v_(model_.nv()),
      G_(4, model_.nv()) {
  const Vec3& g = model_.gravity();
  if (g.x != 0 || g.y != 0 || g.z != 0)
    throw Error("keep_invariants: gravity is " + tuple_text(std::array{g.x, g.y, g.z}) +
                " m/s^2; energy and momenta are all kept only where nothing acts");
  if (system.has_forces())
    throw Error(
        "keep_invariants: forces act; energy and momenta are all kept only where nothing acts");
}

/// The base rows of M are the momentum in its frame; M_00 = [[I, m c~], [-m c~, m]] has c.
InvariantKeeper::Body InvariantKeeper::measure(ConstVectorRef q, ConstVectorRef v) {
  const Matrix& M = mass_matrix(model_, q, mass_);
  const SO3 A = base_.A(q);
  Vec3 l, p, c;
  double E = 0;
  for (Eigen::Index j = 0; j < v.size(); ++j) {
    l += v[j] * rows(M, 0, j);
    p += v[j] * rows(M, 3, j);
    E += 0.5 * v[j] * M.col(j).dot(v);
  }
  const double m = M(3, 3);
  // Columns of m c~ A^T, turned back: m c~ = (m c~ A^T) A.
  const Mat3 mc = Mat3{rows(M, 0, 3), rows(M, 0, 4), rows(M, 0, 5)} * A.matrix();
  c = Vec3{mc(2, 1), mc(0, 2), mc(1, 0)} / m;
  p = inverse_times(A, p);
  return {p, l - cross(c, p), c, E};
}

void InvariantKeeper::start(const State& state) {
  const Body b = measure(state.q, state.v);
  const SE3 C = base_.pose(state.q);
  t_0_ = state.t, E_ = b.E;
  P_ = C.R * b.p, L_c_ = C.R * b.l_c, r_c_ = C * b.c;
}

void InvariantKeeper::move_velocity(const State& s) {
  v_ = s.v;
  const SO3 A = base_.A(s.q);
  const Matrix& M = mass_.M();
  for (int iteration = 0; iteration < 4; ++iteration) {
    const Body b = measure(s.q, v_);
    // Gradients: of E, M v; of the others by l_c = l - c x p and p, whose rates are rows of M.
    for (Eigen::Index j = 0; j < v_.size(); ++j) {
      const Vec3 dp = inverse_times(A, rows(M, 3, j));
      const Vec3 dl = rows(M, 0, j) - cross(b.c, dp);
      G_.col(j) << M.col(j).dot(v_), dot(b.p, dp), dot(dp, b.l_c) + dot(b.p, dl), dot(b.l_c, dl);
    }
    Eigen::Vector4d g(b.E - E_, 0.5 * (dot(b.p, b.p) - dot(P_, P_)),
                      dot(b.p, b.l_c) - dot(P_, L_c_), 0.5 * (dot(b.l_c, b.l_c) - dot(L_c_, L_c_)));
    for (int i = 0; i < 4; ++i) {
      const double size = G_.row(i).norm(), scale = size > 1e-12 ? 1 / size : 0;
      G_.row(i) *= scale;
      g[i] *= scale;
    }
    Eigen::Matrix4d GG;
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k) GG(i, k) = G_.row(i).dot(G_.row(k));
    const auto eigen = symmetric_eigen(GG);
    Eigen::Vector4d lambda = Eigen::Vector4d::Zero();
    for (int i = 0; i < 4; ++i)
      if (eigen.values[i] > 1e-8)
        lambda += (eigen.vectors.col(i).dot(g) / eigen.values[i]) * eigen.vectors.col(i);
    for (int i = 0; i < 4; ++i) v_ -= lambda[i] * G_.row(i).transpose();
    if (g.norm() < 1e-15 * (1 + v_.norm())) break;
  }
}

/// The attitude: the axis that has more to say first, then a turn about it.
SO3 InvariantKeeper::attitude(const SO3& before, const Body& b) const {
  const bool spins = dot(L_c_, L_c_) > 0;
  const Vec3 a = spins ? b.l_c : b.p, A = spins ? L_c_ : P_, d = spins ? b.p : b.l_c,
             D = spins ? P_ : L_c_;
  SO3 R = turn(before * a, A) * before;
  const double AA = dot(A, A);
  if (AA > 0) {
    const Vec3 across = R * d - (dot(R * d, A) / AA) * A, wanted = D - (dot(D, A) / AA) * A;
    if (dot(wanted, wanted) > 1e-16 * dot(D, D)) R = turn(across, wanted) * R;
  }
  return R.normalized();
}

void InvariantKeeper::reached(State& state) {
  move_velocity(state);
  const Body b = measure(state.q, v_);
  const SO3 R = attitude(base_.pose(state.q).R, b);
  const Vec3 r_c = r_c_ + ((state.t - t_0_) / model_.mass()) * P_;  // (2)
  state.v = v_;
  base_.move({R, r_c - R * b.c}, state.q, state.v);
}

}  // namespace chasles
