/// Parameter sensitivities: derivatives with respect to the numbers of the description. For calibration, identification
/// and design.
///
/// A parameter pi belongs to a joint or to a body. Everything is evaluated at pi = 0, the compiled mechanism; screws
/// are in the frame of the child body at q = 0, C_i = C_p B_i exp(X_i q_i).
///
///     frame    B_i(pi) = B_i exp(U pi)        000 6.2: joint and body move on the parent  (1)
///     axis     X_i(pi) = Ad_{exp(U pi)} X_i   the joint moves; bodies at q = 0 do not     (2)
///     screw    X_ik(pi) = X_ik + U pi         one screw: axis, pitch, length              (3)
///     inertia  one of the ten inertial parameters of a body, in its frame: screws/inertia.hpp   (4)
///
/// Frames and applied wrenches keep their pose on their body. A pitch is (3) along (0; e). Spherical and floating
/// joints have (1) and (2) only, since their screws change together. Fixed joints, which are merged, have no
/// parameters.
///
/// In (1) to (3) a parameter changes the links of its joint: link i moves by delta_i on its parent,
/// body-fixed, and its screws by dX_i. With p = parent(i), Ad = Ad_{C_ip}, u = X v, ud = du/dt:
///
///     frame    delta = Ad_T^-1 U,           dX = 0            000 6.2, first link         (5)
///     axis     delta = Ad_T^-1 U - U,       dX_k = ad_U X_k   all links                   (6)
///     screw    delta = dexp_{-X q} (q U),   dX_k = U          first kind: docs/theory     (7)
///
///     eta_i = Ad eta_p + delta_i                 dC_i = C_i hat(eta_i)                    (8)
///     dJ_j = ad_{J_j} (eta - Ad eta_j) + Ad dX_j                              body-fixed  (9)
///     dV_i = Ad dV_p - ad_delta Ad V_p + du_i                                            (10)
///     dVd_i = Ad dVd_p - ad_delta Ad Vd_p + dud_i + ad_{dV_i} u_i + ad_{V_i} du_i        (11)
///     dW_i = M dVd_i - ad_{dV}^T M V - ad_V^T M dV - dW_app                              (12)
///     dtau_k = X_k . dW_i + dX_k . W_i,  dW_p += Ad^T (dW_i - ad_delta^T W_i)            (13)
///     da = -M^-1 dtau                                                                    (14)
///
/// all in O(n) per parameter, except M^-1. (4) is a column of the regressor: dtau = J^T W(e_j).
///
///     const Parameter list[] = {parameter(model, "elbow", "frame.vx"), parameter(model, "hand", "m")};
///     ForceSensitivity work(model, list);
///     const Matrix& dtau = force_sensitivity(model, q, v, a, work);         // nv x 2
#pragma once

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// A parameter of the description. Made by the functions below.
struct Parameter {
  enum class Kind : unsigned char { frame, axis, screw, inertia };
  Model model;
  Kind kind;
  int owner;  // index in Model::joints(); inertia: in Model::bodies()
  int entry;  // screw: index in the joint; inertia: index of the ten; else 0
  Twist U;    // frame, axis, screw
};

/// (1) and (2): along a screw in the frame of the child body at q = 0.
/// @throws Error for an unknown joint, with the nearest known name, or if U is not finite
/// @paper 000 section 6.2
Parameter frame_parameter(const Model& model, std::string_view joint, const Twist& U);
Parameter axis_parameter(const Model& model, std::string_view joint, const Twist& U);
/// (3): for screw k = 0, 1, ... of the joint, in the order of ModelJoint::X.
/// @throws Error also if the joint has no screw k, or is spherical or floating
Parameter screw_parameter(const Model& model, std::string_view joint, int k, const Twist& dX);
/// The pitch of screw k [m/rad]; a revolute joint has one too, at zero.
/// @throws Error also if the screw is a translation
Parameter pitch_parameter(const Model& model, std::string_view joint, int k = 0);
/// (4): entry 0 ... 9.
/// @throws Error for an unknown body or entry
Parameter inertial_parameter(const Model& model, std::string_view body, int entry);

