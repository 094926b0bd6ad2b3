/// The list `control` of a scenario.
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "chasles/simulation/actuator_force.hpp"
#include "chasles/simulation/control.hpp"
#include "chasles/simulation/series_elastic_control.hpp"
#include "chasles/simulation/state_feedback.hpp"
#include "io/runs/run_text.hpp"
#include "io/runs/scenario_parts.hpp"
#include "io/text.hpp"
#include "io/yaml/coordinate_dimensions.hpp"

namespace chasles::io {
namespace {

using Kind = Value::Kind;
namespace fs = std::filesystem;

constexpr const char* reference_kinds =
    "a number, {amplitude, frequency, phase, offset}, {times: [..], values: [..], ends} or "
    "{csv: FILE, column: NAME, time: NAME, ends}";

/// Two columns of a CSV file with a header, names with or without their units: "q:elbow [rad]" is
/// found as "q:elbow" too.
struct Columns {
  std::vector<double> times, values;

  Columns(const std::string& text, const std::string& name, const std::string& time,
          const std::string& column) {
    std::istringstream in(text);
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> header = cells(line);
    const std::size_t t = time.empty() ? 0 : find(header, name, time);
    const std::size_t x = find(header, name, column);
    for (int number = 2; std::getline(in, line); ++number) {
      const std::vector<std::string> row = cells(line);
      if (row.size() == 1 && row[0].empty()) continue;
      if (row.size() != header.size())
        fail(name, {number, 0},
             "has " + std::to_string(row.size()) + " cells; the header has " +
                 std::to_string(header.size()));
      times.push_back(number_in(row[t], name, number, header[t]));
      values.push_back(number_in(row[x], name, number, header[x]));
      if (times.size() > 1 && !(times[times.size() - 2] < times.back()))
        fail(name, {number, 0},
             "time goes backwards: " + to_text(times.back()) + " after " +
                 to_text(times[times.size() - 2]));
    }
    if (times.empty()) throw Error(name + ": has no rows");
  }

 private:
  static std::vector<std::string> cells(std::string& line) {
    if (line.ends_with('\r')) line.pop_back();
    return split_csv(line);
  }
  static std::size_t find(const std::vector<std::string>& header, const std::string& name,
                          const std::string& wanted) {
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < header.size(); ++i) {
      const std::string_view whole = header[i], bare = whole.substr(0, whole.find(" ["));
      if (whole == wanted || bare == wanted) return i;
      known.push_back(bare);
    }
    throw Error(name + ": there is no column " + quote(wanted) + choices(wanted, known));
  }
  static double number_in(const std::string& cell, const std::string& name, int line,
                          const std::string& column) {
    const std::optional<double> x = parse_number(cell);
    if (!x || !std::isfinite(*x))
      fail(name, {line, 0},
           "column " + quote(column) + ": " + quote(cell) + " is not a finite number");
    return *x;
  }
};

struct ControlReader {
  const Fields& scenario;
  const Value& value;
  const Mechanism& described;
  const ElasticDrives& drives;
  const Model& rigid;  // with rigid drives, if there are elastic ones
  const Scenario& run;
  const fs::path& folder;
  std::vector<fs::path>* files;
  std::vector<std::string>* warnings;
  std::string what;  // "controller 3"
  bool continued;    // the run continues another one

  Fields fields(Fields::Keys known) const { return {scenario.file(), value, what, known}; }
  /// The model that laws use: with series elastic drives that with rigid ones.
  const Model& model() const { return drives.list.empty() ? joints_of(run) : rigid; }
  /// Its configuration at the start.
  Vector start_q() const {
    const Vector& q = joints_q_of(run);
    if (drives.list.empty()) return q;
    Vector out(rigid.nq());
    for (const ModelJoint& joint : rigid.joints())
      out.segment(joint.q_index, joint.nq) =
          q.segment(joints_of(run).joint(joint.name).q_index, joint.nq);
    return out;
  }
  Binding binding() const {
    Binding out{run.loops, run.joints ? run.joint_constraints : run.constraints, start_q()};
    out.constraints.time = run.start.t;
    return out;
  }

