/// What the bodies of a mechanism look like; for reports alone, nothing is computed with it.
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

/// What a body looks like, or a part of it.
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
  /// By the names of bodies; one that has none is shown as the box that has its inertia.
  std::unordered_map<std::string, std::vector<VisualShape>> shapes{};
  std::vector<std::string> notes{};  // a sentence for everything that cannot be shown
};

}  // namespace CHASLES_API
