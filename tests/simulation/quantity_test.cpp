/// The list of quantities: computed at a state and recorded in a run, every one of them is the same.
#include "chasles/simulation/quantity.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "chasles/dynamics/energy.hpp"
#include "chasles/kinematics/higher_order.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/simulation/contact.hpp"
#include "chasles/simulation/control.hpp"
#include "chasles/simulation/evaluation.hpp"
#include "chasles/simulation/simulation.hpp"
#include "chasles/textbook/closed_form.hpp"
#include "chasles/textbook/recursive.hpp"
#include "simulation/run.hpp"
#include "support/allocation.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/quantity_name.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

/// Keeps everything.
struct NamedTape : Recorder {
  void sample(const Sample& sample) override {
    states.push_back(sample.state);
    for (std::size_t i = 0; i < sample.values.size(); ++i)
      values[sample.quantities[i].name].push_back(sample.values[i]);
  }
  std::vector<State> states;
  std::map<std::string, std::vector<Eigen::MatrixXd>> values;
};

/// A ball joint, a hinge with a fixed tip, and a slide.
Model robot() {
  return compile(MechanismBuilder("robot")
                     .body("upper", ground, joints::spherical())
                     .inertia(1, {0, 0.1, -1}, Sym3::diagonal(0.1, 0.2, 0.25))
                     .body("lower", "upper", joints::revolute({0, 1, 0}, {0, 0, -1}))
                     .inertia(1, {0.1, 0, -1.5}, Sym3::diagonal(0.1, 0.1, 0.01))
                     .body("tip", "lower", joints::fixed())
                     .inertia(0.1, {0, 0, -2}, Sym3::diagonal(0.01, 0.01, 0.01))
                     .body("slide", "upper", joints::prismatic({1, 0, 0}))
                     .inertia(0.5, {0.2, 0, 0}, Sym3::diagonal(0.1, 0.1, 0.1))
                     .build());
}
/// It moves under forces that store no energy: a state has no springs.
Scenario driven() {
  Scenario s{.model = robot(),
             .start = {1, Eigen::VectorXd{{0.8, 0.6, 0, 0, 0.5, 0.1}},
                       Eigen::VectorXd{{1, 0, 2, -1, 0.3}}},
             .duration = 0.5,
             .every = 0.1};
  s.forces.add(joint_friction(s.model, "lower", {0.1, 0.2, 0.1}));
  s.forces.add(joint_torque(s.model, "slide", {signals::sinusoid({0.5, 1})}));
  const Signal zero = signals::constant(0);
  s.forces.add(body_wrench(s.model, {"lower", {0, 0, -2}},
                           {signals::constant(0.1), zero, zero, signals::sinusoid({1, 0.7}),
                            signals::constant(0.5), zero}));
  s.forces.add(contact(
      s.model,
      {.name = "far away", .balls = {"tip", {Vec3{}}}, .against = {.point = {0, 0, -100}}}));
  return s;
}
/// A name for every row.
std::string example(const QuantityInfo& row) {
  return test::quantity_name(row, {"tip", "tip:hybrid", "lower:spatial", "far away"});
}
bool in(const QuantityInfo& row, QuantitySource source) {
  if (source == QuantitySource::run) return row.stage < QuantityStage::jerk;
  return !only_in_runs(row.stage);
}

