/// Arguments that no size shows to be wrong: of other models, never evaluated, changed by hand, not numbers; and
/// forces that do what they must not.
#include <gtest/gtest.h>

#include "chasles/chasles.hpp"
#include "support/errors.hpp"
#include "support/random_loops.hpp"
#include "support/small_runs.hpp"

namespace values_test {

using namespace chasles;
using test::message;

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(Misuse, events_set_velocities_that_exist) {
  for (const int entry : {-1, 1, 1 << 30}) {
    Scenario s = test::spring();
    RunEvent event{{"kick", [](const State& at) { return at.q[0]; }}, RunEvent::set_velocity};
    event.velocity = {{entry, 1.0}};
    s.events.push_back(event);
    EXPECT_SAYS(Simulation(s), "kick", "v[" + std::to_string(entry) + "]", "1 entries");
    s.events[0].velocity = {{0, not_a_number}};
    EXPECT_SAYS(Simulation(s), "kick", "not finite");
    s.events[0].action = RunEvent::impact, s.events[0].hit.v = entry;
    EXPECT_SAYS(Simulation(s), "kick", "v[" + std::to_string(entry) + "]");
  }
}

/// A joint with a quaternion has no coordinate to bounce at.
TEST(Misuse, impacts_need_a_coordinate) {
  Scenario s = test::swing({.method = "dop853", .tolerance = 1e-9});
  RunEvent event{{"hit", [](const State& at) { return at.q[1]; }}, RunEvent::impact};
  event.hit.v = 0;
  s.events.push_back(event);
  EXPECT_SAYS(Simulation(s), "hit", "ball");
}

TEST(Misuse, joints_of_other_models_are_not_on_ground) {
  const Model a = test::pendulum(), b = test::slide();
  EXPECT_TRUE(a.on_ground(a.joints()[0]));
  EXPECT_FALSE(a.on_ground(a.joints()[1]));
  EXPECT_SAYS(b.on_ground(a.joints()[1]), "arm", "slide");
  ModelJoint moved = a.joints()[0];
  moved.v_index = 99;
  EXPECT_SAYS(a.on_ground(moved), "v[99]");
}

TEST(Misuse, parts_of_quantities_exist) {
  const Matrix all(6, 2);
  EXPECT_EQ(Quantity::part(all, 3, 2).rows(), 2);
  EXPECT_SAYS(Quantity::part(all, 0, 0), "matrix 0 of 0");
  EXPECT_SAYS(Quantity::part(all, 3, 3), "matrix 3 of 3");
  EXPECT_SAYS(Quantity::part(all, 4, 0), "6 rows");
}

TEST(Misuse, parameters_changed_by_hand) {
  const Model model = test::pendulum();
  const auto refused = [&](const Parameter& good, auto change, const char* says) {
    Parameter bad = good;
    change(bad);
    PositionKinematics kin(model);
    forward_kinematics(model, model.neutral(), kin);
    Matrix6X one(6, 1), J(6, model.nv());
    const Frame arm = model.frame("arm");
    EXPECT_SAYS(ForceSensitivity(model, {&bad, 1}), says);
    EXPECT_SAYS(AccelerationSensitivity(model, {&bad, 1}), says);
    EXPECT_SAYS(pose_sensitivity(model, kin, arm, Representation::body, {&bad, 1}, one), says);
    EXPECT_SAYS(jacobian_sensitivity(model, kin, arm, Representation::body, bad, J), says);
  };
  const Parameter frame = parameter(model, "arm", "frame.vx"), mass = parameter(model, "arm", "m"),
                  screw = parameter(model, "arm", "screw.wx");
  for (const Parameter& good : {frame, mass, screw}) {
    refused(
        good, [](Parameter& p) { p.owner = 2; }, "owner 2");
    refused(
        good, [](Parameter& p) { p.owner = -1; }, "owner -1");
    refused(
        good, [](Parameter& p) { p.kind = static_cast<Parameter::Kind>(99); }, "kind 99");
  }
  refused(
      mass, [](Parameter& p) { p.entry = 10; }, "entry 10");
  refused(
      frame, [](Parameter& p) { p.entry = 1; }, "entry 1");
  refused(
      screw, [](Parameter& p) { p.entry = 1; }, "no screw 1");
  refused(
      screw, [](Parameter& p) { p.owner = 0; }, "frame or axis");
  refused(
      frame, [](Parameter& p) { p.U.w.x = not_a_number; }, "not finite");
  refused(
      frame, [](Parameter& p) { p.model = test::slide(); }, "slide");
}

TEST(Misuse, views_of_what_was_moved_from) {
  const Model model = test::pendulum();
  SecondDerivatives d(model);
  const Vector v(model.nv());
  d2_inverse_dynamics(model, model.neutral(), v, v, d);
  const SecondDerivatives taken = std::move(d);
  EXPECT_EQ(taken.qq(0).rows(), model.nv());
  EXPECT_SAYS(d.qq(0), "moved from");          // NOLINT(bugprone-use-after-move)
  EXPECT_SAYS(d.contracted(v), "moved from");  // NOLINT(bugprone-use-after-move)
  EXPECT_SAYS(d2_inverse_dynamics(model, model.neutral(), v, v, d), "moved from");
  InverseDynamicsDerivatives first(model);
  const InverseDynamicsDerivatives kept = std::move(first);
  EXPECT_EQ(first.dq().size(), 0);  // NOLINT(bugprone-use-after-move)
  MechanismState state(model);
  const MechanismState owner = std::move(state);
  Vector a(model.nv());
  EXPECT_SAYS(state.acceleration(a), "moved from");  // NOLINT(bugprone-use-after-move)
}

// Forces.

enum class Kind { tree, closed };
class Forced : public ::testing::TestWithParam<Kind> {
 protected:
  Forced() {
    std::mt19937_64 generator(4);
    const test::LoopedTree looped = test::looped_tree(generator, 6, {{JointType::spherical}});
    model = compile(looped.mechanism);
    q = looped.q, v = Vector(model.nv());
    if (GetParam() == Kind::tree)
      system = std::make_unique<MechanismState>(model);
    else
      system = std::make_unique<ConstrainedSystem>(model, ConstraintOptions{}, q);
    system->set(0, q, v);
  }
  /// Every function that asks for forces, with forces that throw or are refused.
  void expect_refused(const char* says) {
    Vector x(model.nv());
    Matrix S;
    MechanicalSystem::Tangent tangent;
    EXPECT_SAYS(system->acceleration(x), says);
    EXPECT_SAYS(system->rates(0, q, v, x, x), says);
    EXPECT_SAYS(system->force(x), says);
    EXPECT_SAYS(system->dynamics_residual(v, x), says);
    EXPECT_SAYS(system->momentum_rate(x), says);
    EXPECT_SAYS(system->tangent(v, tangent), says);
    EXPECT_SAYS(system->forces(), says);
  }
  /// What the system was asked for wrongly leaves it as good as new.
  void expect_usable() {
    MechanismState fresh = *system;
    for (MechanismState* s : {system.get(), &fresh}) s->set_forces({}), s->set(0, q, v);
    Vector a(model.nv()), b(model.nv());
    system->acceleration(a), fresh.acceleration(b);
    EXPECT_EQ(a, b);
  }
  Model model;
  Vector q, v;
  std::unique_ptr<MechanismState> system;
};
INSTANTIATE_TEST_SUITE_P(Misuse, Forced, ::testing::Values(Kind::tree, Kind::closed),
                         [](const auto& kind) {
                           return kind.param == Kind::tree ? "tree" : "closed";
                         });

TEST_P(Forced, that_resize_their_output) {
  for (const int more : {-1, 1}) {
    system->set_forces([more](double, const VelocityKinematics& kin, JointForces& out) {
      out.tau = Vector(kin.v().size() + more);
    });
    expect_refused("joint forces");
  }
  expect_usable();
}
TEST_P(Forced, that_use_their_own_system) {
  Vector x(model.nv());
  const std::pair<const char*, std::function<void()>> calls[] = {
      {"set_forces", [&] { system->set_forces({}); }},
      {"set", [&] { system->set(1, q, v); }},
      {"rates", [&] { system->rates(0, q, v, x, x); }},
      {"acceleration", [&] { system->acceleration(x); }},
      {"forces", [&] { system->forces(); }},
  };
  for (const auto& [name, call] : calls) {
    SCOPED_TRACE(name);
    system->set_forces([call = call](double, const VelocityKinematics&, JointForces&) { call(); });
    expect_refused("own");
  }
  expect_usable();
}
/// A copy that a force makes of its system is a system of its own.
TEST_P(Forced, that_copy_their_system) {
  std::unique_ptr<MechanismState> copy;
  system->set_forces([&](double, const VelocityKinematics&, JointForces&) {
    if (!copy) copy = std::make_unique<MechanismState>(*system);
  });
  Vector x(model.nv());
  system->acceleration(x);
  ASSERT_TRUE(copy);
  copy->set_forces({});
  copy->set(1, q, v);
  EXPECT_EQ(copy->at().t, 1);
}
TEST_P(Forced, whose_expansions_change_size) {
  system->set_forces([](double, const VelocityKinematics&, JointForces&) {},
                     [](ForceExpansion& out) { out.stiffness = Vector(out.stiffness.size() + 1); });
  ForceExpansion out;
  EXPECT_SAYS(system->expand_forces(out), "stiffness", "entries");
  system->set_forces([](double, const VelocityKinematics&, JointForces&) {},
                     [&](ForceExpansion&) { system->set_forces({}); });
  EXPECT_SAYS(system->expand_forces(out), "own");
  expect_usable();
}

TEST(Misuse, moments_of_other_sizes) {
  const Model model = test::pendulum();
  const std::vector<std::string> names = {"a", "energy"};
  Evaluation evaluation(model, names, QuantitySource::state);
  const auto refused = [&](auto change, const char* says) {
    EvaluationState moment(model);
    change(moment);
    EXPECT_SAYS(evaluation.at(moment), says);
  };
  refused([](EvaluationState& m) { m.q = Vector(1); }, "q has 1");
  refused([](EvaluationState& m) { m.v = Vector(1); }, "v has 1");
  refused([](EvaluationState& m) { m.a = Vector(1); }, "a has 1");
  refused([](EvaluationState& m) { m.acting.tau = Vector(1); }, "acting.tau has 1");
  refused([](EvaluationState& m) { m.jerk = Vector(1); }, "jerk has 1");
  refused([](EvaluationState& m) { m.motors.tau = Vector(1); }, "motors.tau has 1");
  EvaluationState moment(model);
  EXPECT_NO_THROW(evaluation.at(moment));
}

// Closed mechanisms.

Model four_bar() { return compile(read_mechanism("examples/four_bar.yaml")); }

TEST(Misuse, closed_kinematics_are_evaluated_and_of_the_model) {
  const Model model = four_bar();
  ConstrainedSystem system(model), other(four_bar());
  ClosedKinematics closed(system), foreign(other);
  const Vector q = system.assembled(), v(model.nv());
  const Frame frame = model.bodies()[0].frame;
  EXPECT_SAYS(closed.N(), "at(q, v)");
  EXPECT_SAYS(closed.N_rate(), "at(q, v)");
  EXPECT_SAYS(closed.jacobian(frame, Representation::body), "at(q, v)");
  EXPECT_SAYS(closed.jacobian_rate(frame, Representation::body), "at(q, v)");
  EXPECT_SAYS(closed_inverse_dynamics(system, closed, q, v, v, {0}), "at(q, v)");
  foreign.at(other.assembled(), v);
  EXPECT_SAYS(closed_inverse_dynamics(system, foreign, q, v, v, {0}), "compiled another time");
  closed.at(q, v);
  EXPECT_NO_THROW(closed_inverse_dynamics(system, closed, q, v, v, {0}));
  Vector elsewhere = q;
  elsewhere[0] += 0.1;
  EXPECT_SAYS(closed_inverse_dynamics(system, closed, elsewhere, v, v, {0}),
              "another configuration");
  EXPECT_SAYS(closed.jacobian(frame, static_cast<Representation>(99)), "99");
  EXPECT_SAYS(closed.at(Vector(1), v), "q has 1");
  EXPECT_SAYS(closed.N(), "at(q, v)");
}

TEST(Misuse, constraints_are_updated_first) {
  const Model model = four_bar();
  Constraints constraints(model);
  VelocityKinematics kin(model);
  forward_kinematics(model, model.neutral(), Vector(model.nv()), kin);
  Vector Phi(constraints.constraint_count()), f(model.nv());
  Matrix B;
  EXPECT_SAYS(constraints.rate(kin, Phi), "update");
  EXPECT_SAYS(constraints.matrix(kin, B), "update");
  EXPECT_SAYS(constraints.force(kin, Phi, f), "update");
  constraints.update(kin);
  EXPECT_NO_THROW(constraints.matrix(kin, B));
}

/// A constraint whose matrix is not a number is not redundant.
TEST(Misuse, constraints_have_matrices_of_numbers) {
  struct Broken : Constraint {
    double entry = not_a_number;
    std::string name() const override { return "broken"; }
    int constraint_count() const override { return 1; }
    void constraint_error(const PositionKinematics&, VectorRef Phi) const override {
      Phi.setZero();
    }
    void matrix(const PositionKinematics&, Eigen::Ref<Eigen::MatrixXd> B) const override {
      B(0, 0) = entry;
    }
    void bias(const VelocityKinematics&, VectorRef out) const override { out.setZero(); }
  };
  for (const double entry : {not_a_number, HUGE_VAL}) {
    const auto broken = std::make_shared<Broken>();
    broken->entry = entry;
    EXPECT_SAYS(ConstrainedSystem(test::pendulum(), {.more = {broken}}), "broken", "not finite");
    const Model model = test::pendulum();
    Constraints constraints(model, {.more = {broken}});
    EXPECT_SAYS(analyze(constraints, model.neutral()), "broken", "not finite");
  }
}

// Batches.

class BatchMisuse : public ::testing::Test {
 protected:
  static constexpr int states = 9, bad = 5;
  const Model model = test::pendulum();  // a quaternion, an angle
  Batch<double> batch{model, 2};
  std::vector<double> q, v = std::vector<double>(4 * states, 0.1), out;
  const std::vector<Frame> frames = {model.frame("arm")};

