/// Visual geometry of the bodies of a mechanism; used in reports only.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/lie/se3.hpp"

namespace chasles CHASLES_API {

/// A visual shape of a body.
struct VisualShape {
  enum class Kind : unsigned char { box, sphere, cylinder, mesh, capsule, ellipsoid, plane };
  Kind kind = Kind::box;
  /// box: its edges; sphere: (radius, 0, 0); cylinder and capsule: (radius, length along z without caps, 0) [m]; mesh:
  /// its scale; ellipsoid: semiaxes; plane: not used, it is z = 0
  Vec3 size{1, 1, 1};
  SE3 pose{};                                    // in the body frame
  std::optional<std::array<double, 4>> color{};  // red, green, blue, opacity: 0 to 1
  std::filesystem::path mesh{};                  // .stl or .obj
};

/// A shape that may touch others.
struct TouchingShape {
  std::string frame;  // a body, a frame, or ground
  VisualShape shape;
};
/// Force elements and constraints along a line through points of bodies or frames.
struct DrawnLine {
  enum class Kind : unsigned char { spring, bushing, tendon, rod };
  Kind kind = Kind::spring;
  std::vector<std::pair<std::string, Vec3>> points{};
};

struct Appearance {
  /// By body name. A body without visuals is shown by its collision shapes, else by its contact shapes, else as a link
  /// between its joints.
  std::unordered_map<std::string, std::vector<VisualShape>> shapes{};
  std::vector<TouchingShape> collisions{}, contacts{};  // of the mechanism; of a scenario
  std::vector<DrawnLine> lines{};
  std::vector<std::string> notes{};  // a sentence for each visual that cannot be displayed
};

}  // namespace CHASLES_API
