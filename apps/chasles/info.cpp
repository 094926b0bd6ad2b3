#include <fmt/format.h>

#include <algorithm>
#include <chasles/constraints/analysis.hpp>
#include <chasles/constraints/loop_screws.hpp>
#include <chasles/constraints/tangent_cone.hpp>
#include <cstdio>
#include <map>

#include "commands.hpp"
#include "json.hpp"
#include "reactions.hpp"
#include "subject.hpp"

namespace {

using chasles::Model;
using chasles::ModelJoint;

std::string body_name(const Model& model, int body) {
  return body < 0 ? "ground" : model.bodies()[static_cast<std::size_t>(body)].name;
}
std::string type_name(const ModelJoint& joint) {
  return std::string(chasles::joint_type_info(joint.type).name);
}

/// Whether a joint carries it: only then its mass counts.
bool moves(const chasles::ModelBody& body) { return body.frame.link >= 0; }

Json describe(const Model& model) {
  Json out{{"name", model.name()},
           {"nq", model.nq()},
           {"nv", model.nv()},
           {"mass", model.mass()},
           {"gravity", to_json::vector(model.gravity())},
           {"bodies", Json::array()},
           {"joints", Json::array()},
           {"frames", Json::array()},
           {"loops", Json::array()}};
  for (const auto& body : model.bodies())
    out["bodies"].push_back({{"name", body.name},
                             {"parent", body_name(model, body.parent)},
                             {"mass", body.inertia.m},
                             {"moves", moves(body)},
                             {"com", to_json::vector(center_of_mass(body.inertia))}});
  for (const ModelJoint& joint : model.joints()) {
    Json X = Json::array(), Y = Json::array();
    for (const auto& x : joint.X) X.push_back(coordinates(x));
    for (const auto& y : joint.Y) Y.push_back(coordinates(y));
    Json entry{{"name", joint.name},
               {"type", type_name(joint)},
               {"parent", body_name(model, joint.parent)},
               {"child", body_name(model, joint.child)},
               {"q_index", joint.q_index},
               {"nq", joint.nq},
               {"v_index", joint.v_index},
               {"nv", joint.nv},
               {"X", X},
               {"Y", Y}};
    if (joint.limits) {
      Json limits = Json::object();
      if (joint.limits->lower) limits["lower"] = *joint.limits->lower;
      if (joint.limits->upper) limits["upper"] = *joint.limits->upper;
      if (joint.limits->velocity) limits["velocity"] = *joint.limits->velocity;
      if (joint.limits->effort) limits["effort"] = *joint.limits->effort;
      entry["limits"] = limits;
    }
    if (joint.dynamics.damping != 0 || joint.dynamics.friction != 0)
      entry["dynamics"] = {{"damping", joint.dynamics.damping},
                           {"friction", joint.dynamics.friction}};
    if (joint.armature != 0) entry["armature"] = joint.armature;
    if (joint.rotor)
      entry["rotor"] = {{"inertia", joint.rotor->inertia}, {"ratio", joint.rotor->ratio}};
    if (joint.mimic)
      entry["mimic"] = {{"joint", joint.mimic->joint},
                        {"multiplier", joint.mimic->multiplier},
                        {"offset", joint.mimic->offset}};
    out["joints"].push_back(std::move(entry));
  }
  for (const auto& frame : model.frames())
    out["frames"].push_back({{"name", frame.name}, {"body", body_name(model, frame.body)}});
  for (const auto& loop : model.loops())
    out["loops"].push_back({{"name", loop.name},
                            {"type", chasles::joint_type_info(loop.type).name},
                            {"bodies", loop.bodies}});
  return out;
}

std::string range(const char* letter, int first, int count) {
  return count == 1 ? fmt::format("{}[{}]", letter, first)
                    : fmt::format("{}[{}..{}]", letter, first, first + count - 1);
}

/// The unit of a number that is one for all coordinates of a joint: "N m", "N", or "N m | N" of both.
std::string unit_of(const ModelJoint& joint, const char* angular, const char* linear) {
  std::string text;
  for (const bool turns : {true, false})
    if (std::ranges::any_of(joint.coordinates,
                            [&](const JointCoordinate& c) { return c.is_angular() == turns; }))
      text += (text.empty() ? "" : " | ") + std::string(turns ? angular : linear);
  return text;
}
/// ", -1 to 1 rad, 2 rad/s, 50 N m": those that there are.
std::string limits_text(const ModelJoint& joint) {
  if (!joint.limits) return "";
  const auto& [lower, upper, velocity, effort] = *joint.limits;
  std::string text;
  const std::string unit = unit_of(joint, "rad", "m");
  if (lower && upper)
    text += fmt::format(", {:g} to {:g} {}", *lower, *upper, unit);
  else if (lower)
    text += fmt::format(", at least {:g} {}", *lower, unit);
  else if (upper)
    text += fmt::format(", at most {:g} {}", *upper, unit);
  if (velocity) text += fmt::format(", {:g} {}/s", *velocity, unit);
  if (effort) text += fmt::format(", {:g} {}", *effort, unit_of(joint, "N m", "N"));
  return text;
}
/// ", damping 0.1 N m s/rad, friction 0.5 N m, armature 0.02 kg m^2, rotor 1e-4 kg m^2 x 80".
std::string dynamics_text(const ModelJoint& joint) {
  std::string text;
  if (joint.dynamics.damping != 0)
    text += fmt::format(", damping {:g} {}", joint.dynamics.damping,
                        unit_of(joint, "N m s/rad", "N s/m"));
  if (joint.dynamics.friction != 0)
    text += fmt::format(", friction {:g} {}", joint.dynamics.friction, unit_of(joint, "N m", "N"));
  if (joint.armature != 0)
    text += fmt::format(", armature {:g} {}", joint.armature, unit_of(joint, "kg m^2", "kg"));
  if (joint.rotor)
    text += fmt::format(", rotor {:g} kg m^2 x {:g}", joint.rotor->inertia, joint.rotor->ratio);
  return text;
}
/// ", mimics 'other' (2 q + 0.1)".
std::string mimic_text(const ModelJoint& joint) {
  if (!joint.mimic) return "";
  return fmt::format(", mimics '{}' ({:g} q + {:g})", joint.mimic->joint, joint.mimic->multiplier,
                     joint.mimic->offset);
}

/// The tree, each body with the joint that carries it. Deeper than `deepest` it is not indented further, so that long
/// chains do not drift to the right.
void print_tree(const Model& model) {
  constexpr std::size_t deepest = 32;
  const auto& bodies = model.bodies();
  std::vector<const ModelJoint*> joint_of(bodies.size());
  for (const ModelJoint& joint : model.joints())
    joint_of[static_cast<std::size_t>(joint.child)] = &joint;
  std::vector<std::size_t> children(bodies.size() + 1);  // left to print; first: of ground
  const auto parent = [&](std::size_t i) { return static_cast<std::size_t>(bodies[i].parent + 1); };
  for (std::size_t i = 0; i < bodies.size(); ++i) ++children[parent(i)];

  std::vector<std::size_t> path{0};  // from ground to the body before; bodies are depth first
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    while (path.back() != parent(i)) path.pop_back();
    const bool last = --children[parent(i)] == 0;
    std::string line;
    for (std::size_t k = 0; k + 1 < std::min(path.size(), deepest); ++k)
      line += children[path[k]] > 0 ? "|  " : "   ";
    line += last ? "`- " : "|- ";
    if (path.size() > deepest) line += fmt::format("({} deep) ", path.size());
    std::string joint = "fixed";
    if (const ModelJoint* j = joint_of[i])
      joint = fmt::format("{} '{}' {} {}{}{}{}", type_name(*j), j->name,
                          range("q", j->q_index, j->nq), range("v", j->v_index, j->nv),
                          limits_text(*j), dynamics_text(*j), mimic_text(*j));
    fmt::print("{}{}: {}, {:g} kg{}\n", line, bodies[i].name, joint, bodies[i].inertia.m,
               moves(bodies[i]) || bodies[i].inertia.m == 0 ? "" : " (does not move: not counted)");
    path.push_back(i + 1);
  }
}

