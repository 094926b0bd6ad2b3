#include "io/writers/simple_joints.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "chasles/screws/screw.hpp"
#include "io/text.hpp"

namespace chasles::io {
namespace {

bool has_type(std::span<const JointType> types, JointType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

/// One motion of a joint, in the world at q = 0.
struct Motion {
  JointType type;  // revolute, prismatic, spherical
  Vec3 axis, point;
  double pitch = 0;  // of a revolute motion with a translation that follows it
};

Vec3 direction(ElementaryMotion motion) {
  switch (motion) {
    case ElementaryMotion::rotation_x:
    case ElementaryMotion::translation_x:
      return {1, 0, 0};
    case ElementaryMotion::translation_y:
      return {0, 1, 0};
    default:
      return {0, 0, 1};
  }
}
JointType type_of(ElementaryMotion motion) {
  switch (motion) {
    case ElementaryMotion::translation_x:
    case ElementaryMotion::translation_y:
    case ElementaryMotion::translation_z:
      return JointType::prismatic;
    case ElementaryMotion::spherical:
      return JointType::spherical;
    default:
      return JointType::revolute;
  }
}

std::string joint_name(const Body& body) {
  return body.joint.name.empty() ? body.name : body.joint.name;
}

class Simplifier {
 public:
  Simplifier(const Mechanism& mechanism, const FormatJoints& format)
      : given_(mechanism), format_(format), geometry_(reference_geometry(mechanism)) {}

  SimpleJoints make() {
    out_.mechanism.name = given_.name;
    out_.mechanism.gravity = given_.gravity;
    out_.mechanism.frames = given_.frames;
    out_.mechanism.constraints = given_.constraints;
    for (const Body& body : given_.bodies) {
      bodies_.insert(body.name);
      joints_.insert(joint_name(body));
    }
    for (const FrameDescription& frame : given_.frames) bodies_.insert(frame.name);
    for (const int i : depth_first(given_)) {
      const auto k = static_cast<std::size_t>(i);
      at_.emplace(given_.bodies[k].name, geometry_.A[k]);
      add_body(given_.bodies[k], geometry_.A[k], geometry_.J[k]);
    }
    for (const Loop& loop : given_.loops) add_loop(loop);
    for (Body& body : out_.mechanism.bodies)
      if (body.joint.mimic) body.joint.mimic->joint = coordinate(body.joint.mimic->joint, 0);
    for (const Coupling& coupling : given_.couplings) add_coupling(coupling);
    for (Tendon tendon : given_.tendons) {
      rename(tendon.terms);
      out_.mechanism.tendons.push_back(std::move(tendon));
    }
    for (Actuator actuator : given_.actuators) {
      rename(actuator.terms);
      out_.mechanism.actuators.push_back(std::move(actuator));
    }
    for (Keyframe key : given_.keyframes) {
      key.q = by_motion(key.q, 4), key.v = by_motion(key.v, 3);
      out_.mechanism.keyframes.push_back(std::move(key));
    }
    out_.mechanism.collisions = given_.collisions;
    return std::move(out_);
  }

 private:
  static std::string fresh(std::unordered_set<std::string>& taken, std::string name) {
    while (name == ground || !taken.insert(name).second) name += '_';
    return name;
  }
  const std::string& coordinate(const std::string& joint, int k) const {
    const auto found = coordinates_.find({joint, k});
    return found == coordinates_.end() ? joint : found->second;
  }
  void rename(std::vector<Actuator::Term>& terms) const {
    for (Actuator::Term& term : terms)
      if (coordinates_.contains({term.joint, term.coordinate}))
        term = {coordinate(term.joint, term.coordinate), term.coefficient};
  }
  /// Entries of q or v of the joints that a joint became.
  /// @param ball  entries of a spherical motion
  std::vector<JointValues> by_motion(const std::vector<JointValues>& given,
                                     std::size_t ball) const {
    std::vector<JointValues> values;
    for (const auto& [joint, x] : given) {
      const auto found = chains_.find(joint);
      if (found == chains_.end()) {
        values.push_back({joint, x});
        continue;
      }
      std::size_t at = 0;
      for (const ChainJoint& part : found->second) {
        const std::size_t count = part.is_ball ? ball : 1;
        values.push_back({part.name, {}});
        for (std::size_t k = 0; k < count; ++k) values.back().values.push_back(x.at(at + k));
        at += count;
        if (part.pitch != 0) values.push_back({part.slide, {part.pitch * x[at - 1]}});
      }
    }
    return values;
  }
  SE3 pose_of(const std::string& body) const { return body == ground ? SE3{} : at_.at(body); }

  void push(const Body& like, const std::string& name, const std::string& parent, Joint joint,
            const SE3& A, bool is_last) {
    Body body;
    body.name = name;
    body.parent = parent;
    body.joint = std::move(joint);
    body.pose = {A, DescribedIn::world};
    body.where = like.where;
    if (is_last)
      body.inertia = like.inertia;
    else
      out_.inserted.insert(name);
    out_.mechanism.bodies.push_back(std::move(body));
  }
  /// A joint of the result, in the world.
  static Joint joint_of(const std::string& name, JointType type, const Vec3& axis,
                        const Vec3& point) {
    Joint joint;
    joint.name = name;
    joint.type = type;
    joint.geometry = AxisGeometry{.axis = axis, .point = point, .in = DescribedIn::world};
    return joint;
  }
  static void copy_scalar_properties(const Joint& from, Joint& to) {
    to.limits = from.limits;
    to.mimic = from.mimic;
    to.rotor = from.rotor;
  }

  void add_body(const Body& body, const SE3& A, const SE3& J) {
    const Joint& given = body.joint;
    const std::string name = joint_name(body);
    if (format_.joints.empty()) {
      out_.mechanism.bodies.push_back(body);
      out_.mechanism.bodies.back().joint.name = name;
      return;
    }
    if (given.type == JointType::floating) return add_floating(body, A, J);
    if (given.type != JointType::custom && has_type(format_.joints, given.type)) {
      Joint joint = joint_of(name, given.type, J.R.matrix().c2, J.r);
      std::get<AxisGeometry>(joint.geometry).x_axis = J.R.matrix().c0;
      joint.pitch = given.pitch;
      joint.dynamics = given.dynamics;
      joint.armature = given.armature;
      copy_scalar_properties(given, joint);
      if (given.type == JointType::spherical && !coincide({J.R, {}}, {A.R, {}}))
        return add_by_frame(body, std::move(joint), A, J);
      return push(body, body.name, body.parent, std::move(joint), A, true);
    }
    chain(body, motions(body, J), A, J);
  }
  void add_floating(const Body& body, const SE3& A, const SE3& J) {
    Joint joint = body.joint;
    joint.name = joint_name(body);
    joint.geometry = AxisGeometry{.point = {}, .in = DescribedIn::body};
    if (!coincide(J, A)) return add_by_frame(body, std::move(joint), A, J);
    push(body, body.name, body.parent, std::move(joint), A, true);
  }
  /// A body at the joint frame moves, and the body is fixed to it.
  void add_by_frame(const Body& body, Joint joint, const SE3& A, const SE3& J) {
    const std::string carrier = fresh(bodies_, body.name + "_joint");
    const std::string fixed = fresh(joints_, joint.name + "_fixed");
    push(body, carrier, body.parent, std::move(joint), J, false);
    push(body, body.name, carrier, joint_of(fixed, JointType::fixed, {0, 0, 1}, A.r), A, true);
  }

  std::vector<Motion> motions(const Body& body, const SE3& J) const {
    const Joint& joint = body.joint;
    std::vector<Motion> list;
    if (joint.type == JointType::custom) {
      if (joint.parameterization == Parameterization::sum && joint.screws.size() > 1)
        throw Error(describe(body.where, "joint", joint_name(body)) + ": " +
                    std::string(format_.format) +
                    " has no joint that performs several screws at once; give "
                    "'parameterization: product', or keep the mechanism in YAML");
      for (const ScrewData& screw : joint.screws) {
        const bool slides = std::isinf(screw.pitch);
        list.push_back({slides ? JointType::prismatic : JointType::revolute,
                        J.R * lie::unit_axis(screw.axis), J * screw.point,
                        slides ? 0 : screw.pitch});
      }
      return list;
    }
    for (const ElementaryMotion motion : motions_of(joint))
      if (motion != ElementaryMotion::none)
        list.push_back({type_of(motion), J.R * direction(motion), J.r,
                        motion == ElementaryMotion::helical_z ? joint.pitch : 0});
    return list;
  }

  /// Joints with one motion each; massless bodies between them have the frame of the body, or of the joint if one of
  /// the motions is spherical.
  void chain(const Body& body, const std::vector<Motion>& list, const SE3& A, const SE3& J) {
    const std::string name = joint_name(body);
    const bool has_ball = std::any_of(list.begin(), list.end(), [](const Motion& motion) {
      return motion.type == JointType::spherical;
    });
    const SE3 frame = has_ball ? SE3{J.R, A.r} : A;
    const bool ends_elsewhere = has_ball && !coincide(frame, A);
    std::string parent = body.parent;
    int number = 0;
    std::ptrdiff_t entry = 0;  // of q
    const auto next = [&](Joint joint, bool is_last) {
      const std::string at =
          is_last ? body.name : fresh(bodies_, body.name + "_" + std::to_string(++number));
      push(body, at, parent, std::move(joint), is_last ? A : frame, is_last);
      parent = at;
    };
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Motion& motion = list[k];
      const bool is_last = k + 1 == list.size() && !ends_elsewhere;
      const std::string called =
          list.size() == 1 ? name : fresh(joints_, name + "_" + std::to_string(k + 1));
      coordinates_.emplace(std::pair(name, static_cast<int>(k)), called);
      Joint joint = joint_of(called, motion.type, motion.axis, motion.point);
      joint.dynamics = body.joint.dynamics;
      if (const auto size = motion.type == JointType::spherical ? 4U : 1U;
          !joint.dynamics.rest.empty()) {
        const auto from = body.joint.dynamics.rest.begin() + entry;
        joint.dynamics.rest.assign(from, from + size);
        entry += size;
      }
      joint.armature = body.joint.armature;
      if (list.size() == 1) copy_scalar_properties(body.joint, joint);
      next(std::move(joint), is_last && motion.pitch == 0);
      chains_[name].push_back({called, motion.type == JointType::spherical, motion.pitch});
      if (motion.pitch == 0) continue;
      Joint slide = joint_of(fresh(joints_, called + "_slide"), JointType::prismatic, motion.axis,
                             motion.point);
      slide.mimic = Mimic{called, motion.pitch, 0};
      chains_[name].back().slide = slide.name;
      next(std::move(slide), is_last);
    }
    if (ends_elsewhere || list.empty())
      next(joint_of(list.empty() ? name : fresh(joints_, name + "_fixed"), JointType::fixed,
                    {0, 0, 1}, A.r),
           true);
  }

  /// Loops of other types: the joint carries a body, which is fixed to the second one.
  void add_loop(const Loop& loop) {
    const SE3 A = pose_of(loop.bodies[0]), B = pose_of(loop.bodies[1]);
    const LoopFrames frames = loop_frames(loop, A, B);
    if (has_type(format_.loops, loop.type)) {
      Loop simple{.name = loop.name,
                  .bodies = loop.bodies,
                  .type = loop.type,
                  .geometry = FramesGeometry{frames.first, frames.second},
                  .pitch = loop.pitch,
                  .where = loop.where};
      std::get<FramesGeometry>(simple.geometry).x_axis = Vec3{1, 0, 0};
      return out_.mechanism.loops.push_back(std::move(simple));
    }
    Body end;
    end.name = fresh(bodies_, loop.name + "_end");
    end.parent = loop.bodies[0];
    end.joint = chasles::joint_of(loop);
    end.joint.name = fresh(joints_, loop.name + "_joint");
    end.where = loop.where;
    end.pose = {B, DescribedIn::world};  // where an axis describes the joint, the loop is closed
    const SE3 J = A * frames.first, closed = J * inverse(frames.second);
    add_body(end, closed, J);
    out_.inserted.insert(end.name);
    out_.mechanism.loops.push_back({.name = loop.name,
                                    .bodies = {end.name, loop.bodies[1]},
                                    .type = JointType::fixed,
                                    .geometry = FramesGeometry{},
                                    .where = loop.where});
  }

  /// c_1 q_1 + c_2 q_2 = offset: one of the joints mimics the other.
  void add_coupling(const Coupling& given) {
    Coupling coupling = given;
    for (Coupling::Term& term : coupling.terms) {
      if (!coordinates_.contains({term.joint, term.coordinate})) continue;
      term.joint = coordinate(term.joint, term.coordinate);
      term.coordinate = 0;
    }
    const bool is_linear =
        std::all_of(coupling.terms.begin(), coupling.terms.end(),
                    [](const Coupling::Term& term) { return term.function == CurveData{}; });
    if (coupling.terms.size() == 2 && is_linear)
      for (const int k : {0, 1}) {
        const Coupling::Term &mine = coupling.terms[static_cast<std::size_t>(k)],
                             &other = coupling.terms[static_cast<std::size_t>(1 - k)];
        const auto body = std::find_if(out_.mechanism.bodies.begin(), out_.mechanism.bodies.end(),
                                       [&](const Body& b) { return b.joint.name == mine.joint; });
        if (body == out_.mechanism.bodies.end() || body->joint.mimic || !is_scalar(mine) ||
            !is_scalar(other) || follows(other.joint, mine.joint))
          continue;
        body->joint.mimic = Mimic{other.joint, -other.coefficient / mine.coefficient,
                                  coupling.offset / mine.coefficient};
        return;
      }
    out_.mechanism.couplings.push_back(std::move(coupling));
  }
  /// Whether the joint of the result has one coordinate, that of the term.
  bool is_scalar(const Coupling::Term& term) const {
    return std::any_of(out_.mechanism.bodies.begin(), out_.mechanism.bodies.end(),
                       [&](const Body& b) {
                         return b.joint.name == term.joint && coordinate_kinds(b.joint).size() == 1;
                       });
  }
  /// Whether a joint mimics another, directly or by way of others.
  bool follows(std::string joint, const std::string& other) const {
    for (std::size_t steps = 0; steps <= out_.mechanism.bodies.size(); ++steps) {
      if (joint == other) return true;
      const auto body = std::find_if(out_.mechanism.bodies.begin(), out_.mechanism.bodies.end(),
                                     [&](const Body& b) { return b.joint.name == joint; });
      if (body == out_.mechanism.bodies.end() || !body->joint.mimic) return false;
      joint = body->joint.mimic->joint;
    }
    return true;
  }

  const Mechanism& given_;
  const FormatJoints& format_;
  const ReferenceGeometry geometry_;
  std::unordered_set<std::string> bodies_, joints_;                 // names in use
  std::unordered_map<std::string, SE3> at_;                         // bodies in the world
  std::map<std::pair<std::string, int>, std::string> coordinates_;  // joint of a coordinate
  struct ChainJoint {
    std::string name;
    bool is_ball;
    double pitch;         // of a helical motion,
    std::string slide{};  // whose translation is this joint
  };
  std::unordered_map<std::string, std::vector<ChainJoint>> chains_;  // what joints became
  SimpleJoints out_;
};

}  // namespace

bool coincide(const SE3& a, const SE3& b) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const double size = std::max({1e-3, max_abs(a.r), max_abs(b.r)});
  const Mat3 D = (inverse(a.R) * b.R).matrix();
  return max_abs(a.r - b.r) <= 8 * eps * size && max_abs(D.c0 - Vec3{1, 0, 0}) <= 16 * eps &&
         max_abs(D.c1 - Vec3{0, 1, 0}) <= 16 * eps && max_abs(D.c2 - Vec3{0, 0, 1}) <= 16 * eps;
}

