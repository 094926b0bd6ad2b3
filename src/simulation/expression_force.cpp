#include "chasles/simulation/expression_force.hpp"

#include "chasles/suggest.hpp"
#include "math/expression.hpp"
#include "simulation/point_line.hpp"
#include "simulation/series_parts.hpp"

namespace chasles {
namespace {

/// A variable of an expression.
struct ExpressionVariable {
  enum Kind { time, position, velocity, distance, rate, parameter } kind;
  int index = -1;    // in q or v
  int v_index = -1;  // of the same coordinate, for the partial derivatives
  double value = 0;  // of a parameter
  bool operator==(const ExpressionVariable&) const = default;
};
using KnownVariables = std::function<std::optional<ExpressionVariable>(std::string_view name)>;

/// Finds the variables of one text; notes the parameters that it uses.
class VariableFinder {
 public:
  VariableFinder(const KnownVariables& known, std::string names,
                 const ExpressionParameters& parameters, std::vector<std::string>& used)
      : known_(known), names_(std::move(names)), parameters_(parameters), used_(used) {}

  int operator()(std::string_view name) {
    ExpressionVariable variable{};
    if (const auto given = parameters_.find(name); given != parameters_.end()) {
      used_.push_back(given->first);
      variable = {ExpressionVariable::parameter, -1, -1, given->second};
    } else if (const auto found = known_(name)) {
      variable = *found;
    } else {
      unknown(name);
    }
    const auto at = std::ranges::find(list, variable);
    if (at != list.end()) return static_cast<int>(at - list.begin());
    list.push_back(variable);
    return static_cast<int>(list.size() - 1);
  }
  std::vector<ExpressionVariable> list{};

 private:
  [[noreturn]] void unknown(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const auto& [one, value] : parameters_) names.push_back(one);
    const std::string near = did_you_mean(name, names);
    throw Error("there is no variable '" + std::string(name.substr(0, 60)) + "'" +
                (near.empty() ? "; give " + names_ + ", or a number in parameters" : near));
  }
  const KnownVariables& known_;
  std::string names_;
  const ExpressionParameters& parameters_;
  std::vector<std::string>& used_;
};

/// An expression with its variables, evaluated at a state.
struct CompiledExpression {
  Expression expression;
  std::vector<ExpressionVariable> variables;

  /// @param x  most_nodes entries
  std::span<const double> at(double t, const VelocityKinematics& kin, const forces::Line* line,
                             double* x) const {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const ExpressionVariable& v = variables[i];
      switch (v.kind) {
        case ExpressionVariable::time:
          x[i] = t;
          break;
        case ExpressionVariable::position:
          x[i] = kin.q()[v.index];
          break;
        case ExpressionVariable::velocity:
          x[i] = kin.v()[v.index];
          break;
        case ExpressionVariable::distance:
          x[i] = line->d;
          break;
        case ExpressionVariable::rate:
          x[i] = line->d_dot;
          break;
        case ExpressionVariable::parameter:
          x[i] = v.value;
          break;
      }
    }
    return {x, variables.size()};
  }
  /// Along a motion. @param d  with one coefficient more; null: no line
  PowerSeries along(const forces::MotionSeries& motion, const PowerSeries* d) const {
    std::array<PowerSeries, Expression::most_nodes> x;
    const std::size_t n = motion.order() + 1;
    const auto value = [&](const ExpressionVariable& v) -> PowerSeries {
      switch (v.kind) {
        case ExpressionVariable::time:
          return motion.time();
        case ExpressionVariable::position:
          return motion.q(v.index);
        case ExpressionVariable::velocity:
          return motion.v(v.index);
        case ExpressionVariable::distance:
          return *d + PowerSeries(0, n);
        case ExpressionVariable::rate:
          return d->rate();
        case ExpressionVariable::parameter:
          return {v.value, n};
      }
      return {};
    };
    for (std::size_t i = 0; i < variables.size(); ++i) x[i] = value(variables[i]);
    if (variables.empty()) return PowerSeries(0, n).plus(expression.value({}));
    return expression.series({x.data(), variables.size()});
  }
};

void check_parameters(const std::string& what, const ExpressionParameters& parameters,
                      const KnownVariables& known) {
  for (const auto& [name, value] : parameters) {
    if (!std::isfinite(value))
      throw Error(what + ": parameter '" + name + "' is " + to_text(value) +
                  ", which is not a finite number");
    const bool is_name =
        !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
            name.npos;
    if (!is_name || name == "pi" || known(name))
      throw Error(what + ": '" + name.substr(0, 60) + "' cannot be the name of a parameter; give " +
                  "one of letters, digits and _ that is not a variable");
  }
}

