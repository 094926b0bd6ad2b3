/// Motions of many steps: forward, backward, and products with the Hessian.
#include <cmath>

#include "chasles/linearization/sensitivities.hpp"
#include "math/central_difference.hpp"

namespace chasles {
namespace {

std::vector<double> equal_steps(double h, ConstMatrixRef U) {
  return std::vector<double>(static_cast<std::size_t>(U.cols()), h);
}
void require_steps(std::span<const double> h, ConstMatrixRef U) {
  if (static_cast<Eigen::Index>(h.size()) != U.cols())
    throw Error("there are " + std::to_string(h.size()) + " steps, and forces U of " +
                std::to_string(U.cols()) + "; give one column for each step");
}
/// A state with what the method carries along.
struct Carried {
  State state;
  Vector memory;
};
/// dJ/dx at the end, with zeros for what the method carries along.
Vector end_gradient(const EndGradient& end, const Carried& at, int nv) {
  if (!end) throw Error("adjoint: there is no function for the gradient at the end");
  const Vector given = end(at.state);
  require_size("dJ/dx", given, 2 * nv);
  Vector out(2 * nv + at.memory.size());
  out.head(2 * nv) = given;
  return out;
}

}  // namespace

MotionSensitivities sensitivities(DifferentiableStep& step, const State& start, double h,
                                  ConstMatrixRef U) {
  return sensitivities(step, start, equal_steps(h, U), U);
}

MotionSensitivities sensitivities(DifferentiableStep& step, const State& start,
                                  std::span<const double> h, ConstMatrixRef U) {
  require_steps(h, U);
  const Eigen::Index n = step.nv();
  MotionSensitivities out{
      start, Eigen::MatrixXd::Identity(2 * n, 2 * n), {}, Matrix(2 * n, step.parameters())};
  Vector memory;
  for (Eigen::Index k = 0; k < U.cols(); ++k) {
    step(h[static_cast<std::size_t>(k)], U.col(k), out.end, memory);
    out.dx = Eigen::MatrixXd(step.dx() * out.dx);
    for (Matrix& earlier : out.du) earlier = Eigen::MatrixXd(step.dx() * earlier);
    out.du.push_back(step.du());
    out.dp = Eigen::MatrixXd(step.dx() * out.dp + step.dp());
  }
  if (memory.size() == 0) return out;
  const auto cut = [&](Matrix& x) { x = Eigen::MatrixXd(x.topRows(2 * n)); };
  cut(out.dx), cut(out.dp);
  for (Matrix& x : out.du) cut(x);
  return out;
}

MotionGradient adjoint(DifferentiableStep& step, const State& start, double h, ConstMatrixRef U,
                       const EndGradient& end, const RunningGradient& running) {
  return adjoint(step, start, equal_steps(h, U), U, end, running);
}

MotionGradient adjoint(DifferentiableStep& step, const State& start, std::span<const double> steps,
                       ConstMatrixRef U, const EndGradient& end, const RunningGradient& running) {
  require_steps(steps, U);
  const auto h = [&](Eigen::Index k) { return steps[static_cast<std::size_t>(k)]; };
  const Eigen::Index n = step.nv(), N = U.cols();
  // Checkpoints: states at every `apart`-th step are stored; those between are recomputed.
  const auto apart = static_cast<Eigen::Index>(
      std::ceil(std::sqrt(static_cast<double>(std::max<Eigen::Index>(1, N)))));
  std::vector<Carried> kept, between;
  Carried now{start, {}};
  for (Eigen::Index k = 0; k < N; ++k) {
    if (k % apart == 0) kept.push_back(now);
    step.move(h(k), U.col(k), now.state, now.memory);
  }
  MotionGradient out{now.state, end_gradient(end, now, step.nv()), Matrix(n, N),
                     Vector(step.parameters())};
  Vector dx(2 * n), du(n);
  for (Eigen::Index first = (N - 1) / apart * apart; N > 0 && first >= 0; first -= apart) {
    const Eigen::Index last = std::min(N, first + apart);
    between.assign(1, kept[static_cast<std::size_t>(first / apart)]);
    for (Eigen::Index k = first; k + 1 < last; ++k) {
      between.push_back(between.back());
      step.move(h(k), U.col(k), between.back().state, between.back().memory);
    }
    for (Eigen::Index k = last - 1; k >= first; --k) {
      Carried at = between[static_cast<std::size_t>(k - first)];
      dx.setZero(), du.setZero();
      if (running) running(static_cast<int>(k), at.state, dx, du);
      step(h(k), U.col(k), at.state, at.memory);
      out.dU.col(k) = step.du().transpose() * out.dx + du;
      out.dp += step.dp().transpose() * out.dx;
      out.dx = Eigen::VectorXd(step.dx().transpose() * out.dx);
      out.dx.head(2 * n) += dx;
    }
  }
  return out;
}

MotionGradient hessian_product(DifferentiableStep& step, const State& start, double h,
                               ConstMatrixRef U, ConstVectorRef x, ConstMatrixRef U_change,
                               const EndGradient& end, const RunningGradient& running) {
  return hessian_product(step, start, equal_steps(h, U), U, x, U_change, end, running);
}

namespace {

/// The backward recursion (6).
class SecondAdjoint {
 public:
  SecondAdjoint(DifferentiableStep& step, const RunningGradient& running)
      : step_(step), running_(running), n_(step.nv()) {}

