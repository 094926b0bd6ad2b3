/// Visual geometry of the bodies of a mechanism; used in reports only.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/lie/se3.hpp"

namespace chasles CHASLES_API {

/// A visual shape of a body.
struct VisualShape {
  enum class Kind : unsigned char { box, sphere, cylinder, mesh };
  Kind kind = Kind::box;
  /// box: its edges; sphere: (radius, 0, 0); cylinder: (radius, length along z, 0) [m]; mesh: its scale
  Vec3 size{1, 1, 1};
  SE3 pose{};                                    // in the body frame
  std::optional<std::array<double, 4>> color{};  // red, green, blue, opacity: 0 to 1
  std::filesystem::path mesh{};                  // .stl or .obj
};

struct Appearance {
  /// By body name; a body without shapes is shown as the box of equal inertia.
  std::unordered_map<std::string, std::vector<VisualShape>> shapes{};
  std::vector<std::string> notes{};  // a sentence for each visual that cannot be displayed
};

}  // namespace CHASLES_API
