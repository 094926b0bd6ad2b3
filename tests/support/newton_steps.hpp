/// Newton's matrix along the tree and the dense one, side by side, and mechanisms and forces to compare them on.
#pragma once

#include <gtest/gtest.h>

#include "chasles/simulation/contact.hpp"
#include "chasles/simulation/forces.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/dense_force_tangent.hpp"
#include "support/random_loops.hpp"
#include "support/system_cases.hpp"
#include "systems/dense_newton.hpp"
#include "systems/mechanism_newton.hpp"

namespace chasles::test {

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
inline double difference(MechanismState& state, const std::vector<State>& stages,
                         ConstraintLevel level, std::mt19937_64& generator,
                         GeometricStiffness stiffness, const std::vector<int>& held = {}) {
  const int S = static_cast<int>(stages.size()), n = state.nv(), m = state.constraint_count();
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
  dense.hold(held), tree->hold(held);
  if (!dense.factorize(step.relations) || !tree->factorize(step.relations)) return 1;
  dense.solve(r, g, d, mu);
  tree->solve(r, g, d_tree, mu_tree);
  EXPECT_TRUE(d_tree.allFinite() && mu_tree.allFinite());
  for (const int k : held) EXPECT_EQ(d_tree.row(k).cwiseAbs().maxCoeff(), 0) << k;
  return dense.backward_error(r, g, d_tree, mu_tree);
}

inline std::vector<State> random_states(const Model& model, int count, std::mt19937_64& generator) {
  std::vector<State> list;
  for (int k = 0; k < count; ++k)
    list.push_back(
        {0.1 * k, random_configuration(model, generator), random_vector(model.nv(), generator)});
  return list;
}

/// Joints whose screws are constant, and loops whose wrenches are: the dense matrix has formulas for these.
inline std::vector<JointKind> plain(std::vector<JointKind> kinds) {
  std::erase_if(kinds, [](const JointKind& k) {
    return k.type == JointType::universal || k.type == JointType::custom ||
           k.type == JointType::fixed || k.group == FloatingGroup::so3xr3;
  });
  return kinds;
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
inline void act(MechanismState& state, const Forces& forces) {
  state.set_forces(forces.function(), {},
                   [forces](double t, const VelocityKinematics& kin, ForceTangent& out) {
                     forces.tangent(t, kin, out);
                   });
}

enum Kinds { in_joints = 1, wrenches = 2, springs = 4, contacts = 8 };
inline Forces random_forces(const Model& model, int kinds, std::mt19937_64& generator) {
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
      if (joint.type == JointType::floating) continue;
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
    if (model.frame(a).link == model.frame(b).link) continue;
    forces.add(point_spring_damper(model, {a, vector()}, {b, vector()}, 90, 4, 0.5));
    ++k;
  }
  if (kinds & contacts)  // deep in the ground
    for (int k = 0; k < bodies; k += 3)
      if (model.frame(name(k)).link >= 0)
        forces.add(contact(
            model,
            {.name = name(k),
             .balls = {name(k), {vector(), vector()}, 0.1},
             .against = {.point = {0, 0, 20}},
             .law = {.stiffness = 30, .dissipation = 0.1, .friction = 0.6, .velocity = 0.5}}));
  return forces;
}

}  // namespace chasles::test
