#include "chasles/simulation/kinematic.hpp"

#include "chasles/state_error.hpp"
#include "chasles/systems/mechanism_state.hpp"
#include "integrators/one_step.hpp"
#include "math/decompositions.hpp"
#include "simulation/likely_cause.hpp"

namespace chasles {
namespace {

/// Reciprocal condition of the constraint Jacobian below which a configuration counts as a dead center.
constexpr double dead = 1e-8;

/// Joints that constraints and drivers do not determine: their row of the identity is not a combination of rows of B.
std::string movable_joints(MechanismState& system) {
  const int n = system.nv();
  Matrix B;
  system.constraint_matrix(B);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(B.rows() + 1, n);
  A.topRows(B.rows()) = B;
  const int rank = B.rows() == 0 ? 0 : pivoted_qr(B).rank;
  std::string names;
  for (int k = 0; k < n; ++k) {
    A.row(B.rows()).setZero();
    A(B.rows(), k) = 1;
    const std::string name = "'" + system.model().joint_of_v(k).name + "'";
    if (pivoted_qr(A).rank > rank && names.find(name) == names.npos)
      names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

/// One step to the next time: prediction by the accelerations, then Newton's method on the constraints.
class Kinematic : public OneStep {
 public:
  Kinematic(MechanismState& system, const IntegratorOptions& options)
      : OneStep(system, options), mechanism_(&system) {
    order_ = 4;
    const MobilityReport& report = system.mobility();
    const bool bound = system.constraint_count() > 0;
    const int missing = bound ? report.mobility : system.nv();
    if (missing == 0) return;
    if (!report.nearby.empty()) system.set(system.at().t, report.nearby[0], Vector(system.nv()));
    throw Error("kinematic: " + std::to_string(missing) +
                (missing == 1 ? " degree of freedom is" : " degrees of freedom are") +
                " not driven; drive " + (missing == 1 ? "one" : std::to_string(missing)) +
                " of the joints " + movable_joints(system) + ", or simulate with masses");
  }

 protected:
  double attempt(double h) override {
    x_ = h * before_.v + (h * h / 2) * a_0_;
    group().plus(before_.q, x_, now_.q);
    now_.v = before_.v + h * a_0_;
    try {
      mechanism_->project(now_);
    } catch (const StateError& error) {
      fail_at_dead_center(error.what());
    }
    if (mechanism_->reciprocal_condition() < dead) fail_at_dead_center("");
    group().minus(now_.q, before_.q, x_);
    return 0;
  }

 private:
  [[noreturn]] void fail_at_dead_center(const std::string& why) {
    fail("dead center: " + undetermined_by_drivers(*mechanism_, before_) +
         " between t = " + to_text(before_.t) + " and " + to_text(now_.t) + " s" +
         (why.empty() ? "" : " (" + why + ")") +
         "; drive another joint, or keep the motion away from this configuration");
  }
  MechanismState* mechanism_;
};

std::unique_ptr<Integrator> make_kinematic(DynamicalSystem& system,
                                           const IntegratorOptions& options) {
  if (system.mechanism() == nullptr) throw Error("kinematic: needs a mechanism");
  return std::make_unique<Kinematic>(*system.mechanism(), options);
}

}  // namespace

Scenario kinematic(Scenario scenario) {
  IntegratorOptions options;
  MethodInfo info{.name = "kinematic", .order = 4};
  info.description = "positions from the constraints";
  info.needs = Needs::masses, info.constrained = true;
  options.own = std::make_shared<OwnMethod>(OwnMethod{info, make_kinematic});
  options.step = scenario.every > 0 ? scenario.every : scenario.duration / 200;
  scenario.integrator = options;
  scenario.checkpoint.reset();
  return scenario;
}

}  // namespace chasles
