/// System matrices of the kinematics of a whole mechanism, for analysis; and its inverse: joint velocities and
/// accelerations from the motion of the bodies.
///
/// Over the n bodies that can move, with their twists stacked, V = (V_1; ...; V_n),
///
///     V = J v = A X v                                                                      (1)
///
/// X is block diagonal: X_i v_i is the twist of the joint of body i. p is the parent of i (a tree: i - 1 of 003);
/// j <= i means that j is i or an ancestor of i. r_ij = r_j - r_i, C_ij = C_i^-1 C_j.
///
///     body     A_ij = Ad_{C_ij},  D_ip = Ad_{C_ip},  A^-1 = I - D              003 (25)    (2)
///     spatial  A_ij = Ad_{C_j},   D_ip = Ad_{C_ip},
///              A^-1 = (I - D) diag(Ad_{C_i}^-1)                                003 (33)    (3)
///     hybrid   A_ij = Ad_{r_ij},  D_ip = Ad_{r_ip},  A^-1 = I - D              003 (45)    (4)
///     mixed    A_ij = [[R_i^T R_j, 0], [r_ij~ R_j, I]],
///              D_ip = A_ip,                          A^-1 = I - D              003 (53)    (5)
///
/// with 003 (33), (34), (52) and (53) corrected. In the spatial form X and D are body-fixed, in the others in the
/// respective form: X^m = diag(J^m_ii). In 003 (45) and (52) D is called T.
#pragma once

#include "chasles/export.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/math/sparse.hpp"

