/// The fast path against the algorithms of the papers (recursive.hpp, closed_form.hpp, energy.hpp).
#include <gtest/gtest.h>

#include "chasles/dynamics/batch.hpp"
#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/textbook/recursive.hpp"
#include "support/errors.hpp"
#include "textbook/sample.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::largest;

/// Chains and trees of every joint type.
std::vector<test::Sample> samples() {
  std::mt19937_64 generator(11);
  std::vector<test::Sample> list;
  list.reserve(10);
  for (int k = 0; k < 8; ++k)
    list.emplace_back(generator, test::RandomMechanismOptions{.bodies = 15, .tree = k % 2 == 0});
  list.emplace_back(generator, test::RandomMechanismOptions{
                                   .bodies = 40, .tree = true, .kinds = {{JointType::revolute}}});
  list.emplace_back(generator, test::RandomMechanismOptions{.bodies = 1});
  return list;
}

/// @paper 000 (1)
/// @paper 002 (1.1), (2.15)
TEST(Fast, inverse_dynamics_is_that_of_the_papers) {
  std::mt19937_64 generator(1);
  for (const test::Sample& s : samples()) {
    const auto applied = s.wrenches(generator);
    RecursiveDynamics textbook(s.model);
    InverseDynamics work(s.model);
    for (const AppliedWrenches W : {AppliedWrenches{}, AppliedWrenches(applied)}) {
      const Eigen::VectorXd expected =
          inverse_dynamics(s.model, s.kin, s.a, Representation::body, textbook, W);
      const Eigen::VectorXd& tau = inverse_dynamics(s.model, s.q, s.v, s.a, work, W);
      EXPECT_LE(largest(tau - expected), 1e-13 * largest(expected));
    }
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(s.model.nv());
    const Eigen::VectorXd h =
        inverse_dynamics(s.model, s.kin, zero, Representation::body, textbook);
    EXPECT_LE(largest(bias(s.model, s.q, s.v, work) - h), 1e-13 * largest(h));
    const Eigen::VectorXd at_rest = inverse_dynamics(s.model, s.q, zero, zero, work);
    EXPECT_EQ(largest(gravity_forces(s.model, s.q, work) - at_rest), 0);
  }
}

/// @paper 002 (1.3), (4.1), (4.10)
TEST(Fast, forward_dynamics_inverts_inverse_dynamics) {
  std::mt19937_64 generator(2);
  for (const test::Sample& s : samples()) {
    const auto applied = s.wrenches(generator);
    InverseDynamics inverse(s.model);
    ForwardDynamics forward(s.model);
    const double rounding = 1e-15 * test::condition(s.M);
    for (const AppliedWrenches W : {AppliedWrenches{}, AppliedWrenches(applied)}) {
      const Eigen::VectorXd tau = inverse_dynamics(s.model, s.q, s.v, s.a, inverse, W);
      const Eigen::VectorXd& a = forward_dynamics(s.model, s.q, s.v, tau, forward, W);
      EXPECT_LE(largest(a - s.a), 100 * rounding * largest(s.a));
      // What the acceleration needs is the force, however badly the matrix is conditioned.
      const Eigen::VectorXd back = inverse_dynamics(s.model, s.q, s.v, a, inverse, W);
      EXPECT_LE(largest(back - tau), 1e-10 * largest(tau));
    }
  }
}

/// @paper 000 (81)
TEST(Fast, mass_matrix_is_the_sum_over_bodies) {
  for (const test::Sample& s : samples()) {
    MassMatrix work(s.model);
    const Eigen::MatrixXd& M = mass_matrix(s.model, s.q, work);
    EXPECT_LE(largest(M - s.M), 1e-14 * largest(s.M) * s.model.nv());
    EXPECT_EQ(largest(M - M.transpose()), 0);
    // One triangle, and both again after it.
    MassMatrix part(s.model);
    EXPECT_TRUE(s.model.nv() == 0 || !part.M().allFinite());
    const Eigen::MatrixXd upper = mass_matrix(s.model, s.q, part, Triangle::upper);
    EXPECT_EQ(largest(upper.triangularView<Eigen::Upper>().toDenseMatrix() -
                      M.triangularView<Eigen::Upper>().toDenseMatrix()),
              0);
    EXPECT_EQ(largest(mass_matrix(s.model, s.q, part) - M), 0);
  }
}

