#include "regulator.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cctype>
#include <chasles/simulation/control.hpp>
#include <cmath>
#include <set>

using namespace chasles;

void RegulatorOptions::add_to(Command command) {
  command.add_flag("--lqr", wanted,
                   "Linear-quadratic regulator: gains, poles, and the controller as an entry of a "
                   "scenario; at a state out of equilibrium, with efforts that hold it");
  command.add_option("--motors", motors, "--lqr: joints with motors, by commas; default: all")
      .by_commas();
  command.add_option("--position-weight", position_weight,
                     "--lqr: Q of positions, a number or by joint, elbow=10,wrist=1; others 0");
  command.add_option("--velocity-weight", velocity_weight, "--lqr: Q of velocities, likewise");
  command.add_option("--effort-weight", effort_weight,
                     "--lqr: R of efforts, likewise; default and others 1");
  command.add_option("--period", period,
                     "--lqr, --kalman: sampled, with zero-order hold, every so many seconds");
}

void RegulatorOptions::check() const {
  const RegulatorOptions none;
  if (!wanted && (!motors.empty() || position_weight != none.position_weight ||
                  velocity_weight != none.velocity_weight || effort_weight != none.effort_weight))
    throw Error("--motors and weights are those of --lqr; give --lqr");
  if (period && !(*period > 0 && std::isfinite(*period)))
    throw Error(fmt::format("--period {}: give seconds, more than 0", *period));
}

Vector numbers_by_joint(const Model& model, const std::string& option, const std::string& text,
                        double others) {
  Vector out(model.nv());
  out.setConstant(others);
  std::set<std::string> named;
  const auto number = [&](const std::string& word) {
    char* end = nullptr;
    const double x = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != 0 || !(x >= 0 && std::isfinite(x)))
      throw Error(option + " '" + text +
                  "': give a number that is not negative, or elbow=10,wrist=1");
    return x;
  };
  if (text.find('=') == text.npos) {
    out.setConstant(number(text));
    return out;
  }
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string item = text.substr(from, comma - from);
    const std::size_t equals = std::min(item.find('='), item.size());
    const ModelJoint& joint = model.joint(item.substr(0, equals));
    if (!named.insert(joint.name).second)
      throw Error(option + " '" + text + "' has joint '" + joint.name + "' twice; give it once");
    out.segment(joint.v_index, joint.nv)
        .setConstant(number(item.substr(std::min(equals + 1, item.size()))));
    from = comma + 1;
  }
  return out;
}

std::string row_text(const Eigen::VectorXd& row) {
  std::string text;
  for (Eigen::Index j = 0; j < row.size(); ++j)
    text += (j > 0 ? ", " : "") + fmt::format("{:.12g}", row[j]);
  return "[" + text + "]";
}
std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const bool plain =
        std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    text += (text.empty() ? "" : ", ") + (plain ? name : Json(name).dump(0));
  }
  return "[" + text + "]";
}

namespace {

/// Efforts of the motors that cancel the accelerations.
Vector holding_efforts(const LinearSystem& linear, const Matrix& B, const Vector& a) {
  const auto w = static_cast<Eigen::Index>(linear.velocities.size());
  Eigen::VectorXd wanted(w);
  for (Eigen::Index i = 0; i < w; ++i)
    wanted[i] = -a[linear.velocities[static_cast<std::size_t>(i)]];
  const Eigen::MatrixXd G = B.bottomRows(w);
  const Eigen::VectorXd effort = (G.transpose() * G).ldlt().solve(G.transpose() * wanted);
  if ((G * effort - wanted).norm() > 1e-6 * (1 + wanted.norm()))
    throw Error("--lqr: the motors cannot hold this state; --equilibrium looks for one nearby");
  return effort;
}

}  // namespace