TEST(Quantity, recorded_is_what_it_is_at_the_state) {
  Scenario s = driven();
  std::vector<std::string> names;
  for (const QuantityInfo& row : quantity_list())
    if (in(row, QuantitySource::run) && row.stage != QuantityStage::driver)  // quantity_laws.cpp
      names.push_back(example(row));
  s.quantities = names;
  NamedTape tape;
  Simulation(s).run(tape);
  ASSERT_EQ(tape.values.size(), names.size() - 2);  // q and v are in the states
  ASSERT_EQ(tape.states.size(), 6u);

  std::erase_if(names, [&](const std::string& name) {
    return name == "work" || name.starts_with("motor_") || name.starts_with("contact");
  });
  Evaluation evaluation(s.model, names, QuantitySource::state);
  EvaluationState moment(s.model);
  ForwardDynamics forward(s.model);
  VelocityKinematics kin(s.model);
  for (std::size_t k = 0; k < tape.states.size(); ++k) {
    const State& state = tape.states[k];
    moment.q = state.q, moment.v = state.v;
    forward_kinematics(s.model, state.q, state.v, kin);
    moment.acting.tau.setZero(), moment.acting.wrenches.clear();
    s.forces.apply(state.t, kin, moment.acting);
    moment.a = forward_dynamics(s.model, state.q, state.v, moment.acting.tau, forward,
                                moment.acting.wrenches);
    tape.values["q"].push_back(state.q), tape.values["v"].push_back(state.v);
    evaluation.at(moment);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Eigen::MatrixXd got = tape.values[names[i]].at(k), want = evaluation.values()[i];
      EXPECT_TRUE(got.allFinite()) << names[i];
      EXPECT_EQ(got.rows(), evaluation.quantities()[i].rows) << names[i];
      EXPECT_EQ(got.cols(), evaluation.quantities()[i].columns) << names[i];
      if (want.size() == 0) continue;  // multipliers of a tree
      // The power is summed in another order.
      EXPECT_LE((got - want).cwiseAbs().maxCoeff(), 1e-15 * (1 + want.cwiseAbs().maxCoeff()))
          << names[i];
    }
  }
}

TEST(Quantity, rates_of_joint_forces_are_those_along_a_motion) {
  std::mt19937_64 generator(8);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 5, .kinds = {{JointType::revolute}, {JointType::prismatic}}}));
  const int n = model.nv();
  const Eigen::VectorXd q = test::random_configuration(model, generator),
                        v = test::random_vector(n, generator),
                        a = test::random_vector(n, generator),
                        jerk = test::random_vector(n, generator),
                        snap = test::random_vector(n, generator);
  const Model& m = model;
  InverseDynamics work(m);
  const auto force = [&](double t) -> Eigen::VectorXd {
    const double t2 = t * t / 2, t3 = t * t2 / 3, t4 = t * t3 / 4;
    return inverse_dynamics(m, q + t * v + t2 * a + t3 * jerk + t4 * snap,
                            v + t * a + t2 * jerk + t3 * snap, a + t * jerk + t2 * snap, work);
  };
  const std::vector<std::string> names{"inverse_dynamics_rate", "inverse_dynamics_rate2"};
  Evaluation evaluation(m, names, QuantitySource::state);
  EvaluationState moment(m);
  moment.q = q, moment.v = v, moment.a = a, moment.jerk = jerk, moment.snap = snap;
  evaluation.at(moment);
  const Eigen::VectorXd first = test::derivative(force),
                        second = test::derivative([&](double t) -> Eigen::VectorXd {
                          return test::derivative([&](double s) { return force(t + s); });
                        });
  EXPECT_LE((evaluation.values()[0] - first).cwiseAbs().maxCoeff(),
            1e-9 * first.cwiseAbs().maxCoeff());
  EXPECT_LE((evaluation.values()[1] - second).cwiseAbs().maxCoeff(),
            1e-7 * second.cwiseAbs().maxCoeff());
}

TEST(Quantity, list_is_sound) {
  const Model model = robot();
  std::map<std::string_view, int> times;
  for (const QuantityInfo& row : quantity_list()) {
    EXPECT_EQ(++times[row.name], 1) << row.name;
    EXPECT_FALSE(row.unit.empty() || row.meaning.empty()) << row.name;
    EXPECT_EQ(row.shape == Quantity::Shape::number, row.rows == 1 && row.columns == 1) << row.name;
    EXPECT_TRUE(row.shape >= Quantity::Shape::matrix || row.columns == 1) << row.name;
    EXPECT_EQ(row.shape == Quantity::Shape::matrices, !row.parts.empty()) << row.name;
    EXPECT_TRUE(in(row, QuantitySource::run) || in(row, QuantitySource::state)) << row.name;
    EXPECT_NE(quantity_help().find("  " + form(row) + " "), std::string::npos) << row.name;
    for (const QuantitySource source : {QuantitySource::state, QuantitySource::run}) {
      if (!in(row, source)) continue;
      const Quantity q = quantity(model, example(row), source);
      EXPECT_EQ(q.name, example(row));
      EXPECT_EQ(q.unit, row.unit);
    }
  }
}

