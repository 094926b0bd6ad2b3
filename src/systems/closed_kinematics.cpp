#include "chasles/systems/closed_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "chasles/constraints/analysis.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "constraints/least_squares.hpp"
#include "kinematics/ik_options.hpp"
#include "math/decompositions.hpp"
#include "model/coordinate_name.hpp"

namespace chasles {
ClosedKinematics::ClosedKinematics(const ConstrainedSystem& system, std::vector<int> independent)
    : system_(system), independent_(std::move(independent)), kin_(system.model()) {
  const MobilityReport& report = system_.mobility();
  const int nv = system_.model().nv();
  if (independent_.empty()) independent_ = report.independent;
  std::vector<bool> taken(static_cast<std::size_t>(nv));
  for (const int k : independent_) {
    if (k < 0 || k >= nv)
      throw Error("v has no entry " + std::to_string(k) + "; it has " + std::to_string(nv));
    if (taken[static_cast<std::size_t>(k)])
      throw Error(coordinate_name(system_.model(), k) +
                  " is given twice as an independent coordinate; give it once");
    taken[static_cast<std::size_t>(k)] = true;
  }
  if (static_cast<int>(independent_.size()) != report.mobility)
    throw Error(std::to_string(independent_.size()) + " independent entries of v, but '" +
                system_.model().name() + "' has " + std::to_string(report.mobility) +
                " degrees of freedom; give as many");
  for (int k = 0; k < nv; ++k)
    if (!taken[static_cast<std::size_t>(k)]) dependent_.push_back(k);
  N_.setZero(nv, report.mobility), N_rate_.setZero(nv, report.mobility);
}

void ClosedKinematics::require_evaluated() const {
  if (!evaluated_) [[unlikely]]
    throw Error("ClosedKinematics has no configuration yet; call at(q, v) first");
}

void ClosedKinematics::at(ConstVectorRef q, ConstVectorRef v) {
  evaluated_ = false;
  system_.set(system_.at().t, q, v);
  forward_kinematics(system_.model(), q, v, kin_);
  Constraints& constraints = system_.constraints();
  constraints.update(kin_);
  constraints.matrix(kin_, B_);
  constraints.matrix_rate(kin_, B_rate_);
  N_.setZero(), N_rate_.setZero();
  for (std::size_t k = 0; k < independent_.size(); ++k)
    N_(independent_[k], static_cast<Eigen::Index>(k)) = 1;
  if (dependent_.empty()) {
    evaluated_ = true;
    return;
  }
  Matrix U;
  system_.independent_equations(U);
  const Eigen::MatrixXd B = U.transpose() * B_;
  const FullyPivotedLu lu(columns_of(B, dependent_));
  if (!lu.is_invertible() || lu.reciprocal_condition() < 1e-12) {
    std::string names;
    for (const int k : independent_)
      names += (names.empty() ? "'" : ", '") + system_.model().joint_of_v(k).name + "'";
    throw SingularError(
        "the motion of " + (names.empty() ? "no joint" : names) +
        " does not determine that of the others at this configuration; choose other "
        "independent coordinates");
  }
  const auto scatter = [&](const Eigen::MatrixXd& of_dependent, Matrix& out) {
    for (std::size_t k = 0; k < dependent_.size(); ++k)
      out.row(dependent_[k]) = of_dependent.row(static_cast<Eigen::Index>(k));
  };
  scatter(-lu.solve_columns(columns_of(B, independent_)), N_);
  scatter(-lu.solve_columns(U.transpose() * B_rate_ * N_), N_rate_);
  evaluated_ = true;
}

Matrix ClosedKinematics::jacobian(const Frame& frame, Representation rep) const {
  require_evaluated();
  Matrix6X J(6, N_.rows());
  chasles::jacobian(system_.model(), kin_, frame, rep, J);
  return J * N_;
}
Matrix ClosedKinematics::jacobian_rate(const Frame& frame, Representation rep) const {
  require_evaluated();
  Matrix6X J(6, N_.rows()), J_rate(6, N_.rows());
  chasles::jacobian(system_.model(), kin_, frame, rep, J);
  chasles::jacobian_rate(system_.model(), kin_, frame, rep, J_rate);
  return J_rate * N_ + J * N_rate_;
}

namespace {

/// The residual (1) of inverse_kinematics.hpp, weighted, stacked below the constraint errors.
class PoseAndGaps {
 public:
  PoseAndGaps(Constraints& constraints, const Frame& frame, const SE3& target,
              const IkOptions& options)
      : constraints_(constraints),
        frame_(frame),
        target_(target),
        w_(root_weights(target, options).rotation),
        p_(root_weights(target, options).position),
        kin_(constraints.model()),
        Phi_(constraints.constraint_count()) {}

