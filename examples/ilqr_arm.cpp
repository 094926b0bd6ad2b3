/// iLQR on the Lie group: joint forces that take an arm from rest to rest at a goal within a second. Two
/// arms: one brings its flange to a pose, an error on SE(3); the other has spherical joints as shoulder and
/// wrist, and goes to a configuration, an error on SO(3) x R x SO(3).
///
///     J = sum_k h/2 (|v_k|^2 + w |u_k|^2) + W/2 |r|^2,     r = (log of goal^-1 end; v_N)       (1)
///
/// A neighbor of a state is (q exp(e), v + dv). Along it a step has dx, du of DifferentiableStep, A and B
/// below, and dr = (dexp_{-r}^-1 e; dv): without local coordinates, hence without their singularities.
#include <Eigen/Cholesky>
#include <cmath>
#include <cstdio>

#include "chasles/integrators/integrator.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "chasles/linearization/sensitivities.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/eigen.hpp"

using namespace chasles;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr int N = 100;               // steps
constexpr double h = 0.01;           // [s]
constexpr double w = 1e-4, W = 1e5;  // of (1), whose units are rad, m, s and N m
constexpr double bound = 1e-3;       // on |r|: rad, m, and 1/s of these

/// r of (1), and its derivative by a neighbor (e; dv) of the end.
struct Miss {
  VectorXd r;
  MatrixXd dx;
};
using Goal = std::function<Miss(const State& end)>;

/// r = (error; v), with the derivative of the error by a step e.
Miss and_at_rest(const VectorXd& error, const MatrixXd& slope, const State& end) {
  const Eigen::Index m = error.size(), n = end.v.size();
  Miss miss{VectorXd(m + n), MatrixXd::Zero(m + n, 2 * n)};
  miss.r << error, end.v;
  miss.dx.topLeftCorner(m, n) = slope;
  miss.dx.bottomRightCorner(n, n).setIdentity();
  return miss;
}
Goal pose_of(const Model& model, const Frame& frame, const SE3& goal) {
  return [=](const State& end) {
    FrameJacobian at(model);
    MatrixXd J = jacobian(model, end.q, frame, Representation::body, at);
    const Twist X = log(inverse(goal) * at.C);
    const auto to_rates = dexp_inv(-X);
    for (int k = 0; k < model.nv(); ++k) J.col(k) = to_eigen(to_rates(from_eigen<Twist>(J.col(k))));
    return and_at_rest(to_eigen(X), J, end);
  };
}
Goal configuration(const Model& model, const Vector& goal) {
  return [=](const State& end) {
    const ModelGroup group(model);
    const int n = model.nv();
    Vector error(n), column(n);
    group.minus(end.q, goal, error);
    MatrixXd slope(n, n);
    for (int k = 0; k < n; ++k) {
      group.dexp_inv(error, VectorXd::Unit(n, k), column);
      slope.col(k) = column;
    }
    return and_at_rest(error, slope, end);
  };
}

struct Motion {
  std::vector<State> x;  // N + 1
  MatrixXd U;            // nv x N
  double cost = 0;       // (1)
};

class Ilqr {
 public:
  Ilqr(ModelSystem& system, Goal goal)
      : system_(system), goal_(std::move(goal)), step_(system, "mk4"), gains_(N) {}

  /// From the forces that keep it where it is.
  Motion begin(const State& start) {
    Vector hold(start.v.size());
    system_.set(start);
    system_.force(hold);
    Motion motion{std::vector<State>(N + 1, start), (-hold).replicate(1, N)};
    return moved(motion, 0);
  }
  Motion solve(Motion motion) {
    std::printf("  start  cost %.6e\n", motion.cost);
    double mu = h * w;  // regularization of the forces, increased if no step succeeds
    for (int k = 1; k <= 100 && mu < 1e6; ++k) {
      linearize(motion, mu);
      if (promised(1) < 1e-12 * motion.cost) break;
      const auto [better, length] = search(motion);
      std::printf("  %5d  cost %.6e  step %-7g mu %g\n", k, better.cost, length, mu);
      mu = length > 0 ? mu / 10 : mu * 100;
      motion = better;
    }
    return motion;
  }

