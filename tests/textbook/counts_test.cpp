/// Operation counts per joint of a serial chain of revolute joints, by a scalar that counts. The
/// numbers are those of docs/theory/newton-euler.md and articulated-body.md.
#include <gtest/gtest.h>

#include "support/random_mechanism.hpp"
#include "textbook/recursion_over.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

struct Counted {
  double x = 0;
  static inline long multiplications = 0, additions = 0, divisions = 0;
  constexpr Counted() = default;
  constexpr explicit(false) Counted(double value) : x(value) {}
  friend Counted operator+(Counted a, Counted b) { return ++additions, a.x + b.x; }
  friend Counted operator-(Counted a, Counted b) { return ++additions, a.x - b.x; }
  friend Counted operator*(Counted a, Counted b) { return ++multiplications, a.x * b.x; }
  friend Counted operator/(Counted a, Counted b) { return ++divisions, a.x / b.x; }
  friend Counted operator-(Counted a) { return -a.x; }
  bool operator==(const Counted&) const = default;
};

struct Count {
  long multiplications, additions, divisions;
  bool operator==(const Count&) const = default;
};
void PrintTo(const Count& c, std::ostream* out) {
  *out << c.multiplications << " mul, " << c.additions << " add, " << c.divisions << " div";
}

}  // namespace

template <>
struct lie::ScalarTraits<Counted> {
  using Real = double;
  static double real_part(const Counted& s) { return s.x; }
};

namespace {

/// What one run over a chain of n joints costs.
template <template <class> class Form>
Count run(int n, bool forward) {
  std::mt19937_64 generator(61);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = n, .kinds = {{JointType::revolute}}, .armatures = false}));
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n);
  test::RecursionOver<Counted> chain(model, ones, ones);
  Counted::multiplications = Counted::additions = Counted::divisions = 0;
  if (forward)
    chain.forward<Form>(ones);
  else
    chain.inverse<Form>(ones);
  return {Counted::multiplications, Counted::additions, Counted::divisions};
}

/// The cost of one joint more, the same everywhere along the chain.
template <template <class> class Form>
Count per_joint(bool forward) {
  const Count a = run<Form>(5, forward), b = run<Form>(6, forward), c = run<Form>(20, forward);
  const Count d{b.multiplications - a.multiplications, b.additions - a.additions,
                b.divisions - a.divisions};
  EXPECT_EQ(c.multiplications - b.multiplications, 14 * d.multiplications);
  EXPECT_EQ(c.additions - b.additions, 14 * d.additions);
  EXPECT_EQ(c.divisions - b.divisions, 14 * d.divisions);
  return d;
}

TEST(OperationCounts, inverse_dynamics_per_joint) {
  EXPECT_EQ(per_joint<textbook::BodyForm>(false), (Count{174, 149, 0}));
  EXPECT_EQ(per_joint<textbook::SpatialForm>(false), (Count{199, 167, 0}));
  EXPECT_EQ(per_joint<textbook::HybridForm>(false), (Count{177, 158, 0}));
  EXPECT_EQ(per_joint<textbook::MixedForm>(false), (Count{213, 182, 0}));
}

TEST(OperationCounts, forward_dynamics_per_joint) {
  EXPECT_EQ(per_joint<textbook::BodyForm>(true), (Count{502, 431, 2}));
  EXPECT_EQ(per_joint<textbook::SpatialForm>(true), (Count{329, 305, 2}));
  EXPECT_EQ(per_joint<textbook::HybridForm>(true), (Count{361, 347, 2}));
  EXPECT_EQ(per_joint<textbook::MixedForm>(true), (Count{532, 470, 2}));
}

}  // namespace
}  // namespace chasles
