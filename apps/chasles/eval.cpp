#include <fmt/format.h>

#include <chasles/kinematics/higher_order.hpp>
#include <chasles/lie/eigen.hpp>
#include <chasles/suggest.hpp>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>

#include "commands.hpp"
#include "json.hpp"
#include "model_input.hpp"

namespace {

using namespace chasles;
using nlohmann::json;
using to_json::Json;

/// A state of the model; what the file does not give is neutral or zero. Forces are read and checked
/// for quantities that depend on them.
struct State {
  Eigen::VectorXd q, v, a, jerk, snap, tau;
};

constexpr std::string_view state_keys[] = {"q", "v", "a", "jerk", "snap", "tau", "wrenches"};
constexpr std::string_view representation_names[] = {"body", "spatial", "hybrid", "mixed"};

Eigen::VectorXd read_vector(const json& value, const std::string& where) {
  if (!value.is_array()) throw Error(where + " is not a list of numbers");
  Eigen::VectorXd out(static_cast<Eigen::Index>(value.size()));
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_number() || !std::isfinite(value[i].get<double>()))
      throw Error(where + "[" + std::to_string(i) + "] is " + value[i].dump() +
                  "; give a finite number");
    out[static_cast<Eigen::Index>(i)] = value[i].get<double>();
  }
  return out;
}

Representation representation(const std::string& name, const std::string& where) {
  for (std::size_t i = 0; i < 4; ++i)
    if (representation_names[i] == name) return static_cast<Representation>(i);
  throw Error(where + ": there is no representation '" + name + "'" +
              did_you_mean(name, representation_names) + " (body, spatial, hybrid, mixed)");
}

/// {"BODY": {"wrench": [6 numbers], "representation": "body"}}.
void check_wrenches(const json& value, const Model& model, const std::string& where) {
  if (!value.is_object()) throw Error(where + " is not an object of wrenches by body");
  for (const auto& [body, entry] : value.items()) {
    const std::string place = where + "." + body;
    model.place(body);
    if (!entry.is_object() || !entry.contains("wrench"))
      throw Error(place + ": give {\"wrench\": [6 numbers], \"representation\": \"body\"}");
    for (const auto& [key, part] : entry.items()) {
      if (key == "wrench") {
        if (const auto size = static_cast<std::size_t>(read_vector(part, place + ".wrench").size());
            size != 6)
          throw SizeError(place + ".wrench", size, 6);
      } else if (key == "representation" && part.is_string()) {
        representation(part.get<std::string>(), place);
      } else {
        throw Error(place + "." + key + ": unknown key or wrong type");
      }
    }
  }
}

State read_state(const json& value, const Model& model, const std::string& where) {
  const std::vector<double> zero = model.neutral();
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.nv());
  State state{
      Eigen::Map<const Eigen::VectorXd>(zero.data(), model.nq()), rest, rest, rest, rest, rest};
  if (!value.is_object()) throw Error(where + " is not an object with q, v, a, ...");
  for (const auto& [key, entry] : value.items()) {
    const std::string place = where + "." + key;
    if (key == "wrenches") {
      check_wrenches(entry, model, place);
      continue;
    }
    Eigen::VectorXd* const targets[] = {&state.q,    &state.v,    &state.a,
                                        &state.jerk, &state.snap, &state.tau};
    Eigen::VectorXd* target = nullptr;
    for (std::size_t i = 0; i < std::size(targets); ++i)
      if (key == state_keys[i]) target = targets[i];
    if (!target) throw Error(place + ": unknown key" + did_you_mean(key, state_keys));
    Eigen::VectorXd given = read_vector(entry, place);
    if (given.size() != target->size())
      throw SizeError(place, static_cast<std::size_t>(given.size()),
                      static_cast<std::size_t>(target->size()));
    *target = std::move(given);
  }
  try {
    state.q = checked_configuration(model, state.q);
  } catch (const Error& e) {
    throw Error(where + ".q: " + e.what());
  }
  return state;
}

std::vector<State> read_states(const std::string& path, const Model& model) {
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
  std::vector<State> states;
  for (std::size_t i = 0; i < document["states"].size(); ++i)
    states.push_back(
        read_state(document["states"][i], model, path + ": states[" + std::to_string(i) + "]"));
  return states;
}

struct Evaluation {
  const Model& model;
  const State& state;
  const AccelerationKinematics& kin;
};
using Quantity = std::function<Json(const Evaluation&)>;

/// A quantity of a frame in a representation, NAME:FRAME:REP.
using FrameQuantity = Json (*)(const Evaluation&, const Place&, Representation);