  void set(const std::vector<double>& one) {
    q.clear();
    for (int s = 0; s < states; ++s)
      for (const double x : s == bad ? one : std::vector<double>{0.8, 0.6, 0, 0, 0.3})
        q.push_back(x);
  }
  struct Call {
    const char* name;
    std::size_t entries;
    std::function<void()> call;
  };
  std::vector<Call> calls() {
    const auto hybrid = Representation::hybrid;
    return {
        {"inverse_dynamics", 4, [&] { batch.inverse_dynamics(states, q, v, v, out); }},
        {"forward_dynamics", 4, [&] { batch.forward_dynamics(states, q, v, v, out); }},
        {"mass_matrix", 16, [&] { batch.mass_matrix(states, q, out); }},
        {"mass_matrix_inverse", 16, [&] { batch.mass_matrix_inverse(states, q, out); }},
        {"coriolis_matrix", 16, [&] { batch.coriolis_matrix(states, q, v, out); }},
        {"d_inverse_dynamics", 48, [&] { batch.d_inverse_dynamics(states, q, v, v, out); }},
        {"d_forward_dynamics", 48, [&] { batch.d_forward_dynamics(states, q, v, v, out); }},
        {"link_regressor", 80, [&] { batch.link_regressor(states, q, v, v, out); }},
        {"centroidal_matrices", 48, [&] { batch.centroidal_matrices(states, q, v, out); }},
        {"energies", 2, [&] { batch.energies(states, q, v, out); }},
        {"momenta", 6, [&] { batch.momenta(states, q, v, out); }},
        {"poses", 12, [&] { batch.poses(states, q, frames, out); }},
        {"twists", 6, [&] { batch.twists(states, q, v, frames, hybrid, out); }},
        {"accelerations", 6, [&] { batch.accelerations(states, q, v, v, frames, hybrid, out); }},
        {"jacobians", 24, [&] { batch.jacobians(states, q, frames[0], hybrid, out); }}};
  }
};
TEST_F(BatchMisuse, zero_quaternions_are_named) {
  set({0, 0, 0, 0, 0.3});
  for (const Call& c : calls()) {
    SCOPED_TRACE(c.name);
    out.assign(c.entries * states, 0);
    EXPECT_SAYS(c.call(), "state 5", "ball", "zero");
  }
}
/// They spoil their own state only, and never end as numbers where the state matters.
TEST_F(BatchMisuse, numbers_that_are_not_finite_stay_in_their_state) {
  for (const double x : {not_a_number, HUGE_VAL}) {
    set({0.8, 0.6, 0, 0, x});
    for (const Call& c : calls()) {
      out.assign(c.entries * states, 0);
      try {
        c.call();
      } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("state 5: q[4], of joint 'arm', is not finite"),
                  std::string::npos)
            << c.name << ": " << e.what();
        continue;
      }
      for (int s = 0; s < states; ++s) {
        bool finite = true;
        for (std::size_t k = 0; k < c.entries; ++k)
          finite = finite && std::isfinite(out[static_cast<std::size_t>(s) * c.entries + k]);
        EXPECT_EQ(finite, s != bad) << c.name << ", state " << s;
      }
    }
  }
}
TEST_F(BatchMisuse, results_are_apart_from_arguments) {
  set({1, 0, 0, 0, 0});
  EXPECT_SAYS(batch.inverse_dynamics(states, q, v, v, v), "tau overlaps v");
  EXPECT_SAYS(batch.inverse_dynamics(states, q, v, {}, std::span(q).first(4 * states)),
              "tau overlaps q");
  out.assign(4 * states, 0);
  EXPECT_SAYS(batch.inverse_dynamics(states, q, v, v, out, BatchLayout::rows, {{}, v}),
              "without places");
  EXPECT_SAYS(batch.inverse_dynamics(-1, q, v, v, out), "-1 states");
  EXPECT_SAYS(Batch<double>(model, -1), "-1 threads");
}

// Numbers far away.

TEST(Misuse, splines_through_what_is_too_large) {
  for (const double large : {1e308, 1.7e308})
    EXPECT_SAYS(references::spline({0, 1, 2}, {large, -large, large}), "spline");
  const Reference fine = references::spline({0, 1, 2}, {1e150, -1e150, 1e150});
  for (double t = -0.5; t < 2.5; t += 0.1) EXPECT_TRUE(std::isfinite(fine(t).q)) << t;
}

}  // namespace values_test