std::vector<CompiledExpression> compiled_texts(const std::string& what,
                                               const std::vector<std::string>& texts,
                                               const KnownVariables& known,
                                               const std::string& names,
                                               const ExpressionParameters& parameters) {
  check_parameters(what, parameters, known);
  std::vector<std::string> used;
  std::vector<CompiledExpression> list;
  for (const std::string& text : texts) {
    VariableFinder finder(known, names, parameters, used);
    try {
      Expression expression(text, std::ref(finder));
      list.push_back({std::move(expression), std::move(finder.list)});
    } catch (const ExpressionError& error) {
      throw Error(what + ": '" + text.substr(0, 60) + (text.size() > 60 ? "..." : "") +
                  "': " + error.what());
    }
  }
  for (const auto& [name, value] : parameters)
    if (std::ranges::find(used, name) == used.end())
      throw Error(what + ": the parameter '" + name + "' is not used; leave it out");
  return list;
}

/// "elbow", "nut.1", "{left-knee}", "{left-knee}.1": a joint, and the index of a coordinate.
struct JointCoordinateName {
  const ModelJoint* joint;
  int index = -1;  // not given

  JointCoordinateName(const Model& model, std::string_view text) : joint(nullptr) {
    const auto named = [&](std::string_view name) -> const ModelJoint* {
      const auto found = std::ranges::find(model.joints(), name, &ModelJoint::name);
      return found == model.joints().end() ? nullptr : &*found;
    };
    std::string_view rest;
    if (text.starts_with('{')) {
      const std::size_t end = text.find('}');
      rest = text.substr(end + 1), text = text.substr(1, end - 1);
      joint = named(text);
    } else if (!(joint = named(text))) {
      const std::size_t dot = text.rfind('.');
      if (dot != text.npos) rest = text.substr(dot), text = text.substr(0, dot);
      joint = named(text);
    }
    if (joint == nullptr) model.joint(text);  // throws, with the nearest name
    if (rest.empty()) return;
    const bool digit = rest.size() == 2 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9';
    if (!digit)
      throw Error("'" + std::string(rest.substr(0, 60)) + "' after joint '" + joint->name +
                  "' is not the index of a coordinate; give .0, .1, ..");
    index = rest[1] - '0';
  }
};

/// t, q.JOINT and v.JOINT of a model.
std::optional<ExpressionVariable> state_variable(const Model& model, std::string_view name) {
  if (name == "t") return ExpressionVariable{ExpressionVariable::time};
  const bool is_q = name.starts_with("q.");
  if (!is_q && !name.starts_with("v.")) return std::nullopt;
  const JointCoordinateName of(model, name.substr(2));
  const ModelJoint& joint = *of.joint;
  const int count = is_q ? joint.nq : joint.nv;
  if (of.index < 0 ? count != 1 : of.index >= count) {
    const char* entries = is_q ? (count == 1 ? " coordinate" : " coordinates")
                               : (count == 1 ? " velocity" : " velocities");
    const std::string variable = std::string(name.substr(0, 2)) + joint.name;
    throw Error("joint '" + joint.name + "' has " + std::to_string(count) + entries +
                (count > 1    ? "; give an index from 0, " + variable + ".1"
                 : count == 1 ? "; write " + variable
                              : "; leave it out"));
  }
  const int k = std::max(of.index, 0);
  if (!is_q)
    return ExpressionVariable{ExpressionVariable::velocity, joint.v_index + k, joint.v_index + k};
  for (const JointCoordinate& c : joint.coordinates)
    if (c.is_scalar() && c.q_index == joint.q_index + k)
      return ExpressionVariable{ExpressionVariable::position, c.q_index, c.v_index};
  throw Error("entry " + std::to_string(k) + " of q of joint '" + joint.name +
              "' is part of a rotation or a position, not a coordinate of its own; use its v, or " +
              "a force on bodies");
}

struct ExpressionForce {
  int v;  // of the joint
  std::vector<CompiledExpression> entries;

  void operator()(double t, const VelocityKinematics& kin, JointForces& out) const {
    double x[Expression::most_nodes];
    for (std::size_t i = 0; i < entries.size(); ++i)
      out.tau[v + static_cast<int>(i)] +=
          entries[i].expression.value(entries[i].at(t, kin, nullptr, x));
  }
  void tangent(double t, const VelocityKinematics& kin, ForceTangent& out) const {
    double x[Expression::most_nodes], slope[Expression::most_nodes];
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto& [expression, variables] = entries[i];
      const int row = v + static_cast<int>(i);
      expression.value(entries[i].at(t, kin, nullptr, x), {slope, variables.size()});
      for (std::size_t k = 0; k < variables.size(); ++k) {
        const bool by_q = variables[k].kind == ExpressionVariable::position;
        if (!by_q && variables[k].kind != ExpressionVariable::velocity) continue;
        const double K = by_q ? -slope[k] : 0, D = by_q ? 0 : -slope[k];
        if (variables[k].v_index == row)
          forces::add_entry(out, row, K, D);
        else
          out.crosses.push_back({row, variables[k].v_index, K, D});
      }
    }
  }
};

