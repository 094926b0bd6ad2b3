#include "chasles/simulation/sampled_loop.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

#include "chasles/dynamics/mass_matrix.hpp"

namespace chasles {
namespace {

using Eigen::Index, Eigen::MatrixXd;
constexpr double most_rows = 600;

/// The entries of v with a motor and a gain, then those that only other forces act on.
struct Entries {
  std::vector<int> list;
  Index controlled = 0;

  Entries(const Controller& c, const ForceTangent& others) {
    const auto add = [&](const ModelJoint& joint) {
      for (int k = joint.v_index; k < joint.v_index + joint.nv; ++k)
        if (c.gains->stiffness[k] != 0 || c.gains->damping[k] != 0) list.push_back(k);
    };
    if (c.joints.empty())
      for (const ModelJoint& joint : c.model.joints()) add(joint);
    for (const std::string& name : c.joints) add(c.model.joint(name));
    controlled = size();
    for (const ForceTangent::JointBlock& block : others.joints)
      for (int k = block.v; k < block.v + block.size; ++k)
        if (find(k) == size()) list.push_back(k);
  }
  Index size() const { return static_cast<Index>(list.size()); }
  int operator[](Index i) const { return list[static_cast<std::size_t>(i)]; }
  Index find(int k) const { return std::ranges::find(list, k) - list.begin(); }
};

/// (1) as x' = A x + B u.
struct Plant {
  MatrixXd A, B;

  Plant(const MatrixXd& L, const Entries& entries, const ForceTangent& others)
      : A(MatrixXd::Zero(2 * L.rows(), 2 * L.rows())),
        B(MatrixXd::Zero(2 * L.rows(), entries.controlled)) {
    const Index n = L.rows();
    A.topRightCorner(n, n).setIdentity();
    B.bottomRows(n) = L.leftCols(entries.controlled);
    for (const ForceTangent::JointBlock& block : others.joints)
      for (int i = 0; i < block.size; ++i)
        for (int j = 0; j < block.size; ++j) {
          const Index row = entries.find(block.v + i), column = entries.find(block.v + j);
          A.col(column).tail(n) -= block.K[block.size * i + j] * L.col(row);
          A.col(n + column).tail(n) -= block.D[block.size * i + j] * L.col(row);
        }
  }
  /// (Phi(h), Gamma(h)).
  MatrixXd step(double h) const {
    const Index n = A.rows(), m = B.cols();
    MatrixXd both = MatrixXd::Zero(n + m, n + m);
    both.topLeftCorner(n, n) = h * A;
    both.topRightCorner(n, m) = h * B;
    return MatrixXd(both.exp()).topRows(n);
  }
};

/// The block of M^-1; empty where M is singular.
MatrixXd inverse_inertia(const Model& model, ConstVectorRef q, const Entries& entries) {
  MassMatrixInverse inverse(model);
  try {
    mass_matrix_inverse(model, q, inverse);
  } catch (const Error&) {
    return {};
  }
  const Index n = entries.size();
  MatrixXd L(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) L(i, j) = inverse.M_inv(entries[i], entries[j]);
  return L.allFinite() ? L : MatrixXd{};
}

/// The matrix of (2).
/// @param F     u_k = -F x_k
/// @param past  how many u are kept
MatrixXd transition(const Plant& plant, const MatrixXd& F, double T, double f, Index past) {
  const Index n = plant.A.rows(), m = plant.B.cols();
  MatrixXd out = MatrixXd::Zero(n + past * m, n + past * m);
  out.topLeftCorner(n, n) = plant.step(T).leftCols(n);
  // u_{k-i}, i = 1 ... past, in the columns from n + (i - 1) m on.
  const auto act = [&](Index i, const MatrixXd& Gamma) {
    if (i > 0)
      out.block(0, n + (i - 1) * m, n, m) += Gamma;
    else
      out.topLeftCorner(n, n) -= Gamma * F;
  };
  const MatrixXd rest = plant.step(T - f);
  act(f > 0 ? past - 1 : past, rest.rightCols(m));
  if (f > 0) act(past, rest.leftCols(n) * plant.step(f).rightCols(m));
  if (past > 0) out.block(n, 0, m, n) = -F;
  if (past > 1) out.bottomRows((past - 1) * m).middleCols(n, (past - 1) * m).setIdentity();
  return out;
}

}  // namespace

std::optional<SampledLoop> sampled_loop(const Controller& c, ConstVectorRef q,
                                        const ForceTangent& others) {
  require_size("q", q, c.model.nq());
  if (!(c.period > 0) || !c.gains || !c.model.loops().empty() || !c.model.couplings().empty() ||
      !q.allFinite())
    return {};
  const Entries entries(c, others);
  const Index n = entries.size(), m = entries.controlled;
  // A delay that is a multiple of the period but for rounding is one.
  const double whole = std::floor(c.delay / c.period + 1e-9);
  const double f = std::max(0.0, c.delay - whole * c.period);
  const double rows = 2 * static_cast<double>(n) + (whole + 1) * static_cast<double>(m);
  if (m == 0 || !(rows <= most_rows)) return {};
  const MatrixXd L = inverse_inertia(c.model, q, entries);
  if (L.size() == 0) return {};

  MatrixXd F = MatrixXd::Zero(m, 2 * n);
  for (Index i = 0; i < m; ++i) {
    F(i, i) = c.gains->stiffness[entries[i]];
    F(i, n + i) = c.gains->damping[entries[i]];
  }
  const MatrixXd loop = transition(Plant(L, entries, others), F, c.period, f,
                                   static_cast<Index>(whole) + (f > 0 ? 1 : 0));
  if (!loop.allFinite()) return {};
  const Eigen::EigenSolver<MatrixXd> solver(loop);
  if (solver.info() != Eigen::Success) return {};
  Index largest = 0, joint = 0;
  solver.eigenvalues().cwiseAbs().maxCoeff(&largest);
  const Eigen::VectorXd rates = solver.eigenvectors().col(largest).segment(n, n).cwiseAbs();
  rates.cwiseQuotient(L.diagonal().cwiseSqrt()).maxCoeff(&joint);
  return SampledLoop{solver.eigenvalues()[largest], c.model.joint_of_v(entries[joint]).name};
}

std::vector<std::string> unstable_gains(const Forces& forces, double t,
                                        const VelocityKinematics& kin) {
  std::vector<std::string> list;
  for (const Force& force : forces.list()) {
    if (!force.controller) continue;
    const Controller& c = *force.controller;
    Forces others;
    for (const Force& other : forces.list())
      if (&other != &force && other.law.tangent) others.add(other);
    ForceTangent tangent;
    others.tangent(t, kin, tangent);
    const auto loop = sampled_loop(c, kin.q(), tangent);
    if (!loop || !loop->unstable()) continue;
    list.push_back("the gains of controller '" + c.name + "' at period " + to_text(c.period) +
                   " s are unstable: the sampled loop has an eigenvalue of magnitude " +
                   to_short_text(loop->radius()) + ", mostly in joint '" + loop->joint +
                   "'; lower its gains or the period");
  }
  return list;
}

}  // namespace chasles
