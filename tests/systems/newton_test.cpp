/// Newton's matrix along the tree against the dense one, whose derivatives come from other formulas.
#include "support/newton_steps.hpp"

namespace newton_test {

using namespace chasles;
using namespace chasles::test;

TEST(NewtonMatrix, along_trees_of_all_joints_is_the_dense_one) {
  std::mt19937_64 generator(3);
  for (int k = 0; k < 20; ++k) {
    const Model model = compile(random_mechanism(generator, {.bodies = 16, .tree = k % 2 == 0}));
    MechanismState state(model);
    for (const int stages : {1, 2, 3})
      EXPECT_LT(difference(state, random_states(model, stages, generator),
                           ConstraintLevel::velocity, generator, GeometricStiffness::none),
                1e-14)
          << k << " " << stages;
  }
}

/// @param tolerance  the dense matrix has d(B v)/dq by differences
void check_loops(ConstraintLevel level, double tolerance) {
  std::mt19937_64 generator(5);
  for (int k = 0; k < 12; ++k) {
    const std::vector<JointKind> kinds = plain(loop_kinds());
    const auto one = static_cast<std::size_t>(k) % kinds.size();
    const auto two = static_cast<std::size_t>(k + 3) % kinds.size();
    const LoopedTree tree =
        looped_tree(generator, 14, {kinds[one], kinds[two]}, plain(usual_joint_kinds()));
    const Model model = compile(tree.mechanism);
    ConstrainedSystem state(model, {}, tree.q);
    if (state.mobility().rank < state.constraint_count()) continue;
    for (const int stages : {1, 3}) {
      std::vector<State> at = random_states(model, stages, generator);
      for (State& s : at) s.q = state.assembled();
      EXPECT_LT(difference(state, at, level, generator, GeometricStiffness::full), tolerance)
          << k << " " << stages << " " << state.constraint_count();
    }
  }
}
TEST(NewtonMatrix, with_loops_on_positions_is_the_dense_one) {
  check_loops(ConstraintLevel::position, 1e-13);
}
TEST(NewtonMatrix, with_loops_on_velocities_is_the_dense_one) {
  check_loops(ConstraintLevel::velocity, 1e-8);
}

/// c . q = 0 of entries that are coordinates, as a constraint of the user's.
class LinearConstraint : public Constraint {
 public:
  explicit LinearConstraint(std::vector<std::array<int, 2>> entries)
      : entries_(std::move(entries)) {}
  std::string name() const override { return "linear"; }
  int constraint_count() const override { return 1; }
  void constraint_error(const PositionKinematics& kin, VectorRef Phi) const override {
    Phi[0] = 0;
    for (std::size_t k = 0; k < entries_.size(); ++k)
      Phi[0] += coefficient(k) * kin.q()[entries_[k][0]];
  }
  void matrix(const PositionKinematics&, Eigen::Ref<Eigen::MatrixXd> B) const override {
    for (std::size_t k = 0; k < entries_.size(); ++k) B(0, entries_[k][1]) = coefficient(k);
  }
  void bias(const VelocityKinematics&, VectorRef out) const override { out[0] = 0; }

