/// The null space of the constraint Jacobian B at a configuration, parameterized by independent entries of v:
///
///     B v = 0   <=>   v = N u,     u = v_I,     N_I = 1                                        (1)
///
/// and the particular solution of B x = c with x_I = 0.
#pragma once

#include <span>

#include "chasles/model/model.hpp"
#include "math/decompositions.hpp"

namespace chasles {

class MechanicalSystem;
/// Requires a configuration at least 1e-5 rad from a singular one. `MechanismState::reciprocal_condition` is about the
/// square of that distance; at 1e-5 rad the independent coordinates move others 1e5 times as far.
/// @throws SingularError if the mechanism is nearer than that
void require_regular(MechanicalSystem& system);

class FreeMotions {
 public:
  FreeMotions() = default;
  /// @param B       linearly independent rows, r x nv
  /// @param model   for the choice of I and for names in messages; null: messages use indices
  /// @param wanted  I, nv - r entries; empty: the first entries of v that determine the others well; joints that mimic
  ///                others are chosen last
  /// @throws SingularError if the rows of B are linearly dependent or I does not determine the other entries;
  ///         Error for an invalid I
  FreeMotions(const Eigen::MatrixXd& B, const Model* model, std::span<const int> wanted = {});

  const std::vector<int>& independent() const { return independent_; }
  const Eigen::MatrixXd& N() const { return N_; }
  /// An orthonormal basis of the same velocities, nv x (nv - r).
  const Eigen::MatrixXd& basis() const { return Z_; }
  /// The rows I of a matrix with nv rows.
  Eigen::MatrixXd rows(const Eigen::MatrixXd& x) const;
  /// x with B x = c and x_I = 0, column by column.
  Eigen::MatrixXd follow(const Eigen::MatrixXd& c) const;

 private:
  void find_basis(const Eigen::MatrixXd& B, const Model* model);
  void choose(const Model* model);
  void check(const Model* model) const;

  std::vector<int> independent_, dependent_;
  Eigen::MatrixXd Z_, N_;
  RowPivotedLu dependent_columns_;  // B_D
};

}  // namespace chasles
