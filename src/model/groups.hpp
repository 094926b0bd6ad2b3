/// The group that each elementary motion lives on, as a row of one table: what steps, differences,
/// differentials and charts are. Nothing else asks what a motion is, but for its pose and screws
/// (link_motion.hpp).
///
///     turn, slide, screw, exponential   R^n            q + x
///     ball                              SO(3)          quaternion
///     rigid                             SE(3)          quaternion and position, v = (w; v) body-fixed
///     direct                            SO(3) x R^3    the same, v = (w body-fixed; rd)
///
/// Coordinates of a link are at q, its entries of v at x, v, p. Results may not overlap arguments.
#pragma once

#include <span>

#include "chasles/lie/chart.hpp"
#include "chasles/model/model.hpp"

namespace chasles {

struct JointGroup {
  int nq, nv;  // 0: of the link
  bool flat;   // R^n
  /// q exp(x), with the sign of the quaternion that a turn from q to there leads to.
  void (*plus)(const double* q, const double* x, double* out);
  void (*minus)(const double* q1, const double* q0, double* out);   // log(q0^-1 q1)
  void (*dexp)(const double* x, const double* u, double* out);      // dexp_{-x} u
  void (*dexp_inv)(const double* x, const double* v, double* out);  // dexp_{-x}^-1 v
  /// Its derivative by x along y.
  void (*d_dexp_inv)(const double* x, const double* y, const double* v, double* out);
  void (*dexp_inv_dual)(const double* x, const double* p, double* out);    // dexp_{-x}^-T p
  void (*ad_dual)(const double* v, const double* p, double* out);          // ad_v^T p
  void (*coordinate_rate)(const double* q, const double* v, double* out);  // the rate of q
  /// plus and dexp_inv in a chart; of exponential coordinates they are the above.
  void (*chart_plus)(Chart chart, const double* q, const double* x, double* out);
  void (*chart_rate)(Chart chart, const double* x, const double* v, double* out);
};

/// The row of a motion; of flat ones the functions are null.
const JointGroup& group_of(LinkMotion motion);

/// Calls each(group, link) for the links whose group is not R^n.
template <class Each>
void for_groups(const Model& model, const Each& each) {
  for (const Link& link : model.links())
    if (const JointGroup& group = group_of(link.motion); !group.flat) each(group, link);
}

/// q begins with a quaternion.
constexpr bool has_quaternion(LinkMotion motion) {
  return motion == LinkMotion::spherical || motion == LinkMotion::floating_se3 ||
         motion == LinkMotion::floating_so3xr3;
}

/// Squares of lengths of quaternions that can be divided by: beyond, digits are lost, then all.
inline constexpr double least_square = 1e-200, most_square = 1e200;

/// The rotation of a quaternion (w, x, y, z) of any nonzero length, and the quaternion with w >= 0; or
/// that of the two which is nearer to another, so that quaternions along a motion do not jump.
SO3 rotation_of(const double* q);
void put_rotation(const SO3& R, double* q);
void put_rotation_near(const double* other, const SO3& R, double* q);
inline Vec3 vec3_at(const double* p) { return {p[0], p[1], p[2]}; }
inline void put(const Vec3& a, double* p) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }

}  // namespace chasles
