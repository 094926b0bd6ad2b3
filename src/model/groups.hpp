/// The Lie group of each elementary motion, as a row of one table: steps, differences, differentials and
/// charts. Only this table and link_motion.hpp (pose and screws) distinguish kinds of motion.
///
///     revolute, prismatic, helical, custom   R^n            q + x
///     spherical                              SO(3)          quaternion
///     floating_se3                           SE(3)          quaternion and position, v = (w; v) body-fixed
///     floating_so3xr3                        SO(3) x R^3    the same, v = (w body-fixed; rd)
///
/// Arguments q point to the coordinates of a link, x, v and p to its entries of v. Results must not overlap
/// arguments.
#pragma once

#include <span>

#include "chasles/lie/chart.hpp"
#include "chasles/model/model.hpp"
#include "model/model_data.hpp"

namespace chasles {

struct JointGroup {
  int nq, nv;  // 0: as given in the link
  bool flat;   // R^n
  /// q exp(x), with the sign of the quaternion that is continuous along exp(s x).
  void (*plus)(const double* q, const double* x, double* out);
  void (*minus)(const double* q1, const double* q0, double* out);   // log(q0^-1 q1)
  void (*dexp)(const double* x, const double* u, double* out);      // dexp_{-x} u
  void (*dexp_inv)(const double* x, const double* v, double* out);  // dexp_{-x}^-1 v
  /// Its derivative with respect to x along y.
  void (*d_dexp_inv)(const double* x, const double* y, const double* v, double* out);
  void (*dexp_inv_dual)(const double* x, const double* p, double* out);    // dexp_{-x}^-T p
  void (*ad_dual)(const double* v, const double* p, double* out);          // ad_v^T p
  void (*coordinate_rate)(const double* q, const double* v, double* out);  // the rate of q
  /// plus and dexp_inv in a chart; for canonical coordinates (exp) these are the functions above.
  void (*chart_plus)(Chart chart, const double* q, const double* x, double* out);
  void (*chart_rate)(Chart chart, const double* x, const double* v, double* out);
};

/// The row of a motion; for R^n the functions are null.
const JointGroup& group_of(LinkMotion motion);

/// Calls each(group, link) for the links whose group is not R^n.
template <class Each>
void for_groups(const Model& model, const Each& each) {
  for (const Link& link : tree_links(model))
    if (const JointGroup& group = group_of(link.motion); !group.flat) each(group, link);
}

/// Whether q starts with a quaternion.
constexpr bool has_quaternion(LinkMotion motion) {
  return motion == LinkMotion::spherical || motion == LinkMotion::floating_se3 ||
         motion == LinkMotion::floating_so3xr3;
}

/// Range of |q|^2 in which normalization is accurate.
inline constexpr double least_square = 1e-200, most_square = 1e200;

/// The rotation of a quaternion (w, x, y, z) of any nonzero length; the quaternion of a rotation, with w >=
/// 0, or with the sign nearer to another quaternion, so that quaternions along a motion do not jump.
SO3 rotation_of(const double* q);
void put_rotation(const SO3& R, double* q);
void put_rotation_near(const double* other, const SO3& R, double* q);
inline Vec3 vec3_at(const double* p) { return {p[0], p[1], p[2]}; }
inline void put(const Vec3& a, double* p) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }

}  // namespace chasles
