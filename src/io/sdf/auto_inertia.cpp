#include "io/sdf/auto_inertia.hpp"

#include <cmath>

#include "chasles/screws/inertia.hpp"
#include "io/sdf/joints.hpp"

namespace chasles::io::sdf {
namespace {

/// A solid of density 1, its center of mass on the z axis.
struct Solid {
  double volume = 0, z = 0;
  Sym3 tensor{};  // about the center of mass
};

double length_of(const Element& shape, const char* tag) {
  const double x = shape.require(tag).content_number();
  if (!(x > 0)) shape.refuse(std::string(tag) + " " + to_text(x) + " is not positive");
  return x;
}
Solid spheroid(double a, double b, double c) {
  const double V = 4 * M_PI / 3 * a * b * c;
  return {V, 0, V / 5 * Sym3::diagonal(b * b + c * c, a * a + c * c, a * a + b * b)};
}
Solid cylinder(double r, double l) {
  const double V = M_PI * r * r * l, across = V * (3 * r * r + l * l) / 12;
  return {V, 0, Sym3::diagonal(across, across, V * r * r / 2)};
}
/// A cylinder with half spheres at its ends, each with its center of mass 3/8 r above its plane.
Solid capsule(double r, double l) {
  const Solid middle = cylinder(r, l);
  const double ends = 4 * M_PI / 3 * r * r * r;
  const double along = ends * 2 * r * r / 5,
               across = ends * (2 * r * r / 5 + l * l / 4 + 3 * r * l / 8);
  return {middle.volume + ends, 0, middle.tensor + Sym3::diagonal(across, across, along)};
}
/// The base at -l/2.
Solid cone(double r, double l) {
  const double V = M_PI * r * r * l / 3, across = V * (3 * r * r / 20 + 3 * l * l / 80);
  return {V, -l / 4, Sym3::diagonal(across, across, 3 * V * r * r / 10)};
}

Solid solid_of(const Element& geometry) {
  for (const Element& e : geometry.children()) {
    const std::string_view tag = e.tag();
    if (tag == "box") {
      const auto s = e.require("size").content_numbers(3, 3);
      const double V = s[0] * s[1] * s[2];
      return {V, 0,
              V / 12 *
                  Sym3::diagonal(s[1] * s[1] + s[2] * s[2], s[0] * s[0] + s[2] * s[2],
                                 s[0] * s[0] + s[1] * s[1])};
    }
    if (tag == "ellipsoid") {
      const auto s = e.require("radii").content_numbers(3, 3);
      return spheroid(s[0], s[1], s[2]);
    }
    if (tag == "plane") return {};
    if (tag != "sphere" && tag != "cylinder" && tag != "capsule" && tag != "cone")
      e.refuse("the mass of <" + std::string(tag) + "> is not computed; give mass and inertia");
    const double r = length_of(e, "radius");
    if (tag == "sphere") return spheroid(r, r, r);
    const double l = length_of(e, "length");
    return tag == "cylinder" ? cylinder(r, l) : tag == "cone" ? cone(r, l) : capsule(r, l);
  }
  geometry.refuse("has no shape");
}

}  // namespace

std::optional<BodyInertia> inertia_of_shapes(const Element& link, const Element& inertial,
                                             int version) {
  const double usual = number_in(inertial, "density", 1000);
  Inertia sum{};
  for (const Element& collision : link.children()) {
    if (collision.tag() != "collision") continue;
    const GivenPose pose = read_pose(collision, version);
    if (!pose.relative_to.empty())
      collision.refuse(
          "the pose of a shape with a mass is read in its link; leave out relative_to");
    const Solid solid = solid_of(collision.require("geometry"));
    const double density = number_in(collision, "density", usual);
    sum = sum + transform(pose.C, lie::compose_inertia(density * solid.volume, {0, 0, solid.z},
                                                       density * solid.tensor));
  }
  if (!(sum.m > 0)) return std::nullopt;
  const double scale = number_in(inertial, "mass", sum.m) / sum.m;
  const Vec3 com = center_of_mass(sum);
  return BodyInertia{.mass = scale * sum.m,
                     .com = com,
                     .tensor = scale * (sum.I - lie::parallel_axis(sum.mc, com))};
}

}  // namespace chasles::io::sdf
