#include "simbody_loops.hpp"

#include <Simbody.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace {

using namespace SimTK;

SimTK::Vec3 vector(const double* v) { return {v[0], v[1], v[2]}; }

struct Mechanism {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  std::vector<MobilizedBody> bodies;
  State start;

  MobilizedBody& body(int link) {
    return link < 0 ? static_cast<MobilizedBody&>(matter.updGround())
                    : bodies[static_cast<std::size_t>(link)];
  }
  explicit Mechanism(const SimbodyLoops& of) {
    if (vector(of.gravity).norm() > 0) Force::UniformGravity(forces, matter, vector(of.gravity));
    for (const SimbodyLink& link : of.links) {
      const Body::Rigid rigid(
          MassProperties(link.mass, vector(link.com), Inertia(vector(link.I), vector(link.I + 3))));
      Mat33 R;
      for (int k = 0; k < 3; ++k) R(k) = vector(link.R + 3 * k);
      bodies.push_back(MobilizedBody::Pin(
          body(link.parent), Transform(Rotation(R, true), vector(link.r)), rigid, Transform()));
    }
    for (const SimbodyClosure& loop : of.closures)
      Constraint::PointOnLine(body(loop.from), UnitVec3(vector(loop.from_axis)),
                              vector(loop.from_point), body(loop.to), vector(loop.to_point));
    for (const SimbodySpring& spring : of.springs)
      Force::TwoPointLinearSpring(forces, body(spring.link), vector(spring.point), body(-1),
                                  vector(spring.ground), spring.stiffness, spring.length);
    for (const SimbodyMotor& motor : of.motors)
      Force::MobilityConstantForce(forces, body(motor.link), MobilizerUIndex(0), motor.torque);
    start = system.realizeTopology();
    system.realizeModel(start);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bodies[i].setOneQ(start, 0, of.q[i]);
      bodies[i].setOneU(start, 0, of.v[i]);
    }
    system.realize(start, Stage::Velocity);
  }
};

std::unique_ptr<Integrator> make(SimbodyMethod method, const System& system) {
  if (method == SimbodyMethod::merson)
    return std::unique_ptr<Integrator>(new RungeKuttaMersonIntegrator(system));
  return std::unique_ptr<Integrator>(new CPodesIntegrator(system, CPodes::Adams));
}

}  // namespace

SimbodyLoopsRun simbody_run(const SimbodyLoops& of, SimbodyMethod method, double duration,
                            double accuracy, double tolerance, int samples, int runs) {
  Mechanism mechanism(of);
  const MultibodySystem& system = mechanism.system;
  const double E = system.calcEnergy(mechanism.start);
  SimbodyLoopsRun run{1e300, 0, 0, 0, {}};
  for (int k = 0; k < runs; ++k) {
    const auto integrator = make(method, system);
    integrator->setAccuracy(accuracy);
    integrator->setConstraintTolerance(tolerance);
    integrator->initialize(mechanism.start);
    run.energy_error = run.gap = 0;
    const long before = system.getNumRealizationsOfThisStage(Stage::Acceleration);
    const std::clock_t begin = std::clock();
    for (int i = 1; i <= samples; ++i) {
      const double until = duration * i / samples;
      while (integrator->getTime() < until) integrator->stepTo(until, until);
      const State& state = integrator->getState();
      system.realize(state, Stage::Velocity);
      run.energy_error = std::max(run.energy_error, std::abs(system.calcEnergy(state) - E));
      run.gap = std::max(run.gap, state.getQErr().size() ? state.getQErr().normInf() : 0);
    }
    run.ms = std::min(run.ms, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    run.evaluations = system.getNumRealizationsOfThisStage(Stage::Acceleration) - before;
    run.q.clear();
    for (const MobilizedBody& body : mechanism.bodies)
      run.q.push_back(body.getOneQ(integrator->getState(), 0));
  }
  return run;
}