TEST(Quantity, of_the_list_is_documented) {
  const auto text = [](const char* file) {
    std::ostringstream all;
    all << std::ifstream(file).rdbuf();
    return all.str();
  };
  const std::string table = text("docs/scenario-files.md"), readme = text("README.md");
  for (const QuantityInfo& row : quantity_list()) {
    EXPECT_NE(table.find("| `" + form(row) + "` |"), std::string::npos) << form(row);
    EXPECT_NE(readme.find("`" + std::string(row.name) + "`"), std::string::npos) << row.name;
  }
}

TEST(Quantity, accelerations_are_the_rate_of_velocities) {
  Scenario s = driven();
  s.integrator.tolerance = 1e-13;
  s.every = 1e-3;
  s.quantities = {"a", "energy", "power", "work", "tau", "inverse_dynamics", "forward_dynamics"};
  NamedTape tape;
  Simulation(s).run(tape);
  const auto value = [&](const char* name, std::size_t k) { return tape.values[name][k](0, 0); };
  double most = 0;
  for (std::size_t k = 2; k + 2 < tape.states.size(); ++k) {
    // Central differences of fourth order: h^4 = 1e-12, and the interpolant of the method.
    const auto rate = [&](auto&& x) -> decltype(x(k)) {
      return (8 * (x(k + 1) - x(k - 1)) - (x(k + 2) - x(k - 2))) / (12 * s.every);
    };
    const Eigen::VectorXd dv =
        rate([&](std::size_t i) { return Eigen::VectorXd(tape.states[i].v); });
    EXPECT_LT((dv - tape.values["a"][k]).norm(), 1e-7) << k;
    for (const char* name : {"energy", "work"})
      EXPECT_NEAR(rate([&](std::size_t i) { return value(name, i); }), value("power", k), 1e-7);
    EXPECT_LT((tape.values["inverse_dynamics"][k] - tape.values["tau"][k]).norm(), 1e-10);
    EXPECT_EQ(tape.values["forward_dynamics"][k], tape.values["a"][k]);
    most = std::max(most, tape.values["tau"][k].norm());
  }
  EXPECT_GT(most, 0.1);
}

TEST(Quantity, of_springs_counts_their_energy_but_not_their_power) {
  Scenario s = driven();
  s.forces = {};
  s.forces.add(joint_spring_damper(s.model, "lower", 8));
  s.quantities = {"power", "tau", "potential_energy"};
  NamedTape tape;
  Simulation(s).run(tape);
  EXPECT_EQ(tape.values["power"][0](0, 0), 0);
  EXPECT_DOUBLE_EQ(tape.values["tau"][0](3, 0), -8 * 0.5);
  EvaluationState moment(s.model);
  moment.q = s.start.q;
  Evaluation of_gravity(s.model, std::vector<std::string>{"potential_energy"},
                        QuantitySource::state);
  of_gravity.at(moment);
  EXPECT_NEAR(tape.values["potential_energy"][0](0, 0) - of_gravity.values()[0](0, 0),
              8 * 0.5 * 0.5 / 2, 1e-13);
}

