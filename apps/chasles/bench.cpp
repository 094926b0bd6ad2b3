/// chasles bench: the time of each algorithm on this machine, for one model.
#include <fmt/format.h>

#include <chasles/derivatives/forward_dynamics.hpp>
#include <chasles/dynamics/batch.hpp>
#include <chasles/dynamics/coriolis.hpp>
#include <chasles/dynamics/inverse_dynamics.hpp>
#include <chasles/dynamics/mass_matrix.hpp>
#include <chasles/dynamics/regressor.hpp>
#include <chasles/io/mechanism_file.hpp>
#include <chasles/kinematics/jacobian.hpp>
#include <cstdio>

#include "commands.hpp"
#include "default_model.hpp"
#include "json.hpp"
#include "model_input.hpp"
#include "state.hpp"
#include "timer.hpp"

namespace {

using namespace chasles;
constexpr double seconds = 0.05;  // per number in the table

/// Number of states: enough to defeat branch prediction, few enough that matrices fit in memory.
int states_for(const Model& model) { return model.nv() <= 200 ? 64 : 8; }

/// ns per state; negative: not measured.
struct Line {
  std::string name;
  double one = -1, doubles = -1, floats = -1;
};

/// Rows of numbers, as Batch takes them.
template <class Real>
struct Rows {
  std::vector<Real> q, v, a, tau, out;
  Rows(const Model& model, const std::vector<bench::State>& states)
      : out(3 * states.size() * static_cast<std::size_t>(model.nv() * model.nv())) {
    for (const bench::State& s : states) {
      const auto append = [](std::vector<Real>& to, const Eigen::VectorXd& x) {
        for (const double number : x) to.push_back(static_cast<Real>(number));
      };
      append(q, s.q), append(v, s.v), append(a, s.a), append(tau, s.tau);
    }
  }
};

class Bench {
 public:
  explicit Bench(const Model& model)
      : model_(model), doubles_(model, states_), floats_(model, states_) {}

  std::vector<Line> run() {
    kinematics();
    dynamics();
    return std::move(lines_);
  }
  /// Why a mass matrix could not be inverted, if so.
  const std::string& singular() const { return singular_; }

 private:
  template <class F>
  double each(const F& f) const {
    return least_ns(
        count_, [&](std::size_t i) { f(states_[i]); }, seconds);
  }
  template <class F>
  double all(const F& f) const {
    return least_ns(
               1, [&](std::size_t) { f(); }, seconds) /
           count_;
  }
  void kinematics() {
    PositionKinematics at(model_);
    VelocityKinematics kin(model_);
    Matrix6X J(6, model_.nv());
    const Frame last = model_.bodies().back().frame;
    using State = bench::State;
    lines_.push_back(
        {"positions", each([&](const State& s) { forward_kinematics(model_, s.q, at); })});
    lines_.push_back(
        {"velocities", each([&](const State& s) { forward_kinematics(model_, s.q, s.v, kin); })});
    lines_.push_back({"jacobian", each([&](const State& s) {
                        forward_kinematics(model_, s.q, at);
                        jacobian(model_, at, last, Representation::hybrid, J);
                      })});
  }
  void dynamics() {
    InverseDynamics inverse(model_);
    ForwardDynamics forward(model_);
    MassMatrix M(model_);
    MassMatrixInverse M_inv(model_);
    add(
        "inverse_dynamics",
        [&](const auto& s) { inverse_dynamics(model_, s.q, s.v, s.a, inverse); },
        [this](auto& batch, auto& rows) {
          batch.inverse_dynamics(count_, rows.q, rows.v, rows.a, vector(rows.out));
        });
    add(
        "forward_dynamics",
        [&](const auto& s) { forward_dynamics(model_, s.q, s.v, s.tau, forward); },
        [this](auto& batch, auto& rows) {
          batch.forward_dynamics(count_, rows.q, rows.v, rows.tau, vector(rows.out));
        });
    add(
        "mass_matrix", [&](const auto& s) { mass_matrix(model_, s.q, M); },
        [this](auto& batch, auto& rows) { batch.mass_matrix(count_, rows.q, matrix(rows.out)); });
    add(
        "mass_matrix_inverse", [&](const auto& s) { mass_matrix_inverse(model_, s.q, M_inv); },
        [this](auto& batch, auto& rows) {
          batch.mass_matrix_inverse(count_, rows.q, matrix(rows.out));
        });
    CoriolisMatrix C(model_);
    TorqueRegressor Y(model_);
    add(
        "coriolis_matrix", [&](const auto& s) { coriolis_matrix(model_, s.q, s.v, C); },
        [this](auto& batch, auto& rows) {
          batch.coriolis_matrix(count_, rows.q, rows.v, matrix(rows.out));
        });
    InverseDynamicsDerivatives d_inverse(model_);
    ForwardDynamicsDerivatives d_forward(model_);
    add(
        "d_inverse_dynamics",
        [&](const auto& s) { d_inverse_dynamics(model_, s.q, s.v, s.a, d_inverse); },
        [this](auto& batch, auto& rows) {
          batch.d_inverse_dynamics(count_, rows.q, rows.v, rows.a, rows.out);
        });
    add(
        "d_forward_dynamics",
        [&](const auto& s) { d_forward_dynamics(model_, s.q, s.v, s.tau, d_forward); },
        [this](auto& batch, auto& rows) {
          batch.d_forward_dynamics(count_, rows.q, rows.v, rows.tau, rows.out);
        });
    lines_.push_back({"torque_regressor", each([&](const bench::State& s) {
                        torque_regressor(model_, s.q, s.v, s.a, Y);
                      })});
  }
  template <class One, class Many>
  void add(const char* name, const One& one, const Many& many) {
    Line line{name};
    try {
      line.one = each(one);
      line.doubles = all([&] { many(double_batch_, doubles_); });
      line.floats = all([&] { many(float_batch_, floats_); });
    } catch (const SingularError& e) {
      singular_ = e.what();
    }
    lines_.push_back(line);
  }
  /// Room for nv * nv, or for nv numbers per state.
  template <class Real>
  std::span<Real> matrix(std::vector<Real>& room) const {
    return std::span(room).first(room.size() / 3);
  }
  template <class Real>
  std::span<Real> vector(std::vector<Real>& room) const {
    return std::span(room).first(static_cast<std::size_t>(count_ * model_.nv()));
  }

