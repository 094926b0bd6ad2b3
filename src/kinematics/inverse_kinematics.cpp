#include "chasles/kinematics/inverse_kinematics.hpp"

#include <random>

#include "chasles/lie/geodesic.hpp"
#include "chasles/screws/eigen.hpp"
#include "kinematics/ik_options.hpp"
#include "math/decompositions.hpp"
#include "model/link_motion.hpp"

namespace chasles {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The limits of entries of v, and their indices in q.
struct Limits {
  Vector lower, upper;       // nv
  std::vector<int> q_index;  // nv; -1: no limits

  explicit Limits(const Model& model)
      : lower(Eigen::VectorXd::Constant(model.nv(), -unlimited)),
        upper(Eigen::VectorXd::Constant(model.nv(), unlimited)),
        q_index(static_cast<std::size_t>(model.nv()), -1) {
    for (const ModelJoint& joint : model.joints()) {
      if (joint.nq != 1 || !joint.limits) continue;
      q_index[static_cast<std::size_t>(joint.v_index)] = joint.q_index;
      lower[joint.v_index] = joint.limits->lower.value_or(-unlimited);
      upper[joint.v_index] = joint.limits->upper.value_or(unlimited);
      if (!(lower[joint.v_index] <= upper[joint.v_index]))
        throw Error("joint '" + joint.name + "': no position is between its limits " +
                    to_text(lower[joint.v_index]) + " and " + to_text(upper[joint.v_index]));
    }
  }
  /// Calls each(k, q_k) for the coordinates with limits.
  template <class Vector, class Each>
  void for_limited(Vector& q, const Each& each) const {
    for (std::size_t k = 0; k < q_index.size(); ++k)
      if (q_index[k] >= 0) each(static_cast<Eigen::Index>(k), q[q_index[k]]);
  }
  void clamp(Vector& q) const {
    for_limited(q, [&](Eigen::Index k, double& x) { x = std::clamp(x, lower[k], upper[k]); });
  }
};

/// Weighted error and its derivative at a configuration.
class Problem {
 public:
  Problem(const Model& model, const Frame& frame, const SE3& target, const IkOptions& options)
      : model_(model), frame_(frame), target_(target), kin_(model), J_(6, model.nv()) {
    const RootWeights roots = root_weights(target, options);
    root_weights_ << Eigen::Vector3d::Constant(roots.rotation),
        Eigen::Vector3d::Constant(roots.position);
  }

  Vec3 rotation_error, position_error;  // (1)
  Vector6 e;                            // weighted
  Matrix6X G;                           // weighted, 6 x nv

  /// |e|_W^2.
  double evaluate(const Vector& q) {
    forward_kinematics(model_, q, kin_);
    const SE3 C = pose(kin_, frame_);
    rotation_error = log(inverse(C.R) * target_.R);
    position_error = target_.r - C.r;
    e << to_eigen(rotation_error), to_eigen(position_error);
    e = e.cwiseProduct(root_weights_);
    return e.squaredNorm();
  }
  /// G at the q of the last call of `evaluate`.
  void differentiate() {
    jacobian(model_, kin_, frame_, Representation::mixed, J_);
    G = -(root_weights_.asDiagonal() * J_);
    const auto map = dexp_inv(rotation_error);
    for (Eigen::Index k = 0; k < G.cols(); ++k)
      G.col(k).head<3>() = to_eigen(map(from_eigen<Vec3>(G.col(k).head<3>())));
  }

 private:
  const Model& model_;
  const Frame frame_;
  const SE3 target_;
  PositionKinematics kin_;
  Matrix6X J_;
  Vector6 root_weights_;
};

class Solver {
 public:
  Solver(const Model& model, const Frame& frame, const SE3& target, const IkOptions& options)
      : model_(model),
        options_(options),
        limits_(model),
        target_(target),
        problem_(model, frame, target, options),
        generator_(options.seed) {}

  IkResult run(Vector q) {
    IkResult best{};
    double least = 0;
    int iterations = 0;
    for (int start = 1; start <= options_.starts; ++start) {
      limits_.clamp(q);
      iterations += descend(q);
      const double f = problem_.evaluate(q);
      if (start == 1 || f < least || std::isnan(least)) {  // NaN: overflow
        least = f;
        best.q = q;
        best.position_error = distance(problem_.position_error);
        best.rotation_error = norm(problem_.rotation_error);
      }
      best.starts = start;
      if ((best.success = reached())) break;
      q = random_start();
    }
    best.iterations = iterations;
    const auto& joints = model_.joints();
    limits_.for_limited(best.q, [&](Eigen::Index k, double x) {
      if (x != limits_.lower[k] && x != limits_.upper[k]) return;
      for (std::size_t j = 0; j < joints.size(); ++j)
        if (joints[j].v_index == k) best.active_limits.push_back(static_cast<int>(j));
    });
    return best;
  }

 private:
  bool reached() const {
    return (options_.position_weight == 0 ||
            distance(problem_.position_error) <= options_.position_tolerance) &&
           (options_.rotation_weight == 0 ||
            norm(problem_.rotation_error) <= options_.rotation_tolerance);
  }

