/// Operation counts per joint of a serial chain of revolute joints: the numbers of docs/theory/kinematics.md,
/// newton-euler.md and articulated-body.md; and the momentum recursion that is counted against the one of the library.
#include <gtest/gtest.h>

#include "chasles/textbook/hamiltonian.hpp"
#include "chasles/textbook/operation_counts.hpp"
#include "support/random_mechanism.hpp"
#include "textbook/momentum_core.hpp"
#include "textbook/recursion_over.hpp"

namespace chasles {
using namespace chasles::textbook;

namespace textbook {
void PrintTo(const OperationCount& c, std::ostream* out) {
  *out << c.multiplications << " mul, " << c.additions << " add, " << c.divisions << " div";
}
}  // namespace textbook

namespace counts_test {

OperationCount count(CountedAlgorithm algorithm, Representation rep) {
  return operations_per_joint(algorithm, rep);
}
constexpr auto b = Representation::body, s = Representation::spatial, h = Representation::hybrid,
               m = Representation::mixed;

/// @paper 003 Remark 16
TEST(OperationCounts, kinematics_per_joint) {
  using enum CountedAlgorithm;
  // Rotations 27 and 18, positions 9 and 9.
  EXPECT_EQ(count(poses, s), (OperationCount{36, 27, 0}));
  EXPECT_EQ(count(twists, b), (OperationCount{30, 24, 0}));
  EXPECT_EQ(count(twists, s), (OperationCount{30, 24, 0}));
  EXPECT_EQ(count(twists, h), (OperationCount{30, 27, 0}));
  EXPECT_EQ(count(twists, m), (OperationCount{39, 33, 0}));
  EXPECT_EQ(count(accelerations, b), (OperationCount{78, 66, 0}));
  EXPECT_EQ(count(accelerations, s), (OperationCount{54, 48, 0}));
  EXPECT_EQ(count(accelerations, h), (OperationCount{60, 63, 0}));
  EXPECT_EQ(count(accelerations, m), (OperationCount{105, 93, 0}));
}

TEST(OperationCounts, inverse_dynamics_per_joint) {
  EXPECT_EQ(count(CountedAlgorithm::inverse_dynamics, b), (OperationCount{174, 149, 0}));
  EXPECT_EQ(count(CountedAlgorithm::inverse_dynamics, s), (OperationCount{199, 167, 0}));
  EXPECT_EQ(count(CountedAlgorithm::inverse_dynamics, h), (OperationCount{177, 158, 0}));
  EXPECT_EQ(count(CountedAlgorithm::inverse_dynamics, m), (OperationCount{213, 182, 0}));
}

/// 36 multiplications and 36 additions less than with the reactions of the joints, P Vd + z.
TEST(OperationCounts, forward_dynamics_per_joint) {
  EXPECT_EQ(count(CountedAlgorithm::forward_dynamics, b), (OperationCount{466, 395, 2}));
  EXPECT_EQ(count(CountedAlgorithm::forward_dynamics, s), (OperationCount{293, 269, 2}));
  EXPECT_EQ(count(CountedAlgorithm::forward_dynamics, h), (OperationCount{325, 311, 2}));
  EXPECT_EQ(count(CountedAlgorithm::forward_dynamics, m), (OperationCount{496, 434, 2}));
}

/// 000 expects the momentum form to be cheaper than the acceleration form: it is, by 2 % (body), 14 % and 6 %.
/// @paper 000 (79)
TEST(OperationCounts, momentum_form_against_acceleration_form) {
  EXPECT_EQ(count(CountedAlgorithm::momentum_dynamics, b), (OperationCount{454, 386, 2}));
  EXPECT_EQ(count(CountedAlgorithm::momentum_dynamics, s), (OperationCount{248, 236, 2}));
  EXPECT_EQ(count(CountedAlgorithm::momentum_dynamics, h), (OperationCount{301, 299, 2}));
  EXPECT_THROW(count(CountedAlgorithm::momentum_dynamics, m), Error);
  EXPECT_THROW(count(static_cast<CountedAlgorithm>(20), b), Error);
  EXPECT_THROW(count(CountedAlgorithm::poses, static_cast<Representation>(9)), Error);
}

/// The recursion that is counted, over doubles.
template <template <class> class Form>
struct MomentumRecursion : test::RecursionOver<double> {
  using RecursionOver::RecursionOver;
  std::vector<double> v_out, p_dot;
  void run(const Eigen::VectorXd& p, const Eigen::VectorXd& Q) {
    const std::size_t n = C_.size();
    load(Q, tau_);
    v_out.resize(n), p_dot.resize(n);
    std::vector<Wrench> f(n);
    auto r = recursion();
    EXPECT_EQ(momentum_recursion<Form>(r, p.data(), v_out.data(), p_dot.data(), f.data(),
                                       [&](std::size_t i) -> Vec3 {
                                         return std::is_same_v<Form<double>, BodyForm<double>>
                                                    ? inverse_times(C_[i].R, model_.gravity())
                                                    : model_.gravity();
                                       }),
              -1);
  }
};
template <template <class> class Form>
void expect_hamiltonian(const Model& model, std::mt19937_64& generator) {
  const Eigen::VectorXd q = test::random_configuration(model, generator),
                        p = test::random_vector(model.nv(), generator),
                        Q = test::random_vector(model.nv(), generator);
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  HamiltonianDynamics want(model);
  hamiltonian_dynamics(model, kin, p, Q, want);
  MomentumRecursion<Form> chain(model, q, p);
  chain.run(p, Q);
  for (int k = 0; k < model.nv(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    EXPECT_NEAR(chain.v_out[at], want.v[k], 1e-10 * (1 + want.v.norm()));
    EXPECT_NEAR(chain.p_dot[at], want.p_dot[k], 1e-10 * (1 + want.p_dot.norm()));
  }
}
TEST(MomentumRecursion, gives_what_the_hamiltonian_form_gives) {
  std::mt19937_64 generator(62);
  for (const bool tree : {false, true}) {
    const Model model = compile(test::random_mechanism(
        generator,
        {.bodies = 8,
         .tree = tree,
         .kinds = {{JointType::revolute}, {JointType::prismatic}, {JointType::helical}}}));
    expect_hamiltonian<BodyForm>(model, generator);
    expect_hamiltonian<SpatialForm>(model, generator);
    expect_hamiltonian<HybridForm>(model, generator);
  }
}

}  // namespace counts_test
}  // namespace chasles
