/// Partial derivatives of applied forces with respect to the state, for the Newton matrices of implicit methods. Each
/// force adds its own; a sum of forces has a tangent only if every force has one.
///
/// Joint forces, in blocks of entries of v (one entry; three for a spherical joint), for q exp(dq) and v + dv:
///
///     d tau = -K dq - D dv                                                                    (1)
///
/// Entries outside these blocks, a force in one joint that depends on another, are listed one by one (`crosses`).
/// Newton's matrix is then dense.
///
/// Wrenches between two links: W acts on link b, -W on link a (-1: ground). Everything is in world axes about one
/// reference point p fixed in space:
///
///     eta   displacement of a link: (rotation; displacement of its material point at p)
///     V     twist of a link: (angular velocity; velocity of its material point at p)
///     W     wrench: (torque about p; force)
///
///     dW = K_a eta_a + K_b eta_b + D_a dV_a + D_b dV_b                                        (2)
///
/// dW, dV_a, dV_b are total changes with p held fixed. Matrices are stored by rows.
#pragma once

#include <array>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/math/linalg.hpp"

namespace chasles CHASLES_API {

struct ForceTangent {
  struct JointBlock {
    int v, size;            // entries v ... v + size - 1, at most 3
    double K[9]{}, D[9]{};  // (1), size x size
  };
  struct Element {
    int a, b;  // links; -1: ground
    Vec3 p;    // [m]
    std::array<double, 36> K_a{}, K_b{}, D_a{}, D_b{};
    std::array<double, 6> W{};  // the wrench itself, on b
  };
  struct Cross {
    int row, column;  // entries of v
    double K, D;      // (1)
  };
  std::vector<JointBlock> joints;
  std::vector<Cross> crosses;
  std::vector<Element> elements;
  /// Removes all terms; keeps the memory.
  void clear() { joints.clear(), crosses.clear(), elements.clear(); }
};

}  // namespace CHASLES_API
