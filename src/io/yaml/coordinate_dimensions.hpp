/// Dimensions of the numbers of a joint in files: its coordinates, velocities and forces, and their quotients.
#pragma once

#include "chasles/mechanism/joint.hpp"
#include "chasles/model/model.hpp"
#include "math/expression.hpp"

namespace chasles::io {

/// Of one coordinate. `turn` is the dimension of the displacement: rad for quaternions, whose entries have none.
struct CoordinateDimensions {
  Dimension q = dimensions::any, v = dimensions::any, force = dimensions::any,
            turn = dimensions::any;

  Dimension stiffness() const { return quotient(force, turn); }
  Dimension damping() const { return quotient(force, v); }
  /// a / b.
  static Dimension quotient(const Dimension& a, const Dimension& b) {
    return a == dimensions::any || b == dimensions::any ? dimensions::any : a + b * -1;
  }
};

inline CoordinateDimensions dimensions_of(CoordinateKind kind) {
  const CoordinateKindInfo& info = coordinate_kind_info(kind);
  const Dimension v = dimension_of(info.v_unit);
  return {dimension_of(info.q_unit), v, dimension_of(info.force_unit), v + dimensions::time};
}

/// Of a joint whose coordinates are all of one kind; any dimension for others.
inline CoordinateDimensions dimensions_of(const std::vector<CoordinateKind>& kinds) {
  if (kinds.empty()) return {};
  for (const CoordinateKind kind : kinds)
    if (kind != kinds.front()) return {};
  return dimensions_of(kinds.front());
}
inline CoordinateDimensions dimensions_of(const ModelJoint& joint) {
  std::vector<CoordinateKind> kinds;
  for (const JointCoordinate& c : joint.coordinates) kinds.push_back(c.kind);
  return dimensions_of(kinds);
}

/// One per entry of q, or of v, of a joint.
inline std::vector<Dimension> q_dimensions(const ModelJoint& joint) {
  std::vector<Dimension> list;
  for (const JointCoordinate& c : joint.coordinates)
    list.insert(list.end(), static_cast<std::size_t>(c.nq), dimensions_of(c.kind).q);
  return list;
}
inline std::vector<Dimension> v_dimensions(const ModelJoint& joint) {
  std::vector<Dimension> list;
  for (const JointCoordinate& c : joint.coordinates)
    list.insert(list.end(), static_cast<std::size_t>(c.nv), dimensions_of(c.kind).v);
  return list;
}

}  // namespace chasles::io