TEST(Quantity, reaction_of_a_pendulum_is_its_tension) {
  // A point mass on a rod below a hinge about y: m g cos q + m l w^2 along the rod, nothing across.
  using test::g;
  const double m = 2, l = 0.7;
  Scenario s{.model = compile(MechanismBuilder("pendulum")
                                  .gravity({0, 0, -g})
                                  .body("bob", ground, joints::revolute({0, 1, 0}))
                                  .inertia(m, {0, 0, -l}, Sym3::diagonal(0, 0, 0))
                                  .build()),
             .start = {0, Eigen::VectorXd{{0.9}}, Eigen::VectorXd{{1.1}}},
             .duration = 1,
             .every = 0.1};
  s.quantities = {"reaction:bob", "reaction:bob:hybrid", "reaction:bob:body"};
  NamedTape tape;
  Simulation(s).run(tape);
  for (std::size_t k = 0; k < tape.states.size(); ++k) {
    const double q = tape.states[k].q[0], w = tape.states[k].v[0];
    const double tension = m * g * std::cos(q) + m * l * w * w;
    const Eigen::MatrixXd& W = tape.values["reaction:bob"][k];
    const Eigen::VectorXd want{{0, 0, 0, 0, 0, tension}};  // towards the hinge: body z
    EXPECT_LT((tape.values["reaction:bob:body"][k] - want).norm(), 1e-13);
    const Eigen::VectorXd own{{0, 0, 0, tension, 0, 0}};  // z of the joint is y, x is body z
    EXPECT_LT((W - own).norm(), 1e-13) << W.transpose();
    const Eigen::VectorXd world{
        {0, 0, 0, tension * std::sin(q), 0, tension * std::cos(q)}};  // body z in world axes
    EXPECT_LT((tape.values["reaction:bob:hybrid"][k] - world).norm(), 1e-13);
  }
}

/// The recursion of the papers gives the reactions of all joints of random trees; its closed forms give both
/// Coriolis matrices.
TEST(Quantity, reactions_and_coriolis_matrices_are_those_of_the_textbook) {
  std::mt19937_64 generator(11);
  for (int round = 0; round < 8; ++round) {
    const Model model = compile(test::random_mechanism(generator, {.bodies = 9, .tree = true}));
    EvaluationState moment(model);
    moment.q = test::random_configuration(model, generator);
    for (Vector* x : {&moment.v, &moment.a}) *x = test::random_vector(model.nv(), generator);
    const auto frame = [&](std::size_t body) { return model.bodies()[body].frame; };
    moment.acting.wrenches = {{frame(3), {{1, -2, 3}, {4, 5, -6}}},
                              {frame(8), {{-2, 1, 0.5}, {3, -1, 2}}, Representation::mixed}};
    const Representation all[] = {Representation::body, Representation::spatial,
                                  Representation::hybrid, Representation::mixed};
    const char* const words[] = {"body", "spatial", "hybrid", "mixed"};
    std::vector<std::string> names{"coriolis", "christoffel"};
    for (const ModelJoint& joint : model.joints())
      names.push_back("reaction:" + joint.name + ":" + words[names.size() % 4]);
    Evaluation evaluation(model, names, QuantitySource::state);
    evaluation.at(moment);
    const auto near = [&](std::size_t k, const Eigen::MatrixXd& want) {
      EXPECT_LT((evaluation.values()[k] - want).norm(), 1e-12 * (1 + want.norm())) << names[k];
    };
    near(0, textbook::coriolis_matrix(model, moment.kin));
    near(1, textbook::christoffel_matrix(model, moment.kin));
    textbook::RecursiveDynamics work(model);
    textbook::inverse_dynamics(model, moment.kin, moment.a, Representation::hybrid, work,
                               moment.acting.wrenches);
    for (std::size_t k = 2; k < names.size(); ++k)
      near(k, to_eigen(textbook::reaction(model, moment.kin, work, k - 2, all[k % 4])));
  }
}

TEST(Quantity, snap_is_the_rate_of_jerk) {
  const Model model = robot();
  std::mt19937_64 generator(3);
  EvaluationState moment(model);
  moment.q = test::random_configuration(model, generator);
  for (Vector* x : {&moment.v, &moment.a, &moment.jerk, &moment.snap})
    *x = test::random_vector(model.nv(), generator);
  Evaluation evaluation(model, std::vector<std::string>{"jerk:tip:body", "snap:tip:body"},
                        QuantitySource::state);
  evaluation.at(moment);
  const Eigen::VectorXd snap = evaluation.values()[1];
  const auto jerk_at = [&](double t) {
    EvaluationState there = moment;
    const Vector step = t * moment.v + t * t / 2 * moment.a;  // on the group: good to O(t^3)
    plus(model, moment.q, step, there.q);
    there.v = moment.v + t * moment.a + t * t / 2 * moment.jerk;
    there.a = moment.a + t * moment.jerk + t * t / 2 * moment.snap;
    there.jerk = moment.jerk + t * moment.snap;
    evaluation.at(there);
    return Eigen::VectorXd(evaluation.values()[0]);
  };
  const double h = 1e-5;
  EXPECT_LT(((jerk_at(h) - jerk_at(-h)) / (2 * h) - snap).norm(), 1e-5 * snap.norm());
}

