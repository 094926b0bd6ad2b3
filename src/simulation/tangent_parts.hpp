/// Terms of tangents shared by several forces (systems/force_tangent.hpp).
#pragma once

#include "chasles/kinematics/kinematics.hpp"
#include "chasles/systems/force_tangent.hpp"

namespace chasles::forces {

/// The tangent of joint forces that depend only on time: zero.
inline void no_derivatives(double, const VelocityKinematics&, ForceTangent&) {}

/// d tau = -k dq - d dv in one entry of v.
inline void add_entry(ForceTangent& out, int v, double k, double d) {
  ForceTangent::JointBlock& block = out.joints.emplace_back();
  block.v = v, block.size = 1;
  block.K[0] = k, block.D[0] = d;
}

/// Adds a 3x3 block to a 6x6 matrix, its corner at (row, column).
inline void add_block(std::array<double, 36>& A, int row, int column, const Mat3& B) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[static_cast<std::size_t>(6 * (row + i) + column + j)] += B(i, j);
}

/// Adds the change of a wrench by the displacement (or velocity) of a point of a link, y = delta +
/// theta x lever, where lever leads from p to the point:
///
///     d torque = T y,    d force = F y
inline void add_point(std::array<double, 36>& A, const Mat3& T, const Mat3& F, const Vec3& lever) {
  const Mat3 turn = hat(-lever);
  add_block(A, 0, 0, T * turn), add_block(A, 0, 3, T);
  add_block(A, 3, 0, F * turn), add_block(A, 3, 3, F);
}

/// The element between two links with p and W = (t; f), zero otherwise.
inline ForceTangent::Element& add_element(ForceTangent& out, int a, int b, const Vec3& p,
                                          const Vec3& t, const Vec3& f) {
  ForceTangent::Element& e = out.elements.emplace_back();
  e.a = a, e.b = b, e.p = p;
  e.W = {t.x, t.y, t.z, f.x, f.y, f.z};
  return e;
}

}  // namespace chasles::forces
