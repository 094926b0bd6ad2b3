/// "Workspace and result: one per thread; after construction no call allocates", for every workspace of the library.

#include "house/workspaces.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "chasles/mechanism/builder.hpp"
#include "chasles/suggest.hpp"
#include "chasles/systems/closed_kinematics.hpp"
#include "simulation/limit_monitor.hpp"
#include "support/allocation.hpp"
#include "support/random_mechanism.hpp"

namespace workspaces_test {

using namespace chasles;
using house::At, house::Call, house::Row;

/// A tree with joints of every type, or of those whose second derivatives are closed formulas.
std::shared_ptr<At> tree(bool all_types) {
  std::mt19937_64 generator(5);
  using enum JointType;
  std::vector<test::JointKind> kinds;
  if (!all_types) kinds = {{floating}, {revolute}, {spherical}, {prismatic}};
  const test::RandomMechanismOptions options{.bodies = 16, .tree = true, .kinds = kinds};
  return std::make_shared<At>(compile(test::random_mechanism(generator, options)));
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(Workspaces, do_not_allocate_after_the_first_call) {
  for (const Row& row : house::all_rows()) {
    if (row.allocates) continue;
    const bool second = std::string_view(row.name).starts_with("d2_");
    const Call call = row.make(tree(!second));
    call();
    const long before = test::allocations;
    call();
    EXPECT_EQ(test::allocations - before, 0) << row.name;
  }
  const long before = test::allocations;
  EXPECT_EQ(edit_distance("inof", "info"), 1u);
  EXPECT_EQ(test::allocations - before, 0);
  std::free(std::malloc(100));  // the count counts
  EXPECT_GE(test::allocations - before, 1);
}
#endif

/// A workspace on every thread, one model: the same bits as alone.
TEST(Workspaces, one_per_thread_gives_the_same_on_all) {
  const std::shared_ptr<At> shared = tree(true);
  for (const Row& row : house::all_rows()) {
    const auto own = [&] { return row.make(std::make_shared<At>(*shared)); };
    const double expected = own()();
    std::vector<double> results(4);
    std::vector<std::thread> threads;
    threads.reserve(results.size());
    for (double& result : results)
      threads.emplace_back([&] {
        const Call call = own();
        for (int k = 0; k < 20; ++k) result = call();
      });
    for (std::thread& thread : threads) thread.join();
    for (const double result : results) EXPECT_EQ(result, expected) << row.name;
    EXPECT_TRUE(std::isfinite(expected)) << row.name;
  }
}

Model four_bar() {
  const Sym3 I = Sym3::diagonal(0.01, 0.01, 0.01);
  return compile(MechanismBuilder("four_bar")
                     .body("crank", ground, joints::revolute({0, 1, 0}))
                     .inertia(1, {0, 0, 0.1}, I)
                     .body("coupler", "crank", joints::revolute({0, 1, 0}, {0, 0, 0.2}))
                     .inertia(1, {0.25, 0, 0.3}, I)
                     .body("rocker", ground, joints::revolute({0, 1, 0}, {0.6, 0, 0}))
                     .inertia(1, {0.55, 0, 0.2}, I)
                     .loop({.name = "closure",
                            .bodies = {"coupler", "rocker"},
                            .type = JointType::revolute,
                            .geometry = AxisGeometry{{0, 1, 0}, {0.5, 0, 0.4}}})
                     .build());
}

/// A copy of a Workspace has memory of its own: what one computes does not reach the other.
TEST(Workspaces, copies_are_independent) {
  static_assert(std::is_copy_constructible_v<Workspace>);
  const std::shared_ptr<At> s = tree(true);
  InverseDynamics first(s->model);
  const Vector at_rest = bias(s->model, s->q, s->x, first),
               moving = bias(s->model, s->q, s->v, first);
  InverseDynamics second = first;
  double wrong = 0;
  std::thread other([&] {
    for (int k = 0; k < 50; ++k)
      wrong = std::max(wrong, (bias(s->model, s->q, s->x, second) - at_rest).cwiseAbs().maxCoeff());
  });
  double own = 0;
  for (int k = 0; k < 50; ++k)
    own = std::max(own, (bias(s->model, s->q, s->v, first) - moving).cwiseAbs().maxCoeff());
  other.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(own, 0);
}

/// The crank turns at a given rate: a constraint of one's own.
class Crank : public Constraint {
 public:
  std::string name() const override { return "crank"; }
  int constraint_count() const override { return 1; }
  bool binds_positions() const override { return false; }
  void matrix(const PositionKinematics&, Eigen::Ref<Eigen::MatrixXd> B) const override {
    B(0, 0) = 1;
  }
  void bias(const VelocityKinematics&, VectorRef out) const override { out[0] = 0; }
};

/// One constraint in the systems of several threads.
TEST(Workspaces, constraints_of_ones_own_are_shared_by_threads) {
  const Model model = four_bar();
  const auto crank = std::make_shared<Crank>();
  const auto work = [&] {
    ConstrainedSystem system(model, {.more = {crank}});
    Vector a(model.nv());
    for (int k = 0; k < 20; ++k) {
      system.set(0, system.assembled(), Vector(model.nv()));
      system.acceleration(a);
    }
    return a.sum();
  };
  const double expected = work();
  std::vector<double> results(4);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (double& result : results) threads.emplace_back([&] { result = work(); });
  for (std::thread& thread : threads) thread.join();
  for (const double result : results) EXPECT_EQ(result, expected);
}

/// Constraints and what is made of them, likewise.
TEST(Workspaces, of_closed_mechanisms_give_the_same_on_all_threads) {
  const Model model = four_bar();
  const auto work = [&] {
    ConstrainedSystem system(model);
    const Vector q = system.assembled(), v(model.nv());
    ClosedKinematics closed(system);
    PositionKinematics kin(model);
    forward_kinematics(model, q, kin);
    Constraints constraints(model);
    constraints.update(kin);
    Vector Phi(5);
    constraints.constraint_error(kin, Phi);
    closed.at(q, v);
    return closed.jacobian(model.frame("coupler"), Representation::hybrid).sum() + Phi.sum();
  };
  const double expected = work();
  std::vector<double> results(4);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (double& result : results) threads.emplace_back([&] { result = work(); });
  for (std::thread& thread : threads) thread.join();
  for (const double result : results) EXPECT_EQ(result, expected);
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(Workspaces, a_monitor_of_limits_does_not_allocate_while_they_are_kept) {
  const Model model = compile(MechanismBuilder("arm")
                                  .body("arm", ground, joints::revolute({0, 1, 0}))
                                  .inertia(1, {0, 0, -0.5}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .limits(-3, 3)
                                  .velocity_effort_limits(20, 100)
                                  .build());
  ModelSystem system(model);
  const Forces forces;
  LimitMonitor monitor(model, forces);
  const auto integrator = make_integrator(system, {.method = "mk4", .step = 0.01});
  integrator->reset({0, Vector{0.5}, Vector(1)});
  monitor.start(integrator->state());
  integrator->step(1), monitor.watch(*integrator);
  const long before = test::allocations;
  for (int k = 0; k < 10; ++k) integrator->step(1), monitor.watch(*integrator);
  EXPECT_EQ(test::allocations - before, 0);
  EXPECT_TRUE(monitor.violations().empty());
}
#endif

}  // namespace workspaces_test