TEST(Quantity, computes_no_more_than_is_asked_for) {
  const Model model = robot();
  int calls = 0;
  Forces forces;
  Force counter{"counter", model,
                [&](double, const VelocityKinematics&, JointForces&) { ++calls; }};
  counter.law.potential = [](const PositionKinematics&) { return 0.0; };
  forces.add(counter);
  EvaluationState moment(model);
  moment.forces = &forces;
  const auto count = [&](const char* name) {
    calls = 0;
    Evaluation(model, std::vector<std::string>{name}, QuantitySource::run).at(moment);
    return calls;
  };
  EXPECT_EQ(count("pose:tip"), 0);
  EXPECT_EQ(count("energy"), 0);
  EXPECT_EQ(count("tau"), 1);
  EXPECT_EQ(count("reaction:lower"), 1);
}

TEST(Quantity, errors_name_it) {
  const Model model = robot();
  const auto run = [&](const char* name) { return quantity(model, name, QuantitySource::run); };
  const auto state = [&](const char* name) { return quantity(model, name, QuantitySource::state); };
  EXPECT_SAYS(run("enrgy"), "no quantity 'enrgy'", "did you mean 'energy'");
  EXPECT_SAYS(run(""), "no quantity ''");
  EXPECT_SAYS(run("energy:tip"), "quantity 'energy:tip': write energy alone");
  EXPECT_SAYS(run("pose"), "quantity 'pose': write pose:FRAME");
  EXPECT_SAYS(run("twist:tip"), "quantity 'twist:tip': write twist:FRAME:REP");
  EXPECT_SAYS(run("twist:tip:bdy"), "quantity 'twist:tip:bdy'", "did you mean 'body'");
  EXPECT_SAYS(run("pose:tp"), "quantity 'pose:tp'", "did you mean 'tip'");
  EXPECT_SAYS(run("reaction"), "write reaction:JOINT[:REP]");
  EXPECT_SAYS(run("reaction:lowr"), "quantity 'reaction:lowr'", "did you mean 'lower'");
  EXPECT_SAYS(run("reaction:lower:bdy"), "did you mean 'body'");
  EXPECT_SAYS(run("reaction:tip"), "quantity 'reaction:tip'", "no joint 'tip'", "fixed");
  EXPECT_SAYS(run("jerk:tip:body"), "quantity 'jerk:tip:body'", "a run does not have");
  EXPECT_SAYS(run("snap:tip:body"), "quantity 'snap:tip:body'", "jerk and snap");
  EXPECT_SAYS(state("work"), "quantity 'work'", "only a run has it");

  const Model still =
      compile(MechanismBuilder("still").body("rock", ground, joints::fixed()).build());
  EXPECT_SAYS(quantity(still, "com", QuantitySource::state),
              "quantity 'com': nothing that moves has mass");
  const Model leaf = compile(
      MechanismBuilder("leaf").body("feather", ground, joints::revolute({0, 1, 0})).build());
  EvaluationState moment(leaf);
  EXPECT_SAYS(Evaluation(leaf, std::vector<std::string>{"forward_dynamics"}, QuantitySource::state)
                  .at(moment),
              "quantity 'forward_dynamics'", "'feather'");
  EXPECT_SAYS(Evaluation(model, std::vector<std::string>{"com"}, QuantitySource::state).at(moment),
              "the moment");
}

