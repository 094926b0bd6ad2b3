#include "chasles/integrators/events.hpp"

#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/motions.hpp"

namespace chasles {
namespace {

/// A point mass 1 kg on 1 m, let go from the horizontal: the period is 4 K(1/2) sqrt(l/g) by the
/// complete elliptic integral, to 22 digits 2.367841947576237449303 s.
constexpr double period = 2.367841947576237449303;
test::Motion pendulum() {
  return test::motion("pendulum",
                      MechanismBuilder("pendulum")
                          .body("bob", ground, joints::revolute({0, -1, 0}))
                          .inertia(1, {0, 0, -1}, Sym3{})
                          .build(),
                      {M_PI / 2}, {0});
}

TEST(Events, find_the_period_of_a_pendulum) {
  const test::Motion m = pendulum();
  ModelSystem system(m.model);
  const struct {
    IntegratorOptions options;
    double tolerance;
  } cases[] = {{{.method = "dop853", .tolerance = 1e-13}, 1e-11},
               {{.method = "dp54", .tolerance = 1e-13}, 1e-11},
               {{.method = "gauss3", .step = 0.005}, 1e-11},
               {{.method = "mk8", .step = 0.02}, 1e-11},
               {{.method = "abm", .step = 0.005}, 1e-11}};
  for (const auto& c : cases) {
    const auto integrator = make_integrator(system, c.options);
    integrator->reset(m.start);
    Events events({{"bottom", [](const State& s) { return s.q[0]; }, IntegratorEvent::falling}});
    events.start(*integrator);
    std::vector<double> times;
    while (integrator->state().t < 10)
      events.advance(*integrator, 10, [&](const IntegratorEvent& e, const State& s) {
        EXPECT_EQ(e.name, "bottom");
        EXPECT_LE(std::abs(s.q[0]), 1e-13);
        times.push_back(s.t);
      });
    ASSERT_EQ(times.size(), 4u) << c.options.method;
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(times[k], (0.25 + static_cast<double>(k)) * period, c.tolerance)
          << c.options.method;
  }
}

TEST(Events, several_in_a_step_in_order_of_time) {
  const test::Motion m = pendulum();
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {.method = "mk8", .step = 0.5});
  integrator->reset(m.start);
  std::vector<IntegratorEvent> list;
  for (const double angle : {1.2, 1.4, -0.3, 0.9, 0.5, 0.9})
    list.push_back({"at " + to_text(angle), [angle](const State& s) { return s.q[0] - angle; }});
  Events events(list);
  events.start(*integrator);
  std::string seen;
  while (integrator->state().t < 0.8)
    events.advance(*integrator, 0.8,
                   [&](const IntegratorEvent& e, const State&) { seen += e.name + "; "; });
  EXPECT_EQ(seen, "at 1.4; at 1.2; at 0.9; at 0.9; at 0.5; at -0.3; ");
}

TEST(Events, terminal_ones_stop) {
  const test::Motion m = pendulum();
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {.method = "dop853"});
  integrator->reset(m.start);
  Events events({{"turn", [](const State& s) { return s.v[0]; }, IntegratorEvent::rising, true},
                 {"never", [](const State&) { return 1.0; }}});
  events.start(*integrator);
  bool stopped = false;
  while (!stopped && integrator->state().t < 10) stopped = events.advance(*integrator, 10, nullptr);
  EXPECT_TRUE(stopped);
  EXPECT_NEAR(integrator->state().t, period / 2, 1e-8);
}

/// Both crossings of one function within one step.
TEST(Events, a_pair_in_one_step) {
  const test::Motion m = pendulum();
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {.method = "mk8", .step = 0.6});
  integrator->reset(m.start);
  Events events({{"window", [](const State& s) { return (s.t - 0.2) * (s.t - 0.4); }},
                 {"rise", [](const State& s) { return (s.t - 0.2) * (s.t - 0.4); },
                  IntegratorEvent::rising}});
  events.start(*integrator);
  std::vector<double> times;
  std::string seen;
  while (integrator->state().t < 1)
    events.advance(*integrator, 1, [&](const IntegratorEvent& e, const State& s) {
      seen += e.name + "; ";
      times.push_back(s.t);
    });
  EXPECT_EQ(seen, "window; window; rise; ");
  ASSERT_EQ(times.size(), 3u);
  EXPECT_NEAR(times[0], 0.2, 1e-14);
  EXPECT_NEAR(times[1], 0.4, 1e-14);
}