  /// (3) from q until the target is reached or no step helps. Returns the number of iterations.
  int descend(Vector& q) {
    double f = problem_.evaluate(q), damping = 1e-2;
    Vector next(q.size()), dv(model_.nv());
    for (int n = 0; n < options_.iterations; ++n) {
      if (reached()) return n;
      problem_.differentiate();
      const Vector gradient = problem_.G.transpose() * problem_.e;
      const Matrix6X G = free_columns(q, gradient);
      const Vector6 e = problem_.e;
      for (;;) {
        // dv = -G^T (G G^T + mu I)^-1 e equals (3), with a 6 x 6 matrix for any nv.
        const double mu = damping * f;
        const Eigen::Matrix<double, 6, 6> S =
            G * G.transpose() + mu * Eigen::Matrix<double, 6, 6>::Identity();
        dv = -G.transpose() * solve_ldlt(S, e);
        plus(model_, q, dv, next);
        limits_.clamp(next);
        const double f_next = problem_.evaluate(next);
        if (f_next < f) {
          const bool stalls = f - f_next < 1e-10 * f && damping < 1e-3;
          damping = std::max(damping / 4, 1e-9);
          f = f_next;
          q = next;
          if (stalls && !reached()) return n + 1;
          break;
        }
        damping *= 8;
        if (!(damping * f < 1e12)) return n + 1;
      }
    }
    return options_.iterations;
  }

  /// G without the columns of coordinates at a limit that the step would violate.
  Matrix6X free_columns(const Vector& q, const Vector& gradient) const {
    Matrix6X G = problem_.G;
    limits_.for_limited(q, [&](Eigen::Index k, double x) {
      if ((x <= limits_.lower[k] && gradient[k] > 0) || (x >= limits_.upper[k] && gradient[k] < 0))
        G.col(k).setZero();
    });
    return G;
  }

  double uniform(double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(generator_);
  }
  void random_coordinate(const JointCoordinate& c, double* q) {
    switch (c.kind) {
      case CoordinateKind::angle:
        q[0] = uniform(-lie::pi<double>, lie::pi<double>);
        return;
      case CoordinateKind::distance:
        q[0] = uniform(-1, 1);
        return;
      case CoordinateKind::quaternion:
        return put_rotation(random_rotation<double>(generator_), q);
      case CoordinateKind::position:
        return put(target_.r + random_tangent<Vec3>(generator_), q);
    }
  }
  /// Uniform within the limits; without limits, one revolution for angles, one meter around zero for lengths,
  /// and a random orientation at the target for floating bodies.
  Vector random_start() {
    Vector q(model_.nq());
    for (const ModelJoint& joint : model_.joints())
      for (const JointCoordinate& c : joint.coordinates) random_coordinate(c, q.data() + c.q_index);
    limits_.for_limited(q, [&](Eigen::Index k, double& x) {
      const double a = limits_.lower[k], b = limits_.upper[k];
      if (std::isfinite(a) && std::isfinite(b))
        x = uniform(a, b);
      else if (std::isfinite(a))
        x = a + std::abs(x);
      else if (std::isfinite(b))
        x = b - std::abs(x);
    });
    return q;
  }

  const Model& model_;
  const IkOptions& options_;
  const Limits limits_;
  const SE3 target_;
  Problem problem_;
  std::mt19937_64 generator_;
};

}  // namespace

void check(const SE3& target, const IkOptions& o) {
  if (!is_finite(target.r))
    throw Error("target: the position " + tuple_text(coordinates(target.r)) + " is not finite");
  try {
    SO3(target.R.matrix());
  } catch (const Error& e) {
    throw Error(std::string("target: ") + e.what());
  }
  const auto require = [](bool good, const char* name, double value, const char* remedy) {
    if (!good) throw Error(std::string(name) + " is " + to_text(value) + "; give " + remedy);
  };
  for (const auto& [name, value] : {std::pair{"position_weight", o.position_weight},
                                    {"rotation_weight", o.rotation_weight},
                                    {"position_tolerance", o.position_tolerance},
                                    {"rotation_tolerance", o.rotation_tolerance}})
    require(value >= 0 && std::isfinite(value), name, value,
            "a finite number that is not negative");
  if (o.position_weight == 0 && o.rotation_weight == 0)
    throw Error("position_weight and rotation_weight are both 0; then every pose will do");
  require(o.starts >= 1, "starts", o.starts, "at least 1");
  require(o.iterations >= 1, "iterations", o.iterations, "at least 1");
}

RootWeights root_weights(const SE3& target, const IkOptions& o) {
  const double rotation = std::sqrt(o.rotation_weight), position = std::sqrt(o.position_weight),
               most = std::max({rotation, position, position * max_abs(target.r)});
  if (most > 1e-100 && most < 1e100) return {rotation, position};
  if (!std::isfinite(most))
    throw Error("position_weight " + to_text(o.position_weight) + " for a target at " +
                tuple_text(coordinates(target.r)) + " is out of range; give a smaller one");
  const int exponent = -std::ilogb(most);
  return {std::ldexp(rotation, exponent), std::ldexp(position, exponent)};
}

IkResult inverse_kinematics(const Model& model, const Frame& frame, const SE3& target,
                            const IkOptions& options) {
  check(target, options);
  require_frame(frame, model);
  return Solver(model, frame, target, options)
      .run(options.q0.size() > 0 ? checked_configuration(model, options.q0) : model.neutral());
}

}  // namespace chasles
