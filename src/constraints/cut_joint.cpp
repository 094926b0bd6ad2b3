#include "constraints/cut_joint.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "model/link_motion.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

/// Pivots of S below `rounding` are zero; below `losing_rank` times the largest, S is about to lose rank.
constexpr double rounding = 1e-10, losing_rank = 1e-4;
/// Distance of the two neighbors of a configuration at which S loses rank [rad, m]; the mean has an error of its
/// square.
constexpr double aside = 5e-4;
/// Gap below which a branch counts as found [rad]; other branches have larger gaps, except near poses where they cross.
constexpr double closed = 0.05;

double inner(const Wrench& a, const Wrench& b) { return dot(a.t, b.t) + dot(a.f, b.f); }
double inner(const Twist& a, const Twist& b) { return dot(a.w, b.w) + dot(a.v, b.v); }
double inner(const Twist& a, const Wrench& b) { return dot(a.w, b.t) + dot(a.v, b.f); }
Wrench as_wrench(const Twist& X) { return {X.w, X.v}; }

/// The angle of R = Rz(angle) times a rotation about an axis orthogonal to z.
double angle_about_z(const SO3& R) {
  const Mat3& m = R.matrix();
  return std::atan2(m.c0.y - m.c1.x, m.c0.x + m.c1.y);
}

}  // namespace

CutJoint::CutJoint(const ModelLoop& loop)
    : joint_(loop.joint),
      body_(joint_.frame("body")),
      kin_(joint_),
      theta_(joint_.neutral()),
      there_(joint_.nq()),
      step_(joint_.nv()),
      still_(joint_.nv()),
      shift_(joint_.nv()),
      S_(6, joint_.nv()),
      S_rate_(6, joint_.nv()),
      rest_(6, joint_.nv()) {
  const auto n = static_cast<std::size_t>(joint_.nv());
  for (Eigen::Index k = 0; k < shift_.size(); ++k)
    shift_[k] = aside * (1 - 0.3 * static_cast<double>(k % 3));
  columns_.order.resize(n), columns_.R.resize(n * n), columns_.Q.reserve(6);
  for (auto* list : {&W_, &taken_, &frame_}) list->reserve(6);
  for (auto& side : sides_) side.reserve(6);
  find_formula(loop);
  find_starts();
  // A configuration at which S has its generic rank; the neutral one if possible.
  const Vector zero = joint_.neutral();
  std::vector<Vector> samples{zero};
  samples.insert(samples.end(), starts_.begin(), starts_.end());
  std::size_t regular = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    look_at(samples[k]);
    decompose(6, 1e-7);
    if (static_cast<int>(columns_.Q.size()) > rank_)
      rank_ = static_cast<int>(columns_.Q.size()), regular = k;
  }
  theta_ = samples[regular];
  look_at(theta_);
  complement();
  frame_ = W_;
  Omega_.resize(W_.size() * W_.size()), w_.resize(W_.size());
  // Whether S spans the same space elsewhere.
  for (const Vector& theta : samples) {
    look_at(theta);
    for (const Wrench& W : W_)
      for (Eigen::Index k = 0; k < S_.cols(); ++k)
        if (std::abs(dot(W, from_eigen<Twist>(S_.col(k)))) > 1e-12 * (1 + S_.norm()))
          constant_ = false;
  }
}

/// Chooses the closed form of theta for chains of revolute and prismatic links.
void CutJoint::find_formula(const ModelLoop& loop) {
  const auto& links = tree_links(joint_);
  const bool centered = body_.offset.r == Vec3{};
  const auto revolute = [&](std::size_t k) { return links::is_turn(links[k]); };
  if (links.size() == 1 && centered && revolute(0)) formula_ = Formula::turn;
  if (links.size() == 1 && centered && links::is_ball(links[0])) formula_ = Formula::ball;
  if (formula_ != Formula::none || links.empty()) return;
  if (loop.type == JointType::universal && links.size() == 2 && revolute(0) && revolute(1) &&
      links[1].P.r == Vec3{} && centered && std::abs(links[1].P.R.matrix().c2.z) < 1e-12) {
    formula_ = Formula::universal;
    return;
  }
  int turns = 0;
  for (std::size_t k = 0; k < links.size(); ++k) {
    if (turns == 0) before_ = before_ * links[k].P.R;
    if (turns == 1) after_ = after_ * links[k].P.R;
    if (one_angle(links[k].motion))
      ++turns, turn_ = links[k].q_index;
    else if (!links::is_slide(links[k]))
      return;
  }
  after_ = after_ * body_.offset.R;
  if (links.size() == 1) pitch_ = links[0].pitch;
  if (turns <= 1) formula_ = Formula::one_turn;
  if (turns == 0) turn_ = -1;
}

