/// Geoms of MJCF: their shapes, given or fitted to a mesh, and their masses.
#pragma once

#include "io/mjcf/meshes.hpp"

namespace chasles::io::mjcf {

struct GeomShape {
  enum Kind : unsigned char { plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh, sdf };
  Kind kind = sphere;
  /// Half sizes: sphere: radius; capsule and cylinder: radius, half length along z; plane: as given.
  Vec3 size{};
  SE3 pose{};                 // in the body; of a mesh that is known its principal frame
  const PrincipalMesh* of{};  // kind mesh; null: not known
  std::string why{};          // a mesh is not known
  bool known() const { return why.empty(); }
};
std::string_view name_of(GeomShape::Kind kind);

/// A primitive with a mesh is fitted to the box of equal inertia of the mesh, or to its bounds (`fitaabb`).
GeomShape read_shape(const Setting& geom, const Compiler& compiler);

/// Mass properties of a geom at its mass.
struct GeomInertia {
  double mass = 0;
  Vec3 com{};     // in the body
  Sym3 tensor{};  // about com
};
GeomInertia operator+(const GeomInertia& a, const GeomInertia& b);
/// By `mass`, or by `density` and volume; of a shell by area.
GeomInertia read_geom_inertia(const Setting& geom, const Compiler& compiler);

}  // namespace chasles::io::mjcf