RegulatorDesign design_regulator(const Model& model, const LinearSystem& linear, const Vector& q,
                                 const Vector& a, const RegulatorOptions& options) {
  RegulatorDesign out;
  out.motors = options.motors;
  if (out.motors.empty()) out.motors = driven_joints(model);
  std::vector<int> entries;
  for (const std::string& name : out.motors) {
    const ModelJoint& joint = model.joint(name);
    if (std::ranges::count(out.motors, name) > 1)
      throw Error("--motors has joint '" + name + "' twice; give it once");
    for (int k = 0; k < joint.nv; ++k) entries.push_back(joint.v_index + k);
  }
  if (linear.positions != linear.velocities)
    throw Error(
        "--lqr: rolling constraints leave more positions than velocities, which no feedback "
        "determines");
  for (const int k : linear.positions) {
    const ModelJoint& joint = model.joint_of_v(k);
    if (!joint.is_vector())
      throw Error("--lqr: joint '" + joint.name +
                  "' has quaternions; give other joints by --independent");
    if (out.measured.empty() || out.measured.back() != joint.name)
      out.measured.push_back(joint.name);
  }
  const auto m = static_cast<Eigen::Index>(entries.size()), n = linear.A.rows(),
             nv = Eigen::Index{model.nv()};
  Matrix B(n, m);
  Eigen::MatrixXd R = Eigen::MatrixXd::Zero(m, m);
  const Vector effort = numbers_by_joint(model, "--effort-weight", options.effort_weight, 1);
  for (Eigen::Index j = 0; j < m; ++j) {
    const int k = entries[static_cast<std::size_t>(j)];
    B.col(j) = linear.B.col(k);
    R(j, j) = effort[k];
  }
  Vector both(2 * nv);
  both.head(nv) = numbers_by_joint(model, "--position-weight", options.position_weight);
  both.tail(nv) = numbers_by_joint(model, "--velocity-weight", options.velocity_weight);
  const Eigen::MatrixXd Q = linear.C.transpose() * both.asDiagonal() * linear.C;
  out.effort = holding_efforts(linear, B, a);
  out.B = B, out.period = options.period;
  if (options.period) {
    const LinearSystem step = discretize({linear.A, B}, *options.period);
    if (!step.A.allFinite() || !step.B.allFinite())
      throw Error(fmt::format(
          "--period {}: within one the motion grows beyond all numbers; give a shorter one",
          *options.period));
    out.regulator = sampled_lqr(step.A, step.B, Q, R);
  } else {
    out.regulator = lqr(linear.A, B, Q, R);
  }
  std::string text =
      fmt::format("  - type: state_feedback\n    joints: {}\n    measured: {}\n    gain:\n",
                  names_text(out.motors), names_text(out.measured));
  for (Eigen::Index i = 0; i < m; ++i)
    text += "      - " + row_text(Eigen::VectorXd(out.regulator.K.row(i))) + "\n";
  text += "    effort: " + row_text(out.effort) + "\n";
  text += "    reference: {";
  for (const std::string& name : out.measured) {
    const ModelJoint& joint = model.joint(name);
    const Eigen::VectorXd at = q.segment(joint.q_index, joint.nq);
    text += fmt::format("{}{}: {}", name == out.measured.front() ? "" : ", ", name,
                        joint.nq == 1 ? fmt::format("{:.12g}", at[0]) : row_text(at));
  }
  text += "}\n";
  if (options.period) text += "    period: " + to_text(*options.period) + "\n";
  out.scenario_entry = text;
  return out;
}

void print(const RegulatorDesign& design) {
  fmt::print("\n  closed loop\n");
  for (const auto& pole : design.regulator.poles)
    fmt::print("  {:>14.6g} {:+.6g}i\n", pole.real(), pole.imag());
  fmt::print("  Riccati equation off by {:.1e}\n\ncontrol:\n{}", design.regulator.residual,
             design.scenario_entry);
}

Json describe(const RegulatorDesign& design) {
  Json poles = Json::array();
  for (const auto& pole : design.regulator.poles) poles.push_back({pole.real(), pole.imag()});
  return {{"motors", design.motors},
          {"measured", design.measured},
          {"K", to_json::matrix(design.regulator.K)},
          {"P", to_json::matrix(design.regulator.P)},
          {"poles", poles},
          {"effort", std::vector<double>(design.effort.begin(), design.effort.end())},
          {"residual", design.regulator.residual},
          {"control", design.scenario_entry}};
}
