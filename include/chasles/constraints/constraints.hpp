/// All constraints of a mechanism: loop joints, couplings, mimic relations and user-defined constraints. Each is a
/// block of constraint equations of
///
///     Phi(q) = 0,     B v = 0,     B vd + Bd v = 0                                            (1)
///
/// and of (2) of constraint.hpp for those that depend on time, at the time given by `set_time`.
///
/// The equations of a loop correspond to a basis W of the constraint wrenches of its joint [N m, N], in the frame of
/// its second end: B v = W^T V_rel, Phi = W^T log(J^-1 E), in rad and m (docs/theory/loops.md). A coupling has one
/// equation, Phi = sum c f(q) - offset. Holonomic equations come first, then nonholonomic ones.
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
  bool mimic = true;                                      // mimic relations hold
  std::vector<std::shared_ptr<const Constraint>> more{};  // user-defined
  bool closed = true;                                     // false: the tree without constraints
  double time = 0;                                        // [s] at which they are evaluated first
};

/// The constraint equations (rows of B) of one loop, coupling or constraint.
struct ConstraintBlock {
  std::string kind;  // "loop", "coupling", "mimic", "driver" or "constraint"
  std::string name;
  int first, rows;
  std::string text() const { return kind + " '" + name + "'"; }
};

/// One per thread. All results are functions of the configuration and, for loop joints with several branches (custom
/// joints with several screws), of the arguments of `follow`.
class Constraints {
 public:
  /// @throws Error naming a loop between bodies that are fixed to each other, or a constraint without equations
  explicit Constraints(const Model& model, const ConstraintOptions& options = {});

  const Model& model() const { return model_; }
  int constraint_count() const { return count_; }
  int position_constraint_count() const { return position_constraint_count_; }
  const std::vector<ConstraintBlock>& blocks() const { return blocks_; }
  /// The block that a row of B belongs to.
  const ConstraintBlock& block_of(int row) const;

  /// Redundant equations may be inconsistent in the last digits of their file. Accepts these gaps (Phi of the
  /// least-squares solution): they are subtracted from Phi from now on. `assemble` calls it.
  /// @param gaps  m
  void accept_gaps(ConstVectorRef gaps);
  /// The largest accepted gap; 0: none.
  double accepted_gap() const;
  /// A sentence that names these equations and the gap; empty if none.
  std::string contradiction() const;

  /// The time at which everything below is evaluated; a change invalidates the last `update`.
  void set_time(double t);
  double time() const;
  /// Times are clamped to this interval from now on: a run calls it with intervals in which all of them are smooth, so
  /// that the end of a step has the left limits of what jumps there.
  void set_interval(double from, double to);
  /// Whether some constraint depends on time.
  bool depends_on_time() const;
  /// The first time after t at which one of them is not smooth; infinity: never.
  double next_break(double t) const;

  /// Evaluates everything below at the configuration of `kin`, on every call, since user-defined constraints may depend
  /// on more than q. MechanismState calls it once after `set`.
  void update(const PositionKinematics& kin);
  /// Marks the configuration of the last `update` as reached by the motion: joints with several branches are solved
  /// near it from now on.
  void follow();
  /// The same for one loop, with the coordinates of its joint; unknown names are ignored. Invalidates the last
  /// `update`.
  /// @throws SizeError
  void follow(std::string_view loop, ConstVectorRef theta);
  /// Phi, m; zero for nonholonomic equations. Does not need `update`; at another configuration than that of the last
  /// `update`, it invalidates it.
  void constraint_error(const PositionKinematics& kin, VectorRef Phi);
  /// B v, m.
  void rate(const VelocityKinematics& kin, VectorRef out) const;
  /// Phi_t, m; zero for constraints that do not depend on time.
  void time_rate(const PositionKinematics& kin, VectorRef out) const;
  /// Bd v, m; with time b of (2) of constraint.hpp.
  /// @param kin  with vd = 0
  void bias(const AccelerationKinematics& kin, VectorRef out);
  /// B, m x nv.
  void matrix(const PositionKinematics& kin, Matrix& B) const;
  /// The rows of B of one block.
  void matrix(const PositionKinematics& kin, std::size_t block, Matrix& B) const;
  /// d/dt B along v, m x nv.
  /// @throws Error naming a constraint that does not provide it
  void matrix_rate(const VelocityKinematics& kin, Matrix& B_rate);
  /// B^T lambda, nv.
  void force(const PositionKinematics& kin, ConstVectorRef lambda, VectorRef out);

  /// -B^T lambda as applied forces: for each loop two wrenches, on its second and its first body, in the frame of its
  /// second end; joint forces, nv, for all other constraints.
  void forces(const PositionKinematics& kin, ConstVectorRef lambda,
              std::vector<AppliedWrench>& wrenches, Vector& tau) const;

  /// Derivative of B^T lambda with respect to q (systems/mechanical_system.hpp), in closed form.
  /// @returns false if there is none: for screws or wrenches that depend on q, and user-defined constraints
  bool stiffness(const PositionKinematics& kin, ConstVectorRef lambda, Matrix& S) const;

  struct Parts;  // src/constraints/parts.hpp

 private:
  friend struct detail::Access;
  void require_update(const PositionKinematics& kin) const;
  void add_rows(const PositionKinematics& kin, std::size_t block,
                Eigen::Ref<Eigen::MatrixXd> B) const;
  Model model_;
  int count_ = 0, position_constraint_count_ = 0;
  std::vector<ConstraintBlock> blocks_;
  ValuePtr<Parts> parts_;
};

}  // namespace CHASLES_API
