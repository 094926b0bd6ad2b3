/// Numbers and inertias as texts of XML formats.
#pragma once

#include <array>
#include <span>

#include "chasles/lie/quaternion.hpp"
#include "chasles/mechanism/mechanism.hpp"
#include "io/text.hpp"

namespace chasles::io {

/// Numbers between spaces, with as many digits as they need to read back; -0 is 0.
inline std::string numbers_text(std::span<const double> numbers) {
  std::string text;
  for (const double x : numbers) {
    if (!text.empty()) text += ' ';
    text += to_text(x + 0);
  }
  return text;
}
inline std::string numbers_text(const Vec3& x) { return numbers_text(std::array{x.x, x.y, x.z}); }

/// The tensor of an inertia about its center of mass.
inline Sym3 tensor_about_com(const BodyInertia& inertia) {
  return inertia.about_com
             ? inertia.tensor
             : inertia.tensor - lie::parallel_axis(inertia.mass * inertia.com, inertia.com);
}

/// Names of a file, each used once. Written from names of the mechanism, some of which a format does not allow.
class WrittenNames {
 public:
  /// A name like `wanted` that is not used; from now on it is.
  template <class Taken>
  static std::string fresh(Taken& taken, std::string wanted) {
    while (!taken.insert(wanted).second) wanted += '_';
    return wanted;
  }
};

}  // namespace chasles::io