  Carried moved(const Carried& from, const Eigen::VectorXd& x, double s) const {
    Carried to = from;
    const Vector e = s * x.head(n_);
    step_.system().group().plus(from.state.q, e, to.state.q);
    to.state.v += s * x.segment(n_, n_);
    to.memory += s * x.tail(from.memory.size());
    return to;
  }
  /// How far a change x = (e; dv; memory) moves the mechanism within h: velocities and accelerations count by the way
  /// that they lead, since they are much larger than it in light parts.
  double size(const Eigen::VectorXd& x, double h) const {
    const auto largest = [](const auto& of) {
      return of.size() > 0 ? of.cwiseAbs().maxCoeff() : 0.0;
    };
    return std::max({largest(x.head(n_)), h * largest(x.segment(n_, n_)),
                     h * h * largest(x.tail(x.size() - 2 * n_))});
  }
  /// d/ds of f at the state and forces moved along (x, u), by differences over a change of this size.
  template <class F>
  Eigen::VectorXd along(const Carried& at, const Vector& u, const Eigen::VectorXd& x,
                        const Eigen::VectorXd& du, double size, const F& f) const {
    if (size == 0) return Eigen::VectorXd::Zero(f(at, u).size());
    return size * central_difference([&](double s) -> Eigen::VectorXd {
             const Vector there = u + s / size * du;
             return f(moved(at, x, s / size), there);
           });
  }
  /// (dx^T lambda; du^T lambda; dp^T lambda) of a step.
  Eigen::VectorXd pulled(Carried at, const Vector& u, double h, const Vector& lambda) const {
    step_(h, u, at.state, at.memory);
    Eigen::VectorXd out(step_.dx().cols() + n_ + step_.parameters());
    out << step_.dx().transpose() * lambda, step_.du().transpose() * lambda,
        step_.dp().transpose() * lambda;
    return out;
  }
  /// (dl/dx; dl/du) of the running cost.
  Eigen::VectorXd cost(int k, const Carried& at) const {
    Vector dx(2 * n_), du(n_);
    running_(k, at.state, dx, du);
    Eigen::VectorXd out(3 * n_);
    out << dx, du;
    return out;
  }

 private:
  DifferentiableStep& step_;
  const RunningGradient& running_;
  Eigen::Index n_;
};

}  // namespace

MotionGradient hessian_product(DifferentiableStep& step, const State& start,
                               std::span<const double> steps, ConstMatrixRef U, ConstVectorRef x,
                               ConstMatrixRef U_change, const EndGradient& end,
                               const RunningGradient& running) {
  require_steps(steps, U);
  const Eigen::Index n = step.nv(), N = U.cols();
  require_size("x", x, 2 * step.nv());
  if (U_change.rows() != n || U_change.cols() != N)
    throw SizeError("the change of U, in all", static_cast<std::size_t>(U_change.size()),
                    static_cast<std::size_t>(n * N));
  // Forward: the states and their changes.
  std::vector<Carried> at{{start, {}}};
  std::vector<Eigen::VectorXd> changes{x};
  for (Eigen::Index k = 0; k < N; ++k) {
    at.push_back(at.back());
    step(steps[static_cast<std::size_t>(k)], U.col(k), at.back().state, at.back().memory);
    changes.push_back(step.dx() * changes.back() + step.du() * U_change.col(k));
  }
  const SecondAdjoint second(step, running);
  const Vector none(0);
  Vector lambda = end_gradient(end, at.back(), step.nv());
  MotionGradient out{at.back().state, {}, Matrix(n, N), Vector(step.parameters())};
  const double last = N > 0 ? steps.back() : 1.0;
  Eigen::VectorXd sigma =
      second.along(at.back(), none, changes.back(), none, second.size(changes.back(), last),
                   [&](const Carried& there, const Vector&) {
                     return Eigen::VectorXd(end_gradient(end, there, step.nv()));
                   });
  for (Eigen::Index k = N - 1; k >= 0; --k) {
    const auto i = static_cast<std::size_t>(k);
    const Vector u = U.col(k);
    const Eigen::VectorXd du = U_change.col(k);
    const auto pull = [&](const Carried& there, const Vector& forces) {
      return second.pulled(there, forces, steps[i], lambda);
    };
    const double size =
        std::max(second.size(changes[i], steps[i]), second.size(changes[i + 1], steps[i]));
    const Eigen::VectorXd turned = second.along(at[i], u, changes[i], du, size, pull),
                          still = pull(at[i], u);
    const Eigen::Index nx = step.dx().cols();
    out.dU.col(k) = step.du().transpose() * sigma + turned.segment(nx, n);
    out.dp += step.dp().transpose() * sigma + turned.tail(step.parameters());
    sigma = Eigen::VectorXd(step.dx().transpose() * sigma + turned.head(nx));
    lambda = still.head(nx);
    if (!running) continue;
    const auto cost = [&](const Carried& there, const Vector&) {
      return second.cost(static_cast<int>(k), there);
    };
    const Eigen::VectorXd by_state = second.along(at[i], u, changes[i], du, size, cost);
    lambda.head(2 * n) += second.cost(static_cast<int>(k), at[i]).head(2 * n);
    sigma.head(2 * n) += by_state.head(2 * n);
    out.dU.col(k) += by_state.tail(n);
  }
  out.dx = sigma;
  return out;
}

}  // namespace chasles
