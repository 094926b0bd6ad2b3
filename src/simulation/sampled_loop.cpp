#include "chasles/simulation/sampled_loop.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "chasles/dynamics/mass_matrix.hpp"

namespace chasles {
namespace {

using Eigen::Index, Eigen::MatrixXd;
constexpr Index most_rows = 600;

/// The entries of v that have a motor and a gain.
std::vector<int> controlled(const Controller& c) {
  std::vector<int> entries;
  const auto add = [&](const ModelJoint& joint) {
    for (int k = joint.v_index; k < joint.v_index + joint.nv; ++k)
      if (c.gains->stiffness[k] != 0 || c.gains->damping[k] != 0) entries.push_back(k);
  };
  if (c.joints.empty())
    for (const ModelJoint& joint : c.model.joints()) add(joint);
  for (const std::string& name : c.joints) add(c.model.joint(name));
  return entries;
}

/// (M^-1)_cc; empty where M is singular or q is not a configuration.
MatrixXd inverse_inertia(const Model& model, ConstVectorRef q, const std::vector<int>& entries) {
  MassMatrixInverse inverse(model);
  try {
    mass_matrix_inverse(model, q, inverse);
  } catch (const Error&) {
    return {};
  }
  const auto n = static_cast<Index>(entries.size());
  MatrixXd L(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      L(i, j) =
          inverse.M_inv(entries[static_cast<std::size_t>(i)], entries[static_cast<std::size_t>(j)]);
  return L.allFinite() ? L : MatrixXd{};
}

/// The matrix of (2).
/// @param F  n x 2n: u_k = -F (y_k; y'_k)
MatrixXd transition(const MatrixXd& L, const MatrixXd& F, double T, double f, Index past) {
  const Index n = L.rows();
  const double s = T - f;
  MatrixXd A = MatrixXd::Zero((2 + past) * n, (2 + past) * n);
  const auto at = [&](Index i, Index j) { return A.block(i * n, j * n, n, n); };
  at(0, 0).setIdentity(), at(1, 1).setIdentity();
  at(0, 1).diagonal().setConstant(T);
  // u_{k-i} is block 1 + i; u_k is -F (y_k; y'_k).
  const auto act = [&](Index i, double by_y, double by_rate) {
    if (i > 0) {
      at(0, 1 + i) += by_y * L, at(1, 1 + i) += by_rate * L;
    } else {
      A.block(0, 0, n, 2 * n) -= by_y * L * F, A.block(n, 0, n, 2 * n) -= by_rate * L * F;
    }
  };
  act(f > 0 ? past - 1 : past, s * s / 2, s);
  if (f > 0) act(past, (T * T - s * s) / 2, f);
  if (past > 0) A.block(2 * n, 0, n, 2 * n) = -F;
  for (Index i = 1; i < past; ++i) at(2 + i, 1 + i).setIdentity();
  return A;
}

}  // namespace

std::optional<SampledLoop> sampled_loop(const Controller& c, ConstVectorRef q) {
  require_size("q", q, c.model.nq());
  if (!q.allFinite()) return {};
  if (!(c.period > 0) || !c.gains || !c.model.loops().empty() || !c.model.couplings().empty())
    return {};
  const std::vector<int> entries = controlled(c);
  const auto n = static_cast<Index>(entries.size());
  // A delay that is a multiple of the period but for rounding is one.
  const double whole = std::floor(c.delay / c.period + 1e-9);
  const double f = std::max(0.0, c.delay - whole * c.period);
  const double rows = (2 + whole + 1) * static_cast<double>(n);
  if (n == 0 || !(rows <= static_cast<double>(most_rows))) return {};
  const MatrixXd L = inverse_inertia(c.model, q, entries);
  if (L.size() == 0) return {};

  MatrixXd F = MatrixXd::Zero(n, 2 * n);
  for (Index i = 0; i < n; ++i) {
    const int k = entries[static_cast<std::size_t>(i)];
    F(i, i) = c.gains->stiffness[k], F(i, n + i) = c.gains->damping[k];
  }
  const Index past = static_cast<Index>(whole) + (f > 0 ? 1 : 0);
  const Eigen::EigenSolver<MatrixXd> solver(transition(L, F, c.period, f, past));
  if (solver.info() != Eigen::Success) return {};
  Index largest = 0, joint = 0;
  solver.eigenvalues().cwiseAbs().maxCoeff(&largest);
  // Velocities in units of kinetic energy, so that slides and turns compare.
  const auto mode = solver.eigenvectors().col(largest).segment(n, n).cwiseAbs();
  mode.cwiseQuotient(L.diagonal().cwiseSqrt()).maxCoeff(&joint);
  return SampledLoop{solver.eigenvalues()[largest],
                     c.model.joint_of_v(entries[static_cast<std::size_t>(joint)]).name};
}

std::vector<std::string> unstable_gains(const Forces& forces, ConstVectorRef q) {
  std::vector<std::string> list;
  for (const Force& force : forces.list()) {
    if (!force.controller) continue;
    const Controller& c = *force.controller;
    const auto loop = sampled_loop(c, q);
    if (!loop || !loop->unstable()) continue;
    list.push_back("the gains of controller '" + c.name + "' at period " + to_text(c.period) +
                   " s are unstable: the sampled loop has an eigenvalue of magnitude " +
                   to_short_text(loop->radius()) + ", mostly in joint '" + loop->joint +
                   "'; lower its gains or the period");
  }
  return list;
}

}  // namespace chasles
