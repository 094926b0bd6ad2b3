/// The Newton-Euler equations of one body, in any frame: the wrench for a given twist V and acceleration Vd. 000
/// section 3, corrected.
///
/// Let F be a frame that moves with the twist U, body-fixed in F. Everything in F, Pi = M V:
///
///     W = M (Vd + ad_U V) - ad_V^T M V                            (62), (63), corrected    (1)
///     Pid = W + ad_U^T Pi                                         (52), corrected          (2)
///
///     body-fixed  F is the body frame, U = V                      (41)     M Vd - ad_V^T M V
///     spatial     F is the world, U = 0                           (38)     M Vd - ad_V^T M V
///     hybrid      F at the body's origin, world axes, U = (0; rd) (53)-(55)
///     (j, k)      F at the origin of F_j, in the axes of F_k, U = (w_k; v_j)
///
/// The mixed form does not belong to one frame: the torque is in body axes, the force in world axes, (56) and (57):
///
///     t^b = I wd + w x I w + mc x R^T rdd,    f = m rdd + R (wd x mc + w x (w x mc))       (3)
///
///     Wrench W_h = textbook::newton_euler(M, C, V_h, V_h_dot, Representation::hybrid);
#pragma once

#include "chasles/export.hpp"
#include "chasles/screws/representation.hpp"

namespace chasles CHASLES_API {
namespace textbook {

/// A frame in which the motion of a body is expressed: its pose in the world and its own body-fixed twist.
struct MovingFrame {
  SE3 F;
  Twist U;
};

/// The frame at the origin of F_j in the axes of F_k, from their poses and body-fixed twists.
MovingFrame moving_frame(const SE3& C_j, const Twist& V_j, const SE3& C_k, const Twist& V_k);
/// The frame of the body-fixed, spatial or hybrid representation of a body with pose C and body-fixed twist V_b.
/// @throws Error for the mixed representation, which does not belong to one frame
MovingFrame moving_frame(const SE3& C, const Twist& V_b, Representation rep);

/// Twist, acceleration and inertia of a body in a moving frame.
struct BodyInFrame {
  Twist V;      // Ad_{F^-1 C} V_b
  Twist V_dot;  // its time derivative
  Inertia M;
};
/// From the body-fixed quantities; C: pose of the body.
/// @paper 000 (61), (64)
BodyInFrame in_frame(const Inertia& M_b, const SE3& C, const Twist& V_b, const Twist& V_b_dot,
                     const MovingFrame& frame);

/// (1): the wrench in F, from M, V, Vd in F [N m, N].
/// @paper 000 (60), (63)
Wrench newton_euler(const BodyInFrame& body, const MovingFrame& frame);
/// (2): the time derivative of the momentum Pi, all in F.
/// @paper 000 (36), (52), (62)
Wrench momentum_rate(const Wrench& W, const Wrench& Pi, const MovingFrame& frame);

/// (1) or (3): the wrench in a representation, from the body-fixed inertia, the pose, and twist and acceleration in
/// that representation. Without gravity; with the acceleration Vd + (0; -g), in body form Vd + (0; -R^T g), it is the
/// wrench of all forces except gravity.
/// @paper 000 (42)-(46), (48)-(50), (53)-(58)
/// @paper 001 (34)
/// @paper 002 (2.5), (2.9)
Wrench newton_euler(const Inertia& M_b, const SE3& C, const Twist& V, const Twist& V_dot,
                    Representation rep);

}  // namespace textbook
}  // namespace CHASLES_API