/// Instantaneous degrees of freedom of a singular configuration up to which branches are searched.
constexpr int most_local = 6;

/// Degrees of freedom under loops and couplings; or why they cannot be closed.
struct Mobility {
  std::string trouble;
  std::vector<chasles::ConstraintBlock> blocks;
  std::string contradiction;
  chasles::MobilityReport report;
  std::vector<chasles::DeterminedComponents> reactions;
  std::vector<chasles::LoopScrewSystem> screws;  // of loops
  std::optional<chasles::TangentCone> cone;      // where the configuration is singular
  chasles::Vector q;

  explicit Mobility(const Subject& subject) {
    const chasles::Scenario& s = subject.scenario;
    const Model& model = subject.model;
    chasles::Constraints constraints(model, constraints_of(subject));
    blocks = constraints.blocks();
    try {
      q = s.joints ? chasles::assemble(constraints, s.joints_q)
                   : chasles::assemble(constraints, s.start.q, s.kept_q);
      contradiction = constraints.contradiction();
      report = chasles::analyze(constraints, q);
      if (report.equations <= most_equations)
        reactions = chasles::determined_reactions(constraints, q);
      screws = chasles::loop_screw_systems(constraints, q);
      const int left = model.nv() - report.local_rank;
      if ((report.local_rank < report.rank || report.mobility == 0) && left > 0 &&
          left <= most_local && !constraints.depends_on_time())
        cone = chasles::tangent_cone(constraints, q);
    } catch (const chasles::Error& error) {
      trouble = error.what();
    }
  }
};

