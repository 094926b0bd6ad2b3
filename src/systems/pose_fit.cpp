#include "chasles/systems/pose_fit.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "chasles/constraints/analysis.hpp"
#include "constraints/closing.hpp"
#include "kinematics/ik_options.hpp"
#include "kinematics/measurements.hpp"

namespace chasles {
namespace {

void check_measurement(const MeasuredPose& given, std::size_t m, const Model& model) {
  const std::string what = "measurement " + std::to_string(m) + ": ";
  require_frame(given.frame, model);
  for (const double weight : {given.rotation, given.position})
    if (!(weight >= 0 && std::isfinite(weight)))
      throw Error(what + "weight " + to_text(weight) +
                  "; give a finite weight that is not negative");
  if (given.position > 0 && !is_finite(given.C.r))
    throw Error(what + "the position " + tuple_text(coordinates(given.C.r)) +
                " is not finite; leave it out or give it the weight 0");
  if (given.rotation > 0) try {
      SO3(given.C.R.matrix());
    } catch (const Error& error) {
      throw Error(what + error.what());
    }
}

/// e and G of (1), weighted.
class Errors {
 public:
  Errors(const Model& model, std::span<const MeasuredPose> measured)
      : model_(model), measured_(measured), kin_(model), J_(6, model.nv()) {}

  Eigen::VectorXd at(const Vector& q) {
    forward_kinematics(model_, q, kin_);
    Eigen::VectorXd e(6 * static_cast<Eigen::Index>(measured_.size()));
    for (std::size_t m = 0; m < measured_.size(); ++m) {
      const auto [w, v] = of(m);
      e.segment<6>(6 * static_cast<Eigen::Index>(m))
          << std::sqrt(measured_[m].rotation) * to_eigen(w),
          std::sqrt(measured_[m].position) * to_eigen(v);
    }
    return e;
  }
  /// At the q of the last `at`.
  Eigen::MatrixXd slope() {
    Eigen::MatrixXd G(6 * static_cast<Eigen::Index>(measured_.size()), model_.nv());
    for (std::size_t m = 0; m < measured_.size(); ++m) {
      jacobian(model_, kin_, measured_[m].frame, Representation::mixed, J_);
      const auto dexp_inverse = lie::dexp_inv(of(m).first);
      const double w = std::sqrt(measured_[m].rotation), p = std::sqrt(measured_[m].position);
      for (Eigen::Index k = 0; k < J_.cols(); ++k) {
        const Vec3 turn = dexp_inverse(Vec3{J_(0, k), J_(1, k), J_(2, k)});
        G.block<6, 1>(6 * static_cast<Eigen::Index>(m), k) << -w * to_eigen(turn),
            -p * J_.col(k).tail<3>();
      }
    }
    return G;
  }
  /// (e_w, e_v) of measurement m; zero where it has no weight, so that nothing is required of it.
  std::pair<Vec3, Vec3> of(std::size_t m, bool also_free = false) const {
    const MeasuredPose& given = measured_[m];
    const SE3 C = pose(kin_, given.frame);
    return {given.rotation > 0 || also_free ? log(inverse(C.R) * given.C.R) : Vec3{},
            given.position > 0 || also_free ? given.C.r - C.r : Vec3{}};
  }

 private:
  const Model& model_;
  std::span<const MeasuredPose> measured_;
  PositionKinematics kin_;
  Matrix6X J_;
};

/// Limits of one-dof joints.
struct JointRange {
  int joint, q_index, v_index;
  double lower, upper;
};
std::vector<JointRange> ranges_of(const Model& model) {
  std::vector<JointRange> list;
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const ModelJoint& joint = model.joints()[j];
    if (joint.nq != 1 || !joint.limits) continue;
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    list.push_back({static_cast<int>(j), joint.q_index, joint.v_index,
                    joint.limits->lower.value_or(-unlimited),
                    joint.limits->upper.value_or(unlimited)});
    if (!(list.back().lower <= list.back().upper))
      throw Error("joint '" + joint.name + "': no position is between its limits " +
                  to_text(list.back().lower) + " and " + to_text(list.back().upper));
  }
  return list;
}

class Solver {
 public:
  Solver(Constraints& constraints, std::span<const MeasuredPose> measured,
         const PoseFitOptions& options)
      : constraints_(constraints),
        model_(constraints.model()),
        options_(options),
        errors_(model_, measured),
        closing_(constraints),
        ranges_(ranges_of(model_)) {}