 private:
  struct Gain {
    VectorXd k;
    MatrixXd K;
  };

  /// Backward: the cost-to-go of the linear steps is V_x . x + x . V_xx x / 2, the best change of forces
  /// k + K x. Gauss-Newton: curvatures of steps are left out, so V_xx stays positive.
  void linearize(const Motion& motion, double mu) {
    const Miss miss = goal_(motion.x[N]);
    const Eigen::Index n = motion.U.rows();
    VectorXd V_x = W * miss.dx.transpose() * miss.r;
    MatrixXd V_xx = W * miss.dx.transpose() * miss.dx;
    slope_ = curvature_ = 0;
    for (int i = N - 1; i >= 0; --i) {
      const auto [A, B] = step_of(motion, i);
      const VectorXd Q_u = h * w * motion.U.col(i) + B.transpose() * V_x;
      const MatrixXd Q_ux = B.transpose() * V_xx * A;
      MatrixXd Q_uu = B.transpose() * V_xx * B;
      Q_uu.diagonal().array() += h * w;
      MatrixXd regular = Q_uu;
      regular.diagonal().array() += mu;
      const Eigen::LDLT<MatrixXd> factors(regular);
      Gain& gain = gains_[static_cast<std::size_t>(i)];
      gain = {-factors.solve(Q_u), -factors.solve(Q_ux)};
      slope_ += gain.k.dot(Q_u);
      curvature_ += gain.k.dot(Q_uu * gain.k);
      V_x = A.transpose() * V_x + gain.K.transpose() * (Q_uu * gain.k + Q_u) +
            Q_ux.transpose() * gain.k;
      V_x.tail(n) += h * motion.x[static_cast<std::size_t>(i)].v;
      const MatrixXd half =
          gain.K.transpose() * (0.5 * Q_uu * gain.K + Q_ux) + 0.5 * A.transpose() * V_xx * A;
      V_xx = half + half.transpose();
      V_xx.diagonal().tail(n).array() += h;
    }
  }
  std::pair<MatrixXd, MatrixXd> step_of(const Motion& motion, int i) {
    State state = motion.x[static_cast<std::size_t>(i)];
    step_(h, motion.U.col(i), state);
    return {step_.dx(), step_.du()};
  }

  /// Forward: the motion under the forces u + length k + K x, x by how much it differs from the old one.
  Motion moved(const Motion& old, double length) {
    Motion motion = old;
    const Eigen::Index n = old.U.rows();
    Vector e(n);
    VectorXd x(2 * n);
    motion.cost = 0;
    for (int i = 0; i < N; ++i) {
      const auto at = static_cast<std::size_t>(i);
      auto u = motion.U.col(i);
      if (length > 0) {
        system_.group().minus(motion.x[at].q, old.x[at].q, e);
        x << e, motion.x[at].v - old.x[at].v;
        u += length * gains_[at].k + gains_[at].K * x;
      }
      motion.x[at + 1] = motion.x[at];
      step_.move(h, u, motion.x[at + 1]);
      motion.cost += 0.5 * h * (motion.x[at].v.squaredNorm() + w * u.squaredNorm());
    }
    motion.cost += 0.5 * W * goal_(motion.x[N]).r.squaredNorm();
    return motion;
  }
  /// Predicted decrease for this step length, if steps were linear.
  double promised(double length) const { return -length * (slope_ + 0.5 * length * curvature_); }
  /// The longest of 1, 1/2, ... that gives a fair part of what the linear steps promise; 0: none does.
  std::pair<Motion, double> search(const Motion& motion) {
    for (int k = 0; k < 14; ++k) try {
        const double length = std::ldexp(1, -k);
        Motion there = moved(motion, length);
        if (motion.cost - there.cost > 1e-4 * promised(length)) return {there, length};  // not NaN
      } catch (const Error&) {                                                           // diverged
      }
    return {motion, 0};
  }