/// Starts of Newton's method: the neutral configuration and others spread over the range of the joint.
void CutJoint::find_starts() {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> dice(-3, 3);
  const Vector zero = joint_.neutral();
  Vector way(joint_.nv());
  starts_.push_back(zero);
  const std::size_t count = joint_.nv() == 0 ? 1 : formula_ == Formula::none ? 32 : 4;
  while (starts_.size() < count) {
    for (double& x : way) x = dice(generator);
    plus(joint_, zero, way, there_);
    starts_.push_back(there_);
  }
  look_at(zero);
  for (Eigen::Index k = 0; k < S_.cols(); ++k)
    if (S_.col(k).head<3>().norm() > 0) arm_ = std::max(arm_, S_.col(k).tail<3>().norm());
}

/// Computes poses and screws at theta.
void CutJoint::look_at(const Vector& theta) {
  forward_kinematics(joint_, theta, still_, still_, kin_);
  jacobian(joint_, kin_, body_, Representation::body, S_);
}

/// Computes columns_ of S_.
/// @param threshold  least pivot, relative to the first
void CutJoint::decompose(int most, double threshold) {
  Columns& c = columns_;
  const Eigen::Index n = S_.cols();
  c.Q.clear();
  c.least = 1;
  rest_ = S_;
  for (Eigen::Index k = 0; k < n; ++k) c.order[static_cast<std::size_t>(k)] = static_cast<int>(k);
  double first = 0;
  for (Eigen::Index k = 0; k < std::min<Eigen::Index>(n, most); ++k) {
    Eigen::Index p = k;
    for (Eigen::Index j = k + 1; j < n; ++j)
      if (rest_.col(j).squaredNorm() > rest_.col(p).squaredNorm() * (1 + 1e-12)) p = j;
    if (p != k) {
      rest_.col(k).swap(rest_.col(p));
      std::swap(c.order[static_cast<std::size_t>(k)], c.order[static_cast<std::size_t>(p)]);
      for (Eigen::Index i = 0; i < k; ++i)
        std::swap(c.R[static_cast<std::size_t>(i * n + k)],
                  c.R[static_cast<std::size_t>(i * n + p)]);
    }
    Twist q = from_eigen<Twist>(rest_.col(k));
    for (Eigen::Index i = 0; i < k; ++i) {  // second pass of Gram-Schmidt, against rounding
      const Twist& other = c.Q[static_cast<std::size_t>(i)];
      const double r = inner(other, q);
      q = q - r * other;
      c.R[static_cast<std::size_t>(i * n + k)] += r;
    }
    const double length = std::sqrt(inner(q, q));
    if (k == 0) first = length;
    if (!(length > threshold * first)) break;
    c.least = length / first;
    q = 1 / length * q;
    c.Q.push_back(q);
    c.R[static_cast<std::size_t>(k * n + k)] = length;
    for (Eigen::Index j = k + 1; j < n; ++j) {
      const double r = inner(q, from_eigen<Twist>(rest_.col(j)));
      rest_.col(j) -= r * to_eigen(q);
      c.R[static_cast<std::size_t>(k * n + j)] = r;
    }
  }
}
/// x with S x nearest to X, by columns_; zero where columns depend on others.
void CutJoint::solve(const Twist& X, Vector& x) const {
  const Columns& c = columns_;
  const std::size_t n = c.order.size();
  x.setZero();
  for (std::size_t k = c.Q.size(); k-- > 0;) {
    double sum = inner(c.Q[k], X);
    for (std::size_t j = k + 1; j < c.Q.size(); ++j) sum -= c.R[k * n + j] * x[c.order[j]];
    x[c.order[k]] = sum / c.R[k * n + k];
  }
}

