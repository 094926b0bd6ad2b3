/// chasles ik: the configuration in which a body or frame is at a target.
#include <fmt/format.h>

#include <algorithm>
#include <chasles/constraints/analysis.hpp>
#include <chasles/lie/quaternion.hpp>
#include <chasles/systems/closed_kinematics.hpp>
#include <chasles/systems/pose_fit.hpp>
#include <cmath>
#include <optional>

#include "commands.hpp"
#include "json.hpp"
#include "model_input.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "subject.hpp"

namespace {

using namespace chasles;

struct IkArguments {
  std::vector<std::string> frames, targets, rpys, quaternions, weights;  // k-th of each: one frame
  std::string frame, target, rpy, quaternion, out;                       // of a single frame
  double tolerance = 1e-11;
  int starts = 20;
  std::uint64_t seed = 1;
  bool json = false;
};

/// The target; components that are not given are unconstrained.
struct Setpoint {
  std::optional<Vec3> r;
  std::optional<SO3> R;
};

Vec3 parse_vector(const char* option, const std::string& text, const char* example) {
  const auto x = parse_numbers(option, text, 3, example);
  return {x[0], x[1], x[2]};
}

Setpoint parse_target(const IkArguments& options) {
  if (!options.rpy.empty() && !options.quaternion.empty())
    throw Error("ik: --rpy and --quaternion are two words for one rotation; give one of them");
  Setpoint wanted;
  if (!options.target.empty())
    wanted.r = parse_vector("--target", options.target,
                            "a position, three numbers in meters such as 0.4,0,0.6");
  if (!options.rpy.empty()) {
    const Vec3 a = parse_vector("--rpy", options.rpy,
                                "roll, pitch and yaw, three numbers in radians such as 0,1.57,0");
    for (const double angle : {a.x, a.y, a.z})
      if (std::abs(angle) > 2 * M_PI)
        throw Error(
            fmt::format("--rpy '{}': {} rad is more than a whole turn; angles are in radians, and "
                        "{} degrees are "
                        "{:.6g} rad",
                        options.rpy, angle, angle, angle * M_PI / 180));
    wanted.R = rotation_from_rpy(a.x, a.y, a.z);
  }
  if (!options.quaternion.empty()) {
    const auto x = parse_numbers("--quaternion", options.quaternion, 4,
                                 "w, x, y and z, four numbers such as 0.6,0,0.8,0");
    try {
      wanted.R = rotation(normalized(lie::Quaternion<double>{x[0], x[1], x[2], x[3]}));
    } catch (const Error& error) {
      throw Error("--quaternion '" + options.quaternion + "': " + error.what());
    }
  }
  if (!wanted.r && !wanted.R)
    throw Error("ik: there is no target; give --target x,y,z, --rpy or --quaternion, or both");
  return wanted;
}

/// The entries of v that move a frame, as flags.
std::vector<bool> moving_entries(const Model& model, const Frame& frame) {
  std::vector<bool> moves(static_cast<std::size_t>(model.nv()));
  for (const int k : model.support(frame)) moves[static_cast<std::size_t>(k)] = true;
  return moves;
}

/// Loops, couplings, mimic relations and constraints of a scenario are satisfied as well; drivers are not, which may move
/// to the target. If they do not involve the path to the frame, such as
/// those of a gripper on an arm, the path is solved first, within its joint limits.
IkResult solve(const Subject& subject, const Frame& frame, const SE3& target,
               const IkOptions& options) {
  const Model& model = subject.model;
  ConstraintOptions kept = constraints_of(subject);
  std::erase_if(kept.more, [](const auto& one) { return one->kind() == "driver"; });
  Constraints constraints(model, kept);
  if (constraints.position_constraint_count() == 0)
    return inverse_kinematics(model, frame, target, options);
  IkResult tree = inverse_kinematics(model, frame, target, options);
  if (tree.success) try {
      tree.q = assemble(constraints, tree.q, {.kept = moving_entries(model, frame), .starts = 1});
      return tree;
    } catch (const Error&) {  // they involve the path itself
    }
  return inverse_kinematics(constraints, frame, target, options);
}

/// Joints at a limit, and joints beyond one.
struct AtLimits {
  std::vector<std::string> on, beyond;
};
AtLimits at_limits(const Model& model, const Vector& q) {
  AtLimits found;
  for (const ModelJoint& joint : model.joints()) {
    if (!joint.limits || joint.nq != 1) continue;
    const double x = q[joint.q_index], lower = joint.limits->lower.value_or(-HUGE_VAL),
                 upper = joint.limits->upper.value_or(HUGE_VAL);
    if (x < lower || x > upper)
      found.beyond.push_back(joint.name);
    else if (x == lower || x == upper)
      found.on.push_back(joint.name);
  }
  return found;
}

/// "0.21 m and 0.3 rad", of what was asked for.
std::string errors_text(const Setpoint& wanted, const IkResult& ik) {
  std::string text;
  if (wanted.r) text = fmt::format("{:.3g} m", ik.position_error);
  if (wanted.R) text += fmt::format("{}{:.3g} rad", text.empty() ? "" : " and ", ik.rotation_error);
  return text;
}

Json describe(const Model& model, const IkArguments& options, const Setpoint& wanted,
              const IkResult& ik, const AtLimits& limits) {
  Json joints = Json::object();
  for (const ModelJoint& joint : model.joints()) {
    const double* q = ik.q.data() + joint.q_index;
    joints[joint.name] = joint.nq == 1 ? Json(*q) : Json(std::vector<double>(q, q + joint.nq));
  }
  Json document{{"model", model.name()},
                {"frame", options.frame},
                {"success", ik.success},
                {"q", std::vector<double>(ik.q.begin(), ik.q.end())},
                {"joints", joints},
                {"position_error", wanted.r ? Json(ik.position_error) : Json()},
                {"rotation_error", wanted.R ? Json(ik.rotation_error) : Json()},
                {"starts", ik.starts},
                {"iterations", ik.iterations},
                {"on_limits", limits.on}};
  if (!limits.beyond.empty()) document["beyond_limits"] = limits.beyond;
  return document;
}

void print(const Model& model, const IkArguments& options, const Setpoint& wanted,
           const IkResult& ik, const AtLimits& limits) {
  fmt::print("{}: '{}' is {} off by {} after {} start{}, {} iterations\n", model.name(),
             options.frame, ik.success ? "at the target," : "not at the target, but",
             errors_text(wanted, ik), ik.starts, ik.starts == 1 ? "" : "s", ik.iterations);
  std::size_t widest = 5;
  for (const ModelJoint& joint : model.joints()) widest = std::max(widest, joint.name.size());
  for (const ModelJoint& joint : model.joints()) {
    const double* q = ik.q.data() + joint.q_index;
    const bool on = std::ranges::find(limits.on, joint.name) != limits.on.end();
    fmt::print("  {:<{}}  {}{}\n", joint.name, widest, fmt::join(q, q + joint.nq, ", "),
               on ? "  on its limit" : "");
  }
  std::string list;
  for (const double x : ik.q) list += (list.empty() ? "" : ",") + to_text(x);
  fmt::print("q = {}\n", list);
}

/// The k-th value of an option; empty: not given for this frame.
std::string nth(const std::vector<std::string>& values, std::size_t k) {
  return k >= values.size() || values[k] == "-" ? "" : values[k];
}

/// The targets of several frames, each with its position, attitude or both.
std::vector<MeasuredPose> parse_targets(const Model& model, const IkArguments& options) {
  const std::size_t n = options.frames.size();
  for (const auto& [name, values] : {std::pair{"--target", &options.targets},
                                     {"--rpy", &options.rpys},
                                     {"--quaternion", &options.quaternions},
                                     {"--weight", &options.weights}})
    if (values->size() > n)
      throw Error(
          fmt::format("ik: {} is given {} times for {} frame{}; the first is that of the "
                      "first --frame, - leaves one out",
                      name, values->size(), n, n == 1 ? "" : "s"));
  std::vector<MeasuredPose> list;
  for (std::size_t k = 0; k < n; ++k) {
    IkArguments one;
    one.target = nth(options.targets, k), one.rpy = nth(options.rpys, k);
    one.quaternion = nth(options.quaternions, k);
    const Setpoint wanted = parse_target(one);
    const std::string weight = nth(options.weights, k);
    const double w = weight.empty()
                         ? 1
                         : parse_numbers("--weight", weight, 1, "a number that is not negative")[0];
    list.push_back({model.frame(options.frames[k]),
                    {wanted.R.value_or(SO3{}), wanted.r.value_or(Vec3{})},
                    wanted.R ? w : 0,
                    wanted.r ? w : 0});
  }
  return list;
}

/// "0.21 m and 0.3 rad" of one frame of several.
std::string errors_text(const MeasuredPose& wanted, const PoseFit& fit, std::size_t k) {
  const auto at = static_cast<Eigen::Index>(k);
  const Setpoint given{wanted.position > 0 ? std::optional(wanted.C.r) : std::nullopt,
                       wanted.rotation > 0 ? std::optional(wanted.C.R) : std::nullopt};
  return errors_text(given, {false, {}, fit.position_error[at], fit.rotation_error[at], 0, 0, {}});
}

Json describe(const Model& model, const IkArguments& options,
              const std::vector<MeasuredPose>& wanted, const PoseFit& fit, bool success) {
  Json joints = Json::object(), frames = Json::array();
  for (const ModelJoint& joint : model.joints()) {
    const double* q = fit.q.data() + joint.q_index;
    joints[joint.name] = joint.nq == 1 ? Json(*q) : Json(std::vector<double>(q, q + joint.nq));
  }
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    frames.push_back(
        {{"frame", options.frames[k]},
         {"position_error", wanted[k].position > 0 ? Json(fit.position_error[at]) : Json()},
         {"rotation_error", wanted[k].rotation > 0 ? Json(fit.rotation_error[at]) : Json()}});
  }
  std::vector<std::string> on;
  for (const int j : fit.active_limits)
    on.push_back(model.joints()[static_cast<std::size_t>(j)].name);
  return {{"model", model.name()},
          {"frames", frames},
          {"success", success},
          {"residual", fit.residual},
          {"converged", fit.converged},
          {"q", std::vector<double>(fit.q.begin(), fit.q.end())},
          {"joints", joints},
          {"starts", fit.starts},
          {"iterations", fit.iterations},
          {"on_limits", on}};
}

