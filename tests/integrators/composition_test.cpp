/// Compositions of variational steps, and Gauss collocation of any order: orders, conservation, and refusals.
#include "integrators/implicit/composition.hpp"

#include <gtest/gtest.h>

#include "chasles/dynamics/energy.hpp"
#include "integrators/implicit/gauss_nodes.hpp"
#include "support/constrained_systems.hpp"
#include "support/errors.hpp"
#include "support/exact_motions.hpp"

namespace chasles {
namespace {
namespace composition_test {

constexpr Composition all_kinds[] = {Composition::yoshida, Composition::suzuki,
                                     Composition::kahan_li};

TEST(CompositionWeights, satisfy_the_conditions_on_sums_of_powers) {
  for (const int order : {4, 6, 8})
    for (const Composition kind : all_kinds) {
      if (order == 4 && kind == Composition::kahan_li) continue;
      const std::vector<double> w = composition_weights("test", order, kind);
      const std::size_t counts[3][3] = {{3, 5, 0}, {7, 25, 9}, {15, 125, 17}};
      EXPECT_EQ(w.size(), counts[order / 2 - 2][static_cast<int>(kind)]);
      for (std::size_t i = 0; i < w.size(); ++i) EXPECT_EQ(w[i], w[w.size() - 1 - i]);
      for (int power = 1; power < order; power += 2) {
        long double sum = 0, size = 0;
        for (const double x : w)
          sum += std::pow(static_cast<long double>(x), power),
              size += std::pow(std::abs(static_cast<long double>(x)), power);
        EXPECT_NEAR(static_cast<double>(sum), power == 1, 4e-16 * (1 + static_cast<double>(size)))
            << order << " " << power;
      }
    }
}

/// The order between two steps, at the end of a second.
double order_between(const test::ExactMotion& exact, const IntegratorOptions& options, int coarse,
                     int fine) {
  ModelSystem system(exact.motion.model);
  test::Solution truth(exact.rate, exact.motion.start);
  const State want = truth.at(1);
  const auto error = [&](int steps) {
    IntegratorOptions o = options;
    o.step = 1. / steps;
    return test::distance(system, test::run(*make_integrator(system, o), exact.motion.start, 1),
                          want);
  };
  return std::log(error(coarse) / error(fine)) / std::log(static_cast<double>(fine) / coarse);
}

TEST(Compositions, have_their_order) {
  const struct {
    int order;
    Composition kind;
    int coarse, fine;
  } cases[] = {{4, Composition::yoshida, 100, 200}, {4, Composition::suzuki, 50, 100},
               {6, Composition::yoshida, 60, 90},   {6, Composition::suzuki, 16, 24},
               {6, Composition::kahan_li, 40, 60},  {8, Composition::yoshida, 20, 36},
               {8, Composition::suzuki, 8, 11},     {8, Composition::kahan_li, 16, 28}};
  for (const test::ExactMotion& exact : {test::exact_heavy_top(), test::exact_double_pendulum()})
    for (const auto& c : cases)
      for (const char* method : {"variational", "rattle"})
        EXPECT_NEAR(
            order_between(exact, {.method = method, .order = c.order, .composition = c.kind},
                          c.coarse, c.fine),
            c.order, 0.6)
            << method << " " << c.order << " " << static_cast<int>(c.kind) << " "
            << exact.motion.name;
}

/// As symplectic, symmetric and true to constraints as one of their steps.
TEST(Compositions, keep_what_their_steps_keep) {
  const test::Motion m = test::heavy_top();
  ModelSystem system(m.model);
  for (const int order : {4, 8}) {
    const auto integrator =
        make_integrator(system, {.method = "variational", .step = 0.02, .order = order});
    integrator->reset(m.start);
    VelocityKinematics kin(m.model);
    forward_kinematics(m.model, m.start.q, m.start.v, kin);
    const double Lz = spatial_momentum(m.model, kin).t.z, E = test::energy(m.model, m.start);
    double early = 0, late = 0;
    for (int k = 0; k < 2000; ++k) {
      integrator->step(1e9);
      forward_kinematics(m.model, integrator->state().q, integrator->state().v, kin);
      EXPECT_NEAR(spatial_momentum(m.model, kin).t.z, Lz, 1e-12);
      double& most = k < 500 ? early : late;
      most = std::max(most, std::abs(test::energy(m.model, integrator->state()) - E));
    }
    EXPECT_LE(late, 2 * early + 1e-12) << order;
    State end = test::run(*integrator, m.start, 1);
    end.t = 0, end.v = -end.v;
    State back = test::run(*integrator, end, 1);
    back.v = -back.v;
    EXPECT_LE(test::distance(system, back, m.start), 4e-13) << order;
  }
}

TEST(Compositions, of_rattle_keep_constraints_and_order) {
  test::ConstrainedMotion m = test::double_pendulum_in_the_plane();
  const auto end = [&](const IntegratorOptions& options) {
    return test::run(*make_integrator(*m.system, options), m.start, 1);
  };
  const State want = end({.method = "dop853", .tolerance = 1e-13});
  const auto error = [&](double h) {
    const State got = end({.method = "rattle", .step = h, .order = 4});
    m.system->set(got);
    Vector Phi(m.system->constraint_count());
    m.system->constraint_error(Phi);
    EXPECT_LE(Phi.norm(), 1e-13);
    m.system->constraint_rate(Phi);
    EXPECT_LE(Phi.norm(), 1e-12);
    return test::distance(*m.system, got, want);
  };
  EXPECT_NEAR(std::log2(error(1. / 100) / error(1. / 200)), 4, 0.2);
}

TEST(Compositions, with_other_orders_are_refused) {
  ModelSystem system(test::heavy_top().model);
  const auto make = [&](const IntegratorOptions& options) { make_integrator(system, options); };
  EXPECT_SAYS(make({.method = "variational", .step = 0.1, .order = 3}),
              "variational: there is no composition of order 3", "4, 6 or 8");
  EXPECT_SAYS(
      make({.method = "rattle", .step = 0.1, .order = 4, .composition = Composition::kahan_li}),
      "kahan_li is of order 6 or 8");
  EXPECT_SAYS(make({.method = "rattle", .step = 0.1, .composition = Composition::suzuki}),
              "needs an order of 4, 6 or 8");
  EXPECT_SAYS(make({.method = "mk4", .step = 0.1, .composition = Composition::suzuki}),
              "mk4 does not use 'composition'");
  EXPECT_SAYS(make({.method = "rattle",
                    .step = 0.1,
                    .order = 4,
                    .composition = static_cast<Composition>(7)}),
              "the composition is 7");
  for (const int order : {0, 7, 22})
    EXPECT_SAYS(make({.method = "gauss", .step = 0.1, .order = order}),
                "gauss: the order is " + std::to_string(order), "2, 4, ... 20");
}

TEST(GaussNodes, are_those_of_collocation) {
  const auto two = integrators::gauss_nodes(2);
  EXPECT_NEAR(static_cast<double>(two.c[0]), 0.5 - std::sqrt(3.) / 6, 6e-17);
  EXPECT_NEAR(static_cast<double>(two.a(0, 1)), 0.25 - std::sqrt(3.) / 6, 3e-17);
  for (int s = 1; s <= 10; ++s) {
    const auto g = integrators::gauss_nodes(s);
    for (int k = 0; k < 2 * s; ++k) {  // B(2 s), and C(s): sum_j a_ij c_j^k = c_i^(k+1) / (k+1)
      long double sum = 0;
      for (std::size_t j = 0; j < g.c.size(); ++j) sum += g.b[j] * std::pow(g.c[j], k);
      EXPECT_NEAR(static_cast<double>(sum * (k + 1)), 1, 2e-17 * (k + 1)) << s << " " << k;
      for (std::size_t i = 0; i < g.c.size() && k < s; ++i) {
        sum = 0;
        for (std::size_t j = 0; j < g.c.size(); ++j) sum += g.a(i, j) * std::pow(g.c[j], k);
        EXPECT_NEAR(static_cast<double>(sum),
                    static_cast<double>(std::pow(g.c[i], k + 1) / (k + 1)), 1e-16);
      }
    }
  }
}

TEST(GaussOfAnyOrder, has_it_and_its_two_solvers_agree) {
  const test::ExactMotion exact = test::exact_heavy_top();
  for (const auto& [order, coarse, fine] :
       {std::array{2, 200, 400}, {4, 40, 80}, {6, 20, 30}, {8, 12, 16}, {10, 8, 11}, {12, 6, 8}})
    EXPECT_NEAR(order_between(exact, {.method = "gauss", .order = order}, coarse, fine), order, 0.7)
        << order;
  ModelSystem system(exact.motion.model);
  for (const auto& [name, order] : {std::pair{"midpoint", 2}, {"gauss2", 4}, {"gauss3", 6}}) {
    const auto named = make_integrator(system, {.method = name, .step = 0.02});
    const auto same = make_integrator(system, {.method = "gauss", .step = 0.02, .order = order});
    EXPECT_EQ(test::distance(system, test::run(*named, exact.motion.start, 1),
                             test::run(*same, exact.motion.start, 1)),
              0);
  }
}

/// Stiff, with 5 stages: only Newton's method converges there.
TEST(GaussOfAnyOrder, solves_stiff_systems_by_newton) {
  const Model model = compile(MechanismBuilder("stiff")
                                  .body("slider", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  ModelSystem system(model);
  const double rate = 1e6;  // [1/s]
  system.set_forces([&](double t, const VelocityKinematics& kin, JointForces& out) {
    out.tau[0] = -rate * (kin.v()[0] - std::cos(t)) - std::sin(t);
  });
  Vector zero(1), one(1);
  one[0] = 1;
  const State end = test::run(
      *make_integrator(system, {.method = "gauss", .step = 0.25, .order = 10}), {0, zero, one}, 2);
  EXPECT_NEAR(end.q[0], std::sin(2.0), 1e-10);  // v = cos t solves the equation
  EXPECT_NEAR(end.v[0], std::cos(2.0), 1e-8);
}

}  // namespace composition_test
}  // namespace
}  // namespace chasles