/// P X.
void CutJoint::project(Wrench& X) const {
  const auto across = [](const std::vector<Twist>& Q, Wrench x) {
    for (int twice = 0; twice < 2; ++twice)
      for (const Twist& q : Q) x += -inner(q, x) * as_wrench(q);
    return x;
  };
  X = singular_ ? 0.5 * (across(sides_[0], X) + across(sides_[1], X)) : across(columns_.Q, X);
}
/// W_ = P F C^-T and taken_ = F C^-T. False if F is too near to S.
bool CutJoint::fit(const std::vector<Wrench>& frame) {
  W_.clear(), taken_.clear();
  for (const Wrench& F : frame) {
    Wrench x = F, y = F;
    project(x);
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t k = 0; k < W_.size(); ++k) {
        const double c = inner(W_[k], x);
        x += -c * W_[k], y += -c * taken_[k];
      }
    const double length = std::sqrt(inner(x, x));
    if (!(length > 0.3)) return false;
    W_.push_back(1 / length * x), taken_.push_back(1 / length * y);
  }
  return true;
}
/// F from unit vectors: next the one with the largest component orthogonal to S and the vectors chosen, the first of
/// equals, so that the equations keep the order of the axes.
void CutJoint::choose_frame() {
  W_.clear(), taken_.clear();
  while (static_cast<int>(W_.size()) < 6 - rank_) {
    Wrench best_x, best_y;
    double longest = 0;
    for (int k = 0; k < 6; ++k) {
      Wrench unit;
      (k < 3 ? unit.t : unit.f)[k % 3] = 1;
      Wrench x = unit, y = unit;
      project(x);
      for (int twice = 0; twice < 2; ++twice)
        for (std::size_t j = 0; j < W_.size(); ++j) {
          const double c = inner(W_[j], x);
          x += -c * W_[j], y += -c * taken_[j];
        }
      const double length = std::sqrt(inner(x, x));
      if (!(length <= 1.0001 * longest))  // also if NaN
        longest = length, best_x = 1 / length * x, best_y = 1 / length * y;
    }
    W_.push_back(best_x), taken_.push_back(best_y);
  }
}
/// Computes W at theta_; S_ is up to date.
void CutJoint::complement() {
  decompose(rank_, rounding);
  singular_ = static_cast<int>(columns_.Q.size()) < rank_ || columns_.least < losing_rank;
  if (singular_) {
    for (int k = 0; k < 2; ++k) {
      step_ = (k == 0 ? 1 : -1) * shift_;
      plus(joint_, theta_, step_, there_);
      look_at(there_);
      decompose(rank_, 0);
      sides_[k] = columns_.Q;
    }
    look_at(theta_);
    decompose(rank_, rounding);
  }
  if (frame_.empty() || !fit(frame_)) choose_frame();
}

/// (1) by Newton's method from theta_: theta_, S_ and e.
/// @param near  theta_ is close to the solution: steps are not shortened
Twist CutJoint::iterate(const SE3& E, bool near) {
  Twist e;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 50; ++k) {
    look_at(theta_);
    e = log(inverse(pose(kin_, body_)) * E);
    decompose(rank_ == 0 ? 6 : rank_, 1e-7);
    solve(e, step_);
    const double size = step_.lpNorm<Eigen::Infinity>();
    if (!(size > 1e-15 * (1 + theta_.lpNorm<Eigen::Infinity>())) || (size < 1e-6 && !(size < last)))
      break;
    last = size;
    if (size > 0.5 && !near) step_ *= 0.5 / size;
    plus(joint_, theta_, step_, there_);
    theta_ = there_;
  }
  return e;
}

/// (1) for a revolute joint, J = P exp(theta z) Q: the rotation of P^-1 E Q^-1 is a rotation about z times one about an
/// axis orthogonal to z.
Twist CutJoint::turn_from(const SE3& E) const {
  const SE3 E_z = inverse(tree_links(joint_)[0].P) * E * inverse(body_.offset);
  const Mat3& R = E_z.R.matrix();
  const double c = R.c0.x + R.c1.y, s = R.c0.y - R.c1.x, size = std::sqrt(c * c + s * s);
  const double cos = size > 0 ? c / size : 1, sin = size > 0 ? s / size : 0;
  const SO3 turned = SO3::unchecked({{cos, sin, 0}, {-sin, cos, 0}, {0, 0, 1}});
  const Twist e = log(inverse(SE3{turned, {}}) * E_z);
  return {inverse_times(body_.offset.R, e.w), inverse_times(body_.offset.R, e.v)};
}

/// theta_ near the solution of (1); angles are exact.
bool CutJoint::start_by_formula(const SE3& E) {
  theta_ = starts_[0];
  if (formula_ == Formula::one_turn) {
    if (turn_ < 0) return true;
    const double angle = angle_about_z(inverse(before_) * E.R * inverse(after_)), turn = 2 * M_PI;
    theta_[turn_] = angle;
    if (pitch_ != 0) {
      // The number of full turns follows from the displacement along the axis.
      const double way = inverse_times(tree_links(joint_)[0].P, E.r).z;
      const double turns = std::round((way / pitch_ - angle) / turn);
      theta_[turn_] = angle + turn * turns;
    }
    return true;
  }
  if (formula_ == Formula::universal) {
    // With x along the second axis, P^-1 E Q^-1 = Rz(theta_1) Ry(alpha) Rx(theta_2): e is a rotation by alpha about an
    // axis orthogonal to both.
    const auto& links = tree_links(joint_);
    const SO3& A = links[1].P.R;
    const Vec3 x = A.matrix().c2, y = cross(Vec3{0, 0, 1}, x);
    const SO3 D = SO3::unchecked({x, y, {0, 0, 1}});
    const SO3 R = inverse(D) * inverse(links[0].P.R) * E.R * inverse(A * body_.offset.R) * D;
    const Mat3& m = R.matrix();
    theta_[links[0].q_index] = std::atan2(m.c0.y, m.c0.x);
    theta_[links[1].q_index] = std::atan2(m.c1.z, m.c2.z);
    return true;
  }
  return false;
}

