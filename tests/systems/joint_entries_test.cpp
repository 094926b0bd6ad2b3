/// Coordinates and velocities by the name of their joint, in vectors, states and evaluated states.
#include <gtest/gtest.h>

#include <thread>

#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/systems/model_system.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace joint_entries_test {

Model random_model(std::mt19937_64& generator) {
  return compile(test::random_mechanism(generator, {.bodies = 20, .tree = true}));
}

TEST(JointEntries, are_those_of_the_joint_in_vectors) {
  std::mt19937_64 generator(11);
  const Model model = random_model(generator);
  Vector q = test::random_configuration(model, generator);
  std::vector<double> v(static_cast<std::size_t>(model.nv()), 0);
  double number = 0;
  for (const ModelJoint& joint : model.joints()) {
    for (int k = 0; k < joint.nq; ++k)
      EXPECT_EQ(q_of(model, q, joint.name)[k], q[joint.q_index + k]);
    EXPECT_EQ(q_of(model, std::as_const(q), joint).vector(), q.segment(joint.q_index, joint.nq));
    Vector numbers(joint.nv);
    for (double& x : numbers) x = ++number;
    v_of(model, v, joint.name) = numbers;
  }
  // Joints in order have all entries, each once.
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(v[i], static_cast<double>(i + 1));
  Eigen::MatrixXd states(model.nq(), 2);
  states.setZero();
  const ModelJoint& last = model.joints().back();
  q_of(model, states.col(1), last) = q_of(model, q, last).vector();
  EXPECT_EQ(states.col(0).norm(), 0);
  EXPECT_EQ(states.col(1).tail(last.nq), q.tail(last.nq));
}

TEST(JointEntries, of_one_coordinate_are_numbers) {
  const Model model = compile(test::random_mechanism(
      *std::make_unique<std::mt19937_64>(3), {.bodies = 3, .kinds = {{JointType::revolute}}}));
  ModelState x(model);
  x["joint1"].q = 0.25;
  x["joint1"].q += 0.5;
  x["joint2"].q = x["joint1"].q;
  x["joint0"].v = 2;
  x["joint0"].v -= 0.5;
  EXPECT_EQ(x.q, (Vector{0, 0.75, 0.75}));
  EXPECT_EQ(x.v, (Vector{1.5, 0, 0}));
  const ModelState& fixed = x;
  const double read = fixed["joint2"].q;
  EXPECT_EQ(read, 0.75);
  const State plain = x;  // goes where states go
  EXPECT_EQ(plain.q, x.q);
  EXPECT_EQ((ModelState(model, plain)["joint1"].q), 0.75);
}

TEST(JointEntries, of_an_evaluated_state_are_set) {
  std::mt19937_64 generator(12);
  const Model model = random_model(generator);
  MechanismState state(model), expected(model);
  for (int round = 0; round < 2; ++round)
    for (const ModelJoint& joint : model.joints()) {
      const Vector q = test::random_configuration(model, generator),
                   v = test::random_vector(model.nv(), generator);
      State wanted = state.at();
      wanted.q.segment(joint.q_index, joint.nq) = q.segment(joint.q_index, joint.nq);
      wanted.v.segment(joint.v_index, joint.nv) = v.segment(joint.v_index, joint.nv);
      Vector before(model.nv()), a(model.nv()), b(model.nv());
      state.acceleration(before);  // everything is known there
      state[joint.name].q = q_of(model, q, joint).vector();
      state[joint].v = v_of(model, v, joint).vector();
      EXPECT_EQ(state.at().q, wanted.q);
      EXPECT_EQ(state.at().v, wanted.v);
      EXPECT_EQ(std::as_const(state)[joint].v.vector(), v.segment(joint.v_index, joint.nv));
      state.acceleration(a);
      expected.set(wanted);
      expected.acceleration(b);
      EXPECT_EQ(a, b) << joint.name;
      EXPECT_NE(a, before);
    }
  const long serial = state.serial();
  state["joint3"].v = std::as_const(state)["joint3"].v.vector();  // onto itself
  EXPECT_EQ(state.serial(), serial + 1);
}

TEST(JointEntries, that_are_not_there_are_errors) {
  std::mt19937_64 generator(13);
  const Model model = random_model(generator), other = compile(test::random_mechanism(generator));
  ModelState x(model);
  MechanismState state(model);
  EXPECT_SAYS(x["joit3"], "has no joint 'joit3'", "did you mean 'joint3'?");
  EXPECT_SAYS(state["joit3"], "has no joint 'joit3'", "did you mean 'joint3'?");
  EXPECT_SAYS(q_of(model, x.v, "joint1"), "q has", "the model needs");
  EXPECT_SAYS(v_of(model, x.q, "joint1"), "v has", "the model needs");
  EXPECT_SAYS(x[other.joints()[4]], "is not one of model 'random'");
  EXPECT_SAYS(state[other.joints()[4]], "is not one of model 'random'");
  for (const ModelJoint& joint : model.joints()) {
    if (joint.nq == 1) continue;
    EXPECT_SAYS(double(x[joint].q), joint.name, "has " + std::to_string(joint.nq), "vector()");
    EXPECT_SAYS(x[joint].q = 1, joint.name, "has 1 entries", std::to_string(joint.nq));
    EXPECT_SAYS(state[joint].q = 1, joint.name, "has 1 entries", std::to_string(joint.nq));
    EXPECT_SAYS(x[joint].q[joint.nq], "entry " + std::to_string(joint.nq), joint.name);
    EXPECT_SAYS(x[joint].q[-1], "entry -1", joint.name);
  }
  EXPECT_SAYS(state.set_q(model.nq() - 1, Vector(2)), "2 entries from q[", "which has");
  EXPECT_SAYS(state.set_v(-1, Vector(1)), "v[-1]");
  Eigen::MatrixXd rows(2, model.nv());
  EXPECT_SAYS(v_of(model, rows.row(0), "joint1"), "v is not contiguous");
  const State before = state.at();
  state.set_forces([&](double, const VelocityKinematics&, JointForces&) {
    state["joint0"].q = Vector(state.model().joint("joint0").nq);
  });
  Vector a(model.nv());
  EXPECT_SAYS(state.acceleration(a), "a force uses the system");
  EXPECT_EQ(state.at().q, before.q);
}

}  // namespace joint_entries_test
}  // namespace chasles