namespace chasles CHASLES_API {

/// The moving bodies, as indices in Model::bodies(): those not fixed to ground.
std::vector<int> moving_bodies(const Model& model);

/// The matrices of (1), block sparse: `Eigen::MatrixXd(s.A)` makes them dense.
struct SystemKinematics {
  Representation rep;
  std::vector<int> bodies;  // n, moving_bodies
  std::vector<SE3> C;       // n: their poses in the world
  Sparse J;                 // 6n x nv
  Sparse A;                 // 6n x 6n, block lower triangular
  Sparse X;                 // 6n x nv, block diagonal
  Sparse D;                 // 6n x 6n: one block per body, at its parent
  Sparse A_inverse;
};

/// Computes all matrices, each factor from its own formula.
///
///     SystemKinematics s = system_kinematics(model, kin, Representation::hybrid);
///     Vector V = s.A * (s.X * v);       // (w; rd) of every body, world axes
/// @paper 000 (111), (112)
/// @paper 003 (21)-(25), (31), (43)-(45), (53)
SystemKinematics system_kinematics(const Model& model, const PositionKinematics& kin,
                                   Representation rep);

/// The factors of J^s = A X of 003 (32), by the screws that X has, and the inverse of A. With F_i the pose of the frame
/// of body i relative to the frame in which its screw is given,
///
///     A_ij = Ad_{F_j} for j <= i,   A = L diag(Ad_{F_i}),   A^-1 = diag(Ad_{F_i}^-1) (I - P)   (9)
///
///     form        X_i                                   F_i             A of 003 (33)
///     reference   Y_i = Ad_{A_i} X^b_i, at q = 0        C_i A_i^-1      A^s
///     body        X^b_i                                 C_i             A^sb
///     hybrid      X^h_i = Ad_{R_i} X^b_i                (1, r_i)        A^sh
///
/// A_i is the pose of body i at q = 0, L has the identity in all blocks j <= i, 000 (18), and P in the blocks of
/// parents: L^-1 = I - P. Y is constant for one-dof joints, Y = diag(Y_1, ..., Y_n). 003 prints (33) without the
/// alignment of its columns, and (34) with Ad_C in place of Ad_C^-1.
enum class SpatialForm : unsigned char { reference, body, hybrid };
struct SpatialFactors {
  Sparse A;          // 6n x 6n
  Sparse X;          // 6n x nv, block diagonal
  Sparse A_inverse;  // 6n x 6n
};
/// @paper 003 (32), (33), (34)
/// @paper 000 (107)
/// @paper 003 (38), (57)
SpatialFactors spatial_factors(const Model& model, const PositionKinematics& kin, SpatialForm form);
/// L of (9), 6n x 6n: 000 calls it the lower triangular block identity matrix.
/// @paper 000 (18)
/// @paper 002 (2.17), (2.18)
Sparse subtree_sums(const Model& model);

/// The joint velocities for given twists of all bodies, joint by joint:
///
///     v_i = X_i^+ (V_i - Ad_{C_ip} V_p)     003 (26); Remark 14: spatial; (45): hybrid     (6)
///
/// X^+ is the pseudoinverse. Exact if the twists are consistent. Otherwise this fits each joint to the relative twist
/// of its two bodies; it does not minimize |J v - V| over the mechanism, contrary to 003 on (26): use
/// least_squares_velocities.
/// @param V  n twists, in the order of moving_bodies
/// @returns  v, nv
/// @throws SizeError
/// @paper 003 (26), Remark 14
Vector inverse_velocities(const Model& model, const PositionKinematics& kin,
                          std::span<const Twist> V, Representation rep);

/// The joint accelerations for given accelerations Vd of all bodies, all body-fixed:
///
///     vd_i = X_i^+ (Vd_i - Ad_{C_ip} Vd_p + [V_i, Ad_{C_ip} V_p] - Xd_i v_i)               (7)
///
/// 000, Remark 3, corrected; Xd is zero for one-dof joints.
/// @param kin  at (q, v), for the twists
/// @param V_dot  n time derivatives of twists in `rep`, in the order of moving_bodies
/// @returns  vd, nv
/// @paper 000 (11), Remark 1, Remark 3
Vector inverse_accelerations(const Model& model, const VelocityKinematics& kin,
                             std::span<const Twist> V_dot, Representation rep);

/// A measured twist of a body or frame, for example from motion capture. Angular and linear parts have separate
/// weights, since radians and meters are not comparable; zero: not measured.
struct MeasuredTwist {
  Frame frame;
  Twist V;
  double angular = 1;  // [s^2/rad^2]
  double linear = 1;   // [s^2/m^2]
};

struct VelocityFit {
  Vector v;         // nv; of least norm if not unique
  int rank;         // nv - rank combinations of joint velocities are not determined
  double residual;  // the square root of (8), 0 for consistent twists
  Vector gap;       // the square root of the term of each measurement
};

/// The joint velocities closest to the measurements, by least squares:
///
///     minimize  sum_m angular_m |w(J_m v - V_m)|^2 + linear_m |v(J_m v - V_m)|^2           (8)
///
///     MeasuredTwist measured[] = {{hand, V_hand}, {elbow, V_elbow, 0, 1}};  // elbow: linear
///     VelocityFit fit = least_squares_velocities(model, kin, measured, Representation::hybrid);
/// @param rep  of the measured twists; in spatial form the linear part is the velocity at the world origin
/// @throws Error if a weight is negative, or a weight or twist not finite
VelocityFit least_squares_velocities(const Model& model, const PositionKinematics& kin,
                                     std::span<const MeasuredTwist> measured, Representation rep);

/// The same for higher derivatives: with v, ..., v^(n-1) known and V^(n) measured, the v^(n) closest to the measurements,
///
///     J v^(n) = V^(n) - (V^(n) at v^(n) = 0)                                              (10)
///
/// so n = 1 gives accelerations, n = 2 jerks, from the same sums (8). The solution for all bodies with equal weights
/// is the one that 000 mentions after (19).
/// @param q      nq
/// @param rates  nv x n: v and its first n - 1 time derivatives; no column: velocities
/// @returns  v^(n) in VelocityFit::v
/// @paper 000 (10), (18), (31)
VelocityFit least_squares_rates(const Model& model, ConstVectorRef q, ConstMatrixRef rates,
                                std::span<const MeasuredTwist> measured, Representation rep);

}  // namespace CHASLES_API
