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
/// and every step ends with the projection onto the constraints, whose derivative follows by x. u are additional joint forces, held over the step; p are parameters with P = dr/dp of the
/// residual r = M a - f. The matrices of a step are those of iLQR and DDP; their products are sensitivities of a whole
/// motion (forward); their transposes give its adjoint (backward), for which states are stored at every sqrt(N)-th
/// step and recomputed in between.
///
///     DifferentiableStep step(system, "mk4");
///     step(0.01, u, state);                        // advances state
///     Eigen::VectorXd change = step.dx() * x + step.du() * du;
///
///     MotionGradient g = adjoint(step, start, 0.01, U, dJ_dx);   // gradient of J(x_N) by x_0 and all u
///
/// Adaptive methods are differentiated with frozen steps: those that the integrator chose, as a list. Events:
/// saltation_matrix. Contacts are forces with a tangent. Derivations: docs/theory/sensitivities.md.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "chasles/export.hpp"
#include "chasles/systems/mechanical_system.hpp"

namespace chasles CHASLES_API {

class DifferentiableStep {
 public:
  /// P = dr/dp (nv x parameters) at a state with its acceleration.
  using ParameterJacobian = std::function<void(double t, ConstVectorRef q, ConstVectorRef v,
                                               ConstVectorRef a, Matrix& P)>;

  /// @param system  kept by reference, must outlive this; with constraints states must satisfy them
  /// @param method  a Munthe-Kaas method: euler, mk2 ... mk10; bs32, dp54, dop853, for steps that are given
  /// @throws Error naming the method, with the available ones
  DifferentiableStep(MechanicalSystem& system, std::string_view method);
  /// Sets the parameters to differentiate with respect to; default: none.
  void set_parameters(int count, ParameterJacobian jacobian);

  /// A step of length h [s] under the forces u (nv), with its derivatives.
  /// @throws SizeError; SingularError naming the joint
  void operator()(double h, ConstVectorRef u, State& state);
  const Matrix& dx() const { return dx_; }  // 2 nv x 2 nv
  const Matrix& du() const { return du_; }  // 2 nv x nv
  const Matrix& dp() const { return dp_; }  // 2 nv x parameters

  /// The step without derivatives.
  void move(double h, ConstVectorRef u, State& state);
  int nv() const { return system_->nv(); }
  int parameters() const { return parameters_; }

 private:
  struct Stage {
    Vector x, v, K, F;         // Theta, v_i, K_i, F_i
    Vector lambda;             // multipliers
    Eigen::Index columns = 0;  // of the derivatives
    Matrix d_K, d_F;           // nv x (2 nv + nv + parameters)
  };
  void stages(double h, ConstVectorRef u, const State& state, bool differentiate);
  void differentiate_stage(std::size_t i, double t, double h, ConstVectorRef q);
  void differentiate_constraints(std::size_t i, double t, ConstVectorRef q, Matrix& r, Matrix& ds,
                                 const Matrix& e, const Matrix& d_v);
  void project(State& state, Matrix* e, Matrix* d_v);
  void neighbor(ConstVectorRef x, const Matrix& d_x, Matrix& e) const;

  MechanicalSystem* system_;
  const struct Tableau* tableau_;
  std::vector<Stage> stage_;
  int parameters_ = 0;
  ParameterJacobian parameter_jacobian_;
  MechanicalSystem::Tangent tangent_;
  Matrix P_, dx_, du_, dp_;
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
///     Xi = R_x + (f_after - R_x f_before - R_t) g_x^T / (g_t + g_x^T f_before),   f = (v; a)   (5)
///
/// @param before, after  rates (v; a) on both sides, 2 nv
/// @throws SizeError; Error if the motion does not cross the event: g_t + g_x f is zero
Matrix saltation_matrix(ConstVectorRef before, ConstVectorRef after, const EventJump& jump);

}  // namespace CHASLES_API
