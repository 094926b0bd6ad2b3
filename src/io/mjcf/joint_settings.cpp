#include <algorithm>

#include "chasles/suggest.hpp"
#include "io/mjcf/settings.hpp"
#include "mechanism/named_parts.hpp"

namespace chasles::io::mjcf {

Coefficients read_coefficients(const Setting& s, const char* attribute) {
  if (!s.has(attribute)) return {};
  std::vector<double> given = s.of(attribute).numbers(attribute, 1, 3);
  given.resize(3);
  return {given[0], {given[1], given[2]}};
}

Coefficients read_damping(const Setting& s) {
  Coefficients read = read_coefficients(s, "damping");
  if (read.linear >= 0 && !resists(read.linear, read.more)) {
    s.element().warn("damping " + quote(s.of("damping").text("damping")) +
                     " would drive the motion at some velocity; only its linear term is kept");
    read.more = {};
  }
  return read;
}

void read_limits(const Setting& s, const Compiler& compiler, Joint& joint) {
  const std::string limited = s.text("limited", "auto");
  static constexpr std::string_view words[] = {"false", "true", "auto"};
  if (std::find(std::begin(words), std::end(words), limited) == std::end(words))
    s.of("limited").refuse("limited " + quote(limited) + " is not known" + choices(limited, words));
  const bool auto_on = limited == "auto" && compiler.autolimits && s.has("range");
  if (joint.type == JointType::floating || !(limited == "true" || auto_on)) return;
  if (joint.type == JointType::spherical)
    return s.element().warn(
        "the range of a ball joint, which has several coordinates, is not kept");
  if (!s.has("range")) s.element().refuse("is limited, but has no range; give two numbers");
  const auto range = s.of("range").numbers("range", 2, 2);
  const double ref = s.number("ref", 0);
  const auto value = [&](double x) {
    return joint.type == JointType::revolute ? compiler.radians(x - ref) : x - ref;
  };
  joint.limits = JointLimits{value(range[0]), value(range[1]), {}, {}};
}

}  // namespace chasles::io::mjcf
