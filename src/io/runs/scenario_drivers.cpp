/// The list `drivers` of a scenario: prescribed motions.
#include <algorithm>
#include <cmath>

#include "chasles/simulation/driver.hpp"
#include "io/runs/scenario_parts.hpp"
#include "io/runs/start_constraints.hpp"
#include "io/yaml/coordinate_dimensions.hpp"

namespace chasles::io {
namespace {

constexpr std::string_view motions[] = {"speed",     "position", "table",     "sine",
                                        "harmonics", "step",     "polynomial"};

/// One driver, as it is read.
class DriverReader {
 public:
  DriverReader(const Fields& scenario, const Value& value, StartConstraints& start, Scenario& run,
               State& joints)
      : f_(scenario.file(), value, "driver",
           {"name", "joint", "coordinate", "frame", "axis", "speed", "position", "table", "ends",
            "sine", "harmonics", "step", "polynomial", "offset"},
           "a driver"),
        value_(value),
        start_(start),
        run_(run),
        joints_(joints) {}

  /// Whether the motion begins where the loops close, so that the other drivers are read before.
  bool begins_closed() const { return f_.has("speed") && !f_.has("offset") && !in_tree(); }
  /// Adds the driver to the run, and the same driver of the joints to the start.
  void read(const Value* initial, std::vector<std::string>* warnings) {
    if (f_.has("joint") == f_.has("frame"))
      f_.refuse(value_, "drives one of joint and frame; give its name");
    const std::string name = f_.text("name", default_name());
    for (const auto& other : run_.constraints.more)
      if (other->name() == name)
        f_.refuse(value_, "another driver has the name " + quote(name) +
                              "; give another name, or drive another coordinate");
    f_.has("joint") ? read_joint(name, initial, warnings) : read_frame(name);
  }

 private:
  std::string default_name() const {
    if (f_.has("joint")) {
      const int k = coordinate();
      return f_.text("joint") + (k == 0 ? "" : "[" + std::to_string(k) + "]");
    }
    const Value* axis = f_.find("axis");
    return f_.text("frame") +
           (axis != nullptr && axis->kind == Value::Kind::scalar ? "." + axis->text : "");
  }
  int coordinate() const {
    const double k = f_.number("coordinate", 0);
    if (!(k >= 0 && k < 6) || k != std::floor(k))
      f_.refuse(f_.require("coordinate"),
                "coordinate " + to_text(k) + " is not one of a joint; give 0, 1, ...");
    return static_cast<int>(k);
  }

  bool in_tree() const {
    const Value* at = f_.find("joint");
    const auto& joints = joints_of(run_).joints();
    return at != nullptr && std::ranges::find(joints, at->text, &ModelJoint::name) != joints.end();
  }
  /// The coordinate of a driver of the tree where the loops are closed.
  double closed_position(const Driver& driver) const {
    PositionKinematics kin(joints_of(run_));
    const Vector q = with_location(f_, value_, [&] { return start_.assembled(joints_.q); });
    forward_kinematics(joints_of(run_), q, kin);
    Vector x(1);
    driver.error_at(joints_.t, kin, x);  // of a driver to 0
    return x[0];
  }

