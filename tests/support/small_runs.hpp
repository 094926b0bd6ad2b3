/// Runs of a mass on a spring and of a pendulum, for tests of simulations.
#pragma once

#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/simulation.hpp"

namespace chasles::test {

/// A mass m on a slide along x: with a spring, x = cos(w t).
inline Model slide(double mass = 2) {
  return compile(MechanismBuilder("slide")
                     .body("mass", ground, joints::prismatic({1, 0, 0}))
                     .inertia(mass, {}, Sym3::diagonal(1, 1, 1))
                     .build());
}
inline Scenario spring(double damping = 0) {
  Scenario s{.model = slide(), .start = {0, Eigen::VectorXd::Ones(1), Eigen::VectorXd::Zero(1)}};
  s.duration = 3;
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  s.forces.add(joint_spring_damper(s.model, "mass", 8, damping));
  return s;
}
inline Model pendulum() {
  return compile(MechanismBuilder("pendulum")
                     .body("ball", ground, joints::spherical())
                     .inertia(1, {0, 0, -1}, Sym3::diagonal(0.1, 0.2, 0.25))
                     .body("arm", "ball", joints::revolute({0, 1, 0}, {0, 0, -1}))
                     .inertia(1, {0, 0, -1.5}, Sym3::diagonal(0.1, 0.1, 0.01))
                     .build());
}
inline Scenario swing(const IntegratorOptions& options) {
  Scenario s{.model = pendulum(),
             .start = {0, Eigen::VectorXd{{0.8, 0.6, 0, 0, 0.5}}, Eigen::VectorXd{{1, 0, 2, -1}}}};
  s.duration = 2;
  s.integrator = options;
  return s;
}

}  // namespace chasles::test
