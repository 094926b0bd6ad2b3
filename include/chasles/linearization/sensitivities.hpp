/// Sensitivities of motions: derivatives of a state reached by a fixed-step method with respect to the initial state,
/// the forces along the motion, and parameters. They are exact derivatives of the method, not of the motion that it
/// approximates, so gradients agree with differences of the computed result.
///
/// A neighbor of a state (q, v) is x = (e; dv): q exp(e), v + dv. A step of a Munthe-Kaas method with
/// stages Theta_i = h sum_j a_ij K_j, v_i = v_0 + h sum_j a_ij F_j, q_i = q_0 exp(Theta_i),
/// K_i = dexp_{-Theta_i}^-1 v_i and accelerations F_i has, along a neighbor,
///
///     e_i  = Ad_{exp(-Theta_i)} e_0 + dexp_{-Theta_i} dTheta_i                               (1)
///     dF_i = -M^-1 (K e_i + D dv_i + P dp - du)        K, D, M: mechanical_system.hpp (3)      (2)
///     dK_i = dexp_{-Theta_i}^-1 dv_i + (D dexp_{-Theta_i}^-1 . dTheta_i) v_i                   (3)
///
/// and the same sums; with constraints (2) is a KKT system with r including B^T lambda, and s = B a + Bd v,
///
///     M dF + B^T dlambda = -(K e + S e + D dv + P dp - du),   B dF = -ds,   S = d(B^T lambda)/dq       (4)
///
/// and every step ends with the projection onto the constraints, whose derivative follows by x. u are additional joint
/// forces, held over the step; p are parameters with P = dr/dp of the residual r = M a - f. Implicit methods are
/// differentiated by the implicit function theorem: with z the unknowns of the stages, R(z, x) = 0 their equations,
///
///     dz = -(dR/dz)^-1 (dR/dx x + dR/du du + dR/dp dp)                                        (5)
///
/// Some methods carry numbers along besides (q, v), such as the accelerations of generalized_alpha; neighbors then have
/// entries for them, too. The matrices of a step are those of iLQR and DDP; their products are sensitivities of a whole
/// motion (forward); their transposes give its adjoint (backward), for which states are stored at every sqrt(N)-th
/// step and recomputed in between; and a product with the Hessian is the derivative of that adjoint along a motion.
///
///     DifferentiableStep step(system, "mk4");
///     step(0.01, u, state);                        // advances state
///     Eigen::VectorXd change = step.dx() * x + step.du() * du;
///
///     DifferentiableStep stiff(system, {.method = "radau5"});
///     MotionGradient g = adjoint(stiff, start, 0.01, U, dJ_dx);   // gradient of J(x_N) by x_0 and all u
///     MotionGradient Hx = hessian_product(stiff, start, 0.01, U, x, 0 * U, dJ_dx);   // its derivative along x
///
/// Adaptive methods are differentiated with frozen steps: those that the integrator chose, as a list. Events:
/// saltation_matrix. Contacts are forces with a tangent. Derivations: docs/theory/sensitivities.md.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "chasles/export.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/systems/mechanical_system.hpp"

namespace chasles CHASLES_API {

class StepMap;

class DifferentiableStep {
 public:
  /// P = dr/dp (nv x parameters) at a state with its acceleration.
  using ParameterJacobian = std::function<void(double t, ConstVectorRef q, ConstVectorRef v,
                                               ConstVectorRef a, Matrix& P)>;

  /// @param system   kept by reference, must outlive this; with constraints states must satisfy them
  /// @param options  the method and its order, composition, rho and index: a Munthe-Kaas method (euler, mk2 ... mk10;
  ///                 bs32, dp54, dop853, for steps that are given), midpoint, gauss2, gauss3, gauss, radau5,
  ///                 generalized_alpha, blied2 (steps of one length), verlet, variational or rattle (both without p)
  /// @throws Error naming the method, with the available ones; or an option that is not possible
  DifferentiableStep(MechanicalSystem& system, const IntegratorOptions& options);
  DifferentiableStep(MechanicalSystem& system, std::string_view method);
  ~DifferentiableStep();
  DifferentiableStep(DifferentiableStep&&) noexcept;
  DifferentiableStep& operator=(DifferentiableStep&&) noexcept;

  /// Sets the parameters to differentiate with respect to; default: none.
  void set_parameters(int count, ParameterJacobian jacobian);

  /// A step of length h [s] under the forces u (nv), with its derivatives.
  /// @throws SizeError; SingularError naming the joint; Error if an implicit step is not solved, or for a method with
  ///         memory
  void operator()(double h, ConstVectorRef u, State& state);
  /// The same with what the method carries along: empty before the first step, whose dx() has 2 nv columns.
  void operator()(double h, ConstVectorRef u, State& state, Vector& memory);
  const Matrix& dx() const { return dx_; }  // nx x nx; nx = 2 nv, and more for methods with memory
  const Matrix& du() const { return du_; }  // nx x nv
  const Matrix& dp() const { return dp_; }  // nx x parameters