/// "moment x, moment y, force z of joint 'crank', ..., loop 'closure'": joints with the same components in one line.
void print_undetermined(const Model& model, const Mobility& m) {
  std::map<std::string, std::string> names;
  for (std::size_t k = 0; k < m.reactions.size(); ++k) {
    const bool is_joint = k < model.joints().size();
    const std::string name = is_joint
                                 ? "joint '" + model.joints()[k].name + "'"
                                 : "loop '" + model.loops()[k - model.joints().size()].name + "'";
    const std::string components = undetermined_components(m.reactions[k]);
    if (components.empty()) continue;
    std::string& list = names[components];
    list += (list.empty() ? "" : ", ") + name;
  }
  for (const auto& [components, list] : names)
    fmt::print("  statically undetermined, in the frames of the joints: {} of {}\n", components,
               list);
}

/// Redundancy by the algebra of screws, and the branches of motion at a singular configuration.
void print_screw_systems(const Mobility& m) {
  for (const chasles::LoopScrewSystem& loop : m.screws)
    fmt::print(
        "  screws of loop '{}': dimension {}, they generate {} ({}): {} of {} rows redundant\n",
        loop.name, loop.screws.dimension(), subgroup_name(loop.subgroup),
        subgroup_motion(loop.subgroup), loop.redundant, loop.equations);
  if (!m.cone) return;
  const auto finite = std::count_if(m.cone->branches.begin(), m.cone->branches.end(),
                                    [](const auto& branch) { return branch.finite; });
  fmt::print("  tangent cone to second order: {} of {} instantaneous dimensions, {}\n",
             m.cone->dimension, m.cone->kernel,
             m.cone->only_instantaneous()
                 ? "no motion: the mobility is only instantaneous"
                 : fmt::format("{} tangents found continue to a motion", finite));
  for (const auto& branch : m.cone->branches)
    if (branch.finite)
      fmt::print(
          "    v = ({:.4g})\n",
          fmt::join(branch.tangent.data(), branch.tangent.data() + branch.tangent.size(), ", "));
}

void print_mobility(const Subject& subject) {
  const Model& model = subject.model;
  if (!has_constraints(subject)) return;
  const Mobility m(subject);
  if (!m.trouble.empty()) {
    fmt::print("\nclosed loops: {}\n", m.trouble);
    return;
  }
  const chasles::MobilityReport& r = m.report;
  const int left = m.cone && m.cone->only_instantaneous() ? 0 : r.mobility;
  fmt::print("\nclosed loops: {} degree{} of freedom left of {}; counting rows would say {}\n",
             left, left == 1 ? "" : "s", model.nv(), r.gruebler);
  if (!m.contradiction.empty()) fmt::print("  {}\n", m.contradiction);
  if (r.mobility == 0)
    fmt::print("  {}\n", is_driven(subject.scenario) ? "drivers prescribe all of its motion"
                                                     : "nothing moves: a structure");
  fmt::print("  {} rows, {} of them independent\n", r.equations, r.rank);
  if (r.local_rank < r.rank)
    fmt::print("  at the assembled configuration only {}: it is singular\n", r.local_rank);
  for (std::size_t b = 0; b < m.blocks.size(); ++b) {
    const int redundant = r.blocks[b].redundant;
    fmt::print("  {}: {} row{}{}\n", m.blocks[b].text(), m.blocks[b].rows,
               m.blocks[b].rows == 1 ? "" : "s",
               redundant > 0 ? fmt::format(", {} redundant", redundant) : "");
  }
  print_screw_systems(m);
  print_undetermined(model, m);
  std::string names;
  for (const int k : r.independent)
    names +=
        (names.empty() ? "" : ", ") + fmt::format("v[{}] of '{}'", k, model.joint_of_v(k).name);
  if (!names.empty()) fmt::print("  independent coordinates: {}\n", names);
  names.clear();
  for (const ModelJoint& joint : model.joints()) {
    const double* q = m.q.data() + joint.q_index;
    names += fmt::format("{}{}={}", names.empty() ? "" : ",", joint.name,
                         joint.nq == 1 ? fmt::format("{:.6g}", *q)
                                       : fmt::format("[{:.6g}]", fmt::join(q, q + joint.nq, ",")));
  }
  fmt::print("  assembled at: {}\n", names);
}