TEST(Fast, mass_matrix_inverse_is_the_inverse) {
  for (const test::Sample& s : samples()) {
    MassMatrixInverse work(s.model);
    work.M_inv.setConstant(7);
    const Eigen::MatrixXd& M_inv = mass_matrix_inverse(s.model, s.q, work);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(s.model.nv(), s.model.nv());
    // Scaled to a diagonal of ones, so that meters and radians do not matter.
    const Eigen::VectorXd d = s.M.diagonal().cwiseSqrt();
    const Eigen::MatrixXd rest =
        d.cwiseInverse().asDiagonal() * (s.M * M_inv - one) * d.asDiagonal();
    EXPECT_LE(largest(rest), 1e-14 * test::condition(s.M));
    EXPECT_EQ(largest(M_inv - M_inv.transpose()), 0);
  }
}

/// Rows of many states for a batch.
struct States {
  int count = 0;
  std::vector<double> q, v, a;
  States() = default;
  States(const Model& model, int n, std::mt19937_64& generator) : count(n) {
    for (int i = 0; i < n; ++i) {
      const auto append = [](std::vector<double>& to, const Eigen::VectorXd& x) {
        to.insert(to.end(), x.begin(), x.end());
      };
      append(q, test::random_configuration(model, generator));
      append(v, test::random_vector(model.nv(), generator));
      append(a, test::random_vector(model.nv(), generator));
    }
  }
  Eigen::VectorXd row(const std::vector<double>& of, int i) const {
    const auto n = static_cast<Eigen::Index>(of.size()) / count;
    return Eigen::Map<const Eigen::VectorXd>(of.data() + i * n, n);
  }
};

template <class Real>
std::vector<Real> to(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}
/// The order of BatchLayout::lanes; padding is not a number, to be seen if it is used.
template <class Real>
std::vector<Real> in_lanes(const Batch<Real>& batch, const std::vector<Real>& rows, int states) {
  const int lanes = batch.lanes(), n = static_cast<int>(rows.size()) / states;
  std::vector<Real> out(static_cast<std::size_t>(batch.padded(states) * n), Real(NAN));
  for (int s = 0; s < states; ++s)
    for (int e = 0; e < n; ++e)
      out[static_cast<std::size_t>((s / lanes * n + e) * lanes + s % lanes)] =
          rows[static_cast<std::size_t>(s * n + e)];
  return out;
}

template <class Real>
class FastBatch : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(FastBatch, Reals);

