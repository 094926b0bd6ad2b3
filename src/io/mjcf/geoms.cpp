#include "io/mjcf/geoms.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/screws/inertia.hpp"
#include "chasles/suggest.hpp"
#include "io/formats/format.hpp"

namespace chasles::io::mjcf {
namespace {

constexpr std::string_view kind_names[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                           "cylinder", "box",    "mesh",   "sdf"};
using Kind = GeomShape::Kind;

Kind read_kind(const Setting& geom) {
  const std::string type = geom.text("type", "sphere");
  const auto found = std::find(std::begin(kind_names), std::end(kind_names), type);
  if (found == std::end(kind_names))
    geom.of("type").refuse("type " + quote(type) + " is not a type of geom" +
                           choices(type, kind_names));
  return static_cast<Kind>(found - std::begin(kind_names));
}

/// Half sizes. For elongated shapes two points (fromto) define length and pose.
void read_size(const Setting& geom, GeomShape& shape) {
  const std::string type(name_of(shape.kind));
  const bool ends = geom.has("fromto") && shape.kind != Kind::sphere;
  const bool round = shape.kind == Kind::capsule || shape.kind == Kind::cylinder;
  const std::size_t needed = shape.kind == Kind::sphere || ends ? 1 : round ? 2 : 3;
  if (!geom.has("size"))
    geom.element().refuse("a " + type + " has no size; give " + std::to_string(needed) +
                          " numbers");
  std::vector<double> size = geom.of("size").numbers("size", needed, 3);
  for (std::size_t k = 0; k < needed; ++k)
    if (!(size[k] >= 0)) geom.of("size").refuse("size " + to_text(size[k]) + " is negative");
  size.resize(3);
  shape.size = {size[0], size[1], size[2]};
  if (!ends) return;
  const Element& e = geom.of("fromto");
  const auto p = e.numbers("fromto", 6, 6);
  const Vec3 from{p[0], p[1], p[2]}, way = Vec3{p[3], p[4], p[5]} - from;
  shape.pose = frame_around(geom.element()) * SE3{to_axis(e, "fromto", way), from + 0.5 * way};
  const double half = norm(way) / 2;
  shape.size = round ? Vec3{size[0], half, 0} : Vec3{size[0], size[0], half};
}

/// The smallest shape of a kind around a box, or with the mean radii of the box of equal inertia.
Vec3 fitted_size(Kind kind, const PrincipalMesh& mesh, bool to_bounds) {
  const Vec3 s = to_bounds ? 0.5 * (mesh.high - mesh.low) : mesh.box;
  const double across = to_bounds ? std::max(s.x, s.y) : (s.x + s.y) / 2;
  switch (kind) {
    case Kind::sphere:
      return {to_bounds ? std::max(across, s.z) : (s.x + s.y + s.z) / 3, 0, 0};
    case Kind::capsule:
      return {across, std::max(0.0, s.z - (to_bounds ? across : across / 2)), 0};
    case Kind::cylinder:
      return {across, s.z, 0};
    default:
      return s;
  }
}
void fit(const Setting& geom, const Compiler& compiler, GeomShape& shape) {
  if (shape.kind == Kind::plane || shape.kind == Kind::hfield)
    geom.of("mesh").refuse("a " + std::string(name_of(shape.kind)) +
                           " cannot be fitted to a mesh; leave out mesh");
  const PrincipalMesh* mesh =
      compiler.meshes == nullptr
          ? nullptr
          : compiler.meshes->find(geom.element(), geom.text("mesh", ""), shape.why);
  if (mesh == nullptr) return;
  SE3 frame = mesh->frame;
  if (shape.kind != Kind::mesh && shape.kind != Kind::sdf) {
    shape.size = geom.number("fitscale", 1) * fitted_size(shape.kind, *mesh, compiler.fitaabb);
    if (compiler.fitaabb) frame.r = frame * (0.5 * (mesh->low + mesh->high));
  } else {
    shape.of = mesh;
  }
  shape.pose = shape.pose * frame;
}

/// Volume and moments per mass about the center, long axis along z.
struct Solid {
  double volume;
  Vec3 moments;
};
Vec3 cross_squares(const Vec3& s) {
  return {s.y * s.y + s.z * s.z, s.x * s.x + s.z * s.z, s.x * s.x + s.y * s.y};
}
Solid solid_of(Kind kind, const Vec3& s) {
  if (kind == Kind::sphere)
    return {4.0 / 3 * M_PI * s.x * s.x * s.x, Vec3{0.4, 0.4, 0.4} * (s.x * s.x)};
  if (kind == Kind::ellipsoid) return {4.0 / 3 * M_PI * s.x * s.y * s.z, 0.2 * cross_squares(s)};
  if (kind == Kind::box) return {8 * s.x * s.y * s.z, 1.0 / 3 * cross_squares(s)};
  const double r2 = s.x * s.x, h = s.y, tube = 2 * M_PI * r2 * h;  // radius, half length
  const Vec3 of_tube{r2 / 4 + h * h / 3, r2 / 4 + h * h / 3, r2 / 2};
  if (kind == Kind::cylinder) return {tube, of_tube};
  // A capsule: two hemispheres, whose centers of mass are 3/8 r beyond the ends of the cylinder.
  const double ball = 4.0 / 3 * M_PI * r2 * s.x, across = 0.4 * r2 + h * h + 0.75 * s.x * h;
  const Vec3 of_ball{across, across, 0.4 * r2};
  const double both = tube + ball;
  return {both, both > 0 ? (tube / both) * of_tube + (ball / both) * of_ball : Vec3{}};
}

/// Shell of an ellipsoid between semiaxes s and s + e for small e. Its area is Thomsen's approximation, within 1.1 %.
Solid ellipsoid_shell(const Vec3& s) {
  constexpr double p = 1.6075;
  const double mean =
      (std::pow(s.x * s.y, p) + std::pow(s.y * s.z, p) + std::pow(s.z * s.x, p)) / 3;
  const double inverse = 1 / s.x + 1 / s.y + 1 / s.z;
  const Vec3 sums{s.y + s.z, s.x + s.z, s.x + s.y};
  return {4 * M_PI * std::pow(mean, 1 / p), 0.2 * (cross_squares(s) + (2 / inverse) * sums)};
}
/// Area and moments per mass of the surface.
Solid shell_of(Kind kind, const Vec3& s) {
  const double r2 = s.x * s.x, h = s.y;
  if (kind == Kind::sphere) return {4 * M_PI * r2, Vec3{r2, r2, r2} * (2.0 / 3)};
  if (kind == Kind::ellipsoid) return ellipsoid_shell(s);
  if (kind == Kind::box) {
    // Pairs of faces across x, y and z: each has thirds of its edges' squares, and its own distance in full.
    const Vec3 areas{s.y * s.z, s.x * s.z, s.x * s.y};
    const double all = areas.x + areas.y + areas.z;
    Vec3 second;  // mean squares of x, y and z
    for (int k = 0; k < 3; ++k) second[k] = s[k] * s[k] * (1 + 2 * areas[k] / all) / 3;
    return {8 * all, {second.y + second.z, second.x + second.z, second.x + second.y}};
  }
  const double tube = 4 * M_PI * s.x * h;
  const Vec3 of_tube{r2 / 2 + h * h / 3, r2 / 2 + h * h / 3, r2};
  // Ends: two discs, or two hemispheres, whose centers of mass are r/2 beyond the cylinder.
  const bool disc = kind == Kind::cylinder;
  const double ends = (disc ? 2 : 4) * M_PI * r2, all = tube + ends;
  const double across = disc ? r2 / 4 + h * h : 2.0 / 3 * r2 + h * h + s.x * h;
  const Vec3 of_ends{across, across, disc ? r2 / 2 : 2.0 / 3 * r2};
  return {all, all > 0 ? (tube / all) * of_tube + (ends / all) * of_ends : Vec3{}};
}

bool is_shell(const Setting& geom, const GeomShape& shape) {
  if (geom.text("shellinertia", "false") != "true") return false;
  if (shape.kind == Kind::mesh || shape.kind == Kind::sdf)
    geom.of("shellinertia")
        .refuse("shellinertia is for primitives; give the <mesh> inertia=\"shell\"");
  return true;
}

/// The mass of a mesh that could not be read.
GeomInertia unknown_mesh(const Setting& geom, const GeomShape& shape) {
  const double mass = geom.number("mass", 0);
  if (geom.has("mass") ? mass == 0 : geom.number("density", 1000) == 0) return {};
  if (!geom.has("mass")) {
    geom.element().warn(shape.why +
                        "; its mass is left out: repair the mesh, or give the body an <inertial>");
    return {};
  }
  geom.element().warn(shape.why +
                      "; its center of mass and inertia are not known: the mass of the geom is "
                      "taken as a point at its pos");
  return {mass, shape.pose.r, {}};
}

}  // namespace

std::string_view name_of(GeomShape::Kind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

GeomInertia operator+(const GeomInertia& a, const GeomInertia& b) {
  const double m = a.mass + b.mass;
  if (m == 0) return {};
  const Vec3 way = b.com - a.com;
  return {m, a.com + (b.mass / m) * way,
          a.tensor + b.tensor + lie::parallel_axis((a.mass * b.mass / m) * way, way)};
}

GeomShape read_shape(const Setting& geom, const Compiler& compiler) {
  GeomShape shape{.kind = read_kind(geom)};
  shape.pose = read_pose(geom, compiler);
  if (geom.has("mesh"))
    fit(geom, compiler, shape);
  else if (shape.kind == Kind::mesh)
    geom.element().refuse("a geom of type mesh has no mesh; give its name");
  else if (shape.kind == Kind::sdf)
    shape.why = "a shape that a plugin defines";
  else if (shape.kind != Kind::plane && shape.kind != Kind::hfield)
    read_size(geom, shape);
  else
    shape.size = geom.has("size") ? geom.vec3("size", {}) : Vec3{};
  return shape;
}

GeomInertia read_geom_inertia(const Setting& geom, const Compiler& compiler) {
  const Kind kind = read_kind(geom);
  const double group = geom.number("group", 0);
  if (group < compiler.first_group || group > compiler.last_group) return {};
  if (kind == Kind::plane || kind == Kind::hfield) return {};
  warn_changes(mjcf_format, *find_row(mjcf_format, "body", "geom"), geom.element(),
               [&](const char* attribute) { return geom.given(attribute); });
  if (geom.has("mass") ? geom.number("mass", 0) == 0 : geom.number("density", 1000) == 0) return {};
  const GeomShape shape = read_shape(geom, compiler);
  if (!shape.known()) return unknown_mesh(geom, shape);
  const bool shell = is_shell(geom, shape);
  const Solid solid = shape.of != nullptr ? Solid{shape.of->measure, shape.of->moments}
                      : shell             ? shell_of(kind, shape.size)
                                          : solid_of(kind, shape.size);
  const double mass =
      geom.has("mass") ? geom.number("mass", 0) : geom.number("density", 1000) * solid.volume;
  if (!(mass >= 0)) geom.element().refuse("the mass " + to_text(mass) + " is negative");
  const Vec3 I = mass * solid.moments;
  return {mass, shape.pose.r, rotate(shape.pose.R.matrix(), Sym3::diagonal(I.x, I.y, I.z))};
}

}  // namespace chasles::io::mjcf
