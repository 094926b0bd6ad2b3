/// The list `events` of a scenario.
#include <algorithm>

#include "io/runs/scenario_parts.hpp"
#include "io/yaml/coordinate_dimensions.hpp"

namespace chasles::io {
namespace {

using Kind = Value::Kind;

/// Expands the short forms `joint elbow`, `frame hand z` and `distance hand tip` to a map.
Value spelled_out(const Fields& fields, const Value& when) {
  if (when.kind != Kind::scalar) return when;
  const std::string_view text = when.text;
  const auto word = [&](std::string_view part) {
    Value value = when;
    value.text = part;
    return value;
  };
  const std::size_t space = text.find(' '), last = text.rfind(' ');
  const std::string_view kind = text.substr(0, space);
  Value map = when;
  map.kind = Kind::map, map.text.clear();
  if (kind == "joint" && space != text.npos) {
    map.keys = {word("joint")}, map.items = {word(text.substr(space + 1))};
  } else if (kind == "frame" && last != space) {
    map.keys = {word("frame"), word("axis")};
    map.items = {word(text.substr(space + 1, last - space - 1)), word(text.substr(last + 1))};
  } else if (kind == "distance" && last != space && text.find(' ', space + 1) == last) {
    Value ends = map;
    ends.kind = Kind::list;
    ends.items = {word(text.substr(space + 1, last - space - 1)), word(text.substr(last + 1))};
    map.keys = {word("distance")}, map.items = {ends};
  } else {
    fields.refuse(when,
                  "when: " + quote(when.text) +
                      " is not understood; give joint NAME, frame NAME z, distance FRAME FRAME, "
                      "or a map");
  }
  return map;
}

struct EventReader {
  const Fields& fields;
  const Model& model;   // of joints
  const Model& bodies;  // of bodies and frames
  const Value value;    // of `when`

  /// An index into a list, default 0.
  int coordinate(const Fields& when, const ModelJoint& joint, int count) const {
    const double k = when.number("coordinate", 0);
    if (!(k >= 0 && k < count && k == static_cast<int>(k)))
      when.refuse(when.require("coordinate"), "coordinate " + to_text(k) + " of joint " +
                                                  quote(joint.name) + ": it has " +
                                                  std::to_string(count) + ", from 0");
    return static_cast<int>(k);
  }

  /// Between the origins of two frames.
  std::function<double(const State&)> distance(const Fields& when) const {
    const auto& ends = when.list("distance");
    if (ends.size() != 2)
      when.refuse(when.require("distance"), "distance: give two bodies or frames, [hand, tip]");
    Frame frames[2];
    for (std::size_t i = 0; i < 2; ++i) {
      if (ends[i].kind != Kind::scalar)
        when.refuse(ends[i], "distance: give two bodies or frames, [hand, tip]");
      frames[i] = with_location(when, ends[i], [&] { return bodies.frame(ends[i].text); });
    }
    if (frames[0].link == frames[1].link)
      when.refuse(when.require("distance"), "distance: " + quote(ends[0].text) + " and " +
                                                quote(ends[1].text) + " move together");
    return
        [a = frames[0], b = frames[1], kin = PositionKinematics(bodies)](const State& s) mutable {
          forward_kinematics(kin.model(), s.q, kin);
          return norm(pose(kin, b).r - pose(kin, a).r);
        };
  }

  bool watches_joint() const {
    return std::ranges::any_of(value.keys, [](const Value& key) { return key.text == "joint"; });
  }
  /// The watched quantity: a joint coordinate or its rate, a coordinate of a frame origin, or a distance.
  std::function<double(const State&)> watched() const {
    const Fields when(fields.file(), value, fields.what() + ", when",
                      {"joint", "of", "coordinate", "frame", "axis", "distance"});
    if (when.has("joint") + when.has("frame") + when.has("distance") != 1)
      when.refuse(value,
                  "give {joint: NAME}, {frame: NAME, axis: z} or {distance: [FRAME, FRAME]}");
    if (when.has("joint")) {
      const ModelJoint& joint =
          with_location(when, when.require("joint"),
                        [&]() -> const ModelJoint& { return model.joint(when.text("joint")); });
      static constexpr std::string_view parts[] = {"position", "velocity"};
      const bool rate = when.choice("of", parts, 0) == 1;
      const int k = coordinate(when, joint, rate ? joint.nv : joint.nq);
      if (rate) return [i = joint.v_index + k](const State& s) { return s.v[i]; };
      return [i = joint.q_index + k](const State& s) { return s.q[i]; };
    }
    if (when.has("distance")) return distance(when);
    static constexpr std::string_view axes[] = {"x", "y", "z"};
    when.require("axis");
    const std::size_t axis = when.choice("axis", axes, 0);
    const Frame location = with_location(when, when.require("frame"),
                                         [&] { return bodies.frame(when.text("frame")); });
    return [location, axis, kin = PositionKinematics(bodies)](const State& s) mutable {
      forward_kinematics(kin.model(), s.q, kin);
      const Vec3 r = pose(kin, location).r;
      return axis == 0 ? r.x : axis == 1 ? r.y : r.z;
    };
  }

