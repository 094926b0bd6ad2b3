/// Tables VI, VII and VIII of 001: drift of energy and momenta of three spheres after one second,
/// for the three families of methods. The geometry, which the figure of the paper shows only in
/// part, is that of test::three_spheres.
#include "support/motions.hpp"

namespace chasles {
namespace {

struct Printed {
  const char* method;
  double energy[2], linear[2], angular[2];  // h = 1, 0.1
};
constexpr Printed table[] = {
    {"cg2", {3.4673e-2, 1.1679e-3}, {5.5613e-1, 5.2947e-3}, {8.3715e-1, 8.1705e-3}},
    {"cg3", {3.9707e-2, 4.2896e-5}, {5.6523e-2, 4.7138e-5}, {2.0265e-1, 1.9643e-4}},
    {"cg4", {1.5120e-3, 2.0035e-7}, {8.4583e-3, 8.2850e-7}, {2.3172e-2, 2.6873e-6}},
    {"cf2", {3.4673e-2, 1.1679e-3}, {5.5613e-1, 5.2947e-3}, {8.3715e-1, 8.1705e-3}},
    {"cf3", {5.3524e-2, 5.0535e-5}, {5.1921e-2, 5.2437e-5}, {2.8075e-1, 2.8154e-4}},
    {"cf4", {3.6308e-3, 3.2133e-7}, {1.5953e-2, 1.5814e-6}, {3.6510e-2, 3.6710e-6}},
    {"mk2", {3.4673e-2, 1.1679e-3}, {5.5613e-1, 5.3178e-3}, {8.3715e-1, 8.1218e-3}},
    {"mk3", {5.3524e-2, 5.0535e-5}, {5.2334e-2, 5.3244e-5}, {2.7813e-1, 2.8401e-4}},
    {"mk4", {3.6308e-3, 3.2133e-7}, {1.5910e-2, 1.5903e-6}, {3.9118e-2, 3.8141e-6}},
};

TEST(ParkChung, all_printed_digits) {
  const test::Motion m = test::three_spheres();
  ModelSystem system(m.model);
  VelocityKinematics kin(m.model);
  velocities(m.model, m.start.q, m.start.v, kin);
  const double E = kinetic_energy(m.model, kin);
  const Wrench h_0 = spatial_momentum(m.model, kin);
  EXPECT_NEAR(E, 16.96, 1e-13);
  EXPECT_LE(norm(h_0.f - Vec3{0, 24, 0}), 1e-13);
  EXPECT_LE(norm(h_0.t - Vec3{33.6, 0, 51.2}), 1e-13);
  for (const Printed& row : table)
    for (const int column : {0, 1}) {
      const auto integrator =
          make_integrator(system, {.method = row.method, .step = column == 0 ? 1 : 0.1});
      const State end = test::run(*integrator, m.start, 1);
      velocities(m.model, end.q, end.v, kin);
      const Wrench h = spatial_momentum(m.model, kin);
      const auto agrees = [&](double is, double printed, const char* what) {
        const double unit = std::pow(10, std::floor(std::log10(printed)) - 4);
        EXPECT_NEAR(is, printed, 0.51 * unit) << row.method << " " << what << " " << column;
      };
      agrees(std::abs(kinetic_energy(m.model, kin) - E), row.energy[column], "energy");
      agrees(norm(h.f - h_0.f), row.linear[column], "linear momentum");
      agrees(norm(h.t - h_0.t), row.angular[column], "angular momentum");
    }
}

/// What beats them on their own problem, over 200 s of a tumbling start; the bounds are twice what
/// an independent program found.
TEST(ParkChung, long_run) {
  test::Motion m = test::three_spheres();
  m.start.v << 0.3, 0.3, 0.3, 0.1, 0.1, 0.1, 0.4, 0.4;
  const struct {
    IntegratorOptions options;
    long evaluations;
    double energy, linear;
  } rows[] = {
      {{.method = "mk4", .step = 0.05}, 16001, 4.6e-5, 1e-3},
      {{.method = "cf4", .step = 0.05}, 16001, 4.6e-5, 1e-3},
      {{.method = "dop853", .tolerance = 1e-10}, 13000, 1.6e-7, 2e-7},
      {{.method = "abm", .step = 0.05}, 8600, 1e-8, 6e-9},
  };
  for (const auto& row : rows) {
    ModelSystem system(m.model);
    VelocityKinematics kin(m.model);
    const auto integrator = make_integrator(system, row.options);
    const State end = test::run(*integrator, m.start, 200);
    velocities(m.model, m.start.q, m.start.v, kin);
    const Wrench h_0 = spatial_momentum(m.model, kin);
    velocities(m.model, end.q, end.v, kin);
    EXPECT_LE(std::abs(test::energy(m.model, end) - test::energy(m.model, m.start)), row.energy)
        << row.options.method;
    EXPECT_LE(norm(spatial_momentum(m.model, kin).f - h_0.f), row.linear) << row.options.method;
    EXPECT_LE(integrator->statistics().evaluations, row.evaluations) << row.options.method;
  }
}

}  // namespace
}  // namespace chasles
