#include <algorithm>
#include <cmath>

#include "chasles/screws/physical.hpp"
#include "chasles/suggest.hpp"
#include "io/formats/format.hpp"
#include "io/mjcf/settings.hpp"
#include "math/decompositions.hpp"

namespace chasles::io::mjcf {
namespace {

/// Mass and inertia of a body computed from its geoms.
struct GeomInertia {
  double mass = 0;
  Vec3 com{};
  Sym3 tensor{};  // about com
};
GeomInertia operator+(const GeomInertia& a, const GeomInertia& b) {
  const double m = a.mass + b.mass;
  if (m == 0) return {};
  const Vec3 way = b.com - a.com;
  return {m, a.com + (b.mass / m) * way,
          a.tensor + b.tensor + lie::parallel_axis((a.mass * b.mass / m) * way, way)};
}

/// Volume and inertia at unit density of a shape about its center, its long axis along z.
struct Solid {
  double volume;
  Vec3 moments;  // per mass
};
Solid solid_of(const std::string& type, const Vec3& s) {
  if (type == "sphere")
    return {4.0 / 3 * M_PI * s.x * s.x * s.x, Vec3{0.4, 0.4, 0.4} * (s.x * s.x)};
  if (type == "ellipsoid")
    return {4.0 / 3 * M_PI * s.x * s.y * s.z,
            0.2 * Vec3{s.y * s.y + s.z * s.z, s.x * s.x + s.z * s.z, s.x * s.x + s.y * s.y}};
  if (type == "box")
    return {8 * s.x * s.y * s.z,
            1.0 / 3 * Vec3{s.y * s.y + s.z * s.z, s.x * s.x + s.z * s.z, s.x * s.x + s.y * s.y}};
  const double r2 = s.x * s.x, h = s.y, tube = 2 * M_PI * r2 * h;  // radius, half length
  const Vec3 of_tube{r2 / 4 + h * h / 3, r2 / 4 + h * h / 3, r2 / 2};
  if (type == "cylinder") return {tube, of_tube};
  // A capsule: two hemispheres, whose centers of mass are 3/8 r beyond the ends of the cylinder.
  const double ball = 4.0 / 3 * M_PI * r2 * s.x, across = 0.4 * r2 + h * h + 0.75 * s.x * h;
  const Vec3 of_ball{across, across, 0.4 * r2};
  const double both = tube + ball;
  return {both, both > 0 ? (tube / both) * of_tube + (ball / both) * of_ball : Vec3{}};
}

/// Half sizes. For elongated shapes two points (fromto) define length and pose.
Vec3 read_size(const Setting& geom, const std::string& type, SE3& pose) {
  const bool ends = geom.has("fromto") && type != "sphere";
  const std::size_t needed = type == "sphere" || ends                  ? 1
                             : type == "capsule" || type == "cylinder" ? 2
                                                                       : 3;
  if (!geom.has("size"))
    geom.element().refuse("a " + type + " has no size; give " + std::to_string(needed) +
                          " numbers");
  std::vector<double> size = geom.of("size").numbers("size", needed, 3);
  for (std::size_t k = 0; k < needed; ++k)
    if (!(size[k] >= 0)) geom.of("size").refuse("size " + to_text(size[k]) + " is negative");
  size.resize(3);
  if (!ends) return {size[0], size[1], size[2]};
  const Element& e = geom.of("fromto");
  const auto p = e.numbers("fromto", 6, 6);
  const Vec3 from{p[0], p[1], p[2]}, way = Vec3{p[3], p[4], p[5]} - from;
  pose = {to_axis(e, "fromto", way), from + 0.5 * way};
  const double half = norm(way) / 2;
  return type == "box" || type == "ellipsoid" ? Vec3{size[0], size[0], half}
                                              : Vec3{size[0], half, 0};
}

/// Box, sphere, capsule, cylinder or ellipsoid; planes and shapes from files have no mass here.
GeomInertia read_geom(const Setting& geom, const Compiler& compiler) {
  static constexpr std::string_view types[] = {
      "plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"};
  const std::string type = geom.has("mesh") ? "mesh" : geom.text("type", "sphere");
  if (std::find(std::begin(types), std::end(types), type) == std::end(types))
    geom.of("type").refuse("type " + quote(type) + " is not a type of geom" + choices(type, types));
  const double group = geom.number("group", 0);
  if (group < compiler.first_group || group > compiler.last_group) return {};
  if (type == "plane" || type == "hfield") return {};
  warn_changes(mjcf_format, *find_row(mjcf_format, "body", "geom"), geom.element(),
               [&](const char* attribute) { return geom.given(attribute); });
  if (type == "mesh" || type == "sdf") {
    if (geom.number("mass", 1) != 0 && geom.number("density", 1000) != 0)
      geom.element().warn("the mass of a " + type +
                          " is not known here and left out; give the body an <inertial>");
    return {};
  }
  SE3 pose = read_pose(geom, compiler);
  const Solid solid = solid_of(type, read_size(geom, type, pose));
  const double mass =
      geom.has("mass") ? geom.number("mass", 0) : geom.number("density", 1000) * solid.volume;
  if (!(mass >= 0)) geom.element().refuse("the mass " + to_text(mass) + " is negative");
  const Vec3 I = mass * solid.moments;
  return {mass, pose.r, rotate(pose.R.matrix(), Sym3::diagonal(I.x, I.y, I.z))};
}

/// Whether the inertia is physically possible.
bool can_be(const BodyInertia& inertia) {
  return lie::physical_defect(lie::compose_inertia(inertia.mass, inertia.com, inertia.tensor))
      .empty();
}

BodyInertia given_inertia(const Element& e, const Compiler& compiler) {
  const SE3 pose = read_pose(Setting(e), compiler);
  Sym3 I;
  if (e.has("fullinertia")) {
    if (e.has("diaginertia") || pose.R != SO3{})
      e.refuse("fullinertia is given in the axes of the body; leave out diaginertia and rotation");
    const auto x = e.numbers("fullinertia", 6, 6);
    I = {x[0], x[3], x[4], x[1], x[5], x[2]};
  } else {
    const auto x = e.numbers("diaginertia", 3, 3);
    I = rotate(pose.R.matrix(), Sym3::diagonal(x[0], x[1], x[2]));
  }
  return {.mass = e.number("mass"), .com = pose.r, .tensor = I};
}

std::optional<BodyInertia> sum_of_geoms(const Element& body, const Defaults& defaults,
                                        const std::string& inherited, const Compiler& compiler) {
  GeomInertia sum;
  for (const Element& geom : body.children())
    if (geom.tag() == "geom") sum = sum + read_geom(defaults.of(geom, inherited), compiler);
  if (sum.mass == 0) return std::nullopt;
  return BodyInertia{.mass = sum.mass, .com = sum.com, .tensor = sum.tensor};
}

/// Raises principal moments to a lower bound.
Sym3 bounded(const Sym3& I, double least) {
  Eigen::Matrix3d A;
  A << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const SymmetricEigen<3> of = symmetric_eigen(A);
  if (of.values.minCoeff() >= least) return I;
  A = of.vectors * of.values.cwiseMax(least).asDiagonal() * of.vectors.transpose();
  return {A(0, 0), A(1, 0), A(2, 0), A(1, 1), A(2, 1), A(2, 2)};
}

}  // namespace

std::optional<BodyInertia> read_inertia(const Element& body, const Defaults& defaults,
                                        const std::string& inherited, const Compiler& compiler) {
  const std::optional<Element> inertial = body.child("inertial");
  using enum Compiler::FromGeoms;
  const bool given = inertial && compiler.inertia != always;
  std::optional<BodyInertia> inertia;
  if (given)
    inertia = given_inertia(*inertial, compiler);
  else if (compiler.inertia != never)
    inertia = sum_of_geoms(body, defaults, inherited, compiler);
  if (compiler.least_mass > 0 || compiler.least_inertia > 0) {
    if (!inertia) inertia.emplace();
    inertia->mass = std::max(inertia->mass, compiler.least_mass);
    inertia->tensor = bounded(inertia->tensor, compiler.least_inertia);
  }
  if (!inertia) return std::nullopt;
  if (compiler.balance && !can_be(*inertia)) {
    const Sym3& I = inertia->tensor;
    const double mean = (I.xx + I.yy + I.zz) / 3;
    inertia->tensor = Sym3::diagonal(mean, mean, mean);
  }
  if (given || !can_be(*inertia)) accept_inertia(*inertia, given ? *inertial : body);
  return inertia;
}

void scale_inertias(Mechanism& mechanism, const Compiler& compiler) {
  if (!(compiler.total_mass > 0)) return;
  double sum = 0;
  for (const Body& body : mechanism.bodies) sum += body.inertia ? body.inertia->mass : 0;
  for (Body& body : mechanism.bodies)
    if (body.inertia && sum > 0) {
      body.inertia->mass *= compiler.total_mass / sum;
      body.inertia->tensor = (compiler.total_mass / sum) * body.inertia->tensor;
    }
}

}  // namespace chasles::io::mjcf
