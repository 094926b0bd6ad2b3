#include "chasles/integrators/projection.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "chasles/lie/quaternion.hpp"
#include "kinematics/link_motion.hpp"

namespace chasles {
namespace {

/// The least rotation that turns a into the direction of b.
SO3 turn(const Vec3& a, const Vec3& b) {
  const Vec3 n = cross(a, b);
  const double s = norm(n), c = dot(a, b);
  return s > 0 ? exp((std::atan2(s, c) / s) * n) : SO3{};
}

}  // namespace

ProjectedIntegrator::ProjectedIntegrator(ModelSystem& system, const IntegratorOptions& options)
    : system_(&system), mass_(system.model()) {
  const Model& model = system.model();
  require_free_base(model, "projection");
  const Vec3& g = model.gravity();
  if (g.x != 0 || g.y != 0 || g.z != 0)
    throw Error("projection: gravity is " + tuple_text(std::array{g.x, g.y, g.z}) +
                " m/s^2; energy and momenta are all kept only where nothing acts");
  if (system.has_forces())
    throw Error("projection: forces act; energy and momenta are all kept only where nothing acts");
  IntegratorOptions inside = options;
  inside.projection = false;
  inner_ = make_integrator(system, inside);
  v_.setZero(system.nv());
  G_.setZero(4, system.nv());
}

SE3 ProjectedIntegrator::base(ConstVectorRef q) const {
  const Link& link = system_->model().links()[0];
  return link.P * kinematics::group_motion(system_->model(), link, q.data());
}

/// The base rows of M are the momentum in its frame; M_00 = [[I, m c~], [-m c~, m]] has c.
ProjectedIntegrator::Body ProjectedIntegrator::measure(ConstVectorRef q, ConstVectorRef v) {
  const Eigen::MatrixXd& M = mass_matrix(system_->model(), q, mass_);
  Eigen::Matrix<double, 6, 1> h = Eigen::Matrix<double, 6, 1>::Zero();
  double E = 0;
  for (Eigen::Index j = 0; j < v.size(); ++j) {
    h += M.block<6, 1>(0, j) * v[j];
    E += 0.5 * v[j] * M.col(j).dot(v);
  }
  const double m = M(3, 3);
  const Vec3 c{M(2, 4) / m, M(0, 5) / m, M(1, 3) / m}, p{h[3], h[4], h[5]};
  return {p, Vec3{h[0], h[1], h[2]} - cross(c, p), c, E};
}

void ProjectedIntegrator::remember() {
  const Body b = measure(now_.q, now_.v);
  const SE3 C = base(now_.q);
  t_0_ = now_.t, E_ = b.E;
  P_ = C.R * b.p, L_c_ = C.R * b.l_c, r_c_ = C * b.c;
}

void ProjectedIntegrator::project() {
  const State& s = inner_->state();
  v_ = s.v;
  Body b = measure(s.q, v_);
  const Eigen::MatrixXd& M = mass_.M;
  for (int iteration = 0; iteration < 4; ++iteration) {
    if (iteration > 0) b = measure(s.q, v_);
    // Gradients: of E, M v; of the others by l_c = l - c x p and p, whose rates are rows of M.
    for (Eigen::Index j = 0; j < v_.size(); ++j) {
      const Vec3 dp{M(3, j), M(4, j), M(5, j)};
      const Vec3 dl = Vec3{M(0, j), M(1, j), M(2, j)} - cross(b.c, dp);
      G_.col(j) << M.col(j).dot(v_), dot(b.p, dp), dot(dp, b.l_c) + dot(b.p, dl), dot(b.l_c, dl);
    }
    Eigen::Vector4d g(b.E - E_, 0.5 * (dot(b.p, b.p) - dot(P_, P_)),
                      dot(b.p, b.l_c) - dot(P_, L_c_), 0.5 * (dot(b.l_c, b.l_c) - dot(L_c_, L_c_)));
    Eigen::Vector4d size;
    for (int i = 0; i < 4; ++i) {
      const double norm = G_.row(i).norm();
      size[i] = norm > 1e-12 ? norm : 0;
      G_.row(i) *= size[i] > 0 ? 1 / size[i] : 0;
      g[i] = size[i] > 0 ? g[i] / size[i] : 0;
    }
    Eigen::Matrix4d GG;
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k) GG(i, k) = G_.row(i).dot(G_.row(k));
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> eigen(GG);
    Eigen::Vector4d lambda = Eigen::Vector4d::Zero();
    for (int i = 0; i < 4; ++i)
      if (eigen.eigenvalues()[i] > 1e-8)
        lambda += (eigen.eigenvectors().col(i).dot(g) / eigen.eigenvalues()[i]) *
                  eigen.eigenvectors().col(i);
    for (int i = 0; i < 4; ++i) v_ -= lambda[i] * G_.row(i).transpose();  // (1)
    if (g.norm() < 1e-15 * (1 + v_.norm())) break;
  }
  b = measure(s.q, v_);

  // The attitude: the axis that has more to say first, then a turn about it.
  const SE3 C = base(s.q);
  const bool spins = dot(L_c_, L_c_) > 0;
  const Vec3 a = spins ? b.l_c : b.p, A = spins ? L_c_ : P_, d = spins ? b.p : b.l_c,
             D = spins ? P_ : L_c_;
  SO3 R = turn(C.R * a, A) * C.R;
  const double AA = dot(A, A);
  if (AA > 0) {
    const Vec3 across = R * d - (dot(R * d, A) / AA) * A, wanted = D - (dot(D, A) / AA) * A;
    if (dot(wanted, wanted) > 1e-16 * dot(D, D)) R = turn(across, wanted) * R;
  }
  R = R.normalized();
  const Vec3 r_c = r_c_ + ((s.t - t_0_) / system_->model().mass()) * P_;  // (2)
  const Link& link = system_->model().links()[0];
  const SE3 motion = inverse(link.P) * SE3{R, r_c - R * b.c};
  now_ = s;
  now_.v = v_;
  const Quaternion quat = quaternion(motion.R);
  const double sign = quat.w < 0 ? -1 : 1;
  now_.q.head<4>() << sign * quat.w, sign * quat.x, sign * quat.y, sign * quat.z;
  now_.q.segment<3>(4) << motion.r.x, motion.r.y, motion.r.z;
}

void ProjectedIntegrator::reset(const State& start) {
  inner_->reset(start);
  now_ = before_ = start;
  statistics_ = {};
  remember();
}
void ProjectedIntegrator::step(double until) {
  if (statistics_.steps > 0) inner_->replace(now_.q, now_.v);
  before_ = now_;
  inner_->step(until);
  project();
  statistics_ = inner_->statistics();
}
void ProjectedIntegrator::retry(double until) {
  inner_->retry(until);
  project();
  statistics_ = inner_->statistics();
}
void ProjectedIntegrator::replace(ConstVectorRef q, ConstVectorRef v) {
  inner_->replace(q, v);
  now_.q = q, now_.v = v;
  before_ = now_;
  remember();
}
void ProjectedIntegrator::interpolate(double t, State& out) const {
  if (t == now_.t)
    out = now_;
  else
    inner_->interpolate(t, out);
}

}  // namespace chasles
