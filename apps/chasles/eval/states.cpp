#include "states.hpp"

#include <chasles/suggest.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace {

using namespace chasles;
using nlohmann::json;

constexpr std::string_view state_keys[] = {"q", "v", "a", "jerk", "snap", "tau", "wrenches"};
constexpr std::string_view wrench_keys[] = {"wrench", "representation"};

Eigen::VectorXd read_vector(const json& value, const std::string& where, Eigen::Index size) {
  if (!value.is_array()) throw Error(where + " is not a list of numbers");
  Eigen::VectorXd out(static_cast<Eigen::Index>(value.size()));
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_number() || !std::isfinite(value[i].get<double>()))
      throw Error(where + "[" + std::to_string(i) + "] is " + value[i].dump() +
                  "; give a finite number");
    out[static_cast<Eigen::Index>(i)] = value[i].get<double>();
  }
  if (out.size() != size) throw SizeError(where, value.size(), static_cast<std::size_t>(size));
  return out;
}

/// What f gives; its errors begin with `where`.
template <class F>
auto placed(const std::string& where, const F& f) {
  try {
    return f();
  } catch (const Error& e) {
    throw Error(where + ": " + e.what());
  }
}

std::vector<AppliedWrench> read_wrenches(const json& value, const Model& model,
                                         const std::string& where) {
  if (!value.is_object()) throw Error(where + " is not an object of wrenches by body");
  std::vector<AppliedWrench> wrenches;
  for (const auto& [body, entry] : value.items()) {
    const std::string here = where + "." + body;
    AppliedWrench applied{placed(where, [&, &name = body] { return model.place(name); }), {}};
    if (!entry.is_object() || !entry.contains("wrench"))
      throw Error(here + ": give {\"wrench\": [6 numbers], \"representation\": \"hybrid\"}");
    for (const auto& [key, part] : entry.items()) {
      if (key == "wrench") {
        const Eigen::VectorXd W = read_vector(part, here + ".wrench", 6);
        applied.W = {{W[0], W[1], W[2]}, {W[3], W[4], W[5]}};
      } else if (key == "representation") {
        if (!part.is_string()) throw Error(here + ".representation is not a word");
        applied.representation =
            placed(here, [&] { return representation_named(part.get<std::string>()); });
      } else {
        throw Error(here + "." + key + ": unknown key" + did_you_mean(key, wrench_keys));
      }
    }
    wrenches.push_back(applied);
  }
  return wrenches;
}

EvalState read_state(const json& value, const Model& model, const std::string& where) {
  const Vector zero = model.neutral();
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.nv());
  EvalState state{
      Eigen::Map<const Eigen::VectorXd>(zero.data(), model.nq()), rest, rest, rest, rest, rest, {}};
  if (!value.is_object()) throw Error(where + " is not an object with q, v, a, ...");
  for (const auto& [key, entry] : value.items()) {
    const std::string here = where + "." + key;
    if (key == "wrenches") {
      state.wrenches = read_wrenches(entry, model, here);
      continue;
    }
    Eigen::VectorXd* const targets[] = {&state.q,    &state.v,    &state.a,
                                        &state.jerk, &state.snap, &state.tau};
    Eigen::VectorXd* target = nullptr;
    for (std::size_t i = 0; i < std::size(targets); ++i)
      if (key == state_keys[i]) target = targets[i];
    if (!target) throw Error(here + ": unknown key" + did_you_mean(key, state_keys));
    *target = read_vector(entry, here, target->size());
  }
  state.q = placed(where + ".q", [&] { return checked_configuration(model, state.q); });
  return state;
}

}  // namespace

void EvalState::write_to(Moment& moment) const {
  moment.q = q, moment.v = v, moment.a = a, moment.jerk = jerk, moment.snap = snap;
  moment.acting.tau = tau;
  moment.acting.wrenches = wrenches;
}

std::vector<EvalState> read_states(const std::string& path, const Model& model) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(path + ": cannot be read");
  json document;
  try {
    document = json::parse(file);
  } catch (const json::exception& e) {
    throw Error(path + ": not JSON: " + e.what());
  }
  if (!document.is_object() || !document.contains("states") || !document["states"].is_array())
    throw Error(path + ": give {\"states\": [{\"q\": [..], \"v\": [..], \"a\": [..]}, ..]}");
  for (const auto& [key, entry] : document.items())
    if (key != "states") throw Error(path + ": unknown key '" + key + "'");
  std::vector<EvalState> states;
  for (std::size_t i = 0; i < document["states"].size(); ++i)
    states.push_back(
        read_state(document["states"][i], model, path + ": states[" + std::to_string(i) + "]"));
  return states;
}