  ModelSystem& system_;
  Goal goal_;
  DifferentiableStep step_;
  std::vector<Gain> gains_;
  double slope_ = 0, curvature_ = 0;  // of the cost along `length`
};

/// The end of a motion under the same forces by another method, with steps as small as it takes.
State replayed(const Model& model, const Motion& motion) {
  ModelSystem system(model);
  Eigen::Index k = 0;
  system.set_forces(
      [&](double, const VelocityKinematics&, JointForces& out) { out.tau = motion.U.col(k); });
  const auto integrator = make_integrator(system, {.method = "dop853", .tolerance = 1e-10});
  State state = motion.x[0];
  for (; k < N; ++k) {
    const double end = h * static_cast<double>(k + 1);
    integrator->reset(state);
    while (integrator->state().t < end) integrator->step(end);
    state = integrator->state();
  }
  return state;
}

/// The largest slope of (1) by any force of any step, by the adjoint: zero at the best forces.
double steepest(ModelSystem& system, const Goal& goal, const Motion& motion) {
  DifferentiableStep step(system, "mk4");
  const auto end = [&](const State& at) -> Vector {
    const Miss miss = goal(at);
    return W * miss.dx.transpose() * miss.r;
  };
  const auto running = [&](int k, const State& at, VectorRef dx, VectorRef du) {
    dx.tail(at.v.size()) += h * at.v;
    du += h * w * motion.U.col(k);
  };
  return adjoint(step, motion.x[0], h, motion.U, end, running).dU.cwiseAbs().maxCoeff();
}

bool reaches(const Model& model, const Vector& from, const Goal& goal) {
  std::printf("%s\n", model.name().c_str());
  ModelSystem system(model);
  Ilqr ilqr(system, goal);
  const Motion start = ilqr.begin({0, from, Vector(model.nv())}), motion = ilqr.solve(start);
  const double miss = goal(motion.x[N]).r.norm(), again = goal(replayed(model, motion)).r.norm(),
               slope = steepest(system, goal, motion) / steepest(system, goal, start);
  std::printf(
      "  misses by %.1e, integrated closely by %.1e; slope of the cost, of that at start %.0e\n\n",
      miss, again, slope);
  return miss < bound && again < 5 * bound && slope < 1e-6;  // false for NaN
}

/// Upper arm, forearm and hand, which hang at q = 0.
Model ball_arm() {
  return compile(MechanismBuilder("arm with ball joints")
                     .body("upper", ground, joints::spherical())
                     .inertia(2.0, {0, 0, -0.15}, Sym3::diagonal(0.02, 0.02, 0.004))
                     .body("fore", "upper", joints::revolute({0, 1, 0}, {0, 0, -0.3}))
                     .inertia(1.2, {0, 0, -0.43}, Sym3::diagonal(0.01, 0.01, 0.002))
                     .body("hand", "fore", joints::spherical({0, 0, -0.56}))
                     .inertia(0.5, {0, 0, -0.64}, Sym3::diagonal(0.002, 0.003, 0.001))
                     .build());
}

}  // namespace

int main() {
  const Model puma = compile(read_mechanism("examples/puma560.yaml"));
  const SE3 pose{exp(Vec3{0.4, 1.2, -0.3}), {0.3, 0.4, 0.9}};
  bool ok =
      reaches(puma, Vector{0, 0.5, -0.5, 0, 0.5, 0}, pose_of(puma, puma.frame("link6"), pose));

  const Model arm = ball_arm();
  Vector goal = arm.neutral();  // 2.4 rad about an axis askew, 1.2 rad, 1.5 rad
  plus(arm, arm.neutral(), Vector{1.2, -1.6, 1.3, -1.2, 0.5, 0.5, 1.3}, goal);
  ok &= reaches(arm, arm.neutral(), configuration(arm, goal));
  return ok ? 0 : 1;
}
