/// Gears, racks and belts of a file as couplings. With coordinates x relative to the carrier,
///
///     gear   teeth_1 x_1 + teeth_2 x_2 = offset      outer gears; internal: -
///     rack   x_rack - radius x_pinion = offset
///     belt   radius_1 x_1 - radius_2 x_2 = offset    crossed: +
#include "io/yaml/yaml_parts.hpp"

namespace chasles::io {
namespace {

const Body* body_with_joint(const Mechanism& mechanism, std::string_view joint) {
  for (const Body& body : mechanism.bodies)
    if ((body.joint.name.empty() ? body.name : body.joint.name) == joint) return &body;
  return nullptr;
}

struct GearReader {
  const Fields& coupling;
  const Fields gear;
  const Mechanism& mechanism;

  std::vector<std::string> joints() const {
    gear.require("joints");
    std::vector<std::string> names;
    for (const Value& item : gear.list("joints")) names.push_back(item.text);
    if (names.size() != 2) gear.refuse(gear.require("joints"), "joints: give two, [one, other]");
    return names;
  }
  double positive(const Value& value, const char* key, const Dimension& wanted = {}) const {
    const double x = gear.to_number(value, key, wanted);
    if (!(x > 0)) gear.refuse(value, std::string(key) + " " + to_text(x) + " is not positive");
    return x;
  }
  std::array<double, 2> pair(const char* key, const Dimension& wanted = {}) const {
    const Value& list = gear.require(key);
    if (list.kind != Value::Kind::list || list.items.size() != 2)
      gear.refuse(list, std::string(key) + ": give two numbers, one for each joint");
    return {positive(list.items[0], key, wanted), positive(list.items[1], key, wanted)};
  }
  const Body& body_of(const std::string& joint, const char* key) const {
    if (const Body* body = body_with_joint(mechanism, joint)) return *body;
    std::vector<std::string_view> names;
    for (const Body& body : mechanism.bodies)
      names.push_back(body.joint.name.empty() ? body.name : body.joint.name);
    gear.refuse(gear.require(key),
                std::string(key) + ": there is no joint " + quote(joint) + choices(joint, names));
  }
  /// The body of a joint whose first coordinate is an angle, or a distance.
  const Body& body_of(const std::string& joint, const char* key, bool rotates) const {
    const Body& body = body_of(joint, key);
    const std::vector<CoordinateKind> kinds = coordinate_kinds(body.joint);
    if (!kinds.empty() && coordinate_kind_info(kinds.front()).is_angular == rotates) return body;
    gear.refuse(gear.require(key),
                std::string(key) + ": joint " + quote(joint) + " is " +
                    std::string(joint_type_info(body.joint.type).name) +
                    (rotates ? " and has no angle; give a joint that rotates, or a rack"
                             : "; give a joint that slides, such as a prismatic one"));
  }
  /// Adds c (q_joint - q_carrier), or c q_joint if the joint sits on the carrier.
  void add(const std::string& joint, double c, Coupling& out) const {
    const Body& body = body_of(joint, "joints", true);
    out.terms.push_back({joint, c, 0});
    if (!gear.has("carrier")) return;
    const std::string carrier = gear.text("carrier");
    const Body& on = body_of(carrier, "carrier", true);
    if (body.parent == on.name) return;
    if (body.parent != on.parent)
      gear.refuse(gear.require("carrier"), "carrier: joint " + quote(joint) +
                                               " is neither on the carrier " + quote(on.name) +
                                               " nor, like it, on " + quote(on.parent));
    for (Coupling::Term& term : out.terms)
      if (term.joint == carrier) return void(term.coefficient -= c);
    out.terms.push_back({carrier, -c, 0});
  }
};

}  // namespace

bool read_gear(const Fields& coupling, const Mechanism& mechanism, Coupling& out) {
  static constexpr std::string_view kinds[] = {"gear", "rack", "belt"};
  std::string_view kind;
  for (const std::string_view key : kinds) {
    if (!coupling.has(key)) continue;
    if (!kind.empty() || coupling.has("joints"))
      coupling.refuse(coupling.require(key), "give one of joints, gear, rack and belt");
    kind = key;
  }
  if (kind.empty()) return false;
  const std::string what = coupling.what() + ", " + std::string(kind);
  const Value& value = coupling.require(kind);
  if (kind == "rack") {
    const GearReader r{
        coupling, {coupling.file(), value, what, {"rack", "pinion", "radius"}}, mechanism};
    const double radius = r.positive(r.gear.require("radius"), "radius", dimensions::length);
    r.body_of(r.gear.text("rack"), "rack", false);
    r.body_of(r.gear.text("pinion"), "pinion", true);
    out.terms = {{r.gear.text("rack"), 1, 0}, {r.gear.text("pinion"), -radius, 0}};
    return true;
  }
  const bool belt = kind == "belt";
  const GearReader r{
      coupling,
      belt ? Fields(coupling.file(), value, what, {"joints", "radii", "crossed", "carrier"})
           : Fields(coupling.file(), value, what, {"joints", "teeth", "internal", "carrier"}),
      mechanism};
  const auto sizes = belt ? r.pair("radii", dimensions::length) : r.pair("teeth");
  const bool same_sense =
      belt ? !r.gear.boolean("crossed", false) : r.gear.boolean("internal", false);
  const std::vector<std::string> joints = r.joints();
  r.add(joints[0], sizes[0], out);
  r.add(joints[1], same_sense ? -sizes[1] : sizes[1], out);
  std::erase_if(out.terms, [](const Coupling::Term& term) { return term.coefficient == 0; });
  return true;
}

}  // namespace chasles::io
