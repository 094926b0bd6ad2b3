/// What is seen of an MJCF model: its geoms of groups 0 to 2, which MuJoCo shows, with their colors.
#pragma once

#include "chasles/mechanism/appearance.hpp"
#include "io/mjcf/meshes.hpp"

namespace chasles::io::mjcf {

class VisualReader {
 public:
  /// Lists the colors of the materials of an <asset>.
  void list_materials(const Element& asset, const Defaults& defaults);
  /// A geom that cannot be shown is a note, not an error: it may be right for everything else.
  void add_geom(const Setting& geom, const std::string& body, const Compiler& compiler,
                Appearance& out) const;

 private:
  using Color = std::array<double, 4>;
  std::optional<Color> color_of(const Setting& geom) const;
  std::map<std::string, Color> materials_;
};

}  // namespace chasles::io::mjcf
