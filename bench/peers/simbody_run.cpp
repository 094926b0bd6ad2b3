#include "simbody_run.hpp"

#include <Simbody.h>

#include <algorithm>
#include <cmath>
#include <ctime>

SimbodyRun simbody_three_spheres(double duration, double accuracy) {
  using namespace SimTK;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  const Body::Rigid sphere(MassProperties(10, Vec3(0), Inertia(4)));
  MobilizedBody::Free one(matter.Ground(), Transform(), sphere, Transform());
  // Frames of a pin have the axis on z.
  MobilizedBody::Pin two(one, Transform(), sphere, Transform(Vec3(-2, 0, 0)));
  const Rotation x_axis(Pi / 2, YAxis);
  MobilizedBody::Pin three(two, Transform(x_axis, Vec3(0)), sphere,
                           Transform(x_axis, Vec3(0, 0, 2)));
  State start = system.realizeTopology();
  one.setU(start, Vec6(0.3, 0.3, 0.3, 0.1, 0.1, 0.1));
  two.setOneU(start, 0, 0.4);
  three.setOneU(start, 0, 0.4);
  system.realize(start, Stage::Velocity);
  const double E = system.calcKineticEnergy(start);

  SimbodyRun run{1e300, 0, 0};
  for (int k = 0; k < 3; ++k) {
    RungeKuttaMersonIntegrator integrator(system);
    integrator.setAccuracy(accuracy);
    integrator.initialize(start);
    const long before = system.getNumRealizationsOfThisStage(Stage::Acceleration);
    const std::clock_t begin = std::clock();
    while (integrator.getTime() < duration) integrator.stepTo(duration, duration);
    run.ms = std::min(run.ms, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    run.evaluations = system.getNumRealizationsOfThisStage(Stage::Acceleration) - before;
    system.realize(integrator.getState(), Stage::Velocity);
    run.energy_drift = std::abs(system.calcKineticEnergy(integrator.getState()) - E);
  }
  return run;
}