  Eigen::VectorXd residual(const Vector& q) {
    forward_kinematics(constraints_.model(), q, kin_);
    constraints_.constraint_error(kin_, Phi_);
    const SE3 C = pose(kin_, frame_);
    e_w_ = log(inverse(C.R) * target_.R);
    e_v_ = target_.r - C.r;
    Eigen::VectorXd out(constraints_.position_constraint_count() + 6);
    out << Phi_.head(constraints_.position_constraint_count()), w_ * e_w_.x, w_ * e_w_.y,
        w_ * e_w_.z, p_ * e_v_.x, p_ * e_v_.y, p_ * e_v_.z;
    return out;
  }
  Eigen::MatrixXd slope(const Vector& q) {
    residual(q);
    constraints_.update(kin_);
    constraints_.matrix(kin_, B_);
    const Model& model = constraints_.model();
    Matrix6X J(6, model.nv());
    jacobian(model, kin_, frame_, Representation::mixed, J);
    const Eigen::Index m = constraints_.position_constraint_count();
    Eigen::MatrixXd out(m + 6, model.nv());
    out.topRows(m) = B_.topRows(m);
    const auto dexp_inverse = lie::dexp_inv(e_w_);
    for (Eigen::Index k = 0; k < J.cols(); ++k) {
      const Vec3 turn = dexp_inverse(Vec3{J(0, k), J(1, k), J(2, k)});
      out.col(k).tail(6) << -w_ * turn.x, -w_ * turn.y, -w_ * turn.z, -p_ * J(3, k), -p_ * J(4, k),
          -p_ * J(5, k);
    }
    return out;
  }
  double rotation_error() const { return norm(e_w_); }
  double position_error() const { return distance(e_v_); }

 private:
  Constraints& constraints_;
  Frame frame_;
  SE3 target_;
  double w_, p_;
  PositionKinematics kin_;
  Vector Phi_;
  Matrix B_;
  Vec3 e_w_, e_v_;
};

}  // namespace

IkResult inverse_kinematics(Constraints& constraints, const Frame& frame, const SE3& target,
                            const IkOptions& options) {
  const Model& model = constraints.model();
  require_frame(frame, model);
  check(target, options);
  const Vector q0 =
      options.q0.size() == 0 ? model.neutral() : checked_configuration(model, options.q0);
  PoseAndGaps error(constraints, frame, target, options);
  std::mt19937_64 generator(options.seed);
  std::normal_distribution<double> dice;
  std::vector<int> all(static_cast<std::size_t>(model.nv()));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
  IkResult best{false, q0, HUGE_VAL, HUGE_VAL, 0, 0, {}};
  double least = HUGE_VAL;
  Vector start = q0, way(model.nv());
  while (best.starts < options.starts && !best.success) {
    if (best.starts > 0) {
      for (double& x : way) x = dice(generator);
      plus(model, q0, way, start);
    }
    ++best.starts;
    Vector q = start;
    best.iterations += minimize(
        model, q, all, options.iterations, [&](const Vector& x) { return error.residual(x); },
        [&](const Vector& x) { return error.slope(x); });
    Eigen::VectorXd left = error.residual(q);
    const Eigen::Index m = constraints.position_constraint_count();
    const auto is_closed = [&] { return m == 0 || left.head(m).lpNorm<Eigen::Infinity>() < 1e-10; };
    if (!is_closed()) try {  // a target that is missed a little opens the loops: they come first
        q = assemble(constraints, q, AssemblyOptions{.starts = 1});
        left = error.residual(q);
      } catch (const Error&) {  // the result of another start may be closed
      }
    const bool closed = is_closed();
    const double size = left.stableNorm();
    if (best.starts > 1 && !(size < least)) continue;
    least = size;
    best.q = q;
    best.position_error = error.position_error(), best.rotation_error = error.rotation_error();
    best.success =
        closed &&
        (options.position_weight == 0 || best.position_error <= options.position_tolerance) &&
        (options.rotation_weight == 0 || best.rotation_error <= options.rotation_tolerance);
  }
  return best;
}

}  // namespace chasles