LoopFrames loop_frames(const Loop& loop, const SE3& A_first, const SE3& A_second) {
  const std::string what = describe(loop.where, "loop", loop.name);
  const JointTypeInfo& info = joint_type_info(loop.type);
  const auto frame = [&](const Vec3& axis, const Vec3& point, const std::optional<Vec3>& x_axis) {
    return info.takes_axis ? joint_frame(axis, point, x_axis, what) : SE3{{}, point};
  };
  if (const auto* given = std::get_if<FramesGeometry>(&loop.geometry)) {
    const SE3 J = joint_frame(given->axis, {}, given->x_axis, what);
    return {given->parent * J, given->child * J};
  }
  const auto& given = std::get<AxisGeometry>(loop.geometry);
  const SE3 in = given.in == DescribedIn::world    ? SE3{}
                 : given.in == DescribedIn::parent ? A_first
                                                   : A_second;
  SE3 J = in * frame(given.axis, given.point, given.x_axis);
  if (!info.takes_axis && loop.type != JointType::custom) J.R = A_second.R;
  return {inverse(A_first) * J, inverse(A_second) * J};
}

bool FormatShapes::contains(const CollisionShape& shape) const {
  return std::find(kinds.begin(), kinds.end(), shape.kind) != kinds.end() &&
         (has_ground || shape.body != ground);
}

