/// States by joint, as options of the program give them, and their completion in closed mechanisms.
#include <algorithm>
#include <cmath>

#include "chasles/constraints/analysis.hpp"
#include "chasles/io/states_file.hpp"
#include "chasles/suggest.hpp"
#include "constraints/least_squares.hpp"
#include "io/text.hpp"
#include "io/yaml/coordinate_dimensions.hpp"

namespace chasles {
namespace io {
namespace {

constexpr std::string_view value_keys[] = {"q", "v", "a", "jerk", "snap", "tau", "near"};

/// Parts between commas that are not in brackets.
std::vector<std::string_view> split_outside_brackets(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(text.substr(from, i - from));
      from = i + 1;
    } else {
      depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    }
  }
  return parts;
}
std::string_view without_spaces(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<Measure> parse_measure(std::string_view text) {
  if (const std::optional<double> number = parse_number(text)) return Measure{*number, {}};
  try {
    return evaluate_constant(text);
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

/// Writes the values of one text into a state.
class TextReader {
 public:
  TextReader(GivenState& state, const Model& model, std::string_view key, std::string_view text)
      : model_(model), key_(key), text_(text), is_q_(key == "q" || key == "near") {
    Vector* const targets[] = {&state.q,    &state.v,   &state.a, &state.jerk,
                               &state.snap, &state.tau, &state.q};
    std::vector<bool>* const kept[] = {&state.kept_q, &state.kept_v, &state.kept_a, nullptr,
                                       nullptr,       nullptr,       &state.near};
    // Of the entries of v; each derivative by time divides by s.
    static constexpr int rates[] = {0, 0, 1, 2, 3, 0, 0};
    const auto* found = std::ranges::find(value_keys, key);
    if (found == std::end(value_keys))
      throw Error("a state has no '" + std::string(key) + "'" + choices(key, value_keys));
    rate_ = rates[found - value_keys];
    out_ = targets[found - value_keys];
    dimensions_ = dimensions_of_entries();
    kept_ = kept[found - value_keys];
    if (key == "a") state.gives_a = true;
    if (key == "tau") state.gives_tau = true;
  }

  void read() {
    const auto parts = split_outside_brackets(text_);
    if (without_spaces(text_).empty()) refuse("is empty");
    if (text_.find('=') == text_.npos) {
      read_numbers(parts, 0, static_cast<int>(out_->size()),
                   "all " + std::to_string(out_->size()) + " numbers");
      if (kept_ != nullptr) kept_->assign(static_cast<std::size_t>(model_.nv()), true);
      return;
    }
    if (kept_ != nullptr && kept_->empty())
      kept_->assign(static_cast<std::size_t>(model_.nv()), false);
    for (const std::string_view part : parts) read_joint(part);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(std::string(key_) + " '" + std::string(text_) + "': " + why +
                "; give values by joint, such as " + example());
  }
  std::string example() const {
    return model_.joints().empty() ? "elbow=0.3" : model_.joints()[0].name + "=0.3";
  }
  void read_joint(std::string_view part) {
    const auto equals = part.rfind('=');
    if (equals == part.npos)
      refuse("'" + std::string(without_spaces(part)) + "' has no joint before it");
    const std::string_view name = without_spaces(part.substr(0, equals));
    std::string_view value = without_spaces(part.substr(equals + 1));
    int component = -1;
    const ModelJoint& joint = find_joint(name, component);
    const int first = is_q_ ? joint.q_index : joint.v_index;
    const int count = is_q_ ? joint.nq : joint.nv;
    if (kept_ != nullptr) std::fill_n(kept_->begin() + joint.v_index, joint.nv, true);
    if (component >= count)
      refuse("joint '" + joint.name + "' has " + std::to_string(count) +
             (count == 1 ? " entry" : " entries") + ", from .0");
    const std::pair<const ModelJoint*, int> entry{&joint, component};
    if (std::ranges::find(seen_, entry) != seen_.end())
      refuse("joint '" + joint.name + "' is given twice; give it once");
    seen_.push_back(entry);
    if (component >= 0) return read_numbers({value}, first + component, 1, "a number");
    if (value.starts_with('[') && value.ends_with(']')) value = value.substr(1, value.size() - 2);
    read_numbers(split_outside_brackets(value), first, count,
                 count == 1 ? "a number for joint '" + joint.name + "'"
                            : std::to_string(count) + " numbers for joint '" + joint.name +
                                  "', [..], or one of them, " + joint.name + ".0=..");
  }
  /// "base", or "base.4": then with the component.
  const ModelJoint& find_joint(std::string_view name, int& component) const {
    const auto known = [&](std::string_view joint) {
      return std::ranges::find(model_.joints(), joint, &ModelJoint::name);
    };
    if (const auto found = known(name); found != model_.joints().end()) return *found;
    const auto dot = name.rfind('.');
    if (dot != name.npos) {
      const std::string_view digits = name.substr(dot + 1);
      if (!digits.empty() && digits.size() < 6 &&
          digits.find_first_not_of("0123456789") == digits.npos) {
        component = std::stoi(std::string(digits));
        name = name.substr(0, dot);
      }
    }
    try {
      return model_.joint(name);
    } catch (const Error& error) {
      throw Error(std::string(key_) + " '" + std::string(text_) + "': " + error.what());
    }
  }
  void read_numbers(const std::vector<std::string_view>& parts, int first, int count,
                    const std::string& wanted) {
    if (parts.size() != static_cast<std::size_t>(count))
      refuse("has " + std::to_string(parts.size()) + (parts.size() == 1 ? " number" : " numbers") +
             " where " + wanted + " are needed");
    for (int k = 0; k < count; ++k) {
      const std::string_view part = without_spaces(parts[static_cast<std::size_t>(k)]);
      const std::optional<Measure> x = parse_measure(part);
      if (!x || !std::isfinite(x->value))
        refuse("'" + std::string(part) + "' is not a finite number");
      const Dimension& unit = dimensions_[static_cast<std::size_t>(first + k)];
      if (!x->dimension.is_none() && !fits(x->dimension, unit))
        throw Error(std::string(key_) + " '" + std::string(text_) + "': '" + std::string(part) +
                    "' is in " + dimension_text(x->dimension) + "; give " + dimension_text(unit));
      (*out_)[first + k] = x->value;
    }
  }
  std::vector<Dimension> dimensions_of_entries() const {
    std::vector<Dimension> list(static_cast<std::size_t>(out_->size()), dimensions::any);
    for (const ModelJoint& joint : model_.joints())
      for (const JointCoordinate& c : joint.coordinates) {
        const CoordinateDimensions d = dimensions_of(c.kind);
        std::fill_n(list.begin() + (is_q_ ? c.q_index : c.v_index), is_q_ ? c.nq : c.nv,
                    is_q_           ? d.q
                    : key_ == "tau" ? d.force
                                    : d.v + dimensions::time * -rate_);
      }
    return list;
  }

  const Model& model_;
  std::string_view key_, text_;
  bool is_q_;
  int rate_ = 0;
  Vector* out_ = nullptr;
  std::vector<Dimension> dimensions_;                    // of its entries
  std::vector<std::pair<const ModelJoint*, int>> seen_;  // joints, with the entry; -1: all
  std::vector<bool>* kept_ = nullptr;
};

/// The accelerations nearest to a with B a + B' v = 0.
/// @param kept  nv: entries that do not change
void make_consistent(ConstrainedSystem& system, const std::vector<bool>& kept, Vector& a) {
  Matrix B;
  Vector rest(system.constraint_count());
  system.constraint_matrix(B);
  system.constraint_bias(rest);
  rest += B * a;
  std::vector<int> free;
  for (int k = 0; k < system.model().nv(); ++k)
    if (!kept[static_cast<std::size_t>(k)]) free.push_back(k);
  if (free.empty() || rest.size() == 0) return;
  constexpr double dependent = 1e-10;
  const Eigen::VectorXd change = solve_least_norm(columns_of(B, free), -rest, dependent).x;
  for (std::size_t c = 0; c < free.size(); ++c) a[free[c]] += change[static_cast<Eigen::Index>(c)];
}

}  // namespace
}  // namespace io

GivenState state_by_joint(const Model& model) {
  GivenState state(model);
  state.kept_q.assign(static_cast<std::size_t>(model.nv()), false);
  state.kept_v = state.kept_q;
  return state;
}

void set_by_joint(const Model& model, GivenState& state, std::string_view key,
                  std::string_view text) {
  io::TextReader(state, model, key, text).read();
  if (key != "q" && key != "near") return;
  try {
    state.q = checked_configuration(model, state.q);
  } catch (const Error& error) {
    throw Error(std::string(key) + " '" + std::string(text) + "': " + error.what());
  }
}

void complete(GivenState& state, ConstrainedSystem& system) {
  Constraints& constraints = system.constraints();
  if (!state.kept_q.empty() || !state.near.empty())
    state.q = assemble(constraints, state.q, {.kept = state.kept_q, .near = state.near});
  if (!state.kept_v.empty())
    state.v = consistent_velocity(constraints, state.q, state.v, state.kept_v);
  if (state.kept_a.empty()) return;
  system.set(constraints.time(), state.q, state.v);
  io::make_consistent(system, state.kept_a, state.a);
}

}  // namespace chasles