struct ExpressionSeries {
  int v;
  std::vector<CompiledExpression> entries;

  void add(forces::MotionSeries& motion, VectorRef tau) const {
    for (std::size_t i = 0; i < entries.size(); ++i)
      forces::add_to(tau, v + static_cast<int>(i), entries[i].along(motion, nullptr), motion);
  }
};
/// Expressions with kinks have no series.
bool has_series(const std::vector<CompiledExpression>& list) {
  return std::ranges::all_of(list,
                             [](const CompiledExpression& e) { return e.expression.is_smooth(); });
}

struct PointExpression {
  std::string what;
  Frame a, b;
  CompiledExpression tension;

  void require_direction(const forces::Line& s, double T, double t) const {
    if (s.d == 0 && T != 0)
      throw ForceError("force '" + what + "': the points coincide at t = " + to_text(t) +
                       ", so the tension " + to_short_text(T) + " N has no direction");
  }
  void operator()(double t, const VelocityKinematics& kin, JointForces& out) const {
    double x[Expression::most_nodes];
    const forces::Line s = forces::line(kin, a, b);
    const double T = tension.expression.value(tension.at(t, kin, &s, x));
    require_direction(s, T, t);
    forces::add_tension(s, T, a, b, out);
  }
  void tangent(double t, const VelocityKinematics& kin, ForceTangent& out) const {
    double x[Expression::most_nodes], slope[Expression::most_nodes], k = 0, c = 0;
    const forces::Line s = forces::line(kin, a, b);
    const double T =
        tension.expression.value(tension.at(t, kin, &s, x), {slope, tension.variables.size()});
    for (std::size_t i = 0; i < tension.variables.size(); ++i) {
      if (tension.variables[i].kind == ExpressionVariable::distance) k = slope[i];
      if (tension.variables[i].kind == ExpressionVariable::rate) c = slope[i];
    }
    forces::add_line_tangent(kin, a, b, s, T, k, c, out);
  }
  void add(forces::MotionSeries& motion, VectorRef) const {
    const forces::LineSeries s = forces::line_series(motion, a, b);
    forces::add_tension(motion, a, b, s, tension.along(motion, &s.d) / s.d);
  }
};

}  // namespace

Force expression_force(const Model& model, std::string_view name,
                       const std::vector<std::string>& force,
                       const ExpressionParameters& parameters) {
  const ModelJoint& joint = model.joint(name);
  const std::string what = "expression of joint '" + joint.name + "'";
  if (force.size() != static_cast<std::size_t>(joint.nv))
    throw SizeError(what + ": force", force.size(), static_cast<std::size_t>(joint.nv));
  const KnownVariables known = [&](std::string_view variable) {
    return state_variable(model, variable);
  };
  auto list = compiled_texts(what, force, known, "t, q.JOINT or v.JOINT", parameters);
  Force out{what, model, ExpressionForce{joint.v_index, list}};
  if (has_series(list))
    out.law.expand = forces::series_of(ExpressionSeries{joint.v_index, std::move(list)}, false);
  out.internal = !model.on_ground(joint);
  out.actuator = false;
  return out;
}

Force point_expression(const Model& model, const BodyPoint& a, const BodyPoint& b,
                       const std::string& tension, const ExpressionParameters& parameters) {
  const std::string what = "expression between '" + a.body + "' and '" + b.body + "'";
  const Frame at_a = forces::frame_of(model, a, what), at_b = forces::frame_of(model, b, what);
  if (at_a.link == at_b.link)
    throw Error(what + ": both points move together, so the force does nothing");
  const KnownVariables known = [](std::string_view name) -> std::optional<ExpressionVariable> {
    if (name == "t") return ExpressionVariable{ExpressionVariable::time};
    if (name == "d") return ExpressionVariable{ExpressionVariable::distance};
    if (name == "d_dot") return ExpressionVariable{ExpressionVariable::rate};
    return std::nullopt;
  };
  auto list = compiled_texts(what, {tension}, known, "t, d or d_dot", parameters);
  const PointExpression law{what, at_a, at_b, std::move(list[0])};
  Force out{what, model, law};
  if (law.tension.expression.is_smooth()) out.law.expand = forces::series_of(law, true);
  out.internal = at_a.link >= 0 && at_b.link >= 0;
  out.actuator = false;
  return out;
}

}  // namespace chasles