  /// The step without derivatives.
  void move(double h, ConstVectorRef u, State& state);
  void move(double h, ConstVectorRef u, State& state, Vector& memory);
  int nv() const { return system_->nv(); }
  int parameters() const { return parameters_; }
  MechanicalSystem& system() const { return *system_; }

 private:
  void check(double h, ConstVectorRef u, const State& state) const;
  void require_no_memory(const Vector& memory) const;

  MechanicalSystem* system_;
  std::string method_;
  std::unique_ptr<StepMap> map_;
  int parameters_ = 0;
  ParameterJacobian parameter_jacobian_;
  Matrix dx_, du_, dp_;
};

/// Sensitivities of a motion of N steps.
struct MotionSensitivities {
  State end;
  Matrix dx;               // 2 nv x 2 nv: end state by initial state
  std::vector<Matrix> du;  // N of 2 nv x nv: by the forces of each step
  Matrix dp;               // 2 nv x parameters
};
/// Forward: N = U.cols() steps from `start`.
/// @param U  nv x N: the forces of each step
MotionSensitivities sensitivities(DifferentiableStep& step, const State& start, double h,
                                  ConstMatrixRef U);
/// With steps of given lengths [s], one for each column of U: those of an adaptive method, frozen.
MotionSensitivities sensitivities(DifferentiableStep& step, const State& start,
                                  std::span<const double> h, ConstMatrixRef U);

struct MotionGradient {
  State end;
  Vector dx;  // 2 nv
  Matrix dU;  // nv x N
  Vector dp;  // parameters
};
/// Backward: the gradient of J(x_N) + sum_k l_k(x_k, u_k). Memory of O(sqrt N) states.
/// @param end      dJ/dx at the end, 2 nv, given the state there
/// @param running  adds dl_k/dx (2 nv) and dl_k/du (nv) at the state before step k; empty: none
using EndGradient = std::function<Vector(const State& end)>;
using RunningGradient = std::function<void(int k, const State& state, VectorRef dx, VectorRef du)>;
MotionGradient adjoint(DifferentiableStep& step, const State& start, double h, ConstMatrixRef U,
                       const EndGradient& end, const RunningGradient& running = {});
MotionGradient adjoint(DifferentiableStep& step, const State& start, std::span<const double> h,
                       ConstMatrixRef U, const EndGradient& end,
                       const RunningGradient& running = {});

/// The derivative of that gradient along a neighbor x of the start (2 nv) and a change U_change (nv x N) of the forces:
/// the product of the Hessian with (x; U_change), and `end` as in `adjoint`. On a group it is not symmetric: the gradient
/// is that at q exp(s e), in the algebra there. Backward, with lambda the adjoint and x_k, u_k the changes along the
/// motion,
///
///     sigma_k = dx^T sigma_{k+1} + (d(dx) . (x_k, u_k))^T lambda_{k+1} + d(dl_k/dx) . (x_k, u_k)      (6)
///
/// for every method above. Derivatives of the matrices of a step and of the given gradients along the motion are
/// differences of order 8; those of quadratic costs are exact. `running` is differentiated by the state: second
/// derivatives of l_k by u are to be added. Memory of O(N) states.
/// @throws as adjoint; SizeError
MotionGradient hessian_product(DifferentiableStep& step, const State& start, double h,
                               ConstMatrixRef U, ConstVectorRef x, ConstMatrixRef U_change,
                               const EndGradient& end, const RunningGradient& running = {});
MotionGradient hessian_product(DifferentiableStep& step, const State& start,
                               std::span<const double> h, ConstMatrixRef U, ConstVectorRef x,
                               ConstMatrixRef U_change, const EndGradient& end,
                               const RunningGradient& running = {});

/// An event g(t, x) = 0 at which the state jumps to R(t, x), as derivatives by the neighbor x = (e; dv), 2 nv.
struct EventJump {
  Vector g_x;      // 2 nv: gradient of g
  double g_t = 0;  // [1/s]
  Matrix R_x;  // 2 nv x 2 nv: from neighbors before to neighbors after; identity: only rates change
  Vector R_t{};  // 2 nv; empty: zero
};
/// The matrix that takes a neighbor just before an event to its neighbor just after, both at the time of the event:
/// a neighbor that is early or late by dt = -g_x x / (g_t + g_x f) follows the wrong rate for that time,
///
///     Xi = R_x + (f_after - R_x f_before - R_t) g_x^T / (g_t + g_x^T f_before),   f = (v; a)   (7)
///
/// @param before, after  rates (v; a) on both sides, 2 nv
/// @throws SizeError; Error if the motion does not cross the event: g_t + g_x f is zero
Matrix saltation_matrix(ConstVectorRef before, ConstVectorRef after, const EventJump& jump);

}  // namespace CHASLES_API
