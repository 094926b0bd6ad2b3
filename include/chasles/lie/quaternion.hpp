/// Conversion of rotations from and to unit quaternions (w, x, y, z) and roll, pitch, yaw, for input and output. Inside
/// the library a rotation is always an SO3.
#pragma once

#include <type_traits>

#include "chasles/export.hpp"
#include "chasles/lie/so3.hpp"

namespace chasles CHASLES_API {
namespace lie {

template <class S>
S norm(const Quaternion<S>& q) {
  using std::sqrt;
  return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

/// q / |q|: projects a quaternion that is not unit.
/// @throws Error for a zero or non-finite quaternion
template <class S>
Quaternion<S> normalized(const Quaternion<S>& q) {
  using std::abs, std::max;
  const S largest = max(max(abs(q.w), abs(q.x)), max(abs(q.y), abs(q.z)));
  if (!(largest > 0 && largest <= std::numeric_limits<S>::max()))
    throw Error("quaternion " + tuple_text(std::array{q.w, q.x, q.y, q.z}) +
                " has no direction; give (w, x, y, z) of length 1, such as (1, 0, 0, 0)");
  const Quaternion<S> scaled{q.w / largest, q.x / largest, q.y / largest, q.z / largest};
  const S length = norm(scaled);
  return {scaled.w / length, scaled.x / length, scaled.y / length, scaled.z / length};
}

/// Largest deviation of the length of a given quaternion from 1 that is attributed to rounding and removed.
inline constexpr double quaternion_tolerance = 1e-6;

/// The rotation of a unit quaternion. A length within quaternion_tolerance of 1 is normalized.
/// @throws Error for any other length
template <class S>
SO3<S> rotation(const Quaternion<S>& quaternion) {
  const Quaternion<S> q = normalized(quaternion);
  if (const S excess = norm(quaternion) - 1;
      !(std::abs(excess) <= std::max(S(quaternion_tolerance), 64 * epsilon<S>)))
    throw Error("quaternion " +
                tuple_text(std::array{quaternion.w, quaternion.x, quaternion.y, quaternion.z}) +
                " is not unit: |q| - 1 = " + to_short_text(static_cast<double>(excess)) +
                "; give (w, x, y, z) of length 1 or project with normalized");
  const Vec3<S> v{q.x, q.y, q.z};
  return SO3<S>::unchecked(rodrigues(v, q.w * q.w - dot(v, v), 2 * q.w, S(2)));
}

/// The common scalar type of several numbers; double if all are integers.
template <class... Numbers>
using common_scalar = std::conditional_t<std::is_integral_v<std::common_type_t<Numbers...>>, double,
                                         std::common_type_t<Numbers...>>;

/// R = Rz(yaw) Ry(pitch) Rx(roll) [rad], the convention of URDF. Arguments of any number types: rotation_from_rpy(0,
/// 0.5, 0) is an SO3<double>.
template <class Roll, class Pitch, class Yaw>
SO3<common_scalar<Roll, Pitch, Yaw>> rotation_from_rpy(const Roll& roll, const Pitch& pitch,
                                                       const Yaw& yaw) {
  using std::cos, std::sin;
  using S = common_scalar<Roll, Pitch, Yaw>;
  const S x = static_cast<S>(roll), y = static_cast<S>(pitch), z = static_cast<S>(yaw);
  const S cr = cos(x), sr = sin(x), cp = cos(y), sp = sin(y), cy = cos(z), sy = sin(z);
  return SO3<S>::unchecked({{cy * cp, sy * cp, -sp},
                            {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr},
                            {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr}});
}

/// (roll, pitch, yaw) with |pitch| <= pi/2. Where only yaw -+ roll is determined (pitch = +-pi/2),
/// roll is 0.
template <class S>
Vec3<S> rpy(const SO3<S>& C) {
  using std::atan2, std::sqrt;
  const Mat3<S>& R = C.matrix();
  const S cp = sqrt(R(0, 0) * R(0, 0) + R(1, 0) * R(1, 0)), pitch = atan2(-R(2, 0), cp);
  if (real_part(cp) < 16 * epsilon<S>) return {S(0), pitch, atan2(-R(0, 1), R(1, 1))};
  return {atan2(R(2, 1), R(2, 2)), pitch, atan2(R(1, 0), R(0, 0))};
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using lie::rotation_from_rpy;
}  // namespace CHASLES_API
