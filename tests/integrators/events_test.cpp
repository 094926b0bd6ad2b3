#include "chasles/integrators/events.hpp"

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
    Events events({{"bottom", [](const State& s) { return s.q[0]; }, Event::falling}});
    events.start(*integrator);
    std::vector<double> times;
    while (integrator->state().t < 10)
      events.advance(*integrator, 10, [&](const Event& e, const State& s) {
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
  std::vector<Event> list;
  for (const double angle : {1.2, 1.4, -0.3, 0.9, 0.5, 0.9})
    list.push_back({"at " + to_text(angle), [angle](const State& s) { return s.q[0] - angle; }});
  Events events(list);
  events.start(*integrator);
  std::string seen;
  while (integrator->state().t < 0.8)
    events.advance(*integrator, 0.8, [&](const Event& e, const State&) { seen += e.name + "; "; });
  EXPECT_EQ(seen, "at 1.4; at 1.2; at 0.9; at 0.9; at 0.5; at -0.3; ");
}

TEST(Events, terminal_ones_stop) {
  const test::Motion m = pendulum();
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {.method = "dop853"});
  integrator->reset(m.start);
  Events events({{"turn", [](const State& s) { return s.v[0]; }, Event::rising, true},
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
  Events events(
      {{"window", [](const State& s) { return (s.t - 0.2) * (s.t - 0.4); }},
       {"rise", [](const State& s) { return (s.t - 0.2) * (s.t - 0.4); }, Event::rising}});
  events.start(*integrator);
  std::vector<double> times;
  std::string seen;
  while (integrator->state().t < 1)
    events.advance(*integrator, 1, [&](const Event& e, const State& s) {
      seen += e.name + "; ";
      times.push_back(s.t);
    });
  EXPECT_EQ(seen, "window; window; rise; ");
  ASSERT_EQ(times.size(), 3u);
  EXPECT_NEAR(times[0], 0.2, 1e-14);
  EXPECT_NEAR(times[1], 0.4, 1e-14);
}

TEST(Events, refuse_bad_functions) {
  EXPECT_SAYS(Events({{"empty", nullptr}}), "event 'empty'", "no function");
  EXPECT_SAYS(Events({}, -1), "-1 samples");
  const test::Motion m = pendulum();
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {.method = "mk4", .step = 0.1});
  integrator->reset(m.start);
  Events events({{"root", [](const State& s) { return std::sqrt(0.05 - s.t); }}});
  events.start(*integrator);
  EXPECT_SAYS(events.advance(*integrator, 1, nullptr), "event 'root'", "not finite");
}

}  // namespace
}  // namespace chasles