  /// Moves q to a point with Phi = 0 within the limits. False if there is none near.
  bool close(Vector& q) {
    std::vector<bool> kept(static_cast<std::size_t>(model_.nv()));
    for (std::size_t round = 0; round <= ranges_.size() + 1; ++round) {
      bool inside = true;
      for (const JointRange& range : ranges_) {
        double& x = q[range.q_index];
        if (x >= range.lower && x <= range.upper) continue;
        x = std::clamp(x, range.lower, range.upper);
        kept[static_cast<std::size_t>(range.v_index)] = true;
        inside = false;
      }
      closing_.measure(q);
      if (inside && closing_.is_closed()) return true;
      q = closing_.near(q, movable(model_, kept), 60);
    }
    return false;
  }

  /// Gauss-Newton from q, which is closed. Returns whether it converged.
  bool descend(Vector& q, int& iterations) {
    Eigen::VectorXd e = errors_.at(q);
    double f = e.squaredNorm(), damping = 1e-3;
    Vector next(model_.nq());
    for (int n = 0; n < options_.iterations; ++n, ++iterations) {
      errors_.at(q);
      const Eigen::MatrixXd G = errors_.slope();
      const std::vector<int> free = free_entries(q, G.transpose() * e);
      const Eigen::MatrixXd Z = tangents(q, free);
      const Eigen::MatrixXd GZ = G * Z;
      const Eigen::VectorXd gradient = GZ.transpose() * e;
      if (!(gradient.norm() > 1e-14 * (1 + GZ.norm() * e.norm()))) return true;
      const double scale = std::max(GZ.squaredNorm() / static_cast<double>(GZ.cols()), 1e-300);
      bool moved = false;
      for (; !moved && damping < 1e9; damping *= moved ? 0.1 : 8) {
        Eigen::MatrixXd normal = GZ.transpose() * GZ;
        normal.diagonal().array() += damping * scale;
        Eigen::VectorXd step = -Z * solve_ldlt(normal, gradient);
        if (const double longest = step.cwiseAbs().maxCoeff(); longest > 0.5) step *= 0.5 / longest;
        plus(model_, q, step, next);
        if (!close(next)) continue;
        const Eigen::VectorXd e_next = errors_.at(next);
        if (!(e_next.squaredNorm() < f)) continue;
        moved = true;
        const bool stalls = f - e_next.squaredNorm() <= 1e-15 * f;
        q = next, e = e_next, f = e.squaredNorm();
        if (stalls) return true;
      }
      if (!moved) return true;
      damping = std::max(damping, 1e-14);
    }
    return false;
  }

  void report(const Vector& q, std::size_t count, PoseFit& fit) {
    fit.q = q;
    fit.residual = errors_.at(q).norm();
    fit.position_error.resize(static_cast<Eigen::Index>(count));
    fit.rotation_error.resize(static_cast<Eigen::Index>(count));
    for (std::size_t m = 0; m < count; ++m) {
      const auto [w, v] = errors_.of(m, true);
      fit.rotation_error[static_cast<Eigen::Index>(m)] = norm(w);
      fit.position_error[static_cast<Eigen::Index>(m)] = distance(v);
    }
    fit.active_limits.clear();
    for (const JointRange& range : ranges_)
      if (q[range.q_index] == range.lower || q[range.q_index] == range.upper)
        fit.active_limits.push_back(range.joint);
  }

 private:
  /// Entries of v that are not at a limit that descent would violate.
  std::vector<int> free_entries(const Vector& q, const Eigen::VectorXd& gradient) const {
    std::vector<bool> kept(static_cast<std::size_t>(model_.nv()));
    for (const JointRange& range : ranges_) {
      const double x = q[range.q_index], g = gradient[range.v_index];
      kept[static_cast<std::size_t>(range.v_index)] =
          (x <= range.lower && g > 0) || (x >= range.upper && g < 0);
    }
    return movable(model_, kept);
  }
  /// Z: nv x k.
  Eigen::MatrixXd tangents(const Vector& q, const std::vector<int>& free) {
    const auto n = static_cast<Eigen::Index>(free.size());
    Eigen::MatrixXd Z = Eigen::MatrixXd::Identity(n, n);
    if (constraints_.position_constraint_count() > 0 && n > 0) {
      const Eigen::MatrixXd B = columns_of(closing_.slope_at(q), free);
      const FullyPivotedLu lu(B, 1e-9);
      Z = lu.rank() == n ? Eigen::MatrixXd(n, 0) : orthonormal_columns(lu.kernel());
    }
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(model_.nv(), Z.cols());
    for (Eigen::Index k = 0; k < n; ++k) all.row(free[static_cast<std::size_t>(k)]) = Z.row(k);
    return all;
  }

