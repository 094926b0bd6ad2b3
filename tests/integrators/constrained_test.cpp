/// Integrators on systems with constraints: stabilization, published values, step control, events,
/// what is refused. Orders are in tests/laws/constrained_laws.cpp.
#include <gtest/gtest.h>

#include "chasles/integrators/events.hpp"
#include "support/constrained_systems.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace {

using test::ConstrainedMotion;

double violation(test::HandConstrained& system, const State& s) {
  Vector Phi(system.constraint_count()), Bv(system.constraint_count());
  system.set(s);
  system.constraint_error(Phi);
  system.constraint_rate(Bv);
  return std::max(Phi.norm(), Bv.norm());
}

/// Bruels & Cardona's top at 0.2 s: the center of mass and the angular velocity, from the closed
/// form and a solution to 20 digits.
TEST(HeavyTop, is_where_the_reference_says) {
  const Eigen::Vector3d x(6.0555056137711977014e-01, 5.9895768179491915768e-01,
                          -5.2398302743000318478e-01),
      w(-2.6915909121434086214, 150, 4.9172609898939944171);
  const struct {
    IntegratorOptions options;
    double error_x, error_w;
  } rows[] = {{{.method = "dop853", .tolerance = 1e-12}, 1e-11, 1e-10},
              {{.method = "hedop5", .tolerance = 1e-11}, 2e-10, 2e-9},
              {{.method = "mk4", .step = 2e-4}, 1e-7, 2e-6},
              {{.method = "hem4", .step = 2e-4}, 1e-7, 2e-6},
              {{.method = "generalized_alpha", .step = 1e-4}, 1e-3, 1e-2},
              {{.method = "generalized_alpha", .tolerance = 1e-7}, 1e-3, 1e-2},
              {{.method = "rattle", .step = 1e-4}, 1e-3, 1e-2},
              {{.method = "blied2", .step = 1e-4}, 1e-2, 1e-1}};
  for (const FloatingGroup on : {FloatingGroup::se3, FloatingGroup::so3xr3})
    for (const auto& row : rows) {
      const ConstrainedMotion m = test::bruels_cardona_top(on);
      const auto integrator = make_integrator(*m.system, row.options);
      const State end = test::run(*integrator, m.start, 0.2);
      EXPECT_LE((end.q.tail(3) - x).norm(), row.error_x) << row.options.method << " " << m.name;
      EXPECT_LE((end.v.head(3) - w).norm(), row.error_w) << row.options.method << " " << m.name;
      EXPECT_LE(violation(*m.system, end), 2e-12) << row.options.method << " " << m.name;
    }
}

/// Without stabilization the constraints drift; Baumgarte's draws them back, but not to rounding.
TEST(Stabilization, projection_is_the_default) {
  const ConstrainedMotion m = test::double_pendulum_in_the_plane();
  const auto left = [&](const IntegratorOptions& options) {
    const auto integrator = make_integrator(*m.system, options);
    return violation(*m.system, test::run(*integrator, m.start, 20));
  };
  const double none = left({.method = "mk4", .step = 0.02, .stabilization = Stabilization::none});
  const double drawn = left({.method = "mk4",
                             .step = 0.02,
                             .stabilization = Stabilization::baumgarte,
                             .baumgarte = {{5, 5}}});
  EXPECT_GE(none, 1e-6);
  EXPECT_LE(drawn, 0.3 * none);
  EXPECT_GE(drawn, 1e-10);
  EXPECT_LE(left({.method = "mk4", .step = 0.02}), 1e-13);
  // The time constant was that of one integrator.
  EXPECT_EQ(left({.method = "mk4", .step = 0.02, .stabilization = Stabilization::none}), none);
}

/// c = -Bd v - 2 alpha B v - beta^2 Phi: off the constraints Phi'' + 2 alpha Phi' + beta^2 Phi = 0.
TEST(Stabilization, of_baumgarte_is_an_oscillator) {
  const ConstrainedMotion m = test::pendulum_in_the_plane();
  State off = m.start;
  off.q *= 1.01;
  off.v += Eigen::Vector2d{0.02, 0.01};
  Vector Phi(1), rate(1), V(2), a(2), a_out(1), bias(1);
  m.system->set(off);
  m.system->constraint_error(Phi);
  m.system->constraint_rate(rate);
  for (const auto& [alpha, beta] : {std::pair{10., 10.}, {0.5, 3.}, {2., 0.}}) {
    m.system->set_baumgarte({alpha, beta});
    m.system->rates(0, off.q, off.v, V, a);
    m.system->constraint_times(a, a_out);
    m.system->constraint_bias(bias);
    EXPECT_NEAR(a_out[0] + bias[0], -2 * alpha * rate[0] - beta * beta * Phi[0], 1e-13);
  }
  EXPECT_SAYS(m.system->set_baumgarte({-1, 2}), "Baumgarte", "-1", "negative");
}

