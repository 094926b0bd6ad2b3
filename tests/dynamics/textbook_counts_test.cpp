/// Operation counts per joint of a serial chain of revolute joints, by a scalar that counts. The
/// numbers are those of docs/theory/newton-euler.md and articulated-body.md.
#include <random>

#include "chasles/kinematics/kinematics.hpp"
#include "dynamics/links.hpp"
#include "dynamics/recursive_core.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

struct Counted {
  double x = 0;
  static inline long multiplications = 0, additions = 0, divisions = 0;
  constexpr Counted() = default;
  constexpr Counted(double value) : x(value) {}
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

lie::Vec3<Counted> counted(const Vec3& v) { return {v.x, v.y, v.z}; }
lie::SE3<Counted> counted(const SE3& C) {
  const Mat3& R = C.R.matrix();
  return {lie::SO3<Counted>::unchecked({counted(R.c0), counted(R.c1), counted(R.c2)}),
          counted(C.r)};
}
lie::Inertia<Counted> counted(const Inertia& M) {
  return {M.m, counted(M.mc), {M.I.xx, M.I.xy, M.I.xz, M.I.yy, M.I.yz, M.I.zz}};
}

/// What one run over a chain of n joints costs; and its result.
template <template <class> class Form>
Count run(int n, bool forward, Eigen::VectorXd* result = nullptr) {
  std::mt19937_64 generator(61);
  const Model model =
      compile(test::random_mechanism(generator, {.bodies = n, .kinds = {{JointType::revolute}}}));
  PositionKinematics kin(model);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(n, 0.1, 2);
  positions(model, q, kin);
  const auto size = static_cast<std::size_t>(n);
  std::vector<lie::SE3<Counted>> C, C_rel;
  std::vector<lie::Inertia<Counted>> M_b, M(size);
  for (std::size_t i = 0; i < size; ++i) {
    C.push_back(counted(kin.C[i]));
    C_rel.push_back(counted(dynamics::pose_in_parent(model, model.links()[i], q.data())));
    M_b.push_back(counted(model.links()[i].inertia));
  }
  const std::vector<lie::Twist<Counted>> X_b(size, {{0, 0, 1}, {}});
  std::vector<lie::Twist<Counted>> X(size), V(size), A(size), zeta(size);
  std::vector<lie::Wrench<Counted>> W(size), U(size), G(size);
  std::vector<lie::ArticulatedInertia<Counted>> P(size);
  std::vector<Counted> v(size, 0.5), a(size, 0.7), tau(size, 0.3), D(size), eps(size);
  const std::vector<int> D_index = dynamics::square_offsets(model);
  dynamics::Recursion<Counted> r{
      model.links(), C.data(),   C_rel.data(),   X_b.data(),
      nullptr,       M_b.data(), nullptr,        counted(model.gravity()),
      v.data(),      a.data(),   tau.data(),     X.data(),
      M.data(),      V.data(),   A.data(),       zeta.data(),
      W.data(),      P.data(),   U.data(),       G.data(),
      D.data(),      eps.data(), D_index.data(), nullptr};
  Counted::multiplications = Counted::additions = Counted::divisions = 0;
  if (forward)
    EXPECT_EQ(dynamics::forward_recursion<Form>(r), -1);
  else
    dynamics::inverse_recursion<Form>(r);
  if (result)
    *result = Eigen::VectorXd::NullaryExpr(
        n, [&](Eigen::Index k) { return (forward ? a : tau)[static_cast<std::size_t>(k)].x; });
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
  EXPECT_EQ(per_joint<dynamics::BodyForm>(false), (Count{174, 149, 0}));
  EXPECT_EQ(per_joint<dynamics::SpatialForm>(false), (Count{199, 167, 0}));
  EXPECT_EQ(per_joint<dynamics::HybridForm>(false), (Count{177, 158, 0}));
  EXPECT_EQ(per_joint<dynamics::MixedForm>(false), (Count{213, 182, 0}));
}

TEST(OperationCounts, forward_dynamics_per_joint) {
  EXPECT_EQ(per_joint<dynamics::BodyForm>(true), (Count{502, 431, 2}));
  EXPECT_EQ(per_joint<dynamics::SpatialForm>(true), (Count{329, 305, 2}));
  EXPECT_EQ(per_joint<dynamics::HybridForm>(true), (Count{361, 347, 2}));
  EXPECT_EQ(per_joint<dynamics::MixedForm>(true), (Count{550, 473, 2}));
}

/// What is counted is what is computed.
TEST(OperationCounts, counting_does_not_change_the_result) {
  for (const bool forward : {false, true}) {
    Eigen::VectorXd body(12), hybrid(12);
    run<dynamics::BodyForm>(12, forward, &body);
    run<dynamics::HybridForm>(12, forward, &hybrid);
    EXPECT_LE((body - hybrid).cwiseAbs().maxCoeff(), 1e-9 * body.cwiseAbs().maxCoeff());
  }
}

}  // namespace
}  // namespace chasles
