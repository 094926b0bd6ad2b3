/// The velocities that constraints leave free at a configuration, in independent entries of v:
///
///     B v = 0   <=>   v = N u,     u = v_I,     N_I = 1                                        (1)
///
/// and what corresponds to a right side, B x = c with x_I = 0.
#pragma once

#include <span>

#include "chasles/model/model.hpp"
#include "math/decompositions.hpp"

namespace chasles {

class MechanicalSystem;
/// `MechanismState::independence` is about the square of the distance from a singular configuration, in rad: 1e-5
/// rad beside it the independent coordinates move others 1e5 times as far.
/// @throws SingularError if the mechanism is nearer than that; after its equations were factored
void require_regular(MechanicalSystem& system);

class FreeMotions {
 public:
  FreeMotions() = default;
  /// @param B       linearly independent rows, r x nv
  /// @param model   for the choice and for messages; null: entries are numbered
  /// @param wanted  I, nv - r entries; empty: in the order of v those that move the rest well, and joints
  ///                that mimic others only if nothing else is left
  /// @throws SingularError where the rows depend on each other, or I does not move the rest; Error for a
  ///         wrong I
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
