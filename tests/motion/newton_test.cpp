/// Newton's matrix along the tree against the dense one, whose derivatives come from other formulas.
#include <gtest/gtest.h>

#include "chasles/integrators/integrator.hpp"
#include "chasles/lie/geodesic.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/motion/constrained_system.hpp"
#include "chasles/simulation/contact.hpp"
#include "chasles/simulation/forces.hpp"
#include "motion/dense_newton.hpp"
#include "motion/mechanism_newton.hpp"
#include "support/dense_force_tangent.hpp"
#include "support/random_loops.hpp"
#include "support/system_cases.hpp"

namespace newton_test {

using namespace chasles;
using namespace chasles::test;

/// Relations of a step with S stages, and states of them.
struct Step {
  StageRelations relations;
  Matrix x, v, w;

  Step(const Group& group, int stages, std::mt19937_64& generator)
      : relations(group, stages), x(group.nv(), stages), v(x), w(stages, stages) {
    std::normal_distribution<double> dice;
    for (double* p = x.data(); p != x.data() + x.size(); ++p) *p = 0.1 * dice(generator);
    for (double* p = v.data(); p != v.data() + v.size(); ++p) *p = dice(generator);
    for (int i = 0; i < stages; ++i)
      for (int j = 0; j < stages; ++j) w(i, j) = (i == j ? 20 : 0) + 5 * dice(generator);
    if (stages == 1)
      relations.newmark(x.col(0), 30, 900);
    else
      relations.collocation(x, v, w);
  }
};

/// The backward error of the solution along the tree in the dense equations.
double difference(MechanismState& state, const std::vector<State>& stages, ConstraintLevel level,
                  std::mt19937_64& generator, GeometricStiffness stiffness) {
  const int S = static_cast<int>(stages.size()), n = state.nv(), m = state.rows();
  Step step(state.group(), S, generator);
  DenseNewton dense(state, level, S);
  const auto tree = make_tree_newton(state.model(), state.constraints(), level, S,
                                     m > 0 || state.has_forces(), stiffness);
  Matrix r(n, S), g(m, S), d(n, S), d_tree(n, S), mu(m, S), mu_tree(m, S);
  for (int i = 0; i < S; ++i) {
    const Vector a = random_vector(n, generator), lambda = random_vector(m, generator);
    r.col(i) = random_vector(n, generator), g.col(i) = random_vector(m, generator);
    state.set(stages[static_cast<std::size_t>(i)]);
    dense.linearize(i, a, lambda);
    state.constraint_error(Vector(m));
    tree->linearize(i,
                    {state.kinematics(a), a, state.forces().wrenches, state.force_tangent(),
                     state.constraints()},
                    lambda);
  }
  if (!dense.factorize(step.relations) || !tree->factorize(step.relations)) return 1;
  dense.solve(r, g, d, mu);
  tree->solve(r, g, d_tree, mu_tree);
  EXPECT_TRUE(d_tree.allFinite() && mu_tree.allFinite());
  return dense.backward_error(r, g, d_tree, mu_tree);
}

std::vector<State> random_states(const Model& model, int count, std::mt19937_64& generator) {
  std::vector<State> list;
  for (int k = 0; k < count; ++k)
    list.push_back(
        {0.1 * k, random_configuration(model, generator), random_vector(model.nv(), generator)});
  return list;
}

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

/// Joints whose screws are constant, and loops whose wrenches are: the dense matrix has formulas for these.
std::vector<JointKind> plain(std::vector<JointKind> kinds) {
  std::erase_if(kinds, [](const JointKind& k) {
    return k.type == JointType::universal || k.type == JointType::custom ||
           k.type == JointType::fixed || k.group == FreeGroup::so3xr3;
  });
  return kinds;
}

/// @param tolerance  the dense matrix has d(B v)/dq by differences
void check_loops(ConstraintLevel level, double tolerance) {
  std::mt19937_64 generator(5);
  for (int k = 0; k < 12; ++k) {
    const std::vector<JointKind> kinds = plain(loop_kinds());
    const auto one = static_cast<std::size_t>(k) % kinds.size();
    const auto two = static_cast<std::size_t>(k + 3) % kinds.size();
    const LoopedTree tree =
        looped_tree(generator, 14, {kinds[one], kinds[two]}, plain(all_joint_kinds()));
    const Model model = compile(tree.mechanism);
    ConstrainedSystem state(model, {}, tree.q);
    if (state.mobility().rank < state.rows()) continue;
    for (const int stages : {1, 3}) {
      std::vector<State> at = random_states(model, stages, generator);
      for (State& s : at) s.q = state.assembled();
      EXPECT_LT(difference(state, at, level, generator, GeometricStiffness::full), tolerance)
          << k << " " << stages << " " << state.rows();
    }
  }
}
TEST(NewtonMatrix, with_loops_on_positions_is_the_dense_one) {
  check_loops(ConstraintLevel::position, 1e-13);
}
TEST(NewtonMatrix, with_loops_on_velocities_is_the_dense_one) {
  check_loops(ConstraintLevel::velocity, 1e-8);
}

/// With the derivatives of forces assembled densely from their tangents, by Jacobians and their rates.
template <class Base>
class ExactForces : public Base {
 public:
  using Base::Base;
  void tangent(ConstVectorRef a, MechanicalSystem::Tangent& out) override {
    InverseDynamicsDerivatives work(this->model());
    const auto& d = d_inverse_dynamics(this->model(), this->at().q, this->at().v, a, work);
    out.K = d.dq(), out.D = d.dv(), out.M = d.da();
    const DenseForceTangent forces =
        DenseAssembly(this->model(), this->at().q, this->at().v)(this->force_tangent());
    out.K -= forces.by_q, out.D -= forces.by_v;
  }
};
void act(MechanismState& state, const Forces& forces) {
  state.set_forces(forces.function(), {},
                   [forces](double t, const VelocityKinematics& kin, ForceTangent& out) {
                     forces.tangent(t, kin, out);
                   });
}

enum Kinds { in_joints = 1, wrenches = 2, springs = 4, contacts = 8 };
Forces random_forces(const Model& model, int kinds, std::mt19937_64& generator) {
  std::normal_distribution<double> dice;
  const auto vector = [&] { return Vec3{dice(generator), dice(generator), dice(generator)}; };
  const auto bodies = static_cast<int>(model.bodies().size());
  std::uniform_int_distribution<int> any(-1, bodies - 1);
  const auto name = [](int k) { return k < 0 ? std::string(ground) : "body" + std::to_string(k); };
  Forces forces;
  if (kinds & in_joints)
    for (const ModelJoint& joint : model.joints()) {
      if (joint.nv == 0) continue;
      forces.add(joint_friction(model, joint.name, {0.4, 3, 0.5}));
      if (joint.type == JointType::free) continue;
      std::vector<double> rest(static_cast<std::size_t>(joint.nq), 0.3);
      if (joint.type == JointType::spherical) rest = {0.8, 0, 0.6, 0};
      forces.add(joint_spring_damper(model, joint.name, 70, 3, rest));
    }
  if (kinds & wrenches)
    for (const Representation representation : {Representation::body, Representation::spatial,
                                                Representation::hybrid, Representation::mixed})
      forces.add(body_wrench(model, {name(std::abs(any(generator))), vector()},
                             {1.0, -2.0, 3.0, 20.0, 10.0, -5.0}, representation));
  for (int k = 0; kinds & springs && k < 6;) {
    const std::string a = k == 0 ? std::string(ground) : name(any(generator)),
                      b = name(any(generator));
    if (model.place(a).link == model.place(b).link) continue;
    forces.add(point_spring_damper(model, {a, vector()}, {b, vector()}, 90, 4, 0.5));
    ++k;
  }
  if (kinds & contacts)  // deep in the ground
    for (int k = 0; k < bodies; k += 3)
      if (model.place(name(k)).link >= 0)
        forces.add(contact(
            model,
            {.name = name(k),
             .balls = {name(k), {vector(), vector()}, 0.1},
             .against = {.point = {0, 0, 20}},
             .law = {.stiffness = 30, .dissipation = 0.1, .friction = 0.6, .velocity = 0.5}}));
  return forces;
}

/// Backward errors of the equations with K and D of forces: cancellation of large moments about the origin of
/// the world leaves one or two digits less than without.
TEST(NewtonMatrix, with_forces_is_the_dense_one) {
  std::mt19937_64 generator(9);
  for (const int kinds : {1, 2, 4, 8, 15})
    for (int k = 0; k < 3; ++k) {
      const Model model = compile(random_mechanism(generator, {.bodies = 9, .tree = k % 2 == 0}));
      ExactForces<MechanismState> state(model);
      act(state, random_forces(model, kinds, generator));
      for (const int stages : {1, 3})
        EXPECT_LT(difference(state, random_states(model, stages, generator),
                             ConstraintLevel::velocity, generator, GeometricStiffness::none),
                  1e-13)
            << kinds << " " << k << " " << stages;
    }
}
/// The dense matrix as implicit methods use it: forces by differences.
TEST(NewtonMatrix, with_forces_by_differences_is_near) {
  std::mt19937_64 generator(10);
  for (int k = 0; k < 4; ++k) {
    const Model model = compile(random_mechanism(generator, {.bodies = 12, .tree = k % 2 == 0}));
    MechanismState state(model);
    act(state, random_forces(model, 7, generator));
    EXPECT_LT(difference(state, random_states(model, 1, generator), ConstraintLevel::velocity,
                         generator, GeometricStiffness::none),
              1e-8);
  }
}

/// c . q = 0 of entries that are coordinates, as a constraint of the user's.
class LinearConstraint : public Constraint {
 public:
  explicit LinearConstraint(std::vector<std::array<int, 2>> entries)
      : entries_(std::move(entries)) {}
  std::string name() const override { return "linear"; }
  int rows() const override { return 1; }
  void residual(const PositionKinematics& kin, VectorRef Phi) const override {
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
    const std::vector<JointKind> tree_kinds = plain(all_joint_kinds());
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
    if (state->mobility().rank < state->rows()) continue;
    ++compared;
    if (k % 2 == 0) act(*state, random_forces(model, in_joints | springs, generator));
    for (const ConstraintLevel level : {ConstraintLevel::position, ConstraintLevel::velocity})
      for (const int stages : {1, 3}) {
        std::vector<State> at = random_states(model, stages, generator);
        for (State& s : at) s.q = state->assembled();
        EXPECT_LT(difference(*state, at, level, generator, GeometricStiffness::full),
                  level == ConstraintLevel::position ? 1e-13 : 1e-8)
            << k << " " << stages << " " << state->rows();
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
    if (system->rows() == 0 || !system->mechanism()->has_force_tangent()) continue;
    const int n = system->nv(), m = system->rows();
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

/// Wrenches of universal and custom loops depend on q, and the tree leaves their derivative out: Newton's
/// iteration converges all the same.
TEST(NewtonMatrix, with_universal_loops_converges) {
  for (const JointType type : {JointType::universal, JointType::custom})
    for (const char* method : {"generalized_alpha", "radau5"}) {
      std::mt19937_64 generator(3);
      const LoopedTree tree = looped_tree(generator, 9, {{type}, {type}});
      const Model model = compile(tree.mechanism);
      ConstrainedSystem system(model, {}, tree.q);
      const State start =
          on_constraints(system, system.assembled(), random_vector(model.nv(), generator, 0.2));
      const auto integrator = make_integrator(system, {.method = method, .step = 1e-3});
      integrator->reset(start);
      for (int k = 0; k < 30; ++k) integrator->step(1);
      RecordProperty(std::string(method) + "_iterations",
                     std::to_string(integrator->statistics().iterations));
      EXPECT_LE(integrator->statistics().iterations, 6 * 30) << method;
    }
}

Mechanism long_chain(int n) {
  MechanismBuilder b("chain");
  for (int k = 0; k < n; ++k) {
    const Vec3 axis = k % 2 == 0 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}, at{0, 0, -0.1 * k};
    b.body("b" + std::to_string(k), k == 0 ? std::string(ground) : "b" + std::to_string(k - 1),
           joints::revolute(axis, at))
        .pose({{}, at})
        .inertia(1, {0.02, 0.01, -0.05}, Sym3::diagonal(0.02, 0.02, 0.01));
  }
  return b.build();
}
/// Bodies that a factorization and a solution visit.
long visits(MechanismState& state) {
  const int n = state.nv(), m = state.rows();
  const auto tree = make_tree_newton(state.model(), state.constraints(), ConstraintLevel::velocity,
                                     1, m > 0, GeometricStiffness::free);
  const Vector a = Vector::Zero(n), lambda = Vector::Zero(m);
  state.constraint_error(Vector(m));
  tree->linearize(
      0,
      {state.kinematics(a), a, state.forces().wrenches, state.force_tangent(), state.constraints()},
      lambda);
  StageRelations relations(state.group(), 1);
  relations.newmark(a, 100, 1e4);
  EXPECT_TRUE(tree->factorize(relations));
  Matrix r(n, 1), g(m, 1), d(n, 1), mu(m, 1);
  tree->solve(r, g, d, mu);
  return tree->visits();
}

TEST(NewtonMatrix, work_grows_with_the_number_of_bodies) {
  const auto of_chain = [](int n) {
    MechanismState state(compile(long_chain(n)));
    return visits(state);
  };
  const auto of_freed = [](int n, FreedGroup group) {
    ConstrainedSystem state(compile(freed(long_chain(n), group)));
    return visits(state);
  };
  const long first = of_chain(10);
  EXPECT_GT(first, 0);
  EXPECT_LE(of_chain(40), 4 * first);
  EXPECT_LE(of_chain(160), 16 * first);
  for (const FreedGroup group : {FreedGroup::se3, FreedGroup::so3xr3}) {
    const long small = of_freed(10, group);
    EXPECT_LE(of_freed(40, group), 4 * small);
  }
}

/// One kinematics pass per Newton iteration, and a number per step that does not depend on the mechanism: new
/// factors, and with constraints the equations at the start and the projection at the end.
TEST(NewtonMatrix, an_iteration_of_generalized_alpha_is_one_kinematics_pass) {
  const auto count = [](MechanismState& state, const State& start, const std::string& name,
                        int most_a_step) {
    const auto integrator = make_integrator(state, {.method = "generalized_alpha", .step = 1e-3});
    integrator->reset(start);
    for (int k = 0; k < 5; ++k) integrator->step(1);
    const long passes = state.passes(), iterations = integrator->statistics().iterations;
    for (int k = 0; k < 40; ++k) integrator->step(1);
    const long more = state.passes() - passes - (integrator->statistics().iterations - iterations);
    RecordProperty(name, std::to_string(more) + " more in 40 steps, " +
                             std::to_string(integrator->statistics().iterations - iterations) +
                             " iterations");
    EXPECT_GE(more, 0) << name;
    EXPECT_LE(more, 40L * most_a_step) << name;
  };
  for (const int n : {10, 40}) {
    const Model model = compile(long_chain(n));
    MechanismState tree(model);
    count(tree, {0, Vector::Constant(n, 0.1), Vector::Zero(n)}, "tree_" + std::to_string(n), 2);
    MechanismState with_forces(model);
    add_forces(with_forces, true);
    count(with_forces, {0, Vector::Constant(n, 0.1), Vector::Zero(n)},
          "forces_" + std::to_string(n), 2);
  }
  for (const int n : {5, 10}) {
    const SystemCase of = absolute_case("freed", long_chain(n), FreedGroup::se3);
    const auto system = of.make();
    count(*system->mechanism(), of.start, "freed_" + std::to_string(n), 4);
  }
}

/// The tableau of Gauss with two stages, and what centered_collocation differentiates.
struct Centered {
  const Group& group;
  double h = 0.1;
  Matrix a{2, 2}, w{2, 2};
  Vector b{0.5, 0.5}, q_0, v_0;

  Centered(const MechanismState& state, std::mt19937_64& generator)
      : group(state.group()),
        q_0(random_configuration(state.model(), generator)),
        v_0(random_vector(state.nv(), generator)) {
    const double r = std::sqrt(3.0) / 6;
    a << 0.25, 0.25 - r, 0.25 + r, 0.25;
    w = Matrix(Eigen::MatrixXd(a).inverse()) / h;
  }
  /// q_i, v_i and a_i of the unknowns z = h K.
  void stages(const Matrix& z, std::vector<Vector>& q, Matrix& v, Matrix& acc, Vector& x,
              Matrix& y) const {
    x = b[0] * z.col(0) + b[1] * z.col(1);
    const Vector half = 0.5 * x;
    Vector q_m(group.nq());
    group.plus(q_0, half, q_m);
    q.assign(2, q_m);
    for (int i = 0; i < 2; ++i) {
      y.col(i) = (a(i, 0) - b[0] / 2) * z.col(0) + (a(i, 1) - b[1] / 2) * z.col(1);
      const Vector K = z.col(i) / h;
      group.plus(q_m, y.col(i), q[static_cast<std::size_t>(i)]);
      group.dexp(y.col(i), K, v.col(i));
    }
    for (int i = 0; i < 2; ++i)
      acc.col(i) = w(i, 0) * (v.col(0) - v_0) + w(i, 1) * (v.col(1) - v_0);
  }
};

TEST(StageRelations, of_centered_collocation_are_its_differences) {
  std::mt19937_64 generator(8);
  for (int k = 0; k < 6; ++k) {
    const Model model = compile(random_mechanism(generator, {.bodies = 10, .tree = true}));
    const MechanismState state(model);
    const int n = model.nv();
    const Centered at(state, generator);
    Matrix z(n, 2), d(n, 2), y(n, 2), v(n, 2), acc(n, 2);
    for (int i = 0; i < 2; ++i) {
      z.col(i) = random_vector(n, generator, 0.3);
      d.col(i) = random_vector(n, generator);
    }
    Vector x(n), x_near(n), dq(n);
    std::vector<Vector> q;
    at.stages(z, q, v, acc, x, y);
    StageRelations relations(at.group, 2);
    relations.centered_collocation(x, y, v, at.a, at.b, at.w, at.h);
    Matrix got_q(n, 2), got_v(n, 2), got_a(n, 2);
    relations.apply_q(d, got_q), relations.apply_v(d, got_v), relations.apply_a(d, got_a);
    // Central differences of order 4: errors of 1e-3^4 and of rounding / 1e-3.
    const double e = 1e-3;
    Matrix want_q(n, 2), want_v(n, 2), want_a(n, 2), y_near(n, 2), v_near(n, 2), a_near(n, 2);
    want_q.setZero(), want_v.setZero(), want_a.setZero();
    for (const auto& [steps, weight] :
         {std::pair{1, 2 / 3.}, {-1, -2 / 3.}, {2, -1 / 12.}, {-2, 1 / 12.}}) {
      const Matrix near = z + steps * e * d;
      std::vector<Vector> q_near;
      at.stages(near, q_near, v_near, a_near, x_near, y_near);
      for (int i = 0; i < 2; ++i) {
        at.group.minus(q_near[static_cast<std::size_t>(i)], q[static_cast<std::size_t>(i)], dq);
        want_q.col(i) += weight / e * dq;
      }
      want_v += weight / e * v_near, want_a += weight / e * a_near;
    }
    EXPECT_LT((got_q - want_q).cwiseAbs().maxCoeff(), 1e-9) << k;
    EXPECT_LT((got_v - want_v).cwiseAbs().maxCoeff(), 1e-8) << k;
    EXPECT_LT((got_a - want_a).cwiseAbs().maxCoeff(), 1e-6) << k;  // a is 100 v
  }
}

/// Springs in joints at all times, between bodies and to ground only after the first stage: then displacements
/// begin to matter by themselves. The dense matrix has the derivatives of forces by differences.
TEST(NewtonMatrix, with_forces_that_come_and_go_is_the_dense_one) {
  std::mt19937_64 generator(7);
  MechanismBuilder builder("chain");
  std::string last{ground};
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    builder.body(name, last, joints::revolute(random_tangent<Vec3>(generator, 1), {}, In::body))
        .pose({random_rotation<double>(generator), {0.3, 0.1, 0.2}}, In::parent)
        .inertia(2, {0.1, 0, 0.2}, Sym3::diagonal(0.3, 0.4, 0.5));
    last = name;
  }
  const Model model = compile(builder.build());
  Forces always, later;
  for (const char* joint : {"a", "b", "c", "d", "e"})
    always.add(joint_spring_damper(model, joint, 50, 2)), later.add(always.list().back());
  later.add(point_spring_damper(model, {"b", {0.1, 0.2, 0}}, {"e", {0, 0, 0.3}}, 40, 3, 0.2));
  later.add(
      point_spring_damper(model, {std::string(ground), {1, 0, 0}}, {"d", {0, 0.1, 0}}, 30, 1, 0.1));
  MechanismState state(model);
  state.set_forces([&](double t, const VelocityKinematics& kin,
                       JointForces& out) { (t > 0.05 ? later : always).apply(t, kin, out); },
                   {},
                   [&](double t, const VelocityKinematics& kin, ForceTangent& out) {
                     (t > 0.05 ? later : always).tangent(t, kin, out);
                   });
  for (const int stages : {1, 2, 3})
    EXPECT_LT(difference(state, random_states(model, stages, generator), ConstraintLevel::velocity,
                         generator, GeometricStiffness::none),
              1e-9)
        << stages;
}

}  // namespace newton_test