/// A ball that falls from 1 m and keeps 0.8 of its speed: it lands at sqrt(2/g) (1 + 2 (0.8 + 0.8^2 +
/// ...)).
test::Motion ball() {
  return test::motion("ball",
                      MechanismBuilder("ball")
                          .body("ball", ground, joints::prismatic({0, 0, 1}))
                          .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                          .build(),
                      {1}, {0});
}

TEST(Events, a_ball_bounces_once_at_a_time) {
  const test::Motion m = ball();
  ModelSystem system(m.model);
  const IntegratorOptions all[] = {{.method = "dop853"},
                                   {.method = "mk4", .step = 0.01},
                                   {.method = "mk8", .step = 5}};  // longer than any flight
  for (const IntegratorOptions& options : all)
    for (const IntegratorEvent::Direction direction :
         {IntegratorEvent::both, IntegratorEvent::falling})
      for (const bool in_the_report : {true, false}) {
        const auto integrator = make_integrator(system, options);
        integrator->reset(m.start);
        Events events({{"floor", [](const State& s) { return s.q[0]; }, direction},
                       {"turn", [](const State& s) { return s.v[0]; }, IntegratorEvent::falling}});
        events.start(*integrator);
        const auto bounce = [&] {
          const State now = integrator->state();
          integrator->replace(now.q, -0.8 * now.v);
        };
        std::vector<double> landings, turns;
        while (integrator->state().t < 2.95) {
          bool landed = false;
          events.advance(*integrator, 2.95, [&](const IntegratorEvent& e, const State& s) {
            (e.name == "turn" ? turns : landings).push_back(s.t);
            landed = e.name == "floor";
            if (landed && in_the_report) bounce();
          });
          if (landed && !in_the_report) bounce();
        }
        // 4.06 s is the limit of them all; the sixth is at 2.88 s, and it turns again at 2.998 s.
        ASSERT_EQ(landings.size(), 6u) << options.method << direction << in_the_report;
        const double fall = std::sqrt(2 / 9.81);
        double t = fall, flight = fall;
        for (std::size_t k = 0; k < landings.size(); ++k) {
          EXPECT_NEAR(landings[k], t, 1e-10) << options.method << k;
          flight *= 0.8;
          t += 2 * flight;
        }
        EXPECT_EQ(turns.size(), 5u) << options.method;  // not where the velocity jumps
      }
}

TEST(Events, at_the_very_end_are_not_lost) {
  const test::Motion m = pendulum();
  ModelSystem system(m.model);
  for (const IntegratorOptions& options :
       {IntegratorOptions{.method = "dop853"}, IntegratorOptions{.method = "mk4", .step = 0.1}}) {
    const auto integrator = make_integrator(system, options);
    integrator->reset(m.start);
    Events events(
        {{"up", [](const State& s) { return s.t - 1; }, IntegratorEvent::rising},
         {"down", [](const State& s) { return 1 - s.t; }, IntegratorEvent::falling},
         {"both", [](const State& s) { return s.t - 1; }},
         {"not this way", [](const State& s) { return s.t - 1; }, IntegratorEvent::falling},
         {"touched", [](const State& s) { return (s.t - 1) * (s.t - 1); }, IntegratorEvent::rising},
         {"zero all the time", [](const State&) { return 0.0; }}});
    events.start(*integrator);
    std::string seen;
    const auto note = [&](const IntegratorEvent& e, const State& s) {
      EXPECT_EQ(s.t, 1);
      seen += e.name + "; ";
    };
    while (integrator->state().t < 1) events.advance(*integrator, 1, note);
    EXPECT_EQ(seen, "up; down; both; ") << options.method;
    while (integrator->state().t < 2) events.advance(*integrator, 2, note);  // and not once more
    EXPECT_EQ(seen, "up; down; both; ") << options.method;
  }
}

/// Zero at the start and back before the first sample inside of the step.
TEST(Events, that_begin_with_zero_take_the_sign_they_get) {
  const test::Motion m = pendulum();
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {.method = "mk8", .step = 0.5});
  integrator->reset(m.start);
  Events events({{"back", [](const State& s) { return s.t * (s.t - 0.05); }}});
  events.start(*integrator);
  std::vector<double> times;
  while (integrator->state().t < 1)
    events.advance(*integrator, 1,
                   [&](const IntegratorEvent&, const State& s) { times.push_back(s.t); });
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(times[0], 0.05, 1e-14);
}