TYPED_TEST(FastBatch, agrees_with_single_states_in_both_layouts_for_any_number_of_threads) {
  using Real = TypeParam;
  const double eps = std::numeric_limits<Real>::epsilon();
  std::mt19937_64 generator(5);
  for (const bool tree : {false, true}) {
    // So well conditioned that Real has digits.
    Model model;
    States states;
    double condition = 0;
    do {
      model = compile(test::random_mechanism(generator, {.bodies = 15, .tree = tree}));
      states = States(model, 21, generator);
      condition = 0;
      MassMatrix mass(model);
      for (int i = 0; i < states.count; ++i)
        condition =
            std::max(condition, test::condition(mass_matrix(model, states.row(states.q, i), mass)));
    } while (condition * eps > 0.1);
    const int nv = model.nv();
    using Call =
        std::function<void(Batch<Real>&, const std::vector<Real>&, const std::vector<Real>&,
                           const std::vector<Real>&, const std::span<Real>&, BatchLayout)>;
    InverseDynamics id(model);
    ForwardDynamics fd(model);
    MassMatrix mm(model);
    MassMatrixInverse inverse(model);
    VelocityKinematics kin(model);
    struct Case {
      int size;
      Call call;
      std::function<Eigen::MatrixXd(const Eigen::VectorXd&, const Eigen::VectorXd&,
                                    const Eigen::VectorXd&)>
          one;
      double tolerance;
    };
    const int n = states.count;
    const std::vector<Case> cases{
        {nv,
         [&](auto& b, auto& q, auto& v, auto& a, auto& o, BatchLayout l) {
           b.inverse_dynamics(n, q, v, a, o, l);
         },
         [&](auto& q, auto& v, auto& a) { return inverse_dynamics(model, q, v, a, id); },
         300 * eps},
        {nv,
         [&](auto& b, auto& q, auto& v, auto&, auto& o, BatchLayout l) {
           b.inverse_dynamics(n, q, v, {}, o, l);
         },
         [&](auto& q, auto& v, auto&) { return bias(model, q, v, id); }, 300 * eps},
        {nv,
         [&](auto& b, auto& q, auto& v, auto& a, auto& o, BatchLayout l) {
           b.forward_dynamics(n, q, v, a, o, l);
         },
         [&](auto& q, auto& v, auto& a) { return forward_dynamics(model, q, v, a, fd); },
         30 * condition * eps},
        {nv * nv,
         [&](auto& b, auto& q, auto&, auto&, auto& o, BatchLayout l) { b.mass_matrix(n, q, o, l); },
         [&](auto& q, auto&, auto&) { return mass_matrix(model, q, mm); }, 300 * eps},
        {nv * nv,
         [&](auto& b, auto& q, auto&, auto&, auto& o, BatchLayout l) {
           b.mass_matrix_inverse(n, q, o, l);
         },
         [&](auto& q, auto&, auto&) { return mass_matrix_inverse(model, q, inverse); },
         30 * condition * eps},
        {2,
         [&](auto& b, auto& q, auto& v, auto&, auto& o, BatchLayout l) {
           b.energies(n, q, v, o, l);
         },
         [&](auto& q, auto& v, auto&) {
           forward_kinematics(model, q, v, kin);
           return Eigen::Vector2d(kinetic_energy(model, kin), potential_energy(model, kin));
         },
         300 * eps},
        {6,
         [&](auto& b, auto& q, auto& v, auto&, auto& o, BatchLayout l) {
           b.momenta(n, q, v, o, l);
         },
         [&](auto& q, auto& v, auto&) {
           forward_kinematics(model, q, v, kin);
           const Wrench h = spatial_momentum(model, kin);
           return (Eigen::VectorXd(6) << h.t.x, h.t.y, h.t.z, h.f.x, h.f.y, h.f.z).finished();
         },
         300 * eps}};
    const std::vector<Real> q = to<Real>(states.q), v = to<Real>(states.v), a = to<Real>(states.a);
    for (const Case& c : cases) {
      const auto size = static_cast<std::size_t>(c.size);
      std::vector<Real> first;
      for (const int threads : {1, 2, 3, 40}) {
        Batch<Real> batch(model, threads);
        std::vector<Real> rows(size * static_cast<std::size_t>(n));
        c.call(batch, q, v, a, rows, BatchLayout::rows);
        if (first.empty()) first = rows;
        EXPECT_EQ(rows, first) << threads << " threads";
        // Memory that is not aligned is fine too.
        std::vector<Real> room(size * static_cast<std::size_t>(batch.padded(n)) + 1);
        const std::span<Real> lanes = std::span(room).subspan(1);
        c.call(batch, in_lanes(batch, q, n), in_lanes(batch, v, n), in_lanes(batch, a, n), lanes,
               BatchLayout::lanes);
        const std::vector<Real> expected = in_lanes(batch, first, n);
        for (std::size_t i = 0; i < lanes.size(); ++i)
          if (expected[i] == expected[i]) {
            EXPECT_EQ(lanes[i], expected[i]);
          }
      }
      for (int i = 0; i < n; ++i) {
        const Eigen::MatrixXd one =
            c.one(states.row(states.q, i), states.row(states.v, i), states.row(states.a, i));
        const std::vector<double> row(first.begin() + i * c.size, first.begin() + (i + 1) * c.size);
        const Eigen::Map<const Eigen::MatrixXd> batched(row.data(), one.rows(), one.cols());
        EXPECT_LE(largest(batched - one), c.tolerance * largest(one)) << "of size " << c.size;
      }
    }
  }
}

Model pendulum(double tip_mass) {
  MechanismBuilder builder("pendulum");
  builder.body("arm", ground, joints::revolute({0, 1, 0}, {}))
      .inertia(tip_mass, {0, 0, -1}, Sym3::diagonal(.1, .1, .1));
  builder.body("pin", "arm", joints::revolute({1, 0, 0}, {0, 0, -1}));
  return compile(builder.build());
}

