/// The key `group` of a scenario in maximal coordinates: the Lie groups of the bodies.
#include "chasles/constraints/maximal_state.hpp"
#include "chasles/systems/body_groups.hpp"
#include "io/runs/scenario_parts.hpp"

namespace chasles::io {
namespace {

namespace fs = std::filesystem;

/// One group for all bodies, or a map for some.
struct Groups {
  BodyGroup all = BodyGroup::automatic;
  std::map<std::string, BodyGroup> of_bodies{};

  /// Those of `others` take the place of `auto`.
  void complete(const std::map<std::string, BodyGroup>& others) {
    for (const auto& [body, group] : others)
      if (all == BodyGroup::automatic || of_bodies.contains(body)) {
        BodyGroup& own = of_bodies.emplace(body, BodyGroup::automatic).first->second;
        if (own == BodyGroup::automatic) own = group;
      }
  }
};

Groups read_groups(const Fields& file) {
  static constexpr std::string_view names[] = {"auto", "se3", "so3xr3"};
  static constexpr BodyGroup groups[] = {BodyGroup::automatic, BodyGroup::se3, BodyGroup::so3xr3};
  const Value* given = file.find("group");
  if (given == nullptr || given->kind != Value::Kind::map)
    return {groups[file.choice("group", names, 0)]};
  Groups out;
  for (std::size_t i = 0; i < given->keys.size(); ++i) {
    const Value& item = given->items[i];
    const auto* at = std::ranges::find(names, item.text);
    if (item.kind != Value::Kind::scalar || at == std::end(names))
      file.refuse(item, "group of body " + quote(given->keys[i].text) + ": " + quote(item.text) +
                            choices(item.text, names));
    out.of_bodies.emplace(given->keys[i].text, groups[at - names]);
  }
  return out;
}

/// The run that a scenario continues.
std::optional<fs::path> continued(const Fields& file, const fs::path& path) {
  const Value* initial = file.find("initial");
  if (initial == nullptr) return {};
  for (std::size_t i = 0; i < initial->keys.size(); ++i)
    if (initial->keys[i].text == "from") return path.parent_path() / initial->items[i].text;
  return {};
}

Model compile_maximal(const Fields& file, Mechanism mechanism, const Groups& groups) {
  mechanism.tendons.clear(), mechanism.actuators.clear(), mechanism.keyframes.clear();
  for (Body& body : mechanism.bodies) {
    body.joint.dynamics = {};  // applied as a force on the joints of the tree instead
    if (!file.boolean("mimic", true)) body.joint.mimic.reset();
  }
  const Value* given = file.find("group");
  return with_location(file, given != nullptr ? *given : file.require("coordinates"), [&] {
    return compile(to_maximal_coordinates(mechanism, groups.all, groups.of_bodies));
  });
}

}  // namespace

Model read_maximal(const Fields& file, const fs::path& path, Mechanism mechanism) {
  Groups groups = read_groups(file);
  if (const auto run = continued(file, path)) {
    auto recorded =
        with_location(file, file.require("initial"), [&] { return read_recorded_groups(*run); });
    // Another model is refused later, with what is different.
    std::erase_if(recorded, [&](const auto& entry) {
      const auto body = std::ranges::find(mechanism.bodies, entry.first, &Body::name);
      return body == mechanism.bodies.end() || body->joint.type == JointType::fixed;
    });
    groups.complete(recorded);
  }
  return compile_maximal(file, std::move(mechanism), groups);
}

void choose_groups(const Fields& file, const fs::path& path, const Mechanism& mechanism,
                   Scenario& scenario) {
  if (continued(file, path) || file.has("drivers")) return;
  Groups groups = read_groups(file);
  const Groups given = groups;
  groups.complete(groups_beside_slow_bodies(scenario.model, scenario.start));
  if (groups.of_bodies == given.of_bodies) return;
  const Model before = scenario.model;
  VelocityKinematics kin(before);
  forward_kinematics(before, scenario.start.q, scenario.start.v, kin);
  scenario.model = compile_maximal(file, mechanism, groups);
  maximal_state(kin, scenario.model, scenario.start.q, scenario.start.v);
}

}  // namespace chasles::io