  const Model& model_;
  int count_ = states_for(model_);
  std::vector<bench::State> states_ = bench::random_states(model_, count_);
  Rows<double> doubles_;
  Rows<float> floats_;
  Batch<double> double_batch_{model_};
  Batch<float> float_batch_{model_};
  std::vector<Line> lines_;
  std::string singular_;
};

std::string cell(double ns) { return ns < 0 ? "-" : fmt::format("{:.0f}", ns); }

void print(const Model& model, const std::vector<Line>& lines, const std::string& singular) {
  fmt::print(
      "{}: {} bodies, nv = {}; ns per state, least of many runs over {} states, 1 thread\n\n",
      model.name().empty() ? "(no name)" : model.name(), model.bodies().size(), model.nv(),
      states_for(model));
  fmt::print("{:<20} {:>10} {:>12} {:>12}\n", "", "one state", "batch double", "batch float");
  for (const Line& line : lines)
    fmt::print("{:<20} {:>10} {:>12} {:>12}\n", line.name, cell(line.one), cell(line.doubles),
               cell(line.floats));
  if (!singular.empty()) fmt::print("\n-: {}\n", singular);
}

Json as_json(const Model& model, const std::vector<Line>& lines) {
  const auto ns = [](double x) { return x < 0 ? Json() : Json(x); };
  Json times = Json::object();
  for (const Line& line : lines)
    times[line.name] = {{"one", ns(line.one)},
                        {"batch_double", ns(line.doubles)},
                        {"batch_float", ns(line.floats)}};
  return {{"name", model.name()},
          {"nv", model.nv()},
          {"states", states_for(model)},
          {"threads", 1},
          {"ns_per_state", times}};
}

}  // namespace

void add_bench(Command program) {
  const Command command = program.add_command(
      "bench", "Time of each algorithm on this machine, at random states of a model");
  const auto input = ModelInput::add_optional_to(command, "the PUMA 560 arm");
  const auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "As JSON");
  command.callback([=] {
    if (input->path.empty() && input->floating_base)
      throw Error("bench: --floating-base needs a MODEL to free");
    const Model model =
        input->path.empty() ? compile(read_yaml(default_model, "puma560.yaml")) : input->read();
    if (model.nv() == 0) throw Error("bench: the model has no joint that moves");
    if (const std::string warning = open_loops(model); !warning.empty())
      fmt::print(stderr, "warning: {}: {}\n", input->path, warning);
    Bench bench(model);
    const std::vector<Line> lines = bench.run();
    if (*json)
      fmt::print("{}\n", as_json(model, lines).dump(2));
    else
      print(model, lines, bench.singular());
  });
}