TEST(Quantity, of_names_with_colons) {
  const Model model = compile(MechanismBuilder("colons")
                                  .body("left::arm", ground, joints::revolute({0, 1, 0}))
                                  .inertia(1, {1, 0, 0}, Sym3::diagonal(1, 1, 1))
                                  .build());
  for (const char* name :
       {"pose:left::arm", "twist:left::arm:body", "reaction:left::arm", "reaction:left::arm:mixed"})
    EXPECT_EQ(quantity(model, name, QuantitySource::run).name, name);
}

TEST(Quantity, that_fails_ends_the_run_but_does_not_lose_the_state) {
  Scenario s = driven();
  s.quantities = {"tau", "power"};
  s.integrator = {.method = "mk4", .step = 0.25};
  s.every = 0.25;
  // At the end of the second step, where the work does not look.
  const auto power = [](double t, const VelocityKinematics&) {
    return t > 1.49 ? throw Error("the battery is empty") : 1.0;
  };
  Force motor{"motor", s.model, [](double, const VelocityKinematics&, JointForces&) {}};
  motor.law.power = power;
  s.forces.add(motor);
  Simulation simulation(s);
  NamedTape tape;
  EXPECT_SAYS(simulation.run(tape), "t = 1.5: quantity 'power': the battery is empty");
  ASSERT_EQ(tape.states.size(), 3u);
  EXPECT_EQ(tape.states.back().t, 1.5);
  EXPECT_EQ(tape.states.back().v, simulation.state().v);
  EXPECT_TRUE(tape.states.back().q.allFinite());
  EXPECT_TRUE(tape.values["tau"][1].allFinite());
  EXPECT_TRUE(std::isnan(tape.values["tau"].back()(0, 0)));
  EXPECT_FALSE(simulation.summary().finished);

  Scenario leaf{
      .model = compile(
          MechanismBuilder("leaf").body("feather", ground, joints::revolute({0, 1, 0})).build()),
      .start = {3, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)},
      .duration = 1};
  leaf.quantities = {"mass_matrix_inverse"};
  NamedTape start;
  EXPECT_SAYS(Simulation(leaf).run(start), "t = 3", "'mass_matrix_inverse'", "'feather'");
  EXPECT_EQ(start.states.size(), 1u);
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(Quantity, allocates_at_the_first_moment_only) {
  Scenario s = driven();
  std::vector<std::string> names;
  for (const QuantityInfo& row : quantity_list())
    if (in(row, QuantitySource::run) && row.stage != QuantityStage::driver)  // quantity_laws.cpp
      names.push_back(example(row));
  Evaluation evaluation(s.model, names, QuantitySource::run);
  EvaluationState moment(s.model);
  moment.forces = &s.forces;
  moment.q = s.start.q, moment.v = s.start.v;
  evaluation.at(moment);
  const long before = test::allocations;
  evaluation.at(moment);
  EXPECT_EQ(test::allocations - before, 0);
}

TEST(Control, does_not_allocate) {
  std::mt19937_64 generator(5);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 16, .tree = true}));
  const auto joints = vector_joints(model);
  std::size_t n = 0;
  for (const std::string& name : joints) n += static_cast<std::size_t>(model.joint(name).nv);
  Forces forces;
  forces.add(control(computed_torque(model, joints, std::vector<Reference>(n), {3})));
  Controller c = pd_control(model, joints, std::vector<Reference>(n, 0.2),
                            {.stiffness = {2}, .gravity = true});
  c.period = 0.1, c.delay = 0.33;
  forces.add(control(c));
  VelocityKinematics kin(model);
  forward_kinematics(model, test::random_configuration(model, generator),
                     test::random_vector(model.nv(), generator), kin);
  JointForces out{Vector(model.nv()), {}};
  forces.sample(0, kin);
  forces.apply(0, kin, out);
  const long before = test::allocations;
  for (int k = 1; k < 20; ++k) {
    forces.sample(0.1 * k, kin);
    forces.apply(0.1 * k, kin, out);
    forces.next_break(0.1 * k);
  }
  EXPECT_EQ(test::allocations - before, 0);
}
#endif

}  // namespace
}  // namespace chasles