/// Several frames: the best fit to all targets, with loops closed and within the limits.
void run_many(const ModelInput& input, const StateOptions& state, const IkArguments& options) {
  require_ending(options.out, {".json"}, "results are written as .json");
  const Subject subject = read_subject(input, state);
  const Model& model = subject.model;
  const std::vector<MeasuredPose> wanted = parse_targets(model, options);
  if (!(options.tolerance >= 0))
    throw Error("tolerance is " + to_text(options.tolerance) + "; give one that is not negative");
  PoseFitOptions fit_options{.starts = options.starts, .seed = options.seed};
  fit_options.tolerance = std::max(options.tolerance, 1e-14);
  if (subject.given || subject.is_scenario)
    fit_options.q0 = subject.scenario.joints ? subject.scenario.joints_q : subject.scenario.start.q;
  Constraints constraints(model);
  const PoseFit fit = fit_poses(constraints, wanted, fit_options);
  double worst = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    if (wanted[k].position > 0) worst = std::max(worst, fit.position_error[at]);
    if (wanted[k].rotation > 0) worst = std::max(worst, fit.rotation_error[at]);
  }
  const bool success = worst <= options.tolerance;
  const Json document = describe(model, options, wanted, fit, success);
  if (!options.out.empty()) write_output(document.dump(1) + "\n", options.out, subject.inputs);
  const bool written = !options.out.empty() && is_standard_output(options.out);
  if (options.json && !written) fmt::print("{}\n", document.dump(1));
  if (!options.json && !written) {
    fmt::print("{}: {} frames, residual {:.3g} after {} start{}, {} iterations\n", model.name(),
               wanted.size(), fit.residual, fit.starts, fit.starts == 1 ? "" : "s", fit.iterations);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      fmt::print("  {}: off by {}\n", options.frames[k], errors_text(wanted[k], fit, k));
    for (const ModelJoint& joint : model.joints()) {
      const double* q = fit.q.data() + joint.q_index;
      fmt::print("  {}  {}\n", joint.name, fmt::join(q, q + joint.nq, ", "));
    }
  }
  if (!success)
    throw std::runtime_error(fmt::format(
        "{}: the targets of {} frames are not all reached: {:.3g} m or rad are missing in the best "
        "fit; where they contradict each other, give what may be missing by --tolerance",
        input.path, wanted.size(), worst));
}

