#include "chasles/simulation/state_feedback.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/suggest.hpp"

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

/// (2): its state, and the entries of (q - q_w; v - v_w) that it measures.
struct ObserverState {
  Observer given;
  std::vector<Eigen::Index> entries{};
  Vector z, next, innovation;

  void step(const Vector& error, const Vector& u) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      innovation[static_cast<Eigen::Index>(i)] = error[entries[i]];
    innovation.noalias() -= given.C * z;
    next.noalias() = given.A * z;
    next.noalias() += given.B * u;
    next.noalias() += given.L * innovation;
    z.swap(next);
  }
};

struct FeedbackLaw {
  std::vector<std::pair<int, int>> motors, measured;
  std::vector<Reference> reference;
  Matrix K;
  Vector effort, error, tau_motors;
  std::optional<ObserverState> observer{};

  void operator()(double t, const VelocityKinematics& kin, VectorRef tau) {
    const auto n = static_cast<Eigen::Index>(measured.size());
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto [q, v] = measured[static_cast<std::size_t>(i)];
      const Setpoint wanted = reference[static_cast<std::size_t>(i)](t);
      error[i] = kin.q()[q] - wanted.q;
      error[n + i] = kin.v()[v] - wanted.v;
    }
    tau_motors.noalias() = -(K * (observer ? observer->z : error));
    if (observer) observer->step(error, tau_motors);
    tau_motors += effort;
    for (std::size_t i = 0; i < motors.size(); ++i)
      tau[motors[i].second] = tau_motors[static_cast<Eigen::Index>(i)];
  }
};

void require_shape(const char* name, const Matrix& m, Eigen::Index rows, Eigen::Index columns) {
  const std::string what = std::string(feedback_name) + ": " + name + " of the observer";
  if (m.rows() != rows || m.cols() != columns)
    throw Error(what + " is " + std::to_string(m.rows()) + " x " + std::to_string(m.cols()) +
                "; it must be " + std::to_string(rows) + " x " + std::to_string(columns));
  if (!m.allFinite()) throw Error(what + " has numbers that are not finite");
}

ObserverState observer_state(const Model& model, const std::vector<std::string>& measured,
                             Observer given, Eigen::Index motors) {
  ObserverState out;
  const std::vector<std::string_view> known(measured.begin(), measured.end());
  const auto take = [&](const std::vector<std::string>& names, Eigen::Index offset) {
    for (const std::string& name : names) {
      Eigen::Index first = offset;
      const auto at = std::ranges::find(measured, name);
      for (auto joint = measured.begin(); joint != at; ++joint) first += model.joint(*joint).nv;
      if (at == measured.end())
        throw Error(std::string(feedback_name) + ": the observer measures joint '" + name +
                    "', which is not one of `measured`" + did_you_mean(name, known));
      for (Eigen::Index k = 0; k < model.joint(name).nv; ++k) out.entries.push_back(first + k);
    }
  };
  Eigen::Index half = 0;
  for (const std::string& name : measured) half += model.joint(name).nv;
  take(given.positions, 0);
  take(given.velocities, half);
  const Eigen::Index n = 2 * half, p = static_cast<Eigen::Index>(out.entries.size());
  if (p == 0)
    throw Error(std::string(feedback_name) + ": the observer measures nothing; name positions");
  if (!(given.period > 0 && std::isfinite(given.period)))
    throw Error(std::string(feedback_name) + ": the period of the observer is " +
                to_text(given.period) + "; give seconds, more than 0");
  require_shape("A", given.A, n, n);
  require_shape("B", given.B, n, motors);
  require_shape("C", given.C, p, n);
  require_shape("L", given.L, n, p);
  out.given = std::move(given);
  out.z = Vector(n), out.next = Vector(n), out.innovation = Vector(p);
  return out;
}

}  // namespace

Controller state_feedback(const Model& model, StateFeedback law) {
  FeedbackLaw out{feedback_coordinates(model, law.joints, "joints"),
                  feedback_coordinates(model, law.measured, "measured"),
                  std::move(law.reference),
                  std::move(law.K),
                  std::move(law.effort),
                  {},
                  {}};
  const double period = law.observer ? law.observer->period : 0;
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
  if (law.observer)
    out.observer = observer_state(model, law.measured, std::move(*law.observer), rows);
  const auto next_break = [list = out.reference](double t) {
    double first = Signal::never;
    for (const Reference& reference : list) first = std::min(first, reference.next_break(t));
    return first;
  };
  Controller c{feedback_name, model, std::move(out)};
  c.joints = std::move(law.joints);
  c.next_break = next_break;
  c.period = period;
  return c;
}

}  // namespace chasles