  void read_joint(const std::string& name, const Value* initial,
                  std::vector<std::string>* warnings) {
    if (f_.has("axis")) f_.refuse(f_.require("axis"), "axis: of a frame, not of a joint");
    const Model& tree = joints_of(run_);
    const int k = coordinate();
    const Value& at = f_.require("joint");
    const bool in_tree = this->in_tree();
    const auto& loops = tree.loops();
    const bool is_loop = std::ranges::find(loops, at.text, &ModelLoop::name) != loops.end();
    if (!is_loop) with_location(f_, at, [&] { return tree.joint(at.text).nv; });
    // Checks the coordinate, and names the joint if it has none.
    const auto to_zero = with_location(f_, at, [&] { return joint_driver(tree, at.text, 0.0, k); });
    const double q = begins_closed() ? closed_position(*to_zero)
                     : in_tree       ? joints_.q[tree.joint(at.text).q_index + k]
                                     : 0;
    if (in_tree) unit_ = q_dimensions(tree.joint(at.text))[static_cast<std::size_t>(k)];
    const Reference motion = read_motion(q);
    run_.constraints.more.push_back(with_location(f_, at, [&] {
      return joint_driver(run_.model, at.text, motion, run_.joints ? 0 : k, name);
    }));
    start_.add(joint_driver(tree, at.text, motion, k, name));
    if (!in_tree) return;
    const ModelJoint& joint = tree.joint(at.text);
    const Setpoint start = motion(joints_.t);
    compare(initial, "q", joint, joints_.q[joint.q_index + k], start.q, nullptr);
    compare(initial, "v", joint, joints_.v[joint.v_index + k], start.v, warnings);
    joints_.q[joint.q_index + k] = start.q, joints_.v[joint.v_index + k] = start.v;
    for (auto* kept : {&run_.kept_q, &run_.kept_v})
      if (!kept->empty()) (*kept)[static_cast<std::size_t>(joint.v_index + k)] = false;
  }

  /// What `initial` says about a driven coordinate: another position is an error, another velocity is replaced.
  void compare(const Value* initial, std::string_view key, const ModelJoint& joint, double given,
               double driven, std::vector<std::string>* warnings) const {
    if (initial == nullptr || std::abs(given - driven) <= 1e-9 * (1 + std::abs(driven))) return;
    const auto find = [](const Value& map, std::string_view name) -> const Value* {
      for (std::size_t i = 0; i < map.keys.size(); ++i)
        if (map.keys[i].text == name) return &map.items[i];
      return nullptr;
    };
    const Value* map = find(*initial, key);
    const Value* entry = map != nullptr ? find(*map, joint.name) : nullptr;
    if (entry == nullptr && key == "q") entry = find(*initial, "from");
    if (entry == nullptr) return;
    const std::string what = std::string(key) + " of joint " + quote(joint.name) + " is " +
                             to_text(given) + " at the start, and its driver prescribes " +
                             to_text(driven);
    if (key == "q") f_.refuse(*entry, what + "; leave it out, or change the driver");
    if (warnings != nullptr)
      warnings->push_back(location_text(f_.file(), entry->location) + ": " + what +
                          ", which is taken");
  }

  void read_frame(const std::string& name) {
    if (f_.has("coordinate"))
      f_.refuse(f_.require("coordinate"), "coordinate: of a joint, not of a frame; give axis");
    static constexpr std::string_view axes[] = {"x", "y", "z"};
    const Value& given = f_.require("axis");
    Vec3 axis;
    if (given.kind == Value::Kind::list)
      axis = f_.vec3("axis");
    else
      axis[static_cast<int>(f_.choice("axis", axes, 0))] = 1;
    const Value& at = f_.require("frame");
    const auto to_zero = with_location(
        f_, at, [&] { return frame_driver(joints_of(run_), at.text, axis, 0.0, name); });
    const double x = begins_closed() ? closed_position(*to_zero) : 0;
    unit_ = dimensions::length;
    const Reference motion = read_motion(x);
    run_.constraints.more.push_back(with_location(
        f_, at, [&] { return frame_driver(run_.model, at.text, axis, motion, name); }));
    start_.add(frame_driver(joints_of(run_), at.text, axis, motion, name));
  }