Json jacobian_of(const Evaluation& e, const Place& place, Representation rep) {
  Matrix6X J(6, e.model.nv());
  jacobian(e.model, e.kin, place, rep, J);
  return to_json::matrix(J);
}
Json jacobian_rate_of(const Evaluation& e, const Place& place, Representation rep) {
  Matrix6X J(6, e.model.nv());
  jacobian_rate(e.model, e.kin, place, rep, J);
  return to_json::matrix(J);
}
Json twist_of(const Evaluation& e, const Place& place, Representation rep) {
  return to_json::twist(twist(e.kin, place, rep));
}
Json acceleration_of(const Evaluation& e, const Place& place, Representation rep) {
  return to_json::twist(acceleration(e.kin, place, rep));
}

Json jerk_of(const Evaluation& e, const Place& place, Representation rep) {
  TwistDerivatives out(e.model, 3);
  Eigen::MatrixXd rates(e.model.nv(), 3);
  rates << e.state.v, e.state.a, e.state.jerk;
  twist_derivatives(e.model, e.state.q, rates, place, rep, out);
  return to_json::twist(out.V[2]);
}

struct Named {
  std::string_view name;
  FrameQuantity function;
};
constexpr Named frame_quantities[] = {{"twist", twist_of},
                                      {"acceleration", acceleration_of},
                                      {"jerk", jerk_of},
                                      {"jacobian", jacobian_of},
                                      {"jacobian_rate", jacobian_rate_of}};

Quantity parse_quantity(const std::string& text, const Model& model) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  if (text == "com")
    return [](const Evaluation& e) { return to_json::vector(center_of_mass(e.model, e.kin)); };
  if (parts.size() == 2 && parts[0] == "pose")
    return [place = model.place(parts[1])](const Evaluation& e) {
      return to_json::matrix(to_eigen(pose(e.kin, place)));
    };
  for (const Named& q : frame_quantities)
    if (!parts.empty() && parts[0] == q.name) {
      if (parts.size() != 3)
        throw Error("quantity '" + text + "': write " + std::string(q.name) + ":FRAME:REP");
      return
          [place = model.place(parts[1]), rep = representation(parts[2], "quantity '" + text + "'"),
           f = q.function](const Evaluation& e) { return f(e, place, rep); };
    }
  std::vector<std::string_view> known{"com", "pose"};
  for (const Named& q : frame_quantities) known.push_back(q.name);
  throw Error("there is no quantity '" + text + "'" +
              did_you_mean(parts.empty() ? text : parts[0], known));
}

Vec3 parse_gravity(const std::string& text) {
  Vec3 g;
  char comma[2], rest;
  std::istringstream in(text);
  if (!(in >> g.x >> comma[0] >> g.y >> comma[1] >> g.z) || comma[0] != ',' || comma[1] != ',' ||
      in >> rest || !is_finite(g))
    throw Error("--gravity '" + text + "': give three numbers such as 0,0,-9.81");
  return g;
}

}  // namespace

void add_eval(CLI::App& program) {
  CLI::App* eval =
      program.add_subcommand("eval", "Evaluate quantities of a model at states from a file");
  const auto input = ModelInput::add_to(*eval);
  struct Options {
    std::string states, gravity, out;
    std::vector<std::string> quantities;
  };
  const auto options = std::make_shared<Options>();
  eval->add_option("--states", options->states,
                   "JSON file: {\"states\": [{\"q\", \"v\", \"a\", \"jerk\"}]}")
      ->required();
  eval->add_option("--compute", options->quantities,
                   "com, pose:FRAME, twist:FRAME:REP, acceleration:FRAME:REP, jerk:FRAME:REP, "
                   "jacobian:FRAME:REP, "
                   "jacobian_rate:FRAME:REP; REP = body, spatial, hybrid, mixed")
      ->required()
      ->delimiter(',');
  eval->add_option("--gravity", options->gravity, "x,y,z instead of the model's");
  eval->add_option("-o,--output", options->out, "Write here instead of stdout");
  eval->callback([=] {
    std::optional<Vec3> gravity;
    if (!options->gravity.empty()) gravity = parse_gravity(options->gravity);
    const Model model = input->read(gravity);
    std::vector<Quantity> quantities;
    for (const std::string& text : options->quantities)
      quantities.push_back(parse_quantity(text, model));
    AccelerationKinematics kin(model);
    Json results = Json::array();
    for (const State& state : read_states(options->states, model)) {
      accelerations(model, state.q, state.v, state.a, kin);
      Json result = Json::object();
      for (std::size_t i = 0; i < quantities.size(); ++i)
        result[options->quantities[i]] = quantities[i]({model, state, kin});
      results.push_back(std::move(result));
    }
    const std::string text = Json{{"results", results}}.dump(1) + "\n";
    if (options->out.empty()) {
      fmt::print("{}", text);
      return;
    }
    std::ofstream file(options->out, std::ios::binary);
    if (!(file << text).flush()) throw std::runtime_error(options->out + ": cannot be written");
  });
}
