/// Motions against solutions computed in quadruple precision and in closed form. The file is not
/// part of the project; without it the tests are skipped.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/motions.hpp"

namespace chasles {
namespace {

using nlohmann::json;

class Mechanics : public ::testing::Test {
 protected:
  json reference;
  void SetUp() override {
    const std::filesystem::path file = "../shared/refs/mechanics.json";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "needs " << file << ", which is not here";
    reference = json::parse(std::ifstream(file));
  }
  static Eigen::VectorXd numbers(const json& list) {
    Eigen::VectorXd x(list.size());
    for (std::size_t i = 0; i < list.size(); ++i)
      x[static_cast<Eigen::Index>(i)] = std::stod(list[i].get<std::string>());
    return x;
  }
  static double quaternion_distance(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return std::min((a - b).norm(), (a + b).norm());
  }
};

/// The top of Bruels and Cardona passes 7e-7 rad from straight down every 0.745 s.
TEST_F(Mechanics, heavy_top) {
  const test::Motion m =
      test::motion("top",
                   MechanismBuilder("top")
                       .body("top", ground, joints::spherical())
                       .inertia(15, {0, 1, 0}, Sym3::diagonal(0.234375, 0.46875, 0.234375))
                       .build(),
                   {1, 0, 0, 0}, {0, 150, -4.61538});
  const json& solution = reference["heavy_top_bruels_cardona"]["solution"];
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
    const auto error = [&](const char* t) {
      const double until = std::stod(t);
      while (integrator->state().t < until) integrator->step(until);
      PositionKinematics kin(m.model);
      positions(m.model, integrator->state().q, kin);
      const Vec3 x = pose(kin, m.model.place("top")) * Vec3{0, 1, 0};
      return (Eigen::Vector3d(x.x, x.y, x.z) - numbers(solution[t]["x"])).norm();
    };
    EXPECT_LE(error("1"), row.error_1) << row.options.method;
    EXPECT_LE(integrator->statistics().evaluations, row.evaluations) << row.options.method;
    EXPECT_LE(error("2"), row.error_2) << row.options.method;
    if (row.options.tolerance == 1e-13) {
      EXPECT_LE((integrator->state().v - numbers(solution["2"]["omega_body"])).norm(), 1e-8);
      EXPECT_LE(quaternion_distance(integrator->state().q, numbers(solution["2"]["quat"])), 1e-9);
    }
  }
}

/// The second flips from time to time: between flips rounding grows as exp(2.9 t), by 1e9 until
/// t = 10.
TEST_F(Mechanics, free_rigid_bodies) {
  const struct {
    const char* name;
    std::initializer_list<double> w;
    double tolerance;
  } cases[] = {{"free_rigid_body", {0.5, 1, -0.75}, 2e-12},
               {"dzhanibekov", {0.001, 5, 0.001}, 3e-7}};
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
      const json& want = reference[c.name]["solution"]["10"];
      EXPECT_LE((end.v - numbers(want["omega_body"])).norm(), c.tolerance) << options.method;
      EXPECT_LE(quaternion_distance(end.q, numbers(want["quat"])), c.tolerance) << options.method;
    }
  }
}

TEST_F(Mechanics, pendulums) {
  const Model single = compile(MechanismBuilder("pendulum")
                                   .body("bob", ground, joints::revolute({0, -1, 0}))
                                   .inertia(1, {0, 0, -1}, Sym3{})
                                   .build());
  ModelSystem pendulum(single);
  const IntegratorOptions options{.method = "dop853", .tolerance = 1e-13};
  const State start{0, Eigen::VectorXd::Constant(1, -M_PI / 2), Eigen::VectorXd::Zero(1)};
  const State end = test::run(*make_integrator(pendulum, options), start, 10);
  const Eigen::Vector2d xy(std::sin(end.q[0]), -std::cos(end.q[0]));
  EXPECT_LE((xy - numbers(reference["A01_pendulum"]["solution"]["10"]["xy"])).norm(), 2e-11);

  const Model model = compile(test::double_pendulum_mechanism());
  ModelSystem system(model);
  const State from{0, Eigen::Vector2d(M_PI / 2, 0), Eigen::Vector2d::Zero()};
  const json& solution = reference["double_pendulum_planar"]["solution"];
  for (const char* t : {"1", "5"}) {
    const State is = test::run(*make_integrator(system, options), from, std::stod(t));
    const Eigen::Vector2d absolute(is.q[0], is.q[0] + is.q[1]), want = numbers(solution[t]);
    EXPECT_LE((absolute - want).norm(), t[0] == '1' ? 1e-11 : 1e-9) << t;
  }
}

}  // namespace
}  // namespace chasles