/// A hook of the user's comes first, then projection: what it leaves is on the constraints.
TEST(Stabilization, comes_after_the_hook) {
  struct Kick : StepHook {
    int starts = 0, steps = 0;
    void start(const State&) override { ++starts; }
    void reached(State& s) override {
      ++steps;
      s.q[0] += 1e-4;
      s.v[0] += 1e-3;
    }
  };
  ConstrainedMotion m = test::pendulum_in_the_plane();
  const auto kick = std::make_shared<Kick>();
  const auto integrator = make_integrator(*m.system, {.method = "mk4", .step = 0.01, .hook = kick});
  const State end = test::run(*integrator, m.start, 0.1);
  EXPECT_EQ(kick->starts, 1);
  EXPECT_EQ(kick->steps, 10);
  EXPECT_LE(violation(*m.system, end), 1e-14);
  EXPECT_GE((end.q - m.solution()(0.1).q).norm(), 1e-4);
}

TEST(Stabilization, refuses_what_makes_no_sense) {
  ConstrainedMotion m = test::pendulum_in_the_plane();
  const auto make = [&](const IntegratorOptions& o) { make_integrator(*m.system, o); };
  const auto baumgarte = Stabilization::baumgarte;
  EXPECT_SAYS(make({.stabilization = baumgarte}), "Baumgarte", "alpha and beta");
  EXPECT_SAYS(make({.baumgarte = {{1, 1}}}), "baumgarte", "another");
  EXPECT_SAYS(make({.stabilization = baumgarte, .baumgarte = {{1, -1}}}), "-1", "negative");
  for (const char* name : {"generalized_alpha", "hedop5"})
    EXPECT_SAYS(make({.method = name, .stabilization = baumgarte, .baumgarte = {{1, 1}}}), name,
                "projection");
  EXPECT_SAYS(make({.momentum_form = true}), "trees", "1 rows");
  EXPECT_SAYS(make({.keep_invariants = true}), "trees", "1 rows");
  for (const char* name : {"verlet", "variational"})
    EXPECT_SAYS(make({.method = name, .step = 0.1}), name, "constraints", "rattle");
  EXPECT_SAYS(make({.method = "taylor"}), "taylor", "mechanism");
  EXPECT_SAYS(make({.method = "dop853", .chart = Chart::cayley}), "exponential");
  make({.method = "dop853", .chart = Chart::cayley, .stabilization = Stabilization::none});
  ConstrainedMotion knife = test::knife_edge();
  EXPECT_SAYS(
      make_integrator(*knife.system, {.method = "generalized_alpha", .step = 0.1, .index = 3}),
      "generalized_alpha", "1 of 1", "velocities", "index 2");
  EXPECT_SAYS(make_integrator(*knife.system, {.method = "rattle", .step = 0.1}), "rattle",
              "velocities");
  // A tree has nothing to stabilize.
  const test::Motion tree = test::double_pendulum();
  ModelSystem system(tree.model);
  make_integrator(system, {.stabilization = Stabilization::none});
  test::HandmadeTop top(1, {0, 0, 0.5}, {0.55, 0.6, 0.2});
  for (const char* name : {"generalized_alpha", "rattle", "herk3", "hem4", "blied2"})
    EXPECT_SAYS(make_integrator(top, {.method = name, .step = 0.1}), name, "MechanicalSystem");
}

TEST(GeneralizedAlpha, takes_a_step_or_a_tolerance) {
  const test::Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  const auto make = [&](const IntegratorOptions& o) { return make_integrator(system, o); };
  EXPECT_SAYS(make({.method = "generalized_alpha", .step = 0.1, .tolerance = 1e-3}), "either step",
              "tolerance");
  EXPECT_SAYS(make({.method = "generalized_alpha", .rho = 1.1}), "rho", "1.1");
  EXPECT_SAYS(make({.method = "generalized_alpha", .rho = std::nan("")}), "nan");
  EXPECT_SAYS(make({.method = "generalized_alpha", .index = 1}), "index is 1", "2", "3");
  EXPECT_SAYS(make({.method = "dop853", .rho = 0.5}), "does not use 'rho'");
  const auto fixed = make({.method = "generalized_alpha", .step = 0.01});
  test::run(*fixed, m.start, 1);
  EXPECT_EQ(fixed->statistics().steps, 100);
}

