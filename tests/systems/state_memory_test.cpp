/// Everything that a system computes is a function of its state: what was evaluated before, far away, at
/// NaN or at singular configurations, changes no bit. On every kind of system.
#include <gtest/gtest.h>

#include "support/system_cases.hpp"
#include "systems/newton_matrix.hpp"

namespace state_memory_test {

using namespace chasles;
using namespace chasles::test;

/// A system with Newton's matrices of it, which are kept as an integrator keeps them.
class Tested {
 public:
  explicit Tested(const SystemCase& of)
      : system_(of.make()),
        n_(system_->nv()),
        m_(system_->constraint_count()),
        relations_(system_->group(), 1) {
    for (const ConstraintLevel level : {ConstraintLevel::position, ConstraintLevel::velocity})
      newton_.push_back(system_->newton(level, 1));
    std::mt19937_64 generator(3);
    a_ = random_vector(n_, generator), b_ = random_vector(n_, generator);
    c_ = random_vector(m_, generator), x_ = random_vector(n_, generator, 0.1);
    r_.setZero(n_, 1), g_.setZero(m_, 1);
    r_.col(0) = b_, g_.col(0) = c_;
  }

  static constexpr int parts = 7;
  int thrown = 0;  // parts that threw
  /// All results at a state, evaluated in one order or the other; of a part that throws, one number.
  std::vector<double> everything(const State& at, bool backward) {
    std::vector<double> found[parts], all;
    for (int i = 0; i < parts; ++i) {
      const int k = backward ? parts - 1 - i : i;
      out_.clear();
      try {
        part(k, at);
      } catch (const Error&) {
        out_ = {-1};
        ++thrown;
      }
      found[k] = out_;
    }
    for (const auto& list : found) all.insert(all.end(), list.begin(), list.end());
    return all;
  }

 private:
  template <class X>
  void add(const X& x) {
    for (Eigen::Index j = 0; j < x.cols(); ++j)
      for (Eigen::Index i = 0; i < x.rows(); ++i) out_.push_back(x(i, j));
  }
  void part(int k, const State& at) {
    Vector u(n_), w(n_), y(m_);
    MechanicalSystem& system = *system_;
    if (k == 0) {
      system.rates(at.t, at.q, at.v, u, w);
      add(w), add(system.multipliers());
      return;
    }
    system.set(at);
    if (k == 1) system.dynamics_residual(a_, u), add(u);
    if (k == 2) system.solve(b_, c_, u, y), add(u), add(y);
    if (k == 3) {
      State state = at;
      system.project(state);
      add(state.q), add(state.v);
    }
    if (k == 4) {
      MechanicalSystem::Tangent tangent;
      system.prepare(tangent);
      system.tangent(a_, tangent);
      add(tangent.K), add(tangent.D), add(tangent.M);
    }
    if (k == 5) solve_newton();
    if (k == 6) {
      system.mass_times(a_, u), add(u);
      system.force(u), add(u);
      system.momentum_rate(u), add(u);
      system.constraint_force(c_, u), add(u);
      system.constraint_error(y), add(y);
      system.constraint_rate(y), add(y);
      system.constraint_bias(y), add(y);
      Matrix B, S;
      system.constraint_matrix(B), add(B);
      system.constraint_stiffness(c_, S), add(S);
    }
  }
  void solve_newton() {
    relations_.newmark(x_, 30, 900);
    for (const auto& newton : newton_) {
      newton->choose_equations();
      newton->linearize(0, a_, c_);
      Matrix d, mu;
      d.setZero(n_, 1), mu.setZero(m_, 1);
      if (!newton->factorize(relations_)) {
        out_.push_back(-2);
        continue;
      }
      newton->solve(r_, g_, d, mu);
      add(d), add(mu);
    }
  }

  std::shared_ptr<MechanicalSystem> system_;
  int n_, m_;
  StageRelations relations_;
  std::vector<std::unique_ptr<NewtonMatrix>> newton_;
  Vector a_, b_, c_, x_;
  Matrix r_, g_;
  std::vector<double> out_;
};

class StateMemory : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Systems, StateMemory, ::testing::Range(0, system_case_count));

TEST_P(StateMemory, results_are_functions_of_the_state) {
  const std::vector<SystemCase> cases = system_cases();
  ASSERT_EQ(cases.size(), static_cast<std::size_t>(system_case_count));
  const SystemCase& of = cases[static_cast<std::size_t>(GetParam())];
  Tested used(of);
  const auto nv = static_cast<int>(of.start.v.size());
  const Eigen::Index nq = of.start.q.size();
  std::mt19937_64 generator(7);
  std::vector<State> others;
  const auto system = of.make();
  for (const double size : {0.3, 1e6}) {
    State wild{0.7, Vector(nq), Vector(size * random_vector(nv, generator))};
    system->group().plus(of.start.q, Vector(size * random_vector(nv, generator)), wild.q);
    others.push_back(wild);
  }
  for (const Vector& q : of.singular) others.push_back({0, q, of.start.v});
  others.push_back({0, Vector::Zero(nq), of.start.v});  // quaternions without length
  others.push_back({0, Vector::Constant(nq, std::nan("")), of.start.v});
  others.push_back({0, of.start.q, Vector::Constant(nv, std::nan(""))});
  others.push_back({0, of.start.q, Vector::Constant(nv, 1e200)});

  const std::vector<double> expected = used.everything(of.start, false);
  EXPECT_EQ(used.thrown, 0) << of.name;
  for (std::size_t k = 0; k < others.size(); ++k) {
    used.everything(others[k], k % 2 == 0);
    EXPECT_TRUE(same_bits(used.everything(of.start, true), expected)) << of.name << ", back " << k;
    Tested fresh(of);
    EXPECT_TRUE(same_bits(used.everything(others[k], true), fresh.everything(others[k], false)))
        << of.name << ", at " << k;
    EXPECT_TRUE(same_bits(used.everything(of.start, false), expected)) << of.name << ", " << k;
  }
}

}  // namespace state_memory_test