void run(const ModelInput& input, const StateOptions& state, const IkArguments& options) {
  const Setpoint wanted = parse_target(options);
  require_ending(options.out, {".json"}, "results are written as .json");
  const Subject subject = read_subject(input, state);
  const Model& model = subject.model;
  const Frame frame = model.frame(options.frame);
  IkOptions ik_options{.position_weight = wanted.r ? 1.0 : 0.0,
                       .rotation_weight = wanted.R ? 1.0 : 0.0,
                       .position_tolerance = options.tolerance,
                       .rotation_tolerance = options.tolerance,
                       .starts = options.starts,
                       .seed = options.seed};
  if (subject.given || subject.is_scenario)
    ik_options.q0 = subject.scenario.joints ? subject.scenario.joints_q : subject.scenario.start.q;
  const IkResult ik =
      solve(subject, frame, {wanted.R.value_or(SO3{}), wanted.r.value_or(Vec3{})}, ik_options);
  const AtLimits limits = at_limits(model, ik.q);
  for (const std::string& joint : limits.beyond)
    fmt::print(
        stderr,
        "warning: {}: joint '{}' is beyond its limits: those of closed mechanisms are not kept\n",
        input.path, joint);
  const std::string document = describe(model, options, wanted, ik, limits).dump(1) + "\n";
  if (!options.out.empty()) write_output(document, options.out, subject.inputs);
  const bool written = !options.out.empty() && is_standard_output(options.out);
  if (options.json && !written) fmt::print("{}", document);
  if (!options.json && !written) print(model, options, wanted, ik, limits);
  if (!ik.success)  // the input is good, the computation fails: exit 1
    throw std::runtime_error(fmt::format(
        "{}: '{}' does not reach the target: {} are missing in the best configuration of {} "
        "start{}; "
        "move the target, or try other starts by --q, --starts or --seed",
        input.path, options.frame, errors_text(wanted, ik), ik.starts, ik.starts == 1 ? "" : "s"));
}

}  // namespace

