/// A user's unit under strict warnings: all of the interface, and templates and inline functions as they are used.
#include <chasles/chasles.hpp>
#include <chasles/textbook/factorization.hpp>
#include <complex>
#include <random>

using namespace chasles;

namespace {

struct Damper {
  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    out.tau -= 0.1 * kin.v();
  }
  void tangent(double, const VelocityKinematics&, ForceTangent&) const {}
};

template <class G>
double groups(const G& C) {
  const auto X = log(C);
  const auto Y = dexp(X, dexp_inv(X, X));
  return max_abs(minus(interpolate(C, plus(C, Y), 0.5), C * exp(X)));
}

double rotations() {
  std::mt19937_64 generator(1);
  const SE3 C{rotation_from_rpy(0, 0.5, 0), {1, 2, 3}};
  const auto turned = rotation_from_rpy(std::complex<double>(0, 1), 0, 1.0F);
  const Twist X = screw({0, 0, 1}, {1, 0, 0}, 1);
  return groups(C) + groups(C.R) + groups(random_element<SO3xR3>(generator)) +
         std::abs(turned.matrix()(0, 0)) + rpy(C.R).x + mozzi_axis(exp(X)).pitch +
         static_cast<double>(max_abs(log(lie::SO3<float>::identity()))) + quaternion(C.R).w;
}

Model arm() {
  MechanismBuilder builder("arm");
  for (int k = 0; k < 3; ++k)
    builder
        .body(
            "link" + std::to_string(k),
            k == 0 ? std::string(ground) : "link" + std::to_string(k - 1),
            k == 1 ? joints::spherical({0.3, 0, 0}) : joints::revolute({0, 1, 0}, {0.3 * k, 0, 0}))
        .inertia(1, {0.3 * k + 0.1, 0, 0}, Sym3::diagonal(0.01, 0.02, 0.02));
  return compile(builder.frame("tip", "link2", {{}, {0.9, 0, 0}}).build());
}

double mechanics(const Model& model) {
  ModelState x(model);
  x["link0"].q = 0.3;
  x["link1"].q = {1, 0, 0, 0};
  MechanismState state(model);
  state.set_forces(Damper{});
  state.set(x);
  Vector v_dot(model.nv());
  state.acceleration(v_dot);
  state["link0"].v += v_dot[0];
  Matrix6X J(6, model.nv());
  jacobian(model, state.position(), model.frame("tip"), Representation::hybrid, J);
  Batch<double> batch(model.with_gravity({0, 0, -1.62}));
  const Eigen::MatrixXd q = state.at().q, v = state.at().v;
  Eigen::MatrixXd tau(model.nv(), 1);
  batch.inverse_dynamics(q, v, v, tau);
  return J.sum() + tau.sum();
}

double simulations(const Model& model) {
  Scenario scenario{.model = model, .start = ModelState(model), .duration = 1};
  scenario.forces.add({"damper", model, Damper{}});
  scenario.forces.add(joint_torque(model, "link0", {[](double t) { return std::sin(t); }}));
  scenario.joint_inputs = true;
  Simulation simulation(scenario);
  Trajectory path;
  simulation.step(0.1);
  simulation.run(path);
  return simulation.summary().worst.energy;
}

}  // namespace

double strict_user() {
  try {
    const Model model = arm();
    return rotations() + mechanics(model) + simulations(model);
  } catch (const Error&) {
    return 0;
  }
}