/// By name. Joints: `frame.wx` ... `frame.vz` and `axis.wx` ... `axis.vz` along the axes of the child
/// body, `screw.wx` ... `screw.vz` and `pitch`; if the joint has several screws `screw0.wx`, `pitch0`,
/// and so on. Bodies: `m`, `mcx`, `mcy`, `mcz`, `Ixx`, `Ixy`, `Ixz`, `Iyy`, `Iyz`, `Izz`.
/// @param owner  a joint or a body; if both have the name, the name of the parameter decides
/// @throws Error naming the unknown name, and the nearest known one
Parameter parameter(const Model& model, std::string_view owner, std::string_view name);
/// All parameter names of an owner.
std::vector<std::string> parameter_names(const Model& model, std::string_view owner);

/// (1) with several nonzero parameters, B(pi) = B_0 exp(U_1 pi_1) ... exp(U_L pi_L): the screws U for which (1) gives
/// the derivatives there, in the model compiled with B(pi), 000 6.2:
///
///     Ad^-1_{exp(U_{a+1} pi_{a+1}) ... exp(U_L pi_L)} U_a
///
/// @throws SizeError
std::vector<Twist> frame_screws(std::span<const Twist> U, ConstVectorRef pi);

/// (8) for a body or frame, one column per parameter: the twist by which its pose changes.
/// @param out  6 x parameters
/// @throws SizeError; ForeignError if an argument is of another model
/// @paper 000 section 6.2
void pose_sensitivity(const Model& model, const PositionKinematics& kin, const Frame& frame,
                      Representation rep, std::span<const Parameter> parameters, Matrix6XRef out);
/// (9): the derivative of the Jacobian of a body or frame, in any representation.
/// @param out  6 x nv
void jacobian_sensitivity(const Model& model, const PositionKinematics& kin, const Frame& frame,
                          Representation rep, const Parameter& parameter, Matrix6XRef out);

/// Workspace and result: one per thread; after construction no call allocates.
class ForceSensitivity {
 public:
  /// @throws ForeignError if a parameter is of another model
  ForceSensitivity(const Model& model, std::span<const Parameter> parameters);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Matrix& dtau() const { return dtau_; }  // nv x parameters

 private:
  friend const Matrix& force_sensitivity(const Model&, ConstVectorRef, ConstVectorRef,
                                         ConstVectorRef, ForceSensitivity&, AppliedWrenches);
  struct Scratch;
  Model model_;
  std::vector<Parameter> parameters_;
  Matrix dtau_;
  ValuePtr<Scratch> scratch_;
};
/// (10) to (13): derivatives of the joint forces of inverse dynamics at (q, v, a), into out.dtau().
/// @param applied  wrenches on bodies; those that are not body-fixed keep their direction in the world
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
/// @paper 000 section 6.2
const Matrix& force_sensitivity(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                ConstVectorRef a, ForceSensitivity& out,
                                AppliedWrenches applied = {});

/// Workspace and result: one per thread; after construction no call allocates (the first applied
/// wrench does, once).
class AccelerationSensitivity {
 public:
  AccelerationSensitivity(const Model& model, std::span<const Parameter> parameters);

  const std::vector<Parameter>& parameters() const { return forces_.parameters(); }
  const Vector& a() const { return forward_.a; }  // nv: forward dynamics
  const Matrix& da() const { return da_; }        // nv x parameters

 private:
  friend const Matrix& acceleration_sensitivity(const Model&, ConstVectorRef, ConstVectorRef,
                                                ConstVectorRef, AccelerationSensitivity&,
                                                AppliedWrenches);
  ForceSensitivity forces_;
  ForwardDynamics forward_;
  MassMatrixInverse inverse_;
  Matrix da_;
};
/// (14): derivatives of the accelerations of forward dynamics at (q, v, tau), into out.da().
/// @throws as force_sensitivity; SingularError naming the joint without inertia
const Matrix& acceleration_sensitivity(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                       ConstVectorRef tau, AccelerationSensitivity& out,
                                       AppliedWrenches applied = {});

}  // namespace CHASLES_API