  /// A list of names, or all of a kind.
  std::vector<std::string> joints(const Fields& f, bool any_type) const {
    const Value* given = f.find("joints");
    if (given != nullptr && given->kind == Kind::list) {
      std::vector<std::string> names;
      for (const Value& item : given->items) {
        with_location(f, item, [&] { return model().joint(item.text).nv; });
        names.push_back(item.text);
      }
      if (names.empty()) f.refuse(*given, "joints is empty; name some, or leave it out for all");
      return names;
    }
    if (given != nullptr && given->text != "all")
      f.refuse(*given, "joints: give a list of joints, or all");
    std::vector<std::string> names = driven_joints(model());
    if (!any_type)
      std::erase_if(names,
                    [&](const std::string& name) { return !model().joint(name).is_vector(); });
    if (names.empty()) f.refuse(value, "the model has no joint that it could drive");
    return names;
  }

  /// For each of `names` its value in a map by joint, or null; a value that is not a map applies to all.
  std::vector<const Value*> by_joint(const Fields& f, const Value& given, std::string_view key,
                                     const std::vector<std::string>& names, bool is_map) const {
    std::vector<const Value*> out(names.size(), is_map ? nullptr : &given);
    for (std::size_t i = 0; is_map && i < given.keys.size(); ++i) {
      with_location(f, given.keys[i], [&] { return model().joint(given.keys[i].text).nv; });
      const auto at = std::ranges::find(names, given.keys[i].text);
      if (at == names.end())
        f.refuse(given.keys[i], std::string(key) + ": joint " + quote(given.keys[i].text) +
                                    " is not one of its joints");
      out[static_cast<std::size_t>(at - names.begin())] = &given.items[i];
    }
    return out;
  }
  /// The dimension of a gain by the dimensions of its joint.
  using Wanted = std::function<Dimension(const CoordinateDimensions& d)>;
  static Dimension no_unit(const CoordinateDimensions&) { return {}; }
  std::vector<double> gains(const Fields& f, std::string_view key,
                            const std::vector<std::string>& names, std::optional<double> otherwise,
                            const Wanted& wanted) const {
    if (!f.has(key) && otherwise) return {*otherwise};
    const Value& given = f.require(key);
    std::vector<double> out;
    const bool is_map = given.kind == Kind::map;
    const auto list = by_joint(f, given, key, names, is_map);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] == nullptr)
        f.refuse(given, std::string(key) + " of joint " + quote(names[i]) + " is missing");
      out.push_back(f.to_number(*list[i], key, wanted(dimensions_of(model().joint(names[i])))));
    }
    return out;
  }

  Reference csv(const Fields& f, references::Ends ends) const {
    const fs::path path = folder / f.text("csv");
    if (files != nullptr) files->push_back(path);
    return with_location(f, f.require("csv"), [&] {
      Columns columns(read_file(path), input_name(path), f.text("time", ""), f.text("column"));
      const double slack = 1e-9 * run.duration, end = run.start.t + run.duration;
      if (columns.times.back() < end - slack)
        throw Error(path.string() + ": ends at t = " + to_text(columns.times.back()) +
                    " s, before the run does at " + to_text(end) + " s");
      if (columns.times.front() > run.start.t + slack)
        throw Error(path.string() + ": begins at t = " + to_text(columns.times.front()) +
                    " s, after the run does at " + to_text(run.start.t) + " s");
      return references::spline(std::move(columns.times), std::move(columns.values), ends);
    });
  }
  Reference reference(const Fields& f, const Value& given, const Dimension& wanted) const {
    const std::string key = "reference";
    if (given.kind == Kind::scalar && !parse_expression(given.text))
      f.refuse(given, key + " " + quote(given.text) + " is none; give " + reference_kinds);
    if (given.kind != Kind::map) return f.to_number(given, key, wanted);
    const Fields r(f.file(), given, f.what() + ", reference",
                   {"amplitude", "frequency", "phase", "offset", "times", "values", "ends", "csv",
                    "column", "time"});
    static constexpr std::string_view kinds[] = {"natural", "clamped"};
    const auto ends = static_cast<references::Ends>(r.choice("ends", kinds, 0));
    const bool wave = r.has("amplitude") || r.has("frequency"), points = r.has("times"),
               file = r.has("csv");
    if (wave + points + file != 1) r.refuse(given, std::string("is none; give ") + reference_kinds);
    if (file) return csv(r, ends);
    return with_location(r, given, [&]() -> Reference {
      if (wave)
        return references::sinusoid(
            {r.number("amplitude", wanted), r.number("frequency", dimensions::frequency),
             r.number("phase", 0, dimensions::angle), r.number("offset", 0, wanted)});
      std::vector<double> times, values;
      for (const Value& t : r.list("times"))
        times.push_back(r.to_number(t, "times", dimensions::time));
      for (const Value& y : r.list("values")) values.push_back(r.to_number(y, "values", wanted));
      return references::spline(std::move(times), std::move(values), ends);
    });
  }
  /// By joint; joints not named keep their initial position.
  std::vector<Reference> references(const Fields& f, const std::vector<std::string>& names) const {
    std::vector<Reference> out;
    const Value* given = f.find("reference");
    if (given != nullptr && given->kind != Kind::map)
      f.refuse(*given, "reference is not a map; give references by joint, {shoulder: 0.3}");
    std::vector<const Value*> list(names.size(), nullptr);
    if (given != nullptr) list = by_joint(f, *given, "reference", names, true);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ModelJoint& joint = model().joint(names[i]);
      if (list[i] == nullptr && continued)
        f.refuse(value, "joint " + quote(joint.name) +
                            " has no reference; a run from a recorded one does not start where "
                            "that one did, so say where to hold it: reference: {" +
                            joint.name + ": ..}");
      if (list[i] == nullptr) {
        for (int k = 0; k < joint.nv; ++k) out.emplace_back(start_q()[joint.q_index + k]);
      } else if (list[i]->kind == Kind::list) {
        if (list[i]->items.size() != static_cast<std::size_t>(joint.nv))
          f.refuse(*list[i], "reference of joint " + quote(joint.name) + " has " +
                                 std::to_string(list[i]->items.size()) + " entries; give " +
                                 std::to_string(joint.nv));
        const auto wanted = q_dimensions(joint);
        for (std::size_t k = 0; k < wanted.size(); ++k)
          out.push_back(reference(f, list[i]->items[k], wanted[k]));
      } else {
        if (joint.nv != 1)
          f.refuse(*list[i], "reference of joint " + quote(joint.name) + ": give a list of " +
                                 std::to_string(joint.nv));
        out.push_back(reference(f, *list[i], q_dimensions(joint)[0]));
      }
    }
    return out;
  }

  /// Noise or resolution: a number for all joints, or numbers by joint.
  std::vector<double> sensor_sizes(const Fields& s, std::string_view key, bool of_v) const {
    const Value* given = s.find(key);
    if (given == nullptr) return {};
    const auto wanted = [&](const ModelJoint& joint) {
      const CoordinateDimensions d = dimensions_of(joint);
      return of_v ? d.v : d.turn;
    };
    if (given->kind != Kind::map) return {s.to_number(*given, key, dimensions::any)};
    std::vector<double> out(static_cast<std::size_t>(joints_of(run).nv()), 0);
    for (std::size_t i = 0; i < given->keys.size(); ++i) {
      const ModelJoint& joint = with_location(s, given->keys[i], [&]() -> const ModelJoint& {
        return joints_of(run).joint(given->keys[i].text);
      });
      std::fill_n(out.begin() + joint.v_index, joint.nv,
                  s.to_number(given->items[i], key, wanted(joint)));
    }
    return out;
  }
  std::optional<Sensors> sensors(const Fields& f) const {
    const Value* given = f.find("sensors");
    if (given == nullptr) return std::nullopt;
    const Fields s(f.file(), *given, f.what() + ", sensors",
                   {"position_noise", "velocity_noise", "position_resolution",
                    "velocity_resolution", "delay", "seed"});
    Sensors out{sensor_sizes(s, "position_noise", false), sensor_sizes(s, "velocity_noise", true),
                sensor_sizes(s, "position_resolution", false),
                sensor_sizes(s, "velocity_resolution", true),
                s.number("delay", 0, dimensions::time)};
    const double seed = s.number("seed", static_cast<double>(out.seed));
    if (!(seed >= 0 && seed <= 0x1p53 && seed == std::floor(seed)))
      s.refuse(s.require("seed"), "seed " + to_text(seed) + " is not a whole number from 0");
    out.seed = static_cast<std::uint64_t>(seed);
    return out;
  }

  /// Adds the keys common to all controllers: effort limits, sampling and sensors. Laws for rigid drives are put on the
  /// motors of elastic ones.
  /// @param names  the joints that the keys refer to, one for each motor
  std::vector<Force> finished(const Fields& f, Controller c,
                              const std::vector<std::string>& names = {}) const {
    const bool of_joints = names.empty();
    const std::vector<std::string>& limited = of_joints ? c.joints : names;
    c.name = what + ", " + c.name;
    if (warnings != nullptr)
      for (const std::string& note : c.notes)
        warnings->push_back(scenario.file() + ": " + c.name + ": " + note);
    if (const Value* most = f.find("max_effort")) {
      if (most->kind == Kind::scalar && most->text == "limits")
        c.max_effort = with_location(f, *most, [&] { return effort_limits(model(), limited); });
      else
        c.max_effort = gains(f, "max_effort", limited, {}, [](const auto& d) { return d.force; });
    }
    if (of_joints && !drives.list.empty()) c = control_by_motors(joints_of(run), c, drives.list);
    c.period = f.number("period", 0, dimensions::time);
    c.delay = f.number("delay", 0, dimensions::time);
    c.sensors = sensors(f);
    if (f.has("period") && !(c.period > 0))
      f.refuse(f.require("period"), "period " + to_text(c.period) + " is not positive");
    return {with_location(f, value, [&] { return control(c); })};
  }
  std::vector<Force> pd() const {
    const Fields f = fields({"type", "joints", "reference", "stiffness", "damping",
                             "velocity_feed_forward", "acceleration_feed_forward", "gravity",
                             "max_effort", "period", "delay", "sensors"});
    const auto names = joints(f, false);
    PdGains g{gains(f, "stiffness", names, {}, &CoordinateDimensions::stiffness),
              gains(f, "damping", names, 0, &CoordinateDimensions::damping),
              gains(f, "velocity_feed_forward", names, 0, &CoordinateDimensions::damping),
              gains(f, "acceleration_feed_forward", names, 0,
                    [](const auto& d) {
                      return CoordinateDimensions::quotient(d.damping(), dimensions::frequency);
                    }),
              f.boolean("gravity", false)};
    auto wanted = references(f, names);
    return finished(f, with_location(f, value, [&] {
                      return pd_control(model(), names, std::move(wanted), std::move(g), binding());
                    }));
  }
  std::vector<Force> computed_torque() const {
    const Fields f = fields({"type", "joints", "reference", "frequency", "damping_ratio",
                             "max_effort", "period", "delay", "sensors"});
    const auto names = joints(f, false);
    auto w = gains(f, "frequency", names, {},
                   [](const auto&) { return dimensions::angular_velocity; }),
         z = gains(f, "damping_ratio", names, 1, no_unit);
    auto wanted = references(f, names);
    return finished(f, with_location(f, value, [&] {
                      return chasles::computed_torque(model(), names, std::move(wanted),
                                                      std::move(w), std::move(z), binding());
                    }));
  }
  std::vector<Force> gravity_compensation() const {
    const Fields f = fields({"type", "joints", "max_effort", "period", "delay", "sensors"});
    const auto names = joints(f, true);
    return finished(f, with_location(f, value, [&] {
                      return chasles::gravity_compensation(model(), names, binding());
                    }));
  }

  /// Series elastic drives, all of them.
  std::vector<Force> flatness() const {
    const Fields f =
        fields({"type", "reference", "frequency", "max_effort", "period", "delay", "sensors"});
    if (drives.list.empty())
      f.refuse(value,
               "flatness controls series elastic drives, and the scenario has none; give "
               "series_elastic, or use computed_torque");
    std::vector<std::string> names;
    for (const SeriesElasticDrive& drive : drives.list) names.push_back(drive.joint);
    auto w =
        gains(f, "frequency", names, {}, [](const auto&) { return dimensions::angular_velocity; });
    auto wanted = references(f, names);
    return finished(f,
                    with_location(f, value,
                                  [&] {
                                    return flatness_control(joints_of(run), drives.list,
                                                            std::move(wanted), std::move(w));
                                  }),
                    names);
  }

  /// Rows of numbers, all of the same length.
  static Matrix matrix(const Fields& f, std::string_view key) {
    const std::vector<Value>& rows = f.list(key);
    Matrix out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t columns = rows[0].items.size();
      const auto row = f.to_numbers(rows[i], key, columns, dimensions::any);
      out.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns));
      for (std::size_t j = 0; j < columns; ++j)
        out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = row[j];
    }
    return out;
  }
  std::optional<Observer> observer(const Fields& f) const {
    const Value* given = f.find("observer");
    if (given == nullptr) return std::nullopt;
    for (const char* key : {"max_effort", "delay"})
      if (f.has(key))
        f.refuse(f.require(key), std::string(key) + ": the observer assumes that efforts act as " +
                                     "commanded, from the sample on; leave one of them out");
    if (!drives.list.empty())
      f.refuse(*given, "observer: of the model with rigid drives; series elastic ones change it");
    const Fields o(f.file(), *given, f.what() + ", observer",
                   {"positions", "velocities", "A", "B", "C", "gain"});
    Observer out{.A = matrix(o, "A"),
                 .B = matrix(o, "B"),
                 .C = matrix(o, "C"),
                 .L = matrix(o, "gain"),
                 .period = f.number("period", dimensions::time)};
    for (const Value& name : o.list("positions")) out.positions.push_back(name.text);
    for (const Value& name : o.list("velocities")) out.velocities.push_back(name.text);
    return out;
  }

  /// Linear feedback of all measured positions and velocities.
  std::vector<Force> feedback() const {
    const Fields f = fields({"type", "joints", "measured", "gain", "effort", "reference",
                             "observer", "max_effort", "period", "delay", "sensors"});
    StateFeedback law{joints(f, false), {}, {}, {}, {}};
    for (const Value& item : f.list("measured")) law.measured.push_back(item.text);
    if (law.measured.empty()) law.measured = law.joints;
    for (const std::string& name : law.measured)
      with_location(f, value, [&] { return model().joint(name).nv; });
    law.reference = references(f, law.measured);
    const std::vector<Value>& rows = f.list("gain");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = f.to_numbers(rows[i], "gain", 2 * law.reference.size(), dimensions::any);
      law.K.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(row.size()));
      for (std::size_t j = 0; j < row.size(); ++j)
        law.K(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = row[j];
    }
    if (f.has("effort")) {
      const auto efforts = f.numbers("effort", rows.size(), dimensions::any);
      law.effort = Eigen::Map<const Eigen::VectorXd>(efforts.data(),
                                                     static_cast<Eigen::Index>(efforts.size()));
    }
    law.observer = observer(f);
    return finished(f, with_location(f, value, [&] { return state_feedback(model(), law); }));
  }

  /// The control of an actuator in a keyframe; 0 if it does not say.
  static double in_keyframe(const Keyframe& key, const std::string& actuator) {
    for (const ActuatorControl& one : key.control)
      if (one.actuator == actuator) return one.value;
    return 0;
  }
  /// The keyframe whose controls are used: that of the key `keyframe`, or the one that the run starts from.
  const Keyframe* keyframe(const Fields& f) const {
    if (f.has("keyframe"))
      return with_location(f, f.require("keyframe"),
                           [&] { return &find_keyframe(described, f.text("keyframe")); });
    const Value* initial = scenario.find("initial");
    for (std::size_t i = 0; initial != nullptr && i < initial->keys.size(); ++i)
      if (initial->keys[i].text == "keyframe")
        return &find_keyframe(described, initial->items[i].text);
    return nullptr;
  }
  void warn_beyond(const Actuator& actuator, double u) const {
    const auto& range = actuator.control_range;
    if (warnings == nullptr || !range || (u >= (*range)[0] && u <= (*range)[1])) return;
    warnings->push_back(message_text(scenario.file() + ": " + what + ": control " + to_text(u) +
                                     " of actuator " + quote(actuator.name) +
                                     " is beyond its control_range and limited to it"));
  }
  /// All actuators of the mechanism; those not named have the control of the keyframe, or 0.
  std::vector<Force> actuators() const {
    const Fields f = fields({"type", "control", "keyframe"});
    if (described.actuators.empty())
      f.refuse(value, "the model has no actuators; use pd, or give them in the model");
    const Keyframe* start = keyframe(f);
    const Value* given = f.find("control");
    if (given != nullptr && given->kind != Kind::map)
      f.refuse(*given, "control is not a map; give controls by actuator, {" +
                           described.actuators[0].name + ": 0.3}");
    std::map<std::string, const Value*> named;
    for (std::size_t i = 0; given != nullptr && i < given->keys.size(); ++i) {
      const std::string& name = given->keys[i].text;
      with_location(f, given->keys[i], [&] { return find_actuator(described, name).gain[0]; });
      named.emplace(name, &given->items[i]);
    }
    std::vector<Force> list;
    for (const Actuator& actuator : described.actuators) {
      Signal u = start != nullptr ? in_keyframe(*start, actuator.name) : 0.0;
      if (const auto found = named.find(actuator.name); found != named.end()) {
        const Reference wanted = reference(f, *found->second, dimensions::any);
        u = found->second->kind == Kind::map
                ? Signal([wanted](double t) { return wanted(t).q; },
                         [wanted](double t) { return wanted.next_break(t); })
                : Signal(f.to_number(*found->second, "control", dimensions::any));
      }
      if (u.is_constant()) warn_beyond(actuator, u(0));
      list.push_back(
          with_location(f, value, [&] { return actuator_force(joints_of(run), actuator, u); }));
    }
    return list;
  }
};

}  // namespace

void read_control(const Fields& scenario, const fs::path& path, const Mechanism& described,
                  const ElasticDrives& drives, Scenario& run, std::vector<fs::path>* files,
                  std::vector<std::string>* warnings, bool continued) {
  static constexpr std::string_view types[] = {
      "pd", "computed_torque", "gravity_compensation", "actuators", "state_feedback", "flatness"};
  static constexpr std::vector<Force> (ControlReader::*readers[])()
      const = {&ControlReader::pd,
               &ControlReader::computed_torque,
               &ControlReader::gravity_compensation,
               &ControlReader::actuators,
               &ControlReader::feedback,
               &ControlReader::flatness};
  const Model rigid = drives.list.empty() ? Model{} : compile(drives.rigid);
  int number = 0;
  for (const Value& value : scenario.list("control")) {
    const fs::path folder = path.parent_path();
    const ControlReader reader{
        scenario, value,  described, drives,   rigid,
        run,      folder, files,     warnings, "controller " + std::to_string(++number),
        continued};
    const std::size_t type = type_of(scenario.file(), value, reader.what, "controller", types);
    for (Force& force : (reader.*readers[type])()) joint_forces_of(run).add(std::move(force));
  }
}

}  // namespace chasles::io
