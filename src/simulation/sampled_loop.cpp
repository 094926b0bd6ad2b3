#include "chasles/simulation/sampled_loop.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/dynamics/mass_matrix.hpp"
#include "math/decompositions.hpp"
#include "math/sampled_transition.hpp"

namespace chasles {
namespace {

using Eigen::Index, Eigen::MatrixXd;
constexpr double most_rows = 600;

/// Indices into v: coordinates with a motor and a gain, then those on which only other forces act.
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
    for (const ForceTangent::Cross& cross : others.crosses)
      for (const int k : {cross.row, cross.column})
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
    for (const ForceTangent::Cross& cross : others.crosses) {
      const Index row = entries.find(cross.row), column = entries.find(cross.column);
      A.col(column).tail(n) -= cross.K * L.col(row);
      A.col(n + column).tail(n) -= cross.D * L.col(row);
    }
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

}  // namespace

std::optional<SampledLoop> sampled_loop(const Controller& c, ConstVectorRef q,
                                        const ForceTangent& others) {
  require_size("q", q, c.model.nq());
  if (!(c.period > 0) || !c.gains || c.model.is_bound() || !q.allFinite()) return {};
  const Entries entries(c, others);
  const Index n = entries.size(), m = entries.controlled;
  const double past = kept_samples(c.loop_delay(), c.period);
  const double rows = 2 * static_cast<double>(n) + past * static_cast<double>(m);
  if (m == 0 || !(rows <= most_rows)) return {};
  const MatrixXd L = inverse_inertia(c.model, q, entries);
  if (L.size() == 0) return {};

  const Plant plant(L, entries, others);
  if (!(c.period * plant.A).allFinite() || !(c.period * plant.B).allFinite()) return {};
  SampledInput input{plant.B, MatrixXd::Zero(m, 2 * n), c.loop_delay()};
  for (Index i = 0; i < m; ++i) {
    input.F(i, i) = -c.gains->stiffness[entries[i]];
    input.F(i, n + i) = -c.gains->damping[entries[i]];
  }
  const MatrixXd loop = sampled_transition(plant.A, {&input, 1}, c.period);
  if (!loop.allFinite()) return {};
  const std::optional<Eigenpairs> found = eigenpairs(loop);
  if (!found) return {};
  Index largest = 0, joint = 0;
  found->values.cwiseAbs().maxCoeff(&largest);
  const Eigen::VectorXd rates = found->vectors.col(largest).segment(n, n).cwiseAbs();
  rates.cwiseQuotient(L.diagonal().cwiseSqrt()).maxCoeff(&joint);
  return SampledLoop{found->values[largest], c.model.joint_of_v(entries[joint]).name};
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
