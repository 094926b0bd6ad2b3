/// Poses, twists and accelerations of every link, and of bodies and frames in any representation.
///
///     C_i  = C_p P_i T_i(q_i)                                                              (1)
///     w_i  = w_p + R_i u_w                                                                 (2)
///     rd_i = rd_p + w_p x d + R_i u_v,                     d = r_i - r_p                   (3)
///     a_i  = a_p + R_i ud_w + w_p x R_i u_w                                                (4)
///     rdd_i = rdd_p + a_p x d + w_p x (w_p x d) + (w_p + w_i) x R_i u_v + R_i ud_v         (5)
///
/// u = X_i v_i is the body-fixed twist of joint i, ud its time derivative. The recursions use the hybrid form
/// (003 (42), 000 (29)): twists need no transformation, and accuracy does not depend on the location of the mechanism
/// in the world. Results are given in the representation that the caller names.
///
/// The classes are workspace and result: make one per thread and reuse it; after construction no call allocates. Their
/// types tell what is up to date: a function that needs twists takes VelocityKinematics, and results of one stage
/// cannot be overwritten by a lower one. Before the first computation everything is NaN.
///
///     AccelerationKinematics kin(model);
///     forward_kinematics(model, q, v, a, kin);
///     Twist V_s = twist(kin, model.frame("hand"), Representation::spatial);
#pragma once

#include "chasles/detail/value_ptr.hpp"
#include "chasles/export.hpp"
#include "chasles/model/model.hpp"
#include "chasles/screws/representation.hpp"

namespace chasles CHASLES_API {

/// Poses of the links, at q.
class PositionKinematics {
 public:
  explicit PositionKinematics(const Model& model);

  const Model& model() const { return model_; }
  const Vector& q() const { return q_; }            // nq: of the last computation
  const std::vector<SE3>& C() const { return C_; }  // links, in the world

 private:
  friend class MotionPasses;
  struct Scratch;
  Model model_;
  Vector q_;
  std::vector<SE3> C_;
  ValuePtr<Scratch> scratch_;
};
/// Poses and hybrid twists (w; rd) of the links, at (q, v).
class VelocityKinematics {
 public:
  explicit VelocityKinematics(const Model& model);
  operator const PositionKinematics&() const { return position_; }

  const Model& model() const { return position_.model(); }
  const Vector& q() const { return position_.q(); }
  const std::vector<SE3>& C() const { return position_.C(); }
  const Vector& v() const { return v_; }                  // nv
  const std::vector<Twist>& V_h() const { return V_h_; }  // links

 private:
  friend class MotionPasses;
  PositionKinematics position_;
  Vector v_;
  std::vector<Twist> V_h_;
};
/// Poses, hybrid twists and hybrid accelerations (a; rdd) of the links, at (q, v, vd). Without gravity.
class AccelerationKinematics {
 public:
  explicit AccelerationKinematics(const Model& model);
  operator const VelocityKinematics&() const { return velocity_; }
  operator const PositionKinematics&() const { return velocity_; }

  const Model& model() const { return velocity_.model(); }
  const Vector& q() const { return velocity_.q(); }
  const std::vector<SE3>& C() const { return velocity_.C(); }
  const Vector& v() const { return velocity_.v(); }
  const std::vector<Twist>& V_h() const { return velocity_.V_h(); }
  const Vector& a() const { return a_; }                  // nv
  const std::vector<Twist>& A_h() const { return A_h_; }  // links

 private:
  friend class MotionPasses;
  VelocityKinematics velocity_;
  Vector a_;
  std::vector<Twist> A_h_;
};

/// Poses (1). q: nq, joints in model order; quaternions need not be exactly unit.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
/// @paper 000 (92), (93)
/// @paper 003 (4), (6), (8), (10)
void forward_kinematics(const Model& model, ConstVectorRef q, PositionKinematics& out);
/// Poses and twists (1) to (3). v: nv.
/// @paper 000 (108)-(110)
/// @paper 003 (14), (30), (42)
void forward_kinematics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                        VelocityKinematics& out);
/// Poses, twists and accelerations (1) to (5). vd: nv.
/// @paper 000 (65), (69), (72)-(74)
void forward_kinematics(const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef vd,
                        AccelerationKinematics& out);

/// The pose of a body or frame in the world.
SE3 pose(const PositionKinematics& kin, const Frame& frame);
/// The twist of a body or frame in a representation [rad/s, m/s].
/// @paper 000 (97)-(100)
/// @paper 003 (80)
/// @paper 001 (33)
Twist twist(const VelocityKinematics& kin, const Frame& frame, Representation rep);
/// The time derivative of that twist [rad/s^2, m/s^2]. In hybrid and mixed form the linear part is
/// the classical acceleration of the frame's origin.
/// @paper 000 (6), (17), (28), (29), (33)
Twist acceleration(const AccelerationKinematics& kin, const Frame& frame, Representation rep);

/// Relative motion of `to` with respect to `from`: C_from^-1 C_to, and the relative twist, represented in the frame
/// `from` (003 (81)).
/// @paper 003 (63)
SE3 relative_pose(const PositionKinematics& kin, const Frame& from, const Frame& to);
/// @paper 003 (81)
Twist relative_twist(const VelocityKinematics& kin, const Frame& from, const Frame& to);

/// Center of mass of the moving bodies (without those fixed to ground), in the world [m].
/// @throws Error if no moving body has mass
Vec3 center_of_mass(const Model& model, const PositionKinematics& kin);

/// plus: the configuration reached from q by the increment dv: q + dv for vector coordinates, q exp(dv) on the Lie
/// group for spherical and floating joints. minus: the increment from q0 to q1.
void plus(const Model& model, ConstVectorRef q, ConstVectorRef dv, VectorRef out);
void minus(const Model& model, ConstVectorRef q1, ConstVectorRef q0, VectorRef out);

/// Validates a configuration given by the user: finite, with unit quaternions. Those within quaternion_tolerance
/// (lie/quaternion.hpp) are normalized.
/// @throws SizeError, or Error naming the joint and its value
Vector checked_configuration(const Model& model, ConstVectorRef q);

}  // namespace CHASLES_API
