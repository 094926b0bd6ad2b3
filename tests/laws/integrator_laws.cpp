/// The laws of an integrator, run on every method of the list: the order it states, independence of
/// how the step ends, an interpolant that fits, and for symmetric methods reversibility and bounded
/// energy.

#include <gtest/gtest.h>

#include "math/decompositions.hpp"
#include "support/exact_motions.hpp"

namespace chasles {
namespace {

using test::distance;
using test::ExactMotion;
using test::Motion;

class IntegratorLaws : public ::testing::TestWithParam<std::string_view> {
 protected:
  const MethodInfo& info = method_info(GetParam());
  std::unique_ptr<Integrator> make(DynamicalSystem& system, double h) const {
    return make_integrator(system, test::steps_of(h, info));
  }
};
class SymmetricLaws : public IntegratorLaws {};
std::vector<std::string_view> names(bool symmetric_only) {
  std::vector<std::string_view> list;
  for (const MethodInfo& info : methods())
    if (info.symmetric || !symmetric_only) list.push_back(info.name);
  return list;
}
INSTANTIATE_TEST_SUITE_P(EveryMethod, IntegratorLaws, ::testing::ValuesIn(names(false)),
                         [](const auto& name) { return std::string(name.param); });
INSTANTIATE_TEST_SUITE_P(SymmetricMethods, SymmetricLaws, ::testing::ValuesIn(names(true)),
                         [](const auto& name) { return std::string(name.param); });

/// p of the fit log(error) = c + p log(h) to the smallest steps.
double fitted_order(const std::vector<std::array<double, 2>>& points) {  // h, error
  const std::size_t used = std::min<std::size_t>(points.size(), 5);
  const auto rows = static_cast<Eigen::Index>(used);
  if (rows < 4) return 0;
  Eigen::MatrixXd A(rows, 2);
  Eigen::VectorXd y(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto [h, error] = points[points.size() - used + static_cast<std::size_t>(i)];
    A.row(i) << 1, std::log(h);
    y[i] = std::log(error);
  }
  return solve_pivoted_qr(A, y)[1];
}

struct Orders {
  double ends, samples;
};
/// The orders of the error after a time T and of that within the steps, root mean square over motions
/// that start on the way of one: the error of a single one changes sign with the step, which looks like
/// another order. The truth has nothing to do with the library (exact_motions.hpp).
Orders measured_orders(
    const ExactMotion& exact, int stated,
    const std::function<std::unique_ptr<Integrator>(DynamicalSystem&, double)>& make) {
  ModelSystem system(exact.motion.model);
  const double T = 1, ratio = stated >= 8 ? 1.1 : 1.25, rounding = stated >= 8 ? 4e-12 : 4e-11;
  constexpr double within[] = {0.23, 0.5, 0.81};
  std::vector<State> starts;
  starts.reserve(5);
  test::Solution way(exact.rate, exact.motion.start);
  for (int k = 0; k < 5; ++k) starts.push_back(way.at(0.4L * k));
  std::vector<std::array<double, 2>> ends, samples;
  const int most = stated < 4 ? 500 : 2000;
  double n = stated >= 8 ? 5 : 24;
  while (n <= most) {
    const int steps = static_cast<int>(n);
    n *= ratio;
    double sum = 0, sum_within = 0;
    State out;
    for (const State& start : starts) {
      const auto integrator = make(system, T / steps);
      test::Solution truth(exact.rate, start, 0.1L);
      integrator->reset(start);
      const int every = steps / 25 + 1;  // so many steps are looked into
      for (int k = 0; integrator->state().t < start.t + T; ++k) {
        integrator->step(start.t + T);
        if (k % every != 0) continue;
        for (const double s : within) {
          const double t0 = integrator->before().t, t1 = integrator->state().t;
          integrator->interpolate(t0 + s * (t1 - t0), out);
          const double e = distance(system, out, truth.at(out.t));
          sum_within += e * e * every / (3.0 * steps);
        }
      }
      const double e = distance(system, integrator->state(), truth.at(start.t + T));
      sum += e * e;
    }
    const double error = std::sqrt(sum / static_cast<double>(starts.size())),
                 error_within = std::sqrt(sum_within / static_cast<double>(starts.size()));
    const auto keep = [&](std::vector<std::array<double, 2>>& list, double e) {
      if (e > rounding && e < 0.5 && (list.empty() || 1. / steps < list.back()[0]))
        list.push_back({1. / steps, e});
    };
    keep(ends, error), keep(samples, error_within);
    if (!(error > rounding)) break;
  }
  return {fitted_order(ends), fitted_order(samples)};
}

/// @paper 004 (35), (36)
TEST_P(IntegratorLaws, order_is_the_stated_one_also_within_the_steps) {
  for (const ExactMotion& m :
       {test::exact_heavy_top(), test::exact_free_body(), test::exact_double_pendulum()}) {
    const int stated = info.takes_order && !info.symmetric ? 5 : info.order;
    const Orders order =
        measured_orders(m, stated, [&](DynamicalSystem& s, double h) { return make(s, h); });
    std::string name = m.motion.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    RecordProperty(name, std::to_string(order.ends));
    RecordProperty(name + "_samples", std::to_string(order.samples));
    // Errors of order 10 reach rounding where terms of higher order still dominate; that its conditions hold is tested
    // in tests/integrators/order_conditions_test.cpp.
    EXPECT_GE(order.ends, stated - 0.15) << m.motion.name;
    EXPECT_LE(order.ends, stated + (stated >= 10 ? 1.5 : 0.15)) << m.motion.name;
    const int within = info.dense_order > 0 ? info.dense_order : stated;
    EXPECT_GE(order.samples, within - 0.15) << m.motion.name;
    EXPECT_LE(info.dense_order, info.order);
  }
}

TEST_P(IntegratorLaws, the_system_may_be_anything_on_a_group) {
  test::HandmadeTop top(1, {0, 0, 0.5}, {0.55, 0.6, 0.2});
  if (info.needs >= Needs::masses) {
    EXPECT_THROW(make(top, 0.01), Error);
    return;
  }
  const Motion m = test::heavy_top();  // the same top as a mechanism
  ModelSystem system(m.model);
  const State by_hand = test::run(*make(top, 0.01), m.start, 1);
  const State mechanism = test::run(*make(system, 0.01), m.start, 1);
  EXPECT_LE(distance(system, by_hand, mechanism), 1e-12);
}

TEST_P(IntegratorLaws, ends_where_it_is_told) {
  const Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  const auto integrator = make(system, 0.03);
  integrator->reset(m.start);
  int steps = 0;
  while (integrator->state().t < 1) {
    integrator->step(1);
    ++steps;
    ASSERT_GT(integrator->state().t, integrator->before().t);
  }
  EXPECT_EQ(integrator->state().t, 1);
  EXPECT_EQ(steps, 34);
  EXPECT_EQ(integrator->statistics().steps, 34);
  EXPECT_LE(integrator->statistics().largest, 0.03 * (1 + 1e-8));
  EXPECT_THROW(integrator->step(1), Error);
}

/// Interpolants are continuous, and of local order 4 at least (with the end states exact).
TEST_P(IntegratorLaws, interpolant_fits) {
  for (const Motion& m : {test::heavy_top(), test::free_body()}) {
    ModelSystem system(m.model);
    const auto exact = make_integrator(system, {.method = "mk8", .step = 0.005});
    const auto integrator = make(system, 0.01);
    integrator->reset(m.start);
    for (int k = 0; k < 12; ++k) integrator->step(10);
    State out;
    integrator->interpolate(integrator->before().t, out);
    EXPECT_LE(distance(system, out, integrator->before()), 1e-13);
    integrator->interpolate(integrator->state().t, out);
    EXPECT_LE(distance(system, out, integrator->state()), 1e-13);
    const double whole =
        distance(system, test::run(*exact, integrator->before(), integrator->state().t),
                 integrator->state());
    for (const double s : {0.1, 0.5, 0.8}) {
      const double t = integrator->before().t + 0.01 * s;
      integrator->interpolate(t, out);
      EXPECT_EQ(out.t, t);
      const State want = test::run(*exact, integrator->before(), t);
      EXPECT_LE(distance(system, out, want), 2e-7 + 2 * whole) << m.name << " " << s;
    }
    EXPECT_THROW(integrator->interpolate(integrator->state().t + 1e-3, out), Error);
  }
}

/// A step that is taken again in two parts is a step all the same.
TEST_P(IntegratorLaws, retry_leads_to_the_time) {
  const Motion m = test::heavy_top();
  ModelSystem system(m.model);
  const auto integrator = make(system, 0.01);
  integrator->reset(m.start);
  for (int k = 0; k < 15; ++k) integrator->step(10);
  const State before = integrator->before();
  integrator->retry(before.t + 0.004);
  EXPECT_EQ(integrator->state().t, before.t + 0.004);
  EXPECT_EQ((integrator->before().q - before.q).norm(), 0);
  const auto exact = make_integrator(system, {.method = "mk8", .step = 0.004});
  EXPECT_LE(distance(system, integrator->state(), test::run(*exact, before, before.t + 0.004)),
            info.order == 1 ? 1e-3 : 1e-5);
  while (integrator->state().t < 0.2) integrator->step(0.2);
}

TEST_P(SymmetricLaws, go_back) {
  for (const Motion& m : {test::heavy_top(), test::free_body(), test::double_pendulum()}) {
    ModelSystem system(m.model);
    const auto integrator = make(system, 0.05);
    State end = test::run(*integrator, m.start, 1);
    end.t = 0;
    end.v = -end.v;
    State start = test::run(*integrator, end, 1);
    start.v = -start.v;
    EXPECT_LE(distance(system, start, m.start), 1e-13) << m.name;
  }
}

/// 1e5 steps. The error of energy wanders, as the motion does, which does not repeat itself: at the end
/// it is within twice that of the first ten thousand steps. A drift would have made it tenfold.
TEST_P(SymmetricLaws, keep_energy) {
  const Motion m = test::heavy_top();
  ModelSystem system(m.model);
  const auto integrator = make(system, 0.02);
  integrator->reset(m.start);
  const double E = test::energy(m.model, m.start);
  VelocityKinematics kin(m.model);
  forward_kinematics(m.model, m.start.q, m.start.v, kin);
  const double Lz = spatial_momentum(m.model, kin).t.z;
  double early = 0, late = 0, Lz_most = 0;
  for (int k = 0; k < 100'000; ++k) {
    integrator->step(1e9);
    if (k >= 10'000 && k < 99'000) continue;
    forward_kinematics(m.model, integrator->state().q, integrator->state().v, kin);
    const double e = std::abs(kinetic_energy(m.model, kin) + potential_energy(m.model, kin) - E);
    double& most = k < 10'000 ? early : late;
    most = std::max(most, e);
    Lz_most = std::max(Lz_most, std::abs(spatial_momentum(m.model, kin).t.z - Lz));
  }
  EXPECT_LE(late, 2 * early + 1e-10) << "early " << early;
  // Gravity leaves the vertical angular momentum alone; discrete mechanics does the same.
  if (info.name == "verlet" || info.name == "variational") {
    EXPECT_LE(Lz_most, 1e-12);
  }
}

TEST(Chart, all_have_the_order_of_the_tableau) {
  for (const ExactMotion& m : {test::exact_heavy_top(), test::exact_free_body()})
    for (const auto chart : {Chart::cayley, Chart::second_kind})
      for (const char* name : {"mk4", "mk6"}) {
        const int stated = method_info(name).order;
        const Orders order = measured_orders(m, stated, [&](DynamicalSystem& s, double h) {
          return make_integrator(s, {.method = name, .step = h, .chart = chart});
        });
        EXPECT_NEAR(order.ends, stated, 0.15) << m.motion.name << " " << name;
        EXPECT_GE(order.samples, stated - 0.15) << m.motion.name << " " << name;
      }
}

TEST(Adams, orders_are_the_stated_ones) {
  for (int order = 1; order <= 7; ++order)
    EXPECT_NEAR(measured_orders(test::exact_free_body(), order,
                                [&](DynamicalSystem& s, double h) {
                                  return make_integrator(
                                      s, {.method = "abm", .step = h, .order = order});
                                })
                    .ends,
                order, 0.15)
        << order;
}

/// Higher orders reach rounding before the error shows its exponent; but the order is that of the
/// polynomials in t that are integrated exactly.
TEST(Adams, integrates_polynomials_below_its_order) {
  const Model model = compile(MechanismBuilder("slider")
                                  .body("slider", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  for (int order = 1; order <= 12; ++order)
    for (const int degree : {order - 1, order}) {
      ModelSystem system(model);
      system.set_forces([&](double t, const VelocityKinematics&, JointForces& out) {
        out.tau[0] = (degree + 1) * std::pow(t, degree);
      });
      const auto integrator =
          make_integrator(system, {.method = "abm", .step = 0.125, .order = order});
      const State end =
          test::run(*integrator, {0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)}, 4);
      const double error = std::abs(end.v[0] - std::pow(4.0, degree + 1)) / std::pow(4.0, degree);
      if (degree < order)
        EXPECT_LE(error, 1e-11) << order;
      else
        EXPECT_GE(error, 1e-13) << order;
    }
}

}  // namespace
}  // namespace chasles
