#include <algorithm>
#include <cmath>

#include "chasles/screws/physical.hpp"
#include "io/mjcf/geoms.hpp"
#include "math/decompositions.hpp"

namespace chasles::io::mjcf {
namespace {

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
    if (geom.tag() == "geom") sum = sum + read_geom_inertia(defaults.of(geom, inherited), compiler);
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
  std::optional<BodyInertia> inertia;
  if (compiler.inertia == always || (!inertial && compiler.inertia != never))
    inertia = sum_of_geoms(body, defaults, inherited, compiler);
  const bool given = inertial && !inertia;  // geoms without mass never replace it
  if (given) inertia = given_inertia(*inertial, compiler);
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
