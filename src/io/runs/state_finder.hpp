/// A state of a recorded run, and further data at its end: integrator checkpoint and work.
#pragma once

#include <algorithm>
#include <cmath>

#include "io/runs/run_reader.hpp"
#include "io/runs/run_text.hpp"
#include "io/runs/scenario_parts.hpp"

namespace chasles::io {

class StateFinder : public RunVisitor {
 public:
  StateFinder(std::string name, RunFormat format, const Model& model, std::optional<double> at)
      : name_(std::move(name)), csv_(format == RunFormat::csv), model_(model), at_(at) {}

  void joint(std::size_t i, const RunJoint& joint, LineColumn at) override {
    const auto& known = model_.joints();
    const auto refuse = [&](const std::string& is, const std::string& should) {
      fail(name_, at,
           "is not a run of this model: joint " + std::to_string(i + 1) + " is " + is + ", not " +
               should);
    };
    if (i >= known.size()) refuse(quote(joint.name), "there");
    const ModelJoint& expected = known[i];
    if (joint.name != expected.name) refuse(quote(joint.name), quote(expected.name));
    const auto differs = [](const std::string& is, std::string_view should) {
      return !is.empty() && is != should;
    };
    const std::string type(joint_type_info(expected.type).name), what = quote(joint.name) + ", ";
    // "free" is what earlier runs called a floating joint.
    if (differs(joint.type == "free" ? "floating" : joint.type, type))
      refuse(what + joint.type, type);
    const std::string group(group_name(expected));
    if (differs(joint.group, group)) refuse(what + "on " + joint.group, "on " + group);
    const auto units = q_units(expected);
    if (!joint.q_units.empty() && joint.q_units != units)
      refuse(what + "in " + join(joint.q_units), "in " + join(units));
  }
  std::vector<Cell> begin(std::span<const RunColumn> columns, LineColumn at) override {
    if (csv_)
      check_labels(columns);
    else
      check_counts(columns, at);
    return std::vector<Cell>(state_size(), Cell::finite);
  }
  bool sample(std::span<const double> x, LineColumn at) override {
    if (!any_) first_ = x[0];
    last_ = x[0];
    any_ = true;
    const bool wanted = !at_ || std::abs(last_ - *at_) <= 1e-9 * std::max(1.0, std::abs(*at_));
    if (wanted) found_.assign(x.begin(), x.begin() + static_cast<long>(state_size())), place_ = at;
    return !(at_ && wanted);
  }
  void summary(const std::string& key, const std::string& text) override {
    if (key == "method") end_.method = text;
  }
  void summary(const std::string& key, std::span<const double> x) override {
    const std::pair<const char*, std::optional<double>*> numbers[] = {
        {"time", &end_.time},
        {"work", &end_.work},
        {"origin", &end_.origin},
        {"next_step", &end_.next_step},
        {"last_error", &end_.last_error}};
    for (const auto& [name, number] : numbers)
      if (key == name && x.size() == 1) *number = x[0];
    if (key == "memory") end_.memory.assign(x.begin(), x.end());
    if (key == "joints_q") end_.joints_q.assign(x.begin(), x.end());
  }

  State state() const {
    if (!any_) throw Error(name_ + ": has no samples");
    if (found_.empty())
      throw Error(name_ + ": has no sample at t = " + to_text(*at_) + "; it has times from " +
                  to_text(first_) + " to " + to_text(last_));
    const double* x = found_.data();
    State state{x[0], Eigen::Map<const Eigen::VectorXd>(x + 1, model_.nq()),
                Eigen::Map<const Eigen::VectorXd>(x + 1 + model_.nq(), model_.nv())};
    try {
      checked_configuration(model_, state.q);
    } catch (const Error& error) {
      fail(name_, place_, error.what());
    }
    return state;
  }
  const RecordedEnd& end() const { return end_; }

 private:
  static std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
  }
  std::size_t state_size() const { return static_cast<std::size_t>(1 + model_.nq() + model_.nv()); }
  void check_labels(std::span<const RunColumn> columns) const {
    const std::vector<std::string> names = csv_names(model_);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (i >= columns.size() || columns[i].label != names[i])
        fail(name_, {1, 0},
             "is not a run of this model: column " + std::to_string(i + 1) + " is " +
                 (i < columns.size() ? quote(columns[i].label) : "missing") + ", not " +
                 quote(names[i]));
  }
  void check_counts(std::span<const RunColumn> columns, LineColumn at) const {
    for (const auto& [letter, count] : {std::pair{"q", model_.nq()}, std::pair{"v", model_.nv()}}) {
      const auto has = std::ranges::count(columns, letter, &RunColumn::group);
      if (has == 0 && count > 0) fail(name_, at, std::string("the sample has no ") + letter);
      if (has != count)
        fail(name_, at,
             std::string("is not a run of this model: ") + letter + " has " + std::to_string(has) +
                 " numbers; a state of the model has " + std::to_string(count));
    }
  }

  std::string name_;
  bool csv_;
  const Model& model_;
  std::optional<double> at_;
  bool any_ = false;
  double first_ = 0, last_ = 0;
  LineColumn place_;
  std::vector<double> found_;
  RecordedEnd end_;
};

}  // namespace chasles::io