/// The error at the end follows the tolerance, with constraints and without.
TEST(GeneralizedAlpha, controls_its_step) {
  ConstrainedMotion m = test::double_pendulum_in_the_plane();
  const State want = m.solution()(2);
  for (const double r : {0., 0.5, 0.8, 1.}) {
    long last = 0;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const auto integrator = make_integrator(
          *m.system, {.method = "generalized_alpha", .tolerance = tolerance, .rho = r});
      const State end = test::run(*integrator, m.start, 2);
      const StepStatistics& s = integrator->statistics();
      // As many steps as tolerance^(-1/3), each with an error of its size.
      EXPECT_LE(test::distance(*m.system, end, want), 30 * std::pow(tolerance, 2. / 3))
          << r << " " << tolerance;
      EXPECT_LE(s.rejected, s.steps / 5 + 3) << r << " " << tolerance;
      EXPECT_LE(s.iterations, 4 * (s.steps + s.rejected)) << r;
      EXPECT_GT(s.steps, 2 * last) << r << " " << tolerance;
      EXPECT_FALSE(s.is_stiff());
      last = s.steps;
    }
  }
}

/// Changing steps of second order: one of them twice as long as the next, again and again.
TEST(GeneralizedAlpha, keeps_its_order_in_steps_of_changing_length) {
  ConstrainedMotion m = test::mild_top(FloatingGroup::so3xr3);
  const State want = m.solution()(1);
  const auto error = [&](int n) {
    const auto integrator = make_integrator(*m.system, {.method = "generalized_alpha", .step = 1});
    integrator->reset(m.start);
    for (int k = 0; k < n; ++k) {
      integrator->step((k + 2. / 3) / n);
      integrator->step((k + 1.) / n);
    }
    return test::distance(*m.system, integrator->state(), want);
  };
  const double order = std::log2(error(50) / error(100));
  EXPECT_NEAR(order, 2, 0.15);
}

/// An impact at an event: the blade of a pendulum is thrown back; multipliers and accelerations
/// begin anew. There and back it comes through where it was.
TEST(Constrained, integration_goes_on_from_a_replaced_state) {
  for (const char* name : {"dop853", "hem4", "generalized_alpha", "blied2", "rattle"}) {
    ConstrainedMotion m = test::pendulum_in_the_plane();
    IntegratorOptions options = test::steps_of(0.002, method_info(name));
    const auto integrator = make_integrator(*m.system, options);
    integrator->reset(m.start);
    Events events(
        {{"bottom", [](const State& s) { return s.q[0]; }, IntegratorEvent::falling, true}});
    events.start(*integrator);
    State hit;
    while (!events.advance(*integrator, 10,
                           [&](const IntegratorEvent&, const State& s) { hit = s; })) {
    }
    const double t = integrator->state().t;
    EXPECT_LE(std::abs(hit.q[0]), 1e-10) << name;
    EXPECT_LE(violation(*m.system, hit), 1e-11) << name;
    integrator->replace(hit.q, -hit.v);
    EXPECT_EQ(integrator->multipliers().size(), 1);
    while (integrator->state().t < 2 * t) integrator->step(2 * t);
    EXPECT_LE((integrator->state().q - m.start.q).norm(), 2e-4) << name;
    EXPECT_LE((integrator->state().v + m.start.v).norm(), 1e-3) << name;
  }
}

/// Without rows, and with forces that do not know v, the same map computed in another way.
TEST(Rattlie, is_verlet_on_a_tree) {
  for (const test::Motion& m : {test::heavy_top(), test::free_body(), test::double_pendulum()}) {
    ModelSystem system(m.model);
    const State a = test::run(*make_integrator(system, {.method = "verlet", .step = 0.01}), m.start,
                              1),
                b = test::run(*make_integrator(system, {.method = "rattle", .step = 0.01}), m.start,
                              1);
    EXPECT_LE(test::distance(system, a, b), 1e-11) << m.name;
  }
}

/// Symmetric, and the error of energy does not grow.
TEST(Rattlie, goes_back_and_keeps_energy) {
  for (ConstrainedMotion m :
       {test::double_pendulum_in_the_plane(), test::mild_top(FloatingGroup::se3),
        test::mild_top(FloatingGroup::so3xr3)}) {
    const auto integrator = make_integrator(*m.system, {.method = "rattle", .step = 0.02});
    const auto energy = [&](const State& s) { return test::energy(m.system->tree().model(), s); };
    const double E = energy(m.start);
    integrator->reset(m.start);
    double early = 0, late = 0;
    for (int k = 0; k < 20'000; ++k) {
      integrator->step(1e9);
      double& most = k < 4000 ? early : late;
      most = std::max(most, std::abs(energy(integrator->state()) - E));
    }
    EXPECT_LE(late, 2 * early) << m.name;
    EXPECT_LE(violation(*m.system, integrator->state()), 1e-13) << m.name;
    State end = test::run(*integrator, m.start, 1);
    end.t = 0;
    end.v = -end.v;
    State back = test::run(*integrator, end, 1);
    back.v = -back.v;
    EXPECT_LE(test::distance(*m.system, back, m.start), 1e-12) << m.name;
  }
}

}  // namespace
}  // namespace chasles
