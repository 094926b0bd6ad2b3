/// Constrained dynamics is a function of the state: what was evaluated before changes no bit.
#include <gtest/gtest.h>

#include "chasles/constraints/maximal_state.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "studies/mechanisms/andrews.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "studies/mechanisms/platforms.hpp"
#include "support/overconstrained.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace memory_test {

struct Case {
  std::string name;
  Model model;
  Vector near;               // empty: q = 0
  std::vector<Vector> wild;  // besides those of all
};

Case looped(const char* name, std::uint64_t seed, const std::vector<test::JointKind>& kinds) {
  std::mt19937_64 generator(seed);
  const test::LoopedTree tree = test::looped_tree(generator, 9, kinds);
  return {name, compile(tree.mechanism), tree.q, {}};
}
Case absolute(const Mechanism& mechanism, BodyGroup group) {
  const Model tree = compile(mechanism), model = compile(to_maximal_coordinates(mechanism, group));
  VelocityKinematics kin(tree);
  forward_kinematics(tree, tree.neutral(), Vector::Zero(tree.nv()), kin);
  Vector q(model.nq()), v(model.nv());
  maximal_state(kin, model, q, v);
  return {mechanism.name + (group == BodyGroup::se3 ? "_se3" : "_so3xr3"), model, q, {}};
}

std::vector<Case> all_cases() {
  using enum JointType;
  const Model andrews = compile(studies::andrews());
  std::vector<Case> list{{"four_bar", compile(studies::four_bar()), {}, {}},
                         {"bricard", compile(studies::bricard()), {}, {}},
                         {"bennett", compile(test::bennett()), {}, {}},
                         {"andrews", andrews, studies::andrews_start(andrews).q, {}},
                         {"stewart", compile(studies::stewart()), {}, {}},
                         {"delta", compile(studies::delta()), {}, {}},
                         {"differential", compile(studies::differential()), {}, {}},
                         {"governor", compile(test::governor()), {}, {}},
                         {"ring", compile(test::ring(custom)), {}, {}},
                         looped("universal", 3, {{universal}, {universal}}),
                         looped("custom", 4, {{custom}, {custom}}),
                         looped("helical", 5, {{helical}, {cylindrical}, {planar}})};
  // Four-bars in line: exactly singular.
  list.push_back({"four_bars", compile(studies::n_four_bar(2)), {}, {}});
  list.back().wild.push_back(Vector{M_PI / 2, -M_PI / 2, M_PI / 2, -M_PI / 2, M_PI / 2});
  // Gimbal lock.
  list.push_back({"slot", compile(test::ball_in_slot()), {}, {}});
  list.back().wild.push_back(Vector{std::sqrt(0.5), std::sqrt(0.5), 0, 0, 0, 0, 0});
  for (const BodyGroup group : {BodyGroup::se3, BodyGroup::so3xr3})
    for (const Mechanism& m : {test::bennett(), test::governor(), studies::four_bar()})
      list.push_back(absolute(m, group));
  return list;
}

/// All that is computed at a state, in one order or the other; where it throws, one number.
std::vector<double> everything(ConstrainedSystem& system, const State& at, const Vector& b,
                               const Vector& c, bool backward = false) {
  std::vector<double> parts[4];
  const int n = system.nv();
  for (int i = 0; i < 4; ++i) {
    const int k = backward ? 3 - i : i;
    std::vector<double>& out = parts[k];
    const auto add = [&](const Vector& x) { out.insert(out.end(), x.begin(), x.end()); };
    Vector velocity(n), a(n), lambda(system.constraint_count());
    State state = at;
    try {
      if (k == 0) system.rates(0.5, at.q, at.v, velocity, a), add(a), add(system.multipliers());
      if (k == 1) add(system.forward_dynamics(at.q, at.v, b)), add(system.multipliers());
      if (k == 2) system.set(at), system.solve(b, c, a, lambda), add(a), add(lambda);
      if (k == 3) system.project(state), add(state.q), add(state.v);
    } catch (const Error&) {
      out = {-1};
    }
  }
  std::vector<double> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return x == y || (std::isnan(x) && std::isnan(y));
         });
}

class NoMemory : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Constraints, NoMemory, ::testing::Range(0, 20));

TEST_P(NoMemory, wild_states_leave_nothing_behind) {
  const std::vector<Case> cases = all_cases();
  ASSERT_EQ(cases.size(), 20u);
  const Case& of = cases[static_cast<std::size_t>(GetParam())];
  const Model& model = of.model;
  std::mt19937_64 generator(7);
  ConstrainedSystem system(model, {}, of.near), untouched = system;
  const Vector b = test::random_vector(model.nv(), generator),
               c = test::random_vector(system.constraint_count(), generator);
  State A{0, system.assembled(), test::random_vector(model.nv(), generator)};
  const Vector aside = 1e-3 * test::random_vector(model.nv(), generator);
  plus(model, system.assembled(), aside, A.q);

  std::vector<State> others;
  for (const double size : {0.3, 3.0, 1e6}) {
    State wild{0, Vector(model.nq()), Vector(size * test::random_vector(model.nv(), generator))};
    plus(model, A.q, Vector(size * test::random_vector(model.nv(), generator)), wild.q);
    others.push_back(wild);
  }
  for (const Vector& q : of.wild) others.push_back({0, q, A.v});
  others.push_back({0, Vector::Constant(model.nq(), std::nan("")), A.v});
  others.push_back({0, A.q, Vector::Constant(model.nv(), std::nan(""))});
  others.push_back(A);

  const std::vector<double> expected = everything(system, A, b, c);
  for (std::size_t k = 0; k < others.size(); ++k) {
    everything(system, others[k], b, c);
    EXPECT_TRUE(same_bits(everything(system, A, b, c, true), expected))
        << of.name << ", back " << k;
    everything(system, others[k], b, c, true);
    EXPECT_TRUE(same_bits(everything(system, A, b, c), expected)) << of.name << ", after " << k;
  }
  // The same at the wild states themselves.
  for (std::size_t k = 0; k < others.size(); ++k) {
    ConstrainedSystem fresh = untouched;
    EXPECT_TRUE(
        same_bits(everything(system, others[k], b, c), everything(fresh, others[k], b, c, true)))
        << of.name << ", at " << k;
  }
}

/// Numbers that are none do not become numbers.
TEST_P(NoMemory, what_is_no_number_stays_so) {
  const Case of = all_cases()[static_cast<std::size_t>(GetParam())];
  ConstrainedSystem system(of.model, {}, of.near);
  const int n = of.model.nv();
  const Vector nowhere = Vector::Constant(of.model.nq(), std::nan("")), v = Vector::Zero(n);
  Vector velocity(n), a(n);
  try {
    system.rates(0, nowhere, v, velocity, a);
  } catch (const Error&) {
    return;
  }
  EXPECT_FALSE(a.allFinite()) << of.name;
}

}  // namespace memory_test
}  // namespace chasles
