/// Motions against solutions computed in quadruple precision and in closed form.
#include <gtest/gtest.h>

#include "support/motions.hpp"

namespace chasles {
namespace {

double quaternion_distance(const Vector& a, const Vector& b) {
  return std::min((a - b).norm(), (a + b).norm());
}

/// The top of Bruels and Cardona passes 7e-7 rad from straight down every 0.745 s.
TEST(Mechanics, heavy_top) {
  const test::Motion m =
      test::motion("top",
                   MechanismBuilder("top")
                       .body("top", ground, joints::spherical())
                       .inertia(15, {0, 1, 0}, Sym3::diagonal(0.234375, 0.46875, 0.234375))
                       .build(),
                   {1, 0, 0, 0}, {0, 150, -4.61538});
  const Vector x_1{0.17334396409838604, 0.64008859207056878, -0.74849079113358131},
      x_2{-0.15041682274564176, -0.72416559163689565, -0.67302226956044410},
      w_2{0.12223321949739424, 150, -5.8556245892054577},
      Q_2{0.12294713504153347, -0.49107989255002701, 0.35043003034362096, -0.78798688755048567};
  const struct {
    IntegratorOptions options;
    double error_1, error_2;
    long evaluations;
  } rows[] = {{{.method = "dp54", .tolerance = 1e-10}, 2e-9, 8e-9, 33'000},
              {{.method = "dop853", .tolerance = 1e-10}, 2e-9, 8e-9, 15'000},
              {{.method = "dop853", .tolerance = 1e-13}, 1e-11, 4e-11, 30'000},
              {{.method = "gauss3", .step = 2e-4}, 1e-8, 4e-8, 1'000'000}};
  for (const auto& row : rows) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(system, row.options);
    integrator->reset(m.start);
    const auto error = [&](double until, const Vector& want) {
      while (integrator->state().t < until) integrator->step(until);
      PositionKinematics kin(m.model);
      forward_kinematics(m.model, integrator->state().q, kin);
      const Vec3 x = pose(kin, m.model.frame("top")) * Vec3{0, 1, 0};
      return (Eigen::Vector3d(x.x, x.y, x.z) - want).norm();
    };
    EXPECT_LE(error(1, x_1), row.error_1) << row.options.method;
    EXPECT_LE(integrator->statistics().evaluations, row.evaluations) << row.options.method;
    EXPECT_LE(error(2, x_2), row.error_2) << row.options.method;
    if (row.options.tolerance == 1e-13) {
      EXPECT_LE((integrator->state().v - w_2).norm(), 1e-8);
      EXPECT_LE(quaternion_distance(integrator->state().q, Q_2), 1e-9);
    }
  }
}

/// The second flips from time to time: between flips rounding grows as exp(2.9 t), by 1e9 until
/// t = 10.
TEST(Mechanics, free_rigid_bodies) {
  const struct {
    std::initializer_list<double> w;
    Vector w_10, Q_10;
    double tolerance;
  } cases[] = {
      {{0.5, 1, -0.75},
       {0.69698908507026183, -0.87418888993907908, -0.80068591110103440},
       {0.73892331349308751, 0.47155870772080516, 0.0052595674417105904, 0.48124532091170161},
       2e-12},
      {{0.001, 5, 0.001},
       {4.5106271240116527, -2.1573696827688959, 2.6042119122599345},
       {0.20320052058628315, -0.67023187844919515, -0.49284233960116357, -0.51633826687587100},
       3e-7}};
  for (const auto& c : cases) {
    const test::Motion m = test::motion("body",
                                        MechanismBuilder("body")
                                            .gravity({0, 0, 0})
                                            .body("body", ground, joints::spherical())
                                            .inertia(1, {}, Sym3::diagonal(1, 2, 3))
                                            .build(),
                                        {1, 0, 0, 0}, c.w);
    ModelSystem system(m.model);
    for (const IntegratorOptions& options :
         {IntegratorOptions{.method = "dop853", .tolerance = 1e-14},
          IntegratorOptions{.method = "mk8", .step = 0.01},
          IntegratorOptions{.method = "abm", .step = 0.005, .order = 12}}) {
      const State end = test::run(*make_integrator(system, options), m.start, 10);
      EXPECT_LE((end.v - c.w_10).norm(), c.tolerance) << options.method;
      EXPECT_LE(quaternion_distance(end.q, c.Q_10), c.tolerance) << options.method;
    }
  }
}

TEST(Mechanics, pendulums) {
  const Model single = compile(MechanismBuilder("pendulum")
                                   .body("bob", ground, joints::revolute({0, -1, 0}))
                                   .inertia(1, {0, 0, -1}, Sym3{})
                                   .build());
  ModelSystem pendulum(single);
  const IntegratorOptions options{.method = "dop853", .tolerance = 1e-13};
  const State start{0, Eigen::VectorXd::Constant(1, -M_PI / 2), Eigen::VectorXd::Zero(1)};
  const State end = test::run(*make_integrator(pendulum, options), start, 10);
  const Eigen::Vector2d xy(std::sin(end.q[0]), -std::cos(end.q[0]));
  EXPECT_LE((xy - Eigen::Vector2d(-0.27508746257611686, -0.96141920509912506)).norm(), 2e-11);

  const Model model = compile(test::double_pendulum_mechanism());
  ModelSystem system(model);
  const State from{0, Eigen::Vector2d(M_PI / 2, 0), Eigen::Vector2d::Zero()};
  const struct {
    double t;
    Eigen::Vector2d angles;
    double tolerance;
  } rows[] = {{1, {-0.62508769980639063, -1.0345850856800123}, 1e-11},
              {5, {-0.62718670506653073, -1.3013155502098117}, 1e-9}};
  for (const auto& row : rows) {
    const State is = test::run(*make_integrator(system, options), from, row.t);
    const Eigen::Vector2d absolute(is.q[0], is.q[0] + is.q[1]);
    EXPECT_LE((absolute - row.angles).norm(), row.tolerance) << row.t;
  }
}

}  // namespace
}  // namespace chasles
