#include "estimator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chasles/simulation/control.hpp>

using namespace chasles;

void EstimatorOptions::add_to(Command command) {
  command.add_flag("--kalman", wanted,
                   "Kalman filter: gains and poles of the observer of x; with --lqr and --period "
                   "as part of the controller's entry");
  command.add_option(
      "--force-noise", force_noise,
      "--kalman: root intensity of joint forces [N m sqrt(s)], a number or by joint; "
      "default 1");
  command.add_option("--position-noise", position_noise,
                     "--kalman: measured positions and their noise, a number for all joints or by "
                     "joint: [rad] per sample with --period, otherwise [rad sqrt(s)]; 0: not "
                     "measured; default 1e-3");
  command.add_option("--velocity-noise", velocity_noise,
                     "--kalman: measured velocities, likewise; default: none");
}

void EstimatorOptions::check(bool lqr, const std::optional<double>& period) const {
  if (!lqr && !wanted && period) throw Error("--period is that of --lqr and --kalman");
  const EstimatorOptions otherwise;
  if (!wanted && (force_noise != otherwise.force_noise ||
                  position_noise != otherwise.position_noise || !velocity_noise.empty()))
    throw Error("--force-noise, --position-noise and --velocity-noise are those of --kalman");
}

namespace {

/// The measurements y = C x with their noise.
struct Measurements {
  std::vector<std::string> positions, velocities;
  Matrix C;
  Eigen::VectorXd noise;
};

void add_measured(const Model& model, const Vector& noise, std::vector<std::string>& names,
                  std::vector<int>& rows, int offset) {
  for (const ModelJoint& joint : model.joints()) {
    if (joint.nv == 0 || noise[joint.v_index] == 0) continue;
    if (!joint.is_vector())
      throw Error("--kalman: joint '" + joint.name +
                  "' has quaternions; name the measured joints, --position-noise elbow=1e-3");
    names.push_back(joint.name);
    for (int k = 0; k < joint.nv; ++k) rows.push_back(offset + joint.v_index + k);
  }
}

Measurements measurements(const Model& model, const LinearSystem& linear,
                          const EstimatorOptions& options) {
  Vector noise(2 * Eigen::Index{model.nv()});
  noise.head(model.nv()) = numbers_by_joint(model, "--position-noise", options.position_noise);
  if (!options.velocity_noise.empty())
    noise.tail(model.nv()) = numbers_by_joint(model, "--velocity-noise", options.velocity_noise);
  Measurements out;
  std::vector<int> rows;
  add_measured(model, Vector(noise.head(model.nv())), out.positions, rows, 0);
  add_measured(model, Vector(noise.tail(model.nv())), out.velocities, rows, model.nv());
  if (rows.empty())
    throw Error("--kalman: nothing is measured; give noise, --position-noise elbow=1e-3");
  const auto p = static_cast<Eigen::Index>(rows.size());
  out.C = Matrix(p, linear.A.cols());
  out.noise.resize(p);
  for (Eigen::Index i = 0; i < p; ++i) {
    const int k = rows[static_cast<std::size_t>(i)];
    out.C.row(i) = linear.C.row(k);
    out.noise[i] = noise[k];
  }
  return out;
}

std::string matrix_lines(const char* key, const Matrix& m) {
  std::string text = fmt::format("      {}:\n", key);
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    text += "        - " + row_text(Eigen::VectorXd(m.row(i))) + "\n";
  return text;
}

}  // namespace

EstimatorDesign design_estimator(const Model& model, const LinearSystem& linear,
                                 const EstimatorOptions& options,
                                 const std::optional<double>& period,
                                 const RegulatorDesign* regulator) {
  const Measurements y = measurements(model, linear, options);
  const Vector force = numbers_by_joint(model, "--force-noise", options.force_noise);
  const Eigen::MatrixXd G = linear.B * force.asDiagonal();
  const Eigen::MatrixXd V = y.noise.cwiseAbs2().asDiagonal();
  EstimatorDesign out{{}, y.positions, y.velocities, y.C, {}};
  if (!period) {
    out.filter = kalman_filter(linear.A, y.C, G * G.transpose(), V);
    return out;
  }
  // The noise of forces, integrated over a period.
  const LinearSystem step = discretize(linear, *period);
  out.filter = sampled_kalman_filter(step.A, y.C, controllability_gramian(linear.A, G, *period), V);
  if (regulator == nullptr) return out;
  for (const auto* names : {&y.positions, &y.velocities})
    for (const std::string& name : *names)
      if (std::ranges::find(regulator->measured, name) == regulator->measured.end())
        throw Error("--kalman: joint '" + name +
                    "' is measured, but depends on others; for an observer measure independent "
                    "joints, --position-noise " +
                    regulator->measured.front() + "=1e-3, or choose them by --independent");
  const LinearSystem driven = discretize({linear.A, regulator->B}, *period);
  out.scenario_lines = "    observer:\n";
  out.scenario_lines += fmt::format("      positions: {}\n", names_text(y.positions));
  if (!y.velocities.empty())
    out.scenario_lines += fmt::format("      velocities: {}\n", names_text(y.velocities));
  out.scenario_lines += matrix_lines("A", driven.A) + matrix_lines("B", driven.B) +
                        matrix_lines("C", y.C) + matrix_lines("gain", out.filter.K);
  return out;
}

void print(const EstimatorDesign& design) {
  fmt::print("\n  Kalman filter of measured positions {}", names_text(design.positions));
  if (!design.velocities.empty()) fmt::print(", velocities {}", names_text(design.velocities));
  fmt::print("; gains L, a row for each entry of x\n");
  for (Eigen::Index i = 0; i < design.filter.K.rows(); ++i)
    fmt::print("    {}\n", row_text(Eigen::VectorXd(design.filter.K.row(i))));
  fmt::print("  poles of the observer\n");
  for (const auto& pole : design.filter.poles)
    fmt::print("  {:>14.6g} {:+.6g}i\n", pole.real(), pole.imag());
  fmt::print("  Riccati equation off by {:.1e}\n", design.filter.residual);
}

Json describe(const EstimatorDesign& design) {
  Json poles = Json::array();
  for (const auto& pole : design.filter.poles) poles.push_back({pole.real(), pole.imag()});
  return {{"positions", design.positions},         {"velocities", design.velocities},
          {"C", to_json::matrix(design.C)},        {"L", to_json::matrix(design.filter.K)},
          {"P", to_json::matrix(design.filter.P)}, {"poles", poles},
          {"residual", design.filter.residual}};
}