TEST(FastBadInput, wrong_sizes_are_named) {
  const Model model = pendulum(1);
  InverseDynamics id(model);
  ForwardDynamics fd(model);
  MassMatrix mm(model);
  MassMatrixInverse mi(model);
  const Eigen::VectorXd two = Eigen::VectorXd::Zero(2), three = Eigen::VectorXd::Zero(3);
  EXPECT_SAYS(inverse_dynamics(model, three, two, two, id), "q has 3", "needs 2");
  EXPECT_SAYS(inverse_dynamics(model, two, three, two, id), "v has 3");
  EXPECT_SAYS(inverse_dynamics(model, two, two, three, id), "a has 3");
  EXPECT_SAYS(bias(model, two, three, id), "v has 3");
  EXPECT_SAYS(gravity_forces(model, three, id), "q has 3");
  EXPECT_SAYS(forward_dynamics(model, two, two, three, fd), "tau has 3");
  EXPECT_SAYS(forward_dynamics(model, two, three, two, fd), "v has 3");
  EXPECT_SAYS(mass_matrix(model, three, mm), "q has 3");
  EXPECT_SAYS(mass_matrix_inverse(model, three, mi), "q has 3");
  Batch<double> batch(model);
  std::vector<double> x(10), y(8);
  EXPECT_SAYS(batch.inverse_dynamics(5, y, x, x, x), "q has 8", "needs 10");
  EXPECT_SAYS(batch.inverse_dynamics(5, x, x, x, y), "tau has 8");
  const std::string needs = "needs " + std::to_string(2 * batch.padded(5));
  EXPECT_SAYS(batch.forward_dynamics(5, x, x, x, x, BatchLayout::lanes), "q has 10", needs.c_str());
  EXPECT_SAYS(batch.mass_matrix(5, x, x), "M has 10", "needs 20");
  EXPECT_SAYS(batch.mass_matrix(-1, x, x), "-1 states");
  EXPECT_SAYS(Batch<float>(model, -2), "-2 threads");
}

TEST(FastBadInput, a_joint_that_moves_nothing_is_named) {
  const Model model = pendulum(1);
  const Eigen::VectorXd two = Eigen::VectorXd::Zero(2);
  ForwardDynamics fd(model);
  MassMatrixInverse mi(model);
  const std::string name = model.joints()[1].name;
  EXPECT_THROW(forward_dynamics(model, two, two, two, fd), SingularError);
  EXPECT_SAYS(forward_dynamics(model, two, two, two, fd), name.c_str(), "inertia");
  EXPECT_SAYS(mass_matrix_inverse(model, two, mi), name.c_str());
  std::vector<float> x(10), y(10);
  Batch<float> batch(model, 2);
  EXPECT_SAYS(batch.forward_dynamics(5, x, x, x, y), "state 0: ", name.c_str());
  // Inverse dynamics has an answer.
  InverseDynamics id(model);
  EXPECT_TRUE(inverse_dynamics(model, two, two, two, id).allFinite());
  // Not a number is not called singular.
  EXPECT_SAYS(forward_dynamics(model, Eigen::VectorXd::Constant(2, NAN), two, two, fd),
              "not finite");
}

TEST(FastBadInput, a_massless_body_between_others_is_fine) {
  MechanismBuilder builder("gimbal");
  builder.body("ring", ground, joints::revolute({1, 0, 0}, {}));
  builder.body("plate", "ring", joints::revolute({0, 1, 0}, {}))
      .inertia(2, {0, 0, 0.3}, Sym3::diagonal(.1, .2, .1));
  const Model model = compile(builder.build());
  ForwardDynamics fd(model);
  InverseDynamics id(model);
  const Eigen::Vector2d q(0.3, 0.4), v(1, -2), tau(0.5, 0.6);
  const Eigen::VectorXd a = forward_dynamics(model, q, v, tau, fd);
  EXPECT_LE(largest(inverse_dynamics(model, q, v, a, id) - tau), 1e-14);
}

TEST(FastBadInput, foreign_wrenches_are_refused) {
  const Model model = pendulum(1);
  const Eigen::VectorXd two = Eigen::VectorXd::Zero(2);
  InverseDynamics id(model);
  const AppliedWrench foreign{{17, {}}, {}, Representation::body};
  EXPECT_SAYS(inverse_dynamics(model, two, two, two, id, {&foreign, 1}), "link 17", "pendulum");
}

TEST(FastBadInput, empty_things_are_fine) {
  const Model model = pendulum(1);
  Batch<double> batch(model, 3);
  EXPECT_NO_THROW(batch.inverse_dynamics(0, {}, {}, {}, {}));
  EXPECT_NO_THROW(batch.mass_matrix_inverse(0, {}, {}, BatchLayout::lanes));
  const Model nothing = compile(Mechanism{"nothing", {}, {}, {}, {}});
  const Eigen::VectorXd none(0);
  InverseDynamics id(nothing);
  ForwardDynamics fd(nothing);
  MassMatrix mm(nothing);
  MassMatrixInverse mi(nothing);
  EXPECT_EQ(inverse_dynamics(nothing, none, none, none, id).size(), 0);
  EXPECT_EQ(forward_dynamics(nothing, none, none, none, fd).size(), 0);
  EXPECT_EQ(mass_matrix(nothing, none, mm).size(), 0);
  EXPECT_EQ(mass_matrix_inverse(nothing, none, mi).size(), 0);
}

}  // namespace
}  // namespace chasles
