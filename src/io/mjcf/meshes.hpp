/// The meshes of an MJCF file: <mesh> of <asset>, read when a geom first needs one.
#pragma once

#include <map>
#include <memory>

#include "chasles/mechanism/appearance.hpp"
#include "io/meshes/mesh_mass.hpp"
#include "io/mjcf/settings.hpp"

namespace chasles::io::mjcf {

/// A mesh in its principal frame: origin at the center of mass, moments of inertia decreasing from x to z.
struct PrincipalMesh {
  double measure = 0;  // volume, or area of a shell
  SE3 frame{};         // pose of the principal frame in that of the mesh
  Vec3 moments{};      // per mass
  Vec3 box{};          // half edges of the box of equal inertia
  Vec3 low{}, high{};  // bounds of the vertices in the principal frame
};

class Meshes {
 public:
  /// @param folder  of the model file
  Meshes(const Compiler& compiler, const std::filesystem::path& folder)
      : compiler_(compiler), folder_(folder) {}
  /// Lists the meshes of an <asset>.
  void add(const Element& asset, const Defaults& defaults);

  /// A mesh by name.
  /// @returns null if it cannot be used, with a sentence that says why
  /// @throws Error naming the geom if there is no mesh of that name, with the nearest name
  const PrincipalMesh* find(const Element& geom, const std::string& name, std::string& why) const;
  /// Its file as it is seen in the frame of a geom; none if it has no file. The file is not read.
  std::optional<VisualShape> shown(const std::string& name) const;

 private:
  struct Entry {
    Setting setting;
    bool read = false;
    std::optional<PrincipalMesh> mesh{};
    std::string why{};
  };
  PrincipalMesh read(const Setting& setting) const;
  TriangleMesh triangles(const Setting& setting) const;
  std::filesystem::path file_of(const Setting& setting) const;

  Compiler compiler_;
  std::filesystem::path folder_;
  mutable std::map<std::string, Entry> entries_;
};

}  // namespace chasles::io::mjcf