namespace {
/// "actuators such as 'motor', 3 in all, are not written to URDF; YAML keeps them".
std::string unwritten(std::size_t count, const std::string& part, const std::string& name,
                      const std::string& format) {
  return (count == 1
              ? "the " + part + " '" + name + "' is"
              : part + "s such as '" + name + "', " + std::to_string(count) + " in all, are") +
         " not written to " + format + "; YAML keeps them";
}
}  // namespace

void warn_of_visuals(const Mechanism& mechanism, const std::string& format,
                     std::vector<std::string>* warnings) {
  if (warnings == nullptr) return;
  std::size_t count = 0;
  std::string first;
  for (const Body& body : mechanism.bodies) {
    const auto found = mechanism.appearance.shapes.find(body.name);
    if (found == mechanism.appearance.shapes.end() || found->second.empty()) continue;
    if (count == 0) first = body.name;
    count += found->second.size();
  }
  if (count > 0) warnings->push_back(unwritten(count, "visual", first, format));
}

void warn_of_unwritten(const Mechanism& mechanism, const std::string& format,
                       const FormatShapes& shapes, std::vector<std::string>* warnings) {
  if (warnings == nullptr) return;
  const auto say = [&](std::size_t count, const std::string& part, const std::string& name) {
    warnings->push_back(unwritten(count, part, name, format));
  };
  const std::vector<Actuator>& actuators = mechanism.actuators;
  const std::vector<Keyframe>& keyframes = mechanism.keyframes;
  if (!actuators.empty()) say(actuators.size(), "actuator", actuators[0].name);
  if (!keyframes.empty()) say(keyframes.size(), "keyframe", keyframes[0].name);
  const Collisions& collisions = mechanism.collisions;
  std::vector<const CollisionShape*> left_out;
  bool has_more = !collisions.pairs.empty() || !collisions.excluded.empty() || collisions.neighbors;
  const CollisionShape plain;
  for (const CollisionShape& shape : collisions.shapes) {
    if (!shapes.contains(shape)) {
      left_out.push_back(&shape);
      continue;
    }
    has_more = has_more || (!shapes.has_friction && shape.friction != plain.friction) ||
               shape.torsional_friction != 0 || shape.rolling_friction != 0 || shape.margin != 0 ||
               shape.layers != plain.layers || shape.touches != plain.touches;
  }
  if (!left_out.empty()) {
    const CollisionShape& first = *left_out[0];
    say(left_out.size(), "collision shape", first.name.empty() ? first.body : first.name);
  }
  if (has_more)
    warnings->push_back(std::string("of collision shapes, ") +
                        (shapes.has_friction ? "" : "friction, ") +
                        "margins, layers, listed and excluded pairs are not written to " + format +
                        "; YAML keeps them");
  warn_of_visuals(mechanism, format, warnings);
}

SimpleJoints simple_joints(const Mechanism& mechanism, const FormatJoints& format) {
  return Simplifier(mechanism, format).make();
}

}  // namespace chasles::io
