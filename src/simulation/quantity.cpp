#include "chasles/simulation/quantity.hpp"

#include "chasles/dynamics/energy.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/suggest.hpp"

namespace chasles {
namespace {

using Out = Eigen::Ref<Eigen::MatrixXd>;
using Shape = Quantity::Shape;

double potential(const Moment& m) {
  return potential_energy(m.model, m.kin) + m.forces.potential(m.kin);
}

const Quantity plain[] = {
    {"kinetic_energy", Shape::number, 1, 1,
     [](const Moment& m, Out out) { out(0, 0) = kinetic_energy(m.model, m.kin); }},
    {"potential_energy", Shape::number, 1, 1,
     [](const Moment& m, Out out) { out(0, 0) = potential(m); }},
    {"energy", Shape::number, 1, 1,
     [](const Moment& m, Out out) { out(0, 0) = kinetic_energy(m.model, m.kin) + potential(m); }},
    {"work", Shape::number, 1, 1, [](const Moment& m, Out out) { out(0, 0) = m.work; }},
    {"momentum", Shape::list, 6, 1,
     [](const Moment& m, Out out) { out = to_eigen(spatial_momentum(m.model, m.kin)); }},
    {"centroidal_momentum", Shape::list, 6, 1,
     [](const Moment& m, Out out) { out = to_eigen(centroidal_momentum(m.model, m.kin)); }},
    {"com", Shape::list, 3, 1,
     [](const Moment& m, Out out) { out = to_eigen(center_of_mass(m.model, m.kin)); }},
};
constexpr std::string_view representations[] = {"body", "spatial", "hybrid", "mixed"};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == text.npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

Representation representation_named(const std::string& what, std::string_view name) {
  for (std::size_t i = 0; i < 4; ++i)
    if (representations[i] == name) return static_cast<Representation>(i);
  throw Error(what + ": there is no representation '" + std::string(name) + "'" +
              did_you_mean(name, representations) + " (body, spatial, hybrid, mixed)");
}

}  // namespace

Quantity quantity(std::string_view name, const Model& model) {
  const std::string text(name), what = "quantity '" + text + "'";
  const std::vector<std::string_view> parts = split(name);
  const auto needs = [&](std::size_t count, const char* form) {
    if (parts.size() != count) throw Error(what + ": write " + std::string(parts[0]) + form);
  };
  for (const Quantity& q : plain)
    if (q.name == parts[0]) {
      needs(1, " alone");
      if ((q.name == "com" || q.name == "centroidal_momentum") && !(model.mass() > 0))
        throw Error(what + ": nothing that moves has mass");
      return q;
    }
  if (parts[0] == "pose") {
    needs(2, ":FRAME");
    return {text, Shape::matrix, 4, 4, [place = model.place(parts[1])](const Moment& m, Out out) {
              out = to_eigen(pose(m.kin, place));
            }};
  }
  if (parts[0] == "twist") {
    needs(3, ":FRAME:REP");
    return {text, Shape::list, 6, 1,
            [place = model.place(parts[1]), rep = representation_named(what, parts[2])](
                const Moment& m, Out out) { out = to_eigen(twist(m.kin, place, rep)); }};
  }
  std::vector<std::string_view> known{"pose", "twist", "q", "v"};
  for (const Quantity& q : plain) known.push_back(q.name);
  throw Error("there is no quantity '" + text + "' to record" + did_you_mean(parts[0], known));
}

}  // namespace chasles