void add_ik(Command program) {
  const Command command =
      program.add_command("ik", "Inverse kinematics: q with which a body or frame is at a target");
  const auto input = ModelInput::add_to(command);
  const auto state = StateOptions::add_to(command, false);
  const auto options = std::make_shared<IkArguments>();
  command
      .add_option("--frame", options->frames,
                  "What is to be there: a body or a frame; several: the best fit to all")
      .one_at_a_time()
      .required();
  command
      .add_option("--target", options->targets,
                  "Its position x,y,z in the world [m]; without it, any position will do")
      .one_at_a_time();
  command
      .add_option("--rpy", options->rpys,
                  "Its attitude: roll,pitch,yaw in the world [rad]; without it, any will do")
      .one_at_a_time();
  command.add_option("--quaternion", options->quaternions, "The same as w,x,y,z, of any length")
      .one_at_a_time();
  command.add_option("--weight", options->weights, "Of several frames: that of each [1]; default 1")
      .one_at_a_time();
  command.add_option("--starts", options->starts,
                     "How many starts are tried, the first from q, the others random; default 20");
  command.add_option("--seed", options->seed, "Of the random starts; default 1");
  command.add_option("--tolerance", options->tolerance,
                     "What may be missing at the target [m, rad]; default 1e-11");
  command.add_flag("--json", options->json, "Print JSON");
  command.add_option("-o,--output", options->out, "Write JSON: a file, or -");
  command.footer(
      "Limits of joints are kept; those of closed mechanisms are not, and a warning says so. A\n"
      "target that is not reached ends with code 1, and the nearest configuration found is "
      "printed\n"
      "all the same. Rotations are written as in model files and states:\n"
      "  chasles ik examples/puma560.yaml --frame link6 --target 0.4,0.2,0.3 --rpy 0,1.57,0\n"
      "With several frames the first --target, --rpy, --quaternion and --weight belong to the "
      "first\n"
      "--frame and so on, - leaves one out; limits are kept and loops closed:\n"
      "  chasles ik examples/four_bar.yaml --frame crank --rpy 0,0.3,0 --frame rocker --rpy "
      "0,0.2,0 "
      "--tolerance 1");
  command.callback([=] {
    if (options->frames.size() > 1 || !options->weights.empty())
      return run_many(*input, *state, *options);
    for (const auto& [values, value] : {std::pair{&options->targets, &options->target},
                                        {&options->rpys, &options->rpy},
                                        {&options->quaternions, &options->quaternion},
                                        {&options->frames, &options->frame}})
      if (!values->empty()) *value = values->back();
    run(*input, *state, *options);
  });
}
