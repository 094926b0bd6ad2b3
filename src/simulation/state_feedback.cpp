#include "chasles/simulation/state_feedback.hpp"

#include <algorithm>
#include <cmath>

namespace chasles {
namespace {

constexpr const char* feedback_name = "state feedback";

/// Coordinates of joints: indices into q and v.
std::vector<std::pair<int, int>> feedback_coordinates(const Model& model,
                                                      const std::vector<std::string>& joints,
                                                      const char* list) {
  if (joints.empty())
    throw Error(std::string(feedback_name) + ": " + list + " is empty; name joints");
  std::vector<std::pair<int, int>> out;
  for (const std::string& name : joints) {
    const ModelJoint& joint = model.joint(name);
    if (!joint.is_vector())
      throw Error(std::string(feedback_name) + ": joint '" + name +
                  "' has quaternions, whose errors are not differences");
    for (const JointCoordinate& c : joint.coordinates) out.emplace_back(c.q_index, c.v_index);
  }
  return out;
}

struct FeedbackLaw {
  std::vector<std::pair<int, int>> motors, measured;
  std::vector<Reference> reference;
  Matrix K;
  Vector effort, error, tau_motors;

  void operator()(double t, const VelocityKinematics& kin, VectorRef tau) {
    const auto n = static_cast<Eigen::Index>(measured.size());
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto [q, v] = measured[static_cast<std::size_t>(i)];
      const Setpoint wanted = reference[static_cast<std::size_t>(i)](t);
      error[i] = kin.q()[q] - wanted.q;
      error[n + i] = kin.v()[v] - wanted.v;
    }
    tau_motors.noalias() = effort - K * error;
    for (std::size_t i = 0; i < motors.size(); ++i)
      tau[motors[i].second] = tau_motors[static_cast<Eigen::Index>(i)];
  }
};

}  // namespace

Controller state_feedback(const Model& model, StateFeedback law) {
  FeedbackLaw out{feedback_coordinates(model, law.joints, "joints"),
                  feedback_coordinates(model, law.measured, "measured"),
                  std::move(law.reference),
                  std::move(law.K),
                  std::move(law.effort),
                  {},
                  {}};
  const auto rows = static_cast<Eigen::Index>(out.motors.size()),
             columns = 2 * static_cast<Eigen::Index>(out.measured.size());
  const auto refuse = [](const std::string& why) {
    throw Error(std::string(feedback_name) + ": " + why);
  };
  if (out.reference.size() != out.measured.size())
    refuse("reference has " + std::to_string(out.reference.size()) +
           " entries; the measured joints have " + std::to_string(out.measured.size()) +
           " coordinates");
  if (out.K.rows() != rows || out.K.cols() != columns)
    refuse("the gain is " + std::to_string(out.K.rows()) + " x " + std::to_string(out.K.cols()) +
           "; it must be " + std::to_string(rows) + " x " + std::to_string(columns) +
           ": a row per motor, columns for positions and velocities of the measured joints");
  if (out.effort.size() == 0) out.effort = Vector(rows);
  if (out.effort.size() != rows)
    refuse("effort has " + std::to_string(out.effort.size()) + " entries; there are " +
           std::to_string(rows) + " motors");
  if (!out.K.allFinite() || !out.effort.allFinite()) refuse("a gain or effort is infinite or NaN");
  out.error = Vector(columns), out.tau_motors = Vector(rows);
  const auto next_break = [list = out.reference](double t) {
    double first = Signal::never;
    for (const Reference& reference : list) first = std::min(first, reference.next_break(t));
    return first;
  };
  Controller c{feedback_name, model, std::move(out)};
  c.joints = std::move(law.joints);
  c.next_break = next_break;
  return c;
}

}  // namespace chasles
