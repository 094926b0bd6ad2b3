/// Known cases: a floating mechanism with an ill-conditioned mass matrix over 100 s, the car axis and
/// Andrews' squeezer of the test set of CWI and Bari, and what is said when a step cannot be taken.
#include <gtest/gtest.h>

#include "chasles/systems/constrained_system.hpp"
#include "studies/mechanisms/andrews.hpp"
#include "support/errors.hpp"
#include "support/motions.hpp"

namespace chasles {
namespace cases_test {

/// A floating base with an arm of a spherical and a universal joint and a body on a planar joint, without
/// gravity: chaotic, and its mass matrix turns fast.
test::Motion tumbler() {
  const Vec3 universal{-0.5943, -0.5498, -0.5870}, planar{0.2004, -0.6591, 0.7249};
  const auto across = [](const Vec3& axis, const Vec3& x) {
    return x - dot(x, axis) / dot(axis, axis) * axis;
  };
  const Model model = compile(
      MechanismBuilder("tumbler")
          .gravity({})
          .body("base", ground, joints::floating())
          .inertia(1.2145, {0.0267, -0.3091, -0.1726},
                   {0.1322, -0.0011, 0.0570, 0.1371, -0.0230, 0.0827})
          .body("upper", "base", joints::spherical({0.2342, -0.7199, -0.2368}))
          .inertia(2.6805, {0.1996, -0.9778, -0.2327},
                   {0.1980, 0.0791, -0.0277, 0.2511, 0.0252, 0.2137})
          .body("lower", "upper",
                joints::of(JointType::universal, universal, {0.4401, -1.2731, -0.0482}))
          .x_axis(across(universal, {0.7708, -0.1811, -0.6108}))
          .inertia(2.8776, {0.3738, -1.4412, 0.2416},
                   {0.2675, -0.0360, 0.0088, 0.0840, 0.0341, 0.2406})
          .body("plate", "base", joints::of(JointType::planar, planar, {-0.2573, -0.2039, -0.4363}))
          .x_axis(across(planar, {0.6631, -0.4535, -0.5956}))
          .inertia(1.6987, {-0.1345, -0.4432, -0.5008},
                   {0.1041, 0.0099, 0.0358, 0.1979, -0.0186, 0.1045})
          .build());
  test::Motion m{"tumbler", model, {0, model.neutral(), Vector(model.nv())}};
  const std::pair<const char*, std::vector<double>> rates[] = {
      {"base", {0.5, -0.4, 0.6, 0.1, 0.2, -0.1}},
      {"upper", {1, -0.5, 0.7}},
      {"lower", {0.8, -0.6}},
      {"plate", {0.05, -0.02, 0.9}}};
  for (const auto& [name, v] : rates)
    for (std::size_t k = 0; k < v.size(); ++k)
      m.start.v[model.joint(name).v_index + static_cast<int>(k)] = v[k];
  return m;
}

/// An iteration that wanders off is not believed: without this the energy jumped by dozens of orders.
TEST(Cases, implicit_methods_keep_the_energy_of_a_tumbling_mechanism) {
  const test::Motion m = tumbler();
  const double E = test::energy(m.model, m.start);
  for (const IntegratorOptions& options :
       {IntegratorOptions{.method = "generalized_alpha", .step = 0.01},
        IntegratorOptions{.method = "generalized_alpha", .step = 0.01, .rho = 0},
        IntegratorOptions{.method = "blied2", .step = 0.01},
        IntegratorOptions{.method = "radau5", .step = 0.01}}) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(system, options);
    integrator->reset(m.start);
    double most = 0;
    for (int k = 0; k < 10000; ++k) {
      integrator->step(1000);
      if (k % 20 == 0)
        most = std::max(most, std::abs(test::energy(m.model, integrator->state()) / E - 1));
    }
    const std::string name = options.method + (options.rho ? "_0" : "");
    RecordProperty(name, std::to_string(most) + ", " +
                             std::to_string(integrator->statistics().iterations) + " iterations");
    EXPECT_LE(most, options.method == "radau5" ? 1e-6 : 0.05) << name;
  }
}

/// The car axis: two mass points on springs, joined by a rod; the first one moves on the normal of a line
/// that swings with a bump, (x_b, y_b), y_b = r sin(10 t): a constraint with time, whose B depends on t as well.
constexpr double car_L = 1, car_L0 = 0.5, car_r = 0.1, car_mass = 10 * 0.01 * 0.01 / 2, car_w = 10;
struct Bump {
  double x, y, dx, dy, ddx, ddy;  // and derivatives by t
  explicit Bump(double t) {
    y = car_r * std::sin(car_w * t), dy = car_w * car_r * std::cos(car_w * t);
    ddy = -car_w * car_w * y;
    x = std::sqrt(car_L * car_L - y * y);
    dx = -y * dy / x;
    ddx = -(dy * dy + y * ddy + dx * dx) / x;
  }
};
class CarAxis : public RheonomicConstraint {
 public:
  std::string name() const override { return "axis"; }
  int constraint_count() const override { return 2; }
  void error_at(double t, const PositionKinematics& kin, VectorRef Phi) const override {
    const Vector& q = kin.q();
    const Bump b(t);
    const double x = q[0] - q[2], y = q[1] - q[3];
    Phi[0] = q[0] * b.x + q[1] * b.y;
    Phi[1] = x * x + y * y - car_L * car_L;
  }
  void matrix_at(double t, const PositionKinematics& kin,
                 Eigen::Ref<Eigen::MatrixXd> B) const override {
    const Vector& q = kin.q();
    const Bump b(t);
    const double x = q[0] - q[2], y = q[1] - q[3];
    B << b.x, b.y, 0, 0, 2 * x, 2 * y, -2 * x, -2 * y;
  }
  void time_rate_at(double t, const PositionKinematics& kin, VectorRef out) const override {
    const Bump b(t);
    out[0] = kin.q()[0] * b.dx + kin.q()[1] * b.dy;
    out[1] = 0;
  }
  void bias_at(double t, const VelocityKinematics& kin, VectorRef out) const override {
    const Vector &q = kin.q(), &v = kin.v();
    const Bump b(t);
    const double u = v[0] - v[2], w = v[1] - v[3];
    out[0] = 2 * (v[0] * b.dx + v[1] * b.dy) + q[0] * b.ddx + q[1] * b.ddy;
    out[1] = 2 * (u * u + w * w);
  }
};
void car_forces(double t, const VelocityKinematics& kin, JointForces& out) {
  const Vector& q = kin.q();
  const Bump b(t);
  const auto spring = [&](int k, double x, double y) {
    const double l = std::hypot(x, y);
    out.tau[k] = (car_L0 - l) * x / l;
    out.tau[k + 1] = (car_L0 - l) * y / l - car_mass;
  };
  spring(0, q[0], q[1]);
  spring(2, q[2] - b.x, q[3] - b.y);
}

TEST(Cases, car_axis) {
  MechanismBuilder builder("car axis");
  builder.gravity({});
  for (const char* side : {"left", "right"}) {
    const std::string name = side;
    builder.body(name + "_x", ground, joints::prismatic({1, 0, 0}))
        .body(name, name + "_x", joints::prismatic({0, 0, 1}))
        .inertia(car_mass, {}, Sym3{});
  }
  const Model model = compile(builder.build());
  const double q[] = {0.0493455784275402809, 0.496989460230171153861, 1.04174252488542151681,
                      0.373911027265361256927},
               v[] = {-0.0770583684040972358, 0.00744686658723778553, 0.0175568157537232222,
                      0.770341043779251976},
               lambda[] = {-0.00473688659084893325, -0.00110468033125734369};
  const State start{0, Vector{0, 0.5, 1, 0.5}, Vector{-0.5, 0, -0.5, 0}};
  for (const IntegratorOptions& options :
       {IntegratorOptions{.method = "dop853", .tolerance = 1e-12},
        IntegratorOptions{.method = "hedop5", .tolerance = 1e-11},
        IntegratorOptions{.method = "radau5", .tolerance = 1e-9}}) {
    ConstrainedSystem system(model, {.more = {std::make_shared<CarAxis>()}}, start.q);
    system.set_forces(car_forces);
    const auto integrator = make_integrator(system, options);
    const State end = test::run(*integrator, start, 3);
    double worst_q = 0, worst_v = 0;
    for (int k = 0; k < 4; ++k) {
      worst_q = std::max(worst_q, std::abs(end.q[k] - q[k]));
      worst_v = std::max(worst_v, std::abs(end.v[k] - v[k]));
    }
    RecordProperty(options.method, std::to_string(1e10 * worst_q) + "e-10, " +
                                       std::to_string(1e10 * worst_v) + "e-10, " +
                                       std::to_string(integrator->statistics().steps) + " steps");
    EXPECT_LE(worst_q, 1e-9) << options.method;
    EXPECT_LE(worst_v, 1e-8) << options.method;
    for (int k = 0; k < 2; ++k)  // the literature adds B^T lambda
      EXPECT_NEAR(-integrator->multipliers()[k], lambda[k], 1e-9) << options.method;
  }
}

/// Andrews' squeezer up to 0.03 s by radau5, against dop853, whose digits are those of the literature
/// (tests/constraints/truth_test.cpp); with derivatives of forces that are known, and by differences.
TEST(Cases, andrews_squeezer_by_radau) {
  const Model model = compile(studies::andrews());
  const State start = studies::andrews_start(model);
  const Forces forces = studies::andrews_forces(model);
  const auto end_of = [&](bool tangents, const IntegratorOptions& options) {
    ConstrainedSystem system(model, {}, start.q);
    TangentFunction tangent;
    if (tangents)
      tangent = [&](double t, const VelocityKinematics& kin, ForceTangent& out) {
        forces.tangent(t, kin, out);
      };
    system.set_forces(forces.function(), {}, tangent);
    const auto integrator = make_integrator(system, options);
    return test::run(*integrator, {0, system.assembled(), start.v}, 0.03);
  };
  const State truth = end_of(false, {.method = "dop853", .tolerance = 1e-13});
  for (const bool tangents : {true, false}) {
    const State end = end_of(tangents, {.method = "radau5", .tolerance = 1e-11});
    EXPECT_LE((end.q - truth.q).lpNorm<Eigen::Infinity>(), 1e-9) << tangents;
    EXPECT_LE((end.v - truth.v).lpNorm<Eigen::Infinity>(), 1e-7) << tangents;
  }
}

// What is said: each on a system of its own.

Model one_slider() {
  return compile(MechanismBuilder("slider")
                     .gravity({})
                     .body("mass", ground, joints::prismatic({1, 0, 0}))
                     .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                     .build());
}
std::string says(ForceFunction force, const IntegratorOptions& options) {
  ModelSystem system(one_slider());
  system.set_forces(std::move(force));
  const auto integrator = make_integrator(system, options);
  integrator->reset({0, Vector{0.1}, Vector{1}});
  const std::string text = test::message([&] {
    while (integrator->state().t < 100) integrator->step(100);
  });
  EXPECT_TRUE(integrator->state().q.allFinite() && integrator->state().v.allFinite());
  return text;
}
const char* const implicit_methods[] = {"generalized_alpha", "blied2", "radau5"};

/// A force that jumps to and fro with the last digits has no solution that an iteration could find.
TEST(Failures, an_iteration_without_solution_does_not_converge) {
  for (const char* method : implicit_methods) {
    const std::string text =
        says([](double, const VelocityKinematics& kin,
                JointForces& out) { out.tau[0] = kin.v()[0] > 0.5 ? -1e6 : 1e6; },
             {.method = method, .step = 0.1});
    test::expect_parts(text, {method, "does not converge", "step of 0.1 s", "t = "});
  }
}
TEST(Failures, forces_that_are_no_numbers_are_not_finite) {
  for (const char* method : implicit_methods)
    for (const bool fixed : {true, false}) {
      IntegratorOptions options{.method = method};
      if (fixed || std::string_view(method) == "blied2") options.step = 0.1;
      const std::string text =
          says([](double t, const VelocityKinematics&,
                  JointForces& out) { out.tau[0] = t > 0.35 ? std::nan("") : 0; },
               options);
      test::expect_parts(text, {method, "not finite", "t = 0.3"});
    }
}
/// x'' = 200 x, and x'' = 50 x^3, which ends at a time: growth beyond all that moves.
TEST(Failures, a_motion_that_grows_has_diverged) {
  for (const char* method : {"generalized_alpha", "radau5", "dop853", "auto", "mk4", "blied2"})
    for (const bool fixed : {true, false}) {
      const MethodInfo& info = method_info(method);
      IntegratorOptions options{.method = method};
      if (fixed && (!info.adaptive || info.fixed_or_adaptive))
        options.step = 0.01;
      else if (!info.adaptive)
        continue;
      else
        options.tolerance = 1e-4;
      const std::string text = says(
          [&](double, const VelocityKinematics& kin, JointForces& out) {
            const double x = kin.q()[0];
            out.tau[0] = options.step ? 200 * x : 50 * x * x * x;
          },
          options);
      test::expect_parts(text, {"diverged", "joint 'mass'", "t = "});
    }
}

}  // namespace cases_test
}  // namespace chasles
