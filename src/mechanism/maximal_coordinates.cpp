#include "chasles/mechanism/maximal_coordinates.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "chasles/suggest.hpp"
#include "mechanism/joint_name.hpp"

namespace chasles {
namespace {

void refuse_relative(const Mechanism& mechanism) {
  constexpr const char* why =
      " between joint coordinates, which maximal coordinates do not have; leave it out, or use "
      "minimal coordinates";
  if (!mechanism.couplings.empty()) {
    const Coupling& coupling = mechanism.couplings.front();
    throw Error(describe(coupling.where, "coupling", coupling.name) + ": it is a relation" + why);
  }
  for (const Tendon& tendon : mechanism.tendons)
    if (!tendon.terms.empty())
      throw Error(describe(tendon.where, "tendon", tendon.name) + ": it is a spring" + why);
  for (const Body& body : mechanism.bodies) {
    const std::string what = describe(body.where, "joint", joint_name(body));
    if (body.joint.rotor) throw Error(what + ": the gear of its rotor is a relation" + why);
    if (body.joint.armature != 0)
      throw Error(what + ": its armature " + to_text(body.joint.armature) +
                  " is an inertia along its coordinates, which maximal coordinates do not have; "
                  "leave it out, or use minimal coordinates");
    if (body.joint.mimic)
      throw Error(what + ": it mimics '" + body.joint.mimic->joint + "', a relation" + why);
    if (const JointDynamics& d = body.joint.dynamics; d.acts())
      throw Error(what + ": its damping " + to_text(d.damping) + ", friction " +
                  to_text(d.friction) + " and stiffness " + to_text(d.stiffness) +
                  " act along joint coordinates, which maximal coordinates do not have; leave them "
                  "out, or use minimal coordinates");
  }
}

/// Groups of bodies fixed to each other: the representative of a body is the first of its group, or -1 for
/// ground.
class Rigid {
 public:
  explicit Rigid(const Mechanism& mechanism) : first_(mechanism.bodies.size()) {
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i)
      index_.emplace(mechanism.bodies[i].name, i);
    for (const int number : depth_first(mechanism)) {
      const auto i = static_cast<std::size_t>(number);
      const Body& body = mechanism.bodies[i];
      first_[i] = body.joint.type == JointType::fixed ? first(body.parent) : number;
    }
  }
  int first(const std::string& body) const { return body == ground ? -1 : first_[index_.at(body)]; }

 private:
  std::unordered_map<std::string_view, std::size_t> index_;
  std::vector<int> first_;
};

/// For each such representative, whether joints or loops connect it to ground.
std::vector<bool> connected_to_ground(const Mechanism& mechanism) {
  const Rigid rigid(mechanism);
  std::vector<bool> connected(mechanism.bodies.size());
  const auto connect = [&](int a, int b) {
    if (a < 0 && b >= 0) connected[static_cast<std::size_t>(b)] = true;
    if (b < 0 && a >= 0) connected[static_cast<std::size_t>(a)] = true;
  };
  for (const Body& body : mechanism.bodies)
    if (body.joint.type != JointType::floating)
      connect(rigid.first(body.parent), rigid.first(body.name));
  for (const Loop& loop : mechanism.loops)
    connect(rigid.first(loop.bodies[0]), rigid.first(loop.bodies[1]));
  return connected;
}

void check_bodies(const Mechanism& mechanism, const std::map<std::string, BodyGroup>& of_bodies) {
  for (const auto& [name, group] : of_bodies) {
    require_known(group, BodyGroup::automatic, "group of a body");
    const auto body = std::ranges::find(mechanism.bodies, name, &Body::name);
    if (body == mechanism.bodies.end()) {
      std::vector<std::string_view> known;
      for (const Body& b : mechanism.bodies) known.push_back(b.name);
      throw Error("group of body '" + name + "': there is no such body" +
                  did_you_mean(name, known));
    }
    if (body->joint.type == JointType::fixed)
      throw Error("group of body '" + name + "': it is fixed to '" + body->parent +
                  "' and moves with it; choose the group of that");
  }
}

Loop loop_of(const Body& body) {
  const Joint& joint = body.joint;
  return {.name = joint_name(body),
          .bodies = {body.parent, body.name},
          .type = joint.type,
          .geometry = joint.geometry,
          .pitch = joint.pitch,
          .screws = joint.screws,
          .parameterization = joint.parameterization,
          .where = body.where};
}

}  // namespace

Mechanism to_maximal_coordinates(const Mechanism& mechanism, BodyGroup group,
                                 const std::map<std::string, BodyGroup>& of_bodies) {
  require_known(group, BodyGroup::automatic, "group of bodies");
  check(mechanism);
  check_bodies(mechanism, of_bodies);
  refuse_relative(mechanism);
  const ReferenceGeometry g = reference_geometry(mechanism);
  const std::vector<bool> grounded = connected_to_ground(mechanism);
  std::unordered_set<std::string_view> bodies, loops;
  for (const Body& body : mechanism.bodies) bodies.insert(body.name);
  for (const Loop& loop : mechanism.loops) loops.insert(loop.name);

  Mechanism result = mechanism;
  result.loops.clear();
  result.actuators.clear(), result.keyframes.clear();  // of joints that it does not have
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    const Body& given = mechanism.bodies[i];
    Body& body = result.bodies[i];
    if (given.joint.type == JointType::fixed) {
      // Floating joints are named like their bodies; names of fixed joints are not needed.
      if (bodies.contains(given.joint.name)) body.joint.name.clear();
      continue;
    }
    const auto own = of_bodies.find(given.name);
    const BodyGroup chosen = own == of_bodies.end() ? group : own->second;
    const bool se3 = chosen == BodyGroup::se3 || (chosen == BodyGroup::automatic && grounded[i]);
    body.parent = ground;
    body.joint = {};
    body.joint.type = JointType::floating;
    body.joint.group = se3 ? FloatingGroup::se3 : FloatingGroup::so3xr3;
    body.pose = {g.A[i].normalized(), DescribedIn::world};
    if (given.joint.type == JointType::floating) continue;
    if (loops.contains(joint_name(given)))
      throw Error(describe(given.where, "joint", joint_name(given)) +
                  ": a loop has this name already, and in maximal coordinates the joint is a loop; "
                  "rename one of them");
    result.loops.push_back(loop_of(given));
  }
  result.loops.insert(result.loops.end(), mechanism.loops.begin(), mechanism.loops.end());
  return result;
}

}  // namespace chasles