TEST(Events, two_at_one_instant_are_both_reported) {
  const test::Motion m = pendulum();
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {.method = "dop853"});
  integrator->reset(m.start);
  Events events(
      {{"angle", [](const State& s) { return s.q[0]; }, IntegratorEvent::falling},
       {"sine", [](const State& s) { return 7 * std::sin(s.q[0]); }, IntegratorEvent::falling}});
  events.start(*integrator);
  std::vector<double> times;
  while (integrator->state().t < 1)
    events.advance(*integrator, 1,
                   [&](const IntegratorEvent&, const State& s) { times.push_back(s.t); });
  ASSERT_EQ(times.size(), 2u);
  for (const double t : times) EXPECT_NEAR(t, period / 4, 1e-9);
}

TEST(Events, refuse_bad_functions) {
  EXPECT_SAYS(Events({{"empty", nullptr}}), "event 'empty'", "no function");
  EXPECT_SAYS(Events({}, -1), "-1 samples");
  EXPECT_SAYS(Events({}, -5), "-5 samples");
  EXPECT_SAYS(Events({}, std::numeric_limits<int>::max()), "samples", "10000");
  const test::Motion m = pendulum();
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {.method = "mk4", .step = 0.1});
  integrator->reset(m.start);
  Events events({{"root", [](const State& s) { return std::sqrt(0.05 - s.t); }}});
  events.start(*integrator);
  EXPECT_SAYS(events.advance(*integrator, 1, nullptr), "event 'root'", "not finite");
}

/// What moves on as it does.
Model flyer() {
  return compile(MechanismBuilder("flyer")
                     .gravity({})
                     .body("flyer", ground, joints::prismatic({1, 0, 0}))
                     .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                     .build());
}

/// A body that flies past a point: d^2 falls below a bound for a short time within a long step.
TEST(Events, come_in_pairs_if_the_rate_is_known) {
  ModelSystem system(flyer());
  const double bound = 1e-3, at = 0.123;
  const auto found = [&](bool rate, IntegratorEvent::Direction direction) {
    IntegratorEvent event{
        "near", [=](const State& s) { return (s.q[0] - at) * (s.q[0] - at) - bound * bound; },
        direction};
    if (rate) event.rate = [=](const State& s) { return 2 * (s.q[0] - at) * s.v[0]; };
    Events events({event});
    const auto integrator = make_integrator(system, {.method = "mk4", .step = 1});
    integrator->reset({0, Vector{-5.0}, Vector{10.0}});
    events.start(*integrator);
    std::vector<double> times;
    while (integrator->state().t < 1)
      events.advance(*integrator, 1,
                     [&](const IntegratorEvent&, const State& s) { times.push_back(s.t); });
    return times;
  };
  EXPECT_TRUE(found(false, IntegratorEvent::both).empty());
  const double in = (5 + at - bound) / 10, out = (5 + at + bound) / 10;
  const auto both = found(true, IntegratorEvent::both);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NEAR(both[0], in, 1e-12);
  EXPECT_NEAR(both[1], out, 1e-12);
  const auto leaving = found(true, IntegratorEvent::rising);
  ASSERT_EQ(leaving.size(), 1u);
  EXPECT_NEAR(leaving[0], out, 1e-12);
}

/// Steps that lead nowhere near zero are not searched; those that do find the same.
TEST(Events, that_are_far_are_not_searched) {
  ModelSystem system(flyer());
  long asked = 0;
  const auto found = [&](bool bounded) {
    IntegratorEvent event{"passes", [&](const State& s) { return ++asked, s.q[0] - 0.123; }};
    if (bounded) event.fastest = [](const State& s) { return std::abs(s.v[0]); };
    Events events({event});
    const auto integrator = make_integrator(system, {.method = "mk4", .step = 0.01});
    integrator->reset({0, Vector{-5.0}, Vector{10.0}});
    events.start(*integrator);
    std::vector<double> times;
    asked = 0;
    while (integrator->state().t < 1)
      events.advance(*integrator, 1,
                     [&](const IntegratorEvent&, const State& s) { times.push_back(s.t); });
    return times;
  };
  const auto all = found(false);
  const long asked_all = asked;
  const auto near = found(true);
  ASSERT_EQ(near.size(), 1u);
  EXPECT_EQ(near, all);
  EXPECT_NEAR(near[0], 0.5123, 1e-13);
  EXPECT_LT(asked, 0.6 * static_cast<double>(asked_all));
}

}  // namespace
}  // namespace chasles
