#include "chasles/mechanism/builder.hpp"
#include "io/yaml/yaml_parts.hpp"

namespace chasles::io {

DescribedIn read_in(const Fields& fields) {
  static constexpr std::string_view frames_of_reference[] = {"world", "parent", "body"};
  return static_cast<DescribedIn>(fields.choice("in", frames_of_reference, 0));
}

std::optional<Joint> read_given(const Fields& joint) {
  const Value* type = joint.find("type");
  const bool turns = type != nullptr && type->text == "constant_velocity";
  if (!turns && !joint.has("screw")) return std::nullopt;
  const DescribedIn in = read_in(joint);
  const auto X = turns ? std::vector<double>(6) : joint.numbers("screw", 6);
  const Vec3 axis = turns ? joint.vec3("axis") : Vec3{}, x = joint.vec3("x_axis", {}),
             point = joint.vec3("point", {}, dimensions::length);
  try {
    return turns ? joints::constant_velocity(axis, point, in, x)
                 : joints::of_screw({{X[0], X[1], X[2]}, {X[3], X[4], X[5]}}, in);
  } catch (const Error& error) {
    joint.refuse(joint.require(turns ? "axis" : "screw"), error.what());
  }
}

}  // namespace chasles::io