  /// Of the watched quantity.
  Dimension dimension() const {
    const Fields when(fields.file(), value, fields.what() + ", when",
                      {"joint", "of", "coordinate", "frame", "axis", "distance"});
    if (!when.has("joint")) return dimensions::length;
    const ModelJoint& joint = model.joint(when.text("joint"));
    const auto list =
        when.text("of", "position") == "velocity" ? v_dimensions(joint) : q_dimensions(joint);
    return list[static_cast<std::size_t>(when.number("coordinate", 0))];
  }

  void read_impact(const Fields& todo, RunEvent& event) const {
    const Fields when(fields.file(), value, fields.what() + ", when",
                      {"joint", "of", "coordinate", "frame", "axis", "distance"});
    if (!when.has("joint") || when.text("of", "position") != "position")
      when.refuse(value, "an impact is that of the position of a joint; give {joint: NAME}");
    const double restitution = todo.number("impact");
    event = with_location(todo, todo.require("impact"), [&] {
      return impact_event(model, event.event.name, when.text("joint"),
                          fields.number("crosses", 0, dimension()), event.event.direction,
                          restitution, static_cast<int>(when.number("coordinate", 0)));
    });
  }

  void read_action(RunEvent& event) const {
    const Value& given = fields.require("do");
    static constexpr std::string_view names[] = {"log", "stop"};
    if (given.kind != Kind::map) {
      event.action = static_cast<RunEvent::Action>(fields.choice("do", names, 0));
      return;
    }
    const Fields todo(fields.file(), given, fields.what() + ", do", {"set_velocity", "impact"});
    if (todo.has("set_velocity") == todo.has("impact"))
      todo.refuse(given, "give {set_velocity: {JOINT: number}} or {impact: restitution}");
    if (todo.has("impact")) return read_impact(todo, event);
    const Value& map = todo.require("set_velocity");
    if (map.kind != Kind::map || map.keys.empty())
      todo.refuse(map, "set_velocity: give numbers by joint, {elbow: 0}");
    event.action = RunEvent::set_velocity;
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
      const ModelJoint& joint = with_location(
          todo, map.keys[i], [&]() -> const ModelJoint& { return model.joint(map.keys[i].text); });
      const auto v = read_coordinates(
          todo, map.items[i], "set_velocity of joint " + quote(joint.name), v_dimensions(joint));
      for (std::size_t k = 0; k < v.size(); ++k)
        event.velocity.emplace_back(joint.v_index + static_cast<int>(k), v[k]);
    }
  }
};

}  // namespace

std::vector<RunEvent> read_events(const Fields& scenario, const Scenario& run) {
  std::vector<RunEvent> events;
  for (const Value& value : scenario.list("events")) {
    const std::string what = "event " + std::to_string(events.size() + 1);
    const Fields fields(scenario.file(), value, what,
                        {"name", "when", "crosses", "direction", "do"}, what);
    const EventReader reader{fields, joints_of(run), run.model,
                             spelled_out(fields, fields.require("when"))};
    static constexpr std::string_view directions[] = {"down", "both", "up"};
    RunEvent event;
    event.event.name = fields.text("name", what);
    event.event.direction = static_cast<IntegratorEvent::Direction>(
        static_cast<int>(fields.choice("direction", directions, 1)) - 1);
    auto watched = reader.watched();
    const double level = fields.number("crosses", 0, reader.dimension());
    event.event.g = [g = std::move(watched), level](const State& s) { return g(s) - level; };
    event.of_joints = run.joints && reader.watches_joint();
    reader.read_action(event);
    for (const RunEvent& other : events)
      if (other.event.name == event.event.name)
        fields.refuse(value, "there is another event of this name");
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace chasles::io
