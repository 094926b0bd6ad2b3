/// All that binds the joints of a mechanism to each other: the joints that close its loops, couplings
/// and mimic relations, constraints of one's own. Each is a block of rows of
///
///     Phi(q) = 0,     B v = 0,     B vd + Bd v = 0                                            (1)
///
/// Rows of a loop belong to a basis W of the wrenches that its joint bears [N m, N], in the frame of
/// its second end: B v = W^T V_rel, Phi = W^T log(J^-1 E), in rad and m (docs/theory/loops.md). A
/// coupling has one row, Phi = c . q - offset. First come all rows that bind positions, then the
/// others.
///
///     Constraints constraints(model);
///     constraints.update(kin);                    // PositionKinematics
///     constraints.constraint_error(kin, Phi);
#pragma once

#include <memory>

#include "chasles/constraints/constraint.hpp"
#include "chasles/detail/value_ptr.hpp"
#include "chasles/dynamics/applied_wrench.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

struct ConstraintOptions {
  bool mimic = true;                                      // joints that mimic others do so
  std::vector<std::shared_ptr<const Constraint>> more{};  // of one's own
  bool closed = true;                                     // false: no constraints at all, the tree
};

/// The rows that one loop, coupling or constraint has in B.
struct ConstraintBlock {
  std::string kind;  // "loop", "coupling", "mimic" or "constraint"
  std::string name;
  int first, rows;
  std::string text() const { return kind + " '" + name + "'"; }
};

/// One per thread. All results are functions of the configuration and, of loops whose joints have several branches
/// (custom ones of several screws), of what `follow` was told.
class Constraints {
 public:
  /// @throws Error naming the loop: between bodies that are fixed to each other; naming a constraint
  ///         without rows
  explicit Constraints(const Model& model, const ConstraintOptions& options = {});

  const Model& model() const { return model_; }
  int constraint_count() const { return count_; }
  int position_constraint_count() const { return position_constraint_count_; }
  const std::vector<ConstraintBlock>& blocks() const { return blocks_; }
  /// The block that a row belongs to.
  const ConstraintBlock& block_of(int row) const;

  /// Redundant equations may contradict each other in the last digits of their file. These gaps, Phi where all are
  /// met in the sense of least squares, are taken for zero from now on: Phi is less by them. `assemble` does that.
  /// @param gaps  m
  void accept_gaps(ConstVectorRef gaps);
  /// The largest of them; 0: there are none.
  double accepted_gap() const;
  /// A sentence that names these equations and the gap; empty if there are none.
  std::string contradiction() const;

  /// Evaluates everything below at the configuration of `kin`, at every call: constraints of one's own may depend on
  /// more than q. MechanismState calls it once after `set`.
  void update(const PositionKinematics& kin);
  /// The configuration of the last `update` is one that a motion led to: joints with several branches are looked for
  /// near theirs from now on.
  void follow();
  /// The same for one loop, with the coordinates of its joint; a name that no loop has is left out. What was updated is
  /// that no more.
  /// @throws SizeError
  void follow(std::string_view loop, ConstVectorRef theta);
  /// Phi, m; zero for rows that bind velocities only. It needs no `update`; at another configuration than that of the
  /// last one it makes the next one necessary.
  void constraint_error(const PositionKinematics& kin, VectorRef Phi);
  /// B v, m.
  void rate(const VelocityKinematics& kin, VectorRef out) const;
  /// Bd v, m.
  /// @param kin  with vd = 0
  void bias(const AccelerationKinematics& kin, VectorRef out);
  /// B, m x nv.
  void matrix(const PositionKinematics& kin, Matrix& B) const;
  /// Its rows of one block, as many x nv.
  void matrix(const PositionKinematics& kin, std::size_t block, Matrix& B) const;
  /// d/dt B along v, m x nv.
  /// @throws Error naming a constraint that does not say it
  void matrix_rate(const VelocityKinematics& kin, Matrix& B_rate);
  /// B^T lambda, nv.
  void force(const PositionKinematics& kin, ConstVectorRef lambda, VectorRef out);

  /// -B^T lambda as what acts: two wrenches for each loop, on its second body and on its first, in the
  /// frame of its second end; joint forces, nv, of all else.
  void forces(const PositionKinematics& kin, ConstVectorRef lambda,
              std::vector<AppliedWrench>& wrenches, Vector& tau) const;

  /// How B^T lambda changes with q (motion/mechanical_system.hpp), if there is a formula for it: not
  /// for screws or wrenches that depend on q, nor for constraints of one's own.
  bool stiffness(const PositionKinematics& kin, ConstVectorRef lambda, Matrix& S) const;

  struct Parts;
  const Parts& parts() const { return *parts_; }

 private:
  void require_update(const PositionKinematics& kin) const;
  void add_rows(const PositionKinematics& kin, std::size_t block,
                Eigen::Ref<Eigen::MatrixXd> B) const;
  Model model_;
  int count_ = 0, position_constraint_count_ = 0;
  std::vector<ConstraintBlock> blocks_;
  ValuePtr<Parts> parts_;
};

}  // namespace CHASLES_API