  Reference read_motion(double start) const {
    std::size_t count = 0, chosen = 0;
    for (std::size_t i = 0; i < std::size(motions); ++i)
      if (f_.has(motions[i])) ++count, chosen = i;
    if (count != 1)
      f_.refuse(value_,
                std::string(count == 0 ? "has no motion" : "has more than one motion") +
                    "; give one of speed, position, table, sine, harmonics, step, polynomial");
    for (const auto& [key, of] : {std::pair{"ends", 2U}, {"offset", 0U}})
      if (f_.has(key) && chosen != of)
        f_.refuse(f_.require(key), std::string(key) + ": only with " + std::string(motions[of]));
    const Value& at = f_.require(motions[chosen]);
    switch (chosen) {
      case 0:
        return references::speed(f_.number("speed", rate(1)), f_.number("offset", start, unit_),
                                 joints_.t);
      case 1:
        return f_.number("position", unit_);
      case 2:
        return table(at);
      case 3:
        return sine(at);
      case 4:
        return harmonics(at);
      case 5:
        return step(at);
      default: {
        std::vector<double> c;
        for (const Value& x : f_.list("polynomial"))
          c.push_back(f_.to_number(x, "polynomial", rate(static_cast<int>(c.size()))));
        return with_location(f_, at, [&] { return references::polynomial(c); });
      }
    }
  }
  /// The dimension of a derivative of the coordinate by time.
  Dimension rate(int order) const {
    return unit_ == dimensions::any ? unit_ : unit_ + dimensions::time * -order;
  }
  std::vector<double> numbers(const Fields& f, std::string_view key) const {
    std::vector<double> list;
    for (const Value& x : f.list(key)) list.push_back(f.to_number(x, key, unit_));
    return list;
  }
  Reference sine(const Value& at) const {
    const Fields s(f_.file(), at, f_.what() + ", sine",
                   {"amplitude", "frequency", "phase", "offset"});
    const signals::Sinusoid wave{
        s.number("amplitude", unit_), s.number("frequency", dimensions::frequency),
        s.number("phase", 0, dimensions::angle), s.number("offset", 0, unit_)};
    return with_location(s, at, [&] { return references::sinusoid(wave); });
  }
  Reference harmonics(const Value& at) const {
    const Fields h(f_.file(), at, f_.what() + ", harmonics", {"frequency", "mean", "cos", "sin"});
    return references::harmonics({h.number("frequency", dimensions::frequency),
                                  h.number("mean", 0, unit_), numbers(h, "cos"),
                                  numbers(h, "sin")});
  }
  Reference step(const Value& at) const {
    const Fields s(f_.file(), at, f_.what() + ", step", {"from", "to", "start", "duration"});
    const references::SmoothStep to{s.number("from", unit_), s.number("to", unit_),
                                    s.number("start", 0, dimensions::time),
                                    s.number("duration", dimensions::time)};
    return with_location(s, at, [&] { return references::smooth_step(to); });
  }
  /// The run must not leave the table, unless it ends at rest or repeats.
  Reference table(const Value& at) const {
    static constexpr std::string_view ends[] = {"natural", "clamped", "periodic"};
    const auto end = static_cast<references::Ends>(f_.choice("ends", ends, 0));
    std::vector<double> times, values;
    if (at.kind != Value::Kind::list || at.items.size() < 2)
      f_.refuse(at, "table is not a list of points; give [[t, q], ...], at least two");
    for (const Value& point : at.items) {
      const std::vector<double> tq =
          f_.to_numbers(point, "a point of the table", std::array{dimensions::time, unit_});
      times.push_back(tq[0]), values.push_back(tq[1]);
    }
    const double slack = 1e-9 * run_.duration, stop = joints_.t + run_.duration;
    const double first = times.front(), last = times.back();
    Reference motion =
        with_location(f_, at, [&] { return references::spline(times, values, end); });
    if (end == references::Ends::natural && (first > joints_.t + slack || last < stop - slack))
      f_.refuse(at, "the table is from t = " + to_text(first) + " to " + to_text(last) +
                        " s, and the run from " + to_text(joints_.t) + " to " + to_text(stop) +
                        " s; extend the table, or let it end at rest (ends: clamped) or repeat "
                        "(ends: periodic)");
    return motion;
  }

  Fields f_;
  const Value& value_;
  StartConstraints& start_;
  Scenario& run_;
  State& joints_;
  Dimension unit_ = dimensions::any;  // of the coordinate
};

}  // namespace

void read_drivers(const Fields& scenario, const Value* initial, StartConstraints& start,
                  Scenario& run, State& joints, std::vector<std::string>* warnings) {
  std::vector<DriverReader> readers;
  for (const Value& value : scenario.list("drivers"))
    readers.emplace_back(scenario, value, start, run, joints);
  for (const bool begins_closed : {false, true})
    for (DriverReader& reader : readers)
      if (reader.begins_closed() == begins_closed) reader.read(initial, warnings);
}

}  // namespace chasles::io
