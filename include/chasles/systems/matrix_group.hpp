/// First-order differential equations on matrix groups, for all integrators that need rates only:
///
///     Y' = Y hat(A(t, Y)),        Y in G,  A in its algebra R^m,  hat(x) = sum_k x_k E_k      (1)
///
/// 001 (26) writes Y' = A Y, with A in the frame of the reference: its A is Ad_Y A of (1). G is given by a basis E_k of its
/// algebra, n x n matrices whose commutators stay in their span. exp is the matrix exponential; with ad_x the m x m matrix
/// of y -> [x, y] in the basis,
///
///     dexp_{-x} = (1 - exp(-ad_x)) / ad_x,       dexp_{-x}^-1 by solving with it              (2)
///     dexp_{-x}^-1 v ~ v + [x, v]/2 + [x, [x, v]]/12 - [x, [x, [x, [x, v]]]]/720 + ...         (3)
///
/// (3), truncated after p - 1 terms, is sufficient for a Munthe-Kaas method of order p (001 section III-D).
///
///     const auto group = std::make_shared<MatrixGroup>(MatrixGroup::special_orthogonal(4));
///     FirstOrderSystem system(group, [](double t, ConstVectorRef, VectorRef A) { A.setConstant(std::cos(t)); });
///     auto integrator = make_integrator(system, {.method = "mk4", .step = 0.01});
///     integrator->reset({0, group->identity(), Vector(system.nv())});   // v is not used
///
/// The elements are the coordinates q: n^2 numbers, column by column. Methods on coordinates (rk4) leave the group, as 001
/// section III-A explains; they are not projected back. Calls allocate.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "chasles/export.hpp"
#include "chasles/systems/system.hpp"

namespace chasles CHASLES_API {

class MatrixGroup : public Group {
 public:
  /// @param basis  of the algebra: square matrices of one size
  /// @throws Error naming the group and the matrix, if they are not square or not finite, are linearly dependent, or have a
  ///         commutator outside their span
  /// @paper 001 section II-A, (26)
  MatrixGroup(std::string name, std::vector<Matrix> basis);
  static MatrixGroup general_linear(int n);      // GL(n): all matrices
  static MatrixGroup special_linear(int n);      // SL(n): determinant 1
  static MatrixGroup special_orthogonal(int n);  // SO(n); n = 3: the basis of hat
  /// SE(n), matrices of size n + 1; n = 3: the basis of Twist, angular entries first.
  static MatrixGroup special_euclidean(int n);

  const std::string& name() const { return name_; }
  int matrix_size() const { return n_; }
  Vector identity() const;
  Matrix hat(ConstVectorRef x) const;
  /// @throws Error if the matrix is not in the algebra (to 1e-8 of its size)
  Vector vee(ConstMatrixRef X) const;
  Matrix element(ConstVectorRef q) const;  // q as a matrix
  /// Truncates (3) after this number of terms, at least 1; 0, the default: (2).
  /// @throws Error for a negative number, or more than 16
  /// @paper 001 section III-D
  void truncate(int terms);

  int nq() const override { return n_ * n_; }
  int nv() const override { return static_cast<int>(basis_.size()); }
  void plus(ConstVectorRef q, ConstVectorRef x, VectorRef out) const override;
  /// @throws StateError if there is no real logarithm
  void minus(ConstVectorRef q1, ConstVectorRef q0, VectorRef out) const override;
  void dexp_inv(ConstVectorRef x, ConstVectorRef v, VectorRef out) const override;
  void dexp(ConstVectorRef x, ConstVectorRef u, VectorRef out) const override;
  double rotation(ConstVectorRef x) const override;
  void coordinate_rate(ConstVectorRef q, ConstVectorRef v, VectorRef out) const override;
  void normalize(VectorRef) const override {}  // there is no projection in general

 private:
  Matrix ad(ConstVectorRef x) const;
  Vector coordinates(ConstMatrixRef X) const;

  std::string name_;
  int n_ = 0, terms_ = 0;
  std::vector<Matrix> basis_;
  Matrix pseudo_inverse_;  // m x n^2
};

/// (1) as a system: its v is zero and stays so.
/// @paper 001 (26), (31)
class FirstOrderSystem : public DynamicalSystem {
 public:
  /// Writes A(t, Y) (nv), given Y as q (nq).
  using Rate = std::function<void(double t, ConstVectorRef q, VectorRef A)>;
  /// @throws Error if there is no group or no function
  FirstOrderSystem(std::shared_ptr<const Group> group, Rate rate);
  const Group& group() const override { return *group_; }
  /// @throws StateError if A is not finite
  void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
             VectorRef v_dot) override;

 private:
  std::shared_ptr<const Group> group_;
  Rate rate_;
  Vector A_;
};

}  // namespace CHASLES_API