 private:
  static double coefficient(std::size_t k) { return 1 - 0.3 * static_cast<double>(k); }
  std::vector<std::array<int, 2>> entries_;  // of q, of v
};

/// Couplings, constraints of the user's, loops to ground, and forces, all in one.
TEST(NewtonMatrix, with_couplings_and_user_constraints_is_the_dense_one) {
  std::mt19937_64 generator(12);
  int compared = 0;
  for (int k = 0; k < 10; ++k) {
    const std::vector<JointKind> tree_kinds = plain(usual_joint_kinds());
    LoopedTree tree = looped_tree(generator, 14, {{JointType::spherical}}, tree_kinds);
    const Model plain_model = compile(tree.mechanism);
    std::vector<std::array<int, 2>> scalars;
    Coupling coupling{.name = "gear", .terms = {}, .offset = 0};
    for (const ModelJoint& joint : plain_model.joints())
      if (joint.nv == 1) {
        if (coupling.terms.size() < 3) {
          coupling.terms.push_back(
              {joint.name, 1 + 0.5 * static_cast<double>(coupling.terms.size())});
          coupling.offset += coupling.terms.back().coefficient * tree.q[joint.q_index];
        } else {
          scalars.push_back({joint.q_index, joint.v_index});
        }
      }
    tree.mechanism.couplings.push_back(coupling);
    const Loop to_ground = random_loop(plain_model, tree.q, "to_ground", std::string(ground),
                                       "body9", {JointType::spherical}, generator);
    tree.mechanism.loops.push_back(to_ground);
    const Model model = compile(tree.mechanism);
    ConstraintOptions options;
    if (scalars.size() > 1) options.more = {std::make_shared<LinearConstraint>(scalars)};
    std::unique_ptr<ExactForces<ConstrainedSystem>> state;
    try {
      state = std::make_unique<ExactForces<ConstrainedSystem>>(model, options, tree.q);
    } catch (const Error&) {  // cannot be closed
      continue;
    }
    if (state->mobility().rank < state->constraint_count()) continue;
    ++compared;
    if (k % 2 == 0) act(*state, random_forces(model, in_joints | springs, generator));
    for (const ConstraintLevel level : {ConstraintLevel::position, ConstraintLevel::velocity})
      for (const int stages : {1, 3}) {
        std::vector<State> at = random_states(model, stages, generator);
        for (State& s : at) s.q = state->assembled();
        EXPECT_LT(difference(*state, at, level, generator, GeometricStiffness::full),
                  level == ConstraintLevel::position ? 1e-13 : 1e-8)
            << k << " " << stages << " " << state->constraint_count();
      }
  }
  EXPECT_GE(compared, 5);
}

/// Overconstrained, with the kept equations: without multipliers, since Newton's matrix of a mechanism has only a
/// part of the geometric stiffness of loops.
TEST(NewtonMatrix, of_overconstrained_loops_is_the_dense_one) {
  std::mt19937_64 generator(14);
  for (const SystemCase& of : system_cases()) {
    if (of.name.starts_with("held") || of.name == "rolling") continue;
    const auto system = of.make();
    if (system->constraint_count() == 0 || !system->mechanism()->has_force_tangent()) continue;
    const int n = system->nv(), m = system->constraint_count();
    for (const ConstraintLevel level : {ConstraintLevel::position, ConstraintLevel::velocity})
      for (const int S : {1, 3}) {
        Step step(system->group(), S, generator);
        DenseNewton dense(*system, level, S);
        const auto tree = system->newton(level, S);
        system->set(of.start);
        dense.choose_equations(), tree->choose_equations();
        const Vector none = Vector::Zero(m);
        Matrix r(n, S), g(m, S), d(n, S), mu(m, S);
        for (int i = 0; i < S; ++i) {
          const Vector a = random_vector(n, generator);
          r.col(i) = random_vector(n, generator), g.col(i) = random_vector(m, generator);
          dense.linearize(i, a, none);
          tree->linearize(i, a, none);
        }
        ASSERT_TRUE(dense.factorize(step.relations) && tree->factorize(step.relations)) << of.name;
        tree->solve(r, g, d, mu);
        // Forces of these cases are by differences in the dense matrix.
        EXPECT_LT(dense.backward_error(r, g, d, mu), 1e-8) << of.name << " " << S;
        Vector lambda = mu.col(0);
        tree->project_multipliers(lambda);
        EXPECT_LE((lambda - mu.col(0)).norm(), 1e-12 * mu.col(0).norm()) << of.name;
      }
  }
}

/// Loops whose wrenches depend on the configuration, and loops to ground with either end there. The dense matrix has the
/// derivatives of wrenches by differences.
TEST(NewtonMatrix, with_loops_that_turn_their_wrenches_is_the_dense_one) {
  std::mt19937_64 generator(21);
  int compared = 0;
  for (int k = 0; k < 16; ++k) {
    const JointKind kind{k % 2 == 0 ? JointType::universal : JointType::custom};
    LoopedTree tree = looped_tree(generator, 10, {kind}, plain(usual_joint_kinds()));
    const Model open = compile(tree.mechanism);
    const bool to_ground = k % 4 < 2;
    if (k % 3 > 0)
      tree.mechanism.loops = {
          random_loop(open, tree.q, "loop", to_ground ? "body7" : std::string(ground),
                      to_ground ? std::string(ground) : "body7", kind, generator)};
    const Model model = compile(tree.mechanism);
    ConstrainedSystem state(model, {}, tree.q);
    if (state.mobility().rank < state.constraint_count()) continue;
    ++compared;
    for (const ConstraintLevel level : {ConstraintLevel::position, ConstraintLevel::velocity})
      for (const int stages : {1, 3}) {
        std::vector<State> at = random_states(model, stages, generator);
        for (State& s : at) s.q = state.assembled();
        EXPECT_LT(difference(state, at, level, generator, GeometricStiffness::full), 1e-8)
            << k << " " << stages << " " << state.constraint_count();
        EXPECT_LT(difference(state, at, level, generator, GeometricStiffness::full, {0, 3}), 1e-8)
            << k << " " << stages << " " << state.constraint_count();
      }
  }
  EXPECT_GE(compared, 10);
}

/// Entries of v that are held, of all joints, also some of those of one joint.
TEST(NewtonMatrix, with_held_joints_is_the_dense_one) {
  std::mt19937_64 generator(17);
  for (int k = 0; k < 12; ++k) {
    const Model model = compile(random_mechanism(generator, {.bodies = 14, .tree = k % 2 == 0}));
    MechanismState state(model);
    std::vector<int> held;
    for (int v = 0; v < model.nv(); ++v)
      if (generator() % 3 == 0) held.push_back(v);
    if (k == 0) held.clear();
    if (k == 1)
      for (int v = static_cast<int>(held.size()); v < model.nv(); ++v) held.push_back(v);
    for (const int stages : {1, 2, 3})
      EXPECT_LT(difference(state, random_states(model, stages, generator),
                           ConstraintLevel::velocity, generator, GeometricStiffness::none, held),
                1e-14)
          << k << " " << stages;
  }
  for (int k = 0; k < 6; ++k) {
    const LoopedTree tree = looped_tree(
        generator, 14, {{JointType::revolute}, {JointType::spherical}}, plain(usual_joint_kinds()));
    const Model model = compile(tree.mechanism);
    ConstrainedSystem state(model, {}, tree.q);
    if (state.mobility().rank < state.constraint_count() || state.mobility().mobility < 4) continue;
    std::vector<State> at = random_states(model, 3, generator);
    for (State& s : at) s.q = state.assembled();
    EXPECT_LT(difference(state, at, ConstraintLevel::position, generator, GeometricStiffness::full,
                         {1, model.nv() / 2}),
              1e-13)
        << k;
  }
}

}  // namespace newton_test