/// Solves (1).
Twist CutJoint::find(const SE3& E) {
  if (joint_.nv() == 0) return log(E);
  if (start_by_formula(E)) return iterate(E, true);
  // The followed branch, or the first start that closes the joint; if none does, the one with the least gap.
  const auto gap_of = [&](const Twist& e) { return norm(e.w) + (arm_ > 0 ? norm(e.v) / arm_ : 0); };
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (std::size_t k = 0; k < starts_.size(); ++k) {
    theta_ = starts_[k];
    const Twist e = iterate(E, false);
    const double gap = gap_of(e);
    if (gap < closed) return e;
    if (gap < 0.5 * least) least = gap, best = k;
  }
  theta_ = starts_[best];
  return iterate(E, false);
}

void CutJoint::follow(const Vector& theta) {
  if (formula_ != Formula::none || joint_.nv() == 0) return;
  if (!followed_) starts_.insert(starts_.begin(), theta);
  starts_[0] = theta;
  followed_ = true;
}

void CutJoint::move(const SE3& E) {
  if (constant_) return;
  find(E);
  complement();
}

void CutJoint::constraint_error(const SE3& E, double* Phi) {
  const Twist e = formula_ == Formula::turn ? turn_from(E)
                  : formula_ == Formula::ball
                      ? Twist{{}, inverse_times(E.R, E.r - tree_links(joint_)[0].P.r)}
                      : find(E);
  if (!constant_) complement();
  for (std::size_t k = 0; k < W_.size(); ++k) Phi[k] = dot(W_[k], e);
}

/// T - T^T of (5), with S_rate_.
void CutJoint::rotate(std::vector<double>& Omega) {
  const std::size_t n = W_.size();
  std::fill(Omega.begin(), Omega.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    solve({taken_[j].t, taken_[j].f}, step_);
    Twist X;
    for (Eigen::Index k = 0; k < step_.size(); ++k)
      X += step_[k] * from_eigen<Twist>(S_rate_.col(k));
    for (std::size_t i = j + 1; i < n; ++i)
      Omega[i * n + j] = dot(W_[i], X), Omega[j * n + i] = -Omega[i * n + j];
  }
}

void CutJoint::turn(const Twist& V_rel, const Matrix6X& Y, Eigen::Ref<Eigen::MatrixXd> out) {
  if (constant_) return;
  const std::size_t n = W_.size();
  solve(V_rel, step_);
  forward_kinematics(joint_, theta_, step_, still_, kin_);
  jacobian_rate(joint_, kin_, body_, Representation::body, S_rate_);
  rotate(Omega_);
  for (Eigen::Index c = 0; c < Y.cols(); ++c) {
    const Twist y = from_eigen<Twist>(Y.col(c));
    solve(y, step_);
    Twist X;
    for (Eigen::Index k = 0; k < step_.size(); ++k)
      X += step_[k] * from_eigen<Twist>(S_rate_.col(k));
    for (std::size_t k = 0; k < n; ++k) {
      double sum = -dot(W_[k], X);
      for (std::size_t j = 0; j < n; ++j) sum += Omega_[k * n + j] * dot(W_[j], y);
      out(static_cast<Eigen::Index>(k), c) += sum;
    }
  }
}

void CutJoint::turning(const Twist& V_rel, double* out) {
  const std::size_t n = W_.size();
  for (std::size_t k = 0; k < n; ++k) out[k] = 0;
  if (constant_) return;
  if (singular_) {
    for (const double sign : {1.0, -1.0}) {
      step_ = sign * shift_;
      plus(joint_, theta_, step_, there_);
      look_at(there_);
      decompose(rank_, 0);
      solve(V_rel, step_);
      forward_kinematics(joint_, there_, step_, still_, kin_);
      Twist bias = acceleration(kin_, body_, Representation::body);
      // Joint velocities are large near a singularity: remove the component along S.
      for (int twice = 0; twice < 2; ++twice)
        for (const Twist& q : columns_.Q) bias = bias - inner(q, bias) * q;
      for (std::size_t k = 0; k < n; ++k) out[k] += 0.5 * dot(W_[k], bias);
    }
    look_at(theta_);
    return decompose(rank_, rounding);
  }
  solve(V_rel, step_);
  forward_kinematics(joint_, theta_, step_, still_, kin_);
  const Twist bias = acceleration(kin_, body_, Representation::body);
  jacobian_rate(joint_, kin_, body_, Representation::body, S_rate_);
  rotate(Omega_);
  for (std::size_t k = 0; k < n; ++k) {
    out[k] = dot(W_[k], bias);
    for (std::size_t j = 0; j < n; ++j) out[k] -= Omega_[k * n + j] * dot(W_[j], V_rel);
  }
}

}  // namespace chasles