  Constraints& constraints_;
  const Model model_;
  const PoseFitOptions& options_;
  Errors errors_;
  Closing closing_;
  std::vector<JointRange> ranges_;
};

/// min |A x - b| subject to C x = c.
VelocityFit constrained_fit(const MeasurementRows& rows, const Eigen::MatrixXd& C,
                            const Eigen::VectorXd& c) {
  const Eigen::Index n = rows.J.cols();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd Z = Eigen::MatrixXd::Identity(n, n);
  if (C.rows() > 0 && n > 0) {
    x = solve_least_norm(C, c, 1e-9).x;
    const FullyPivotedLu lu(C, 1e-9);
    Z = lu.rank() == n ? Eigen::MatrixXd(n, 0) : orthonormal_columns(lu.kernel());
  }
  if (Z.cols() == 0 || rows.J.rows() == 0) return rows.fit(x, 0);
  const LeastNorm y = solve_least_norm(rows.J * Z, rows.V - rows.J * x);
  return rows.fit(x + Z * y.x, y.rank);
}

}  // namespace

PoseFit fit_poses(Constraints& constraints, std::span<const MeasuredPose> measured,
                  const PoseFitOptions& options) {
  const Model& model = constraints.model();
  for (std::size_t m = 0; m < measured.size(); ++m) check_measurement(measured[m], m, model);
  if (options.starts < 1 || options.iterations < 1)
    throw Error("fit_poses: starts is " + std::to_string(options.starts) + " and iterations " +
                std::to_string(options.iterations) + "; give at least 1");
  const Vector q0 =
      options.q0.size() == 0 ? model.neutral() : checked_configuration(model, options.q0);
  Solver solver(constraints, measured, options);
  std::mt19937_64 generator(options.seed);
  std::normal_distribution<double> dice;
  PoseFit best, fit;
  for (int start = 1; start <= options.starts; ++start) {
    Vector q = q0, way(model.nv());
    for (double& x : way) x = dice(generator);
    if (start > 1) plus(model, q0, way, q);
    ++best.starts;
    if (!solver.close(q)) {
      if (start > 1) continue;
      q = assemble(constraints, q0);
      if (!solver.close(q)) continue;
    }
    fit.converged = solver.descend(q, best.iterations);
    solver.report(q, measured.size(), fit);
    if (best.q.size() == 0 || fit.residual < best.residual) {
      fit.starts = best.starts, fit.iterations = best.iterations;
      best = fit;
    }
    if (best.residual <= options.tolerance) break;
  }
  if (best.q.size() != model.nq() && model.nq() > 0)
    throw Error("fit_poses: no configuration with closed loops within the joint limits of '" +
                model.name() + "' was found near the start; give another q0 or more starts");
  return best;
}

namespace {

/// (3) at v = none, else (4).
VelocityFit fit_rates(Constraints& constraints, ConstVectorRef q, const Vector* v,
                      std::span<const MeasuredTwist> measured, Representation rep) {
  lie::require_known(rep);
  const Model& model = constraints.model();
  require_size("q", q, model.nq());
  AccelerationKinematics kin(model);
  const Vector rest(model.nv());
  forward_kinematics(model, q, v ? *v : rest, rest, kin);
  constraints.update(kin);
  Matrix B;
  constraints.matrix(kin, B);
  Vector c(constraints.constraint_count());
  if (v)
    constraints.bias(kin, c);
  else
    constraints.time_rate(kin, c);
  const MeasurementRows rows(model, kin, measured, rep, [&](std::size_t m) {
    return acceleration(kin, measured[m].frame, rep);  // with a = 0
  });
  return constrained_fit(rows, B, -c);
}

}  // namespace

VelocityFit fit_velocities(Constraints& constraints, ConstVectorRef q,
                           std::span<const MeasuredTwist> measured, Representation rep) {
  return fit_rates(constraints, q, nullptr, measured, rep);
}

VelocityFit fit_accelerations(Constraints& constraints, ConstVectorRef q, ConstVectorRef v,
                              std::span<const MeasuredTwist> measured, Representation rep) {
  require_size("v", v, constraints.model().nv());
  const Vector given = v;
  return fit_rates(constraints, q, &given, measured, rep);
}

}  // namespace chasles
