#include <algorithm>

#include "chasles/suggest.hpp"
#include "io/mjcf/settings.hpp"

namespace chasles::io::mjcf {

double read_coefficient(const Setting& s, const char* attribute) {
  if (!s.has(attribute)) return 0;
  const auto given = s.of(attribute).numbers(attribute, 1, 3);
  if (std::any_of(given.begin() + 1, given.end(), [](double x) { return x != 0; }))
    s.element().warn("of " + std::string(attribute) + " " + quote(s.of(attribute).text(attribute)) +
                     " only the linear term is kept, not those with x |x| and x^3: give them in a "
                     "scenario");
  return given[0];
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
