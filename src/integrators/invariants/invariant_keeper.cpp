#include "integrators/invariants/invariant_keeper.hpp"

#include <Eigen/Cholesky>
#include <cmath>

namespace chasles {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// The smallest rotation that takes a to the direction of b.
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
      gradient_(model_.nv()),
      G_(6, model_.nv()) {
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
  const Matrix& M = mass_.M();
  radius2_ = (M(0, 0) + M(1, 1) + M(2, 2)) / model_.mass();
  P_ = C.R * b.p, L_c_ = C.R * b.l_c, r_c_ = C * b.c;
}

/// (1) is linear in v except for E, and its six rows are independent; E is satisfied orthogonally to them.
void InvariantKeeper::move_velocity(const State& s) {
  v_ = s.v;
  const SO3 A = base_.A(s.q), before = base_.pose(s.q).R;
  const Matrix& M = mass_.M();
  for (int iteration = 0; iteration < 4; ++iteration) {
    const Body b = measure(s.q, v_);
    const SO3 R = attitude(before, b);
    const Vec3 dp = b.p - inverse_times(R, P_), dl = b.l_c - inverse_times(R, L_c_);
    for (Eigen::Index j = 0; j < v_.size(); ++j) {
      const Vec3 p = inverse_times(A, rows(M, 3, j)), l = rows(M, 0, j) - cross(b.c, p);
      G_.col(j) << p.x, p.y, p.z, l.x, l.y, l.z;
      gradient_[j] = M.col(j).dot(v_);
    }
    Matrix6 GG;
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 6; ++k) GG(i, k) = G_.row(i).dot(G_.row(k));
    const Eigen::LLT<Matrix6> factors(GG);
    Vector6 g, of_gradient;
    g << dp.x, dp.y, dp.z, dl.x, dl.y, dl.z;
    for (int i = 0; i < 6; ++i) of_gradient[i] = G_.row(i).dot(gradient_);
    const Vector6 lambda = factors.solve(g), mu = factors.solve(of_gradient);
    double change = 0, to_energy = b.E - E_;
    const double whole = gradient_.squaredNorm();
    for (Eigen::Index j = 0; j < v_.size(); ++j) {
      const double d = lambda.dot(G_.col(j));
      to_energy -= gradient_[j] * d;
      gradient_[j] -= mu.dot(G_.col(j));
      v_[j] -= d;
      change += d * d;
    }
    // If the joints do not move, the momenta determine the energy.
    const double across = gradient_.squaredNorm();
    if (across > 1e-12 * whole) {
      v_ -= (to_energy / across) * gradient_;
      change += to_energy * to_energy / across;
    }
    if (!(change > 1e-30 * (1 + v_.squaredNorm()))) break;
  }
}

/// The attitude: first aligns the better determined axis, then rotates about it.
SO3 InvariantKeeper::attitude(const SO3& before, const Body& b) const {
  const bool spins = dot(L_c_, L_c_) > 1e-12 * radius2_ * dot(P_, P_);
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