void add_mobility(const Subject& subject, Json& out) {
  const Model& model = subject.model;
  if (!has_constraints(subject)) return;
  const Mobility m(subject);
  if (!m.trouble.empty()) {
    out["mobility"] = {{"trouble", m.trouble}};
    return;
  }
  const chasles::MobilityReport& r = m.report;
  Json entry{{"mobility", r.mobility},    {"gruebler", r.gruebler},
             {"rows", r.equations},       {"independent_equations", r.rank},
             {"rank_here", r.local_rank}, {"independent", r.independent},
             {"dependent", r.dependent},  {"constraints", Json::array()}};
  if (!m.contradiction.empty()) entry["contradiction"] = m.contradiction;
  for (std::size_t b = 0; b < m.blocks.size(); ++b)
    entry["constraints"].push_back({{"kind", m.blocks[b].kind},
                                    {"name", m.blocks[b].name},
                                    {"rows", m.blocks[b].rows},
                                    {"redundant", r.blocks[b].redundant},
                                    {"unique_forces", r.blocks[b].unique}});
  for (std::size_t k = 0; k < m.reactions.size(); ++k) {
    const bool is_joint = k < model.joints().size();
    entry["determined_reactions"].push_back(
        {{is_joint ? "joint" : "loop",
          is_joint ? model.joints()[k].name : model.loops()[k - model.joints().size()].name},
         {"moment", Json::array({m.reactions[k][0], m.reactions[k][1], m.reactions[k][2]})},
         {"force", Json::array({m.reactions[k][3], m.reactions[k][4], m.reactions[k][5]})}});
  }
  for (const chasles::LoopScrewSystem& loop : m.screws)
    entry["screw_systems"].push_back({{"loop", loop.name},
                                      {"dimension", loop.screws.dimension()},
                                      {"generates", subgroup_name(loop.subgroup)},
                                      {"redundant", loop.redundant},
                                      {"mobility", loop.mobility}});
  if (m.cone) {
    Json cone{{"instantaneous", m.cone->kernel},
              {"dimension", m.cone->dimension},
              {"only_instantaneous", m.cone->only_instantaneous()},
              {"tangents", Json::array()}};
    for (const auto& branch : m.cone->branches)
      cone["tangents"].push_back(
          {{"v", std::vector<double>(branch.tangent.begin(), branch.tangent.end())},
           {"finite", branch.finite}});
    entry["tangent_cone"] = std::move(cone);
  }
  std::vector<double> q(m.q.begin(), m.q.end());
  entry["assembled"] = q;
  out["mobility"] = std::move(entry);
}

void print(const Subject& subject) {
  const Model& model = subject.model;
  fmt::print("{}: {} bodies, {} joints, nq = {}, nv = {}, {:g} kg, gravity ({:g}, {:g}, {:g})\n",
             model.name().empty() ? "(no name)" : model.name(), model.bodies().size(),
             model.joints().size(), model.nq(), model.nv(), model.mass(), model.gravity().x,
             model.gravity().y, model.gravity().z);
  fmt::print("ground\n");
  print_tree(model);
  fmt::print("\nscrews at q = 0 (angular; linear)\n");
  for (const ModelJoint& joint : model.joints())
    for (std::size_t k = 0; k < joint.X.size(); ++k) {
      const auto line = [](const chasles::Twist& X) {
        return fmt::format("({:8.4f} {:8.4f} {:8.4f}; {:8.4f} {:8.4f} {:8.4f})", X.w.x, X.w.y,
                           X.w.z, X.v.x, X.v.y, X.v.z);
      };
      fmt::print("  {:<20} body X {}  world Y {}\n", k == 0 ? joint.name : "", line(joint.X[k]),
                 line(joint.Y[k]));
    }
  for (const auto& frame : model.frames())
    fmt::print("frame {} on {}\n", frame.name, body_name(model, frame.body));
  for (const auto& loop : model.loops())
    fmt::print("loop {}: {} between {} and {}\n", loop.name,
               chasles::joint_type_info(loop.type).name, loop.bodies[0], loop.bodies[1]);
  for (const auto& coupling : model.couplings()) {
    if (coupling.mimic) continue;
    std::string sum;
    for (const auto& term : coupling.terms)
      sum += fmt::format("{}{:g} {}", sum.empty() ? "" : " + ", term.coefficient,
                         term.function.is_identity() ? range("q", term.q_index, 1)
                                                     : "f(" + range("q", term.q_index, 1) + ")");
    fmt::print("coupling {}: {} = {:g}\n", coupling.name, sum, coupling.offset);
  }
  print_mobility(subject);
}

}  // namespace

void add_info(Command program) {
  const Command info = program.add_command(
      "info", "Print a model: tree, joints with their places in q and v, screws, masses, frames");
  const auto input = ModelInput::add_to(info);
  const auto state = StateOptions::add_to(info, false);
  const auto json = std::make_shared<bool>(false);
  info.add_flag("--json", *json, "As JSON");
  info.callback([=] {
    const Subject subject = read_subject(*input, *state);
    if (*json) {
      Json out = describe(subject.model);
      add_mobility(subject, out);
      fmt::print("{}\n", out.dump(2));
    } else
      print(subject);
  });
}
