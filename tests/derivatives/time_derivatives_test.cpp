/// Derivatives of dynamics of any order, on random trees of every joint type: against differences along
/// motions, against the power of motions in quadruple precision, and against each other.
#include "chasles/derivatives/time_derivatives.hpp"

#include <gtest/gtest.h>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/textbook/time_derivatives.hpp"
#include "support/curves.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/motion_series.hpp"
#include "support/series_recursion.hpp"
#include "textbook/sample.hpp"

namespace chasles {
namespace {

using test::largest;

/// On every frame, in all representations, with two derivatives each.
struct Pushes {
  std::vector<AppliedWrench> wrenches;
  std::vector<Wrench> rates;
  Pushes(const Model& model, std::mt19937_64& generator) {
    wrenches.push_back({model.frame("ground"), {{1, 2, 3}, {4, 5, 6}}});
    for (const ModelFrame& frame : model.frames())
      wrenches.push_back({frame.frame, random_tangent<Wrench>(generator, 1),
                          test::all_representations[wrenches.size() % 4]});
    for (std::size_t k = 0; k < 2 * wrenches.size(); ++k)
      rates.push_back(random_tangent<Wrench>(generator, 1));
  }
  /// The same at another time.
  Pushes at(double t) const {
    Pushes later = *this;
    for (std::size_t k = 0; k < wrenches.size(); ++k) {
      later.wrenches[k].W += t * rates[2 * k] + (t * t / 2) * rates[2 * k + 1];
      later.rates[2 * k] += t * rates[2 * k + 1];
    }
    return later;
  }
};

TEST(TimeDerivatives, begin_with_inverse_and_forward_dynamics) {
  std::mt19937_64 generator(1);
  double worst = 0, worst_forward = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 16, .tree = trial % 2 == 1}));
    const Eigen::VectorXd q = test::random_configuration(model, generator);
    Eigen::MatrixXd rates(model.nv(), 2);
    rates << test::random_vector(model.nv(), generator), test::random_vector(model.nv(), generator);
    const Pushes pushes(model, generator);
    TimeDerivatives work(model, 0);
    InverseDynamics inverse(model);
    const Eigen::VectorXd want =
        inverse_dynamics(model, q, rates.col(0), rates.col(1), inverse, pushes.wrenches);
    const Eigen::VectorXd Q =
        inverse_dynamics_derivatives(model, q, rates, work, pushes.wrenches, pushes.rates).col(0);
    worst = std::max(worst, largest(Q - want) / largest(want));
    // Forward: what leaves of tau, as custom joints may be near singular.
    MassMatrix mass(model);
    const Eigen::VectorXd a =
        forward_dynamics_derivatives(model, q, rates.col(0), want, work, pushes.wrenches).col(0);
    const Eigen::VectorXd left = mass_matrix(model, q, mass) * (a - rates.col(1));
    worst_forward = std::max(worst_forward, largest(left) / largest(want));
  }
  std::printf("  inverse %.1e, forward %.1e\n", worst, worst_forward);
  EXPECT_LE(worst, 2e-14);
  EXPECT_LE(worst_forward, 1e-13);
}

/// Every derivative is that of the one before, by differences of order 8 along a motion.
TEST(TimeDerivatives, are_the_derivatives_of_those_before) {
  std::mt19937_64 generator(2);
  constexpr int N = 6;
  double worst = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 16, .tree = trial % 2 == 1}));
    const test::Curve curve(model, generator, 0.4);
    const Pushes pushes(model, generator);
    TimeDerivatives work(model, N);
    const auto at = [&](double t) {
      const Pushes now = pushes.at(t);
      return Eigen::MatrixXd(inverse_dynamics_derivatives(model, curve.q(t), curve.rates(t, N + 2),
                                                          work, now.wrenches, now.rates));
    };
    const Eigen::MatrixXd here = at(0), slope = test::derivative(at);
    for (int k = 0; k < N; ++k) {
      const double size = std::max(largest(here.col(k)), largest(here.col(k + 1)));
      worst = std::max(worst, largest(slope.col(k) - here.col(k + 1)) / size);
    }
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 2e-11);
}

/// All derivatives up to the tenth against the recursion over numbers that carry them, on trees of
/// turns, slides and screws.
TEST(TimeDerivatives, equal_those_of_the_recursion_over_power_series) {
  std::mt19937_64 generator(3);
  constexpr int N = 10;
  double worst = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const Model model = compile(test::random_mechanism(
        generator, {.bodies = 8, .tree = trial % 2 == 1, .kinds = test::one_screw_kinds()}));
    const Eigen::VectorXd q = test::random_configuration(model, generator);
    Eigen::MatrixXd rates(model.nv(), N + 2);
    for (int k = 0; k < N + 2; ++k) rates.col(k) = test::random_vector(model.nv(), generator);
    const Eigen::MatrixXd want =
        test::force_derivatives<N + 3, textbook::SpatialForm>(model, q, rates);
    TimeDerivatives work(model, N);
    const Eigen::MatrixXd got = inverse_dynamics_derivatives(model, q, rates, work);
    for (int k = 0; k <= N; ++k)
      worst = std::max(worst, largest(got.col(k) - want.col(k)) / largest(want.col(k)));
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 2e-13);
}

/// The forces of the motion that forward dynamics finds are the given ones, order by order, for every
/// joint type and with wrenches that change. Derivatives of motions of light bodies are large, so the
/// measure is what each order is the difference of: M a^(k).
TEST(TimeDerivatives, of_forward_dynamics_need_the_forces_that_were_given) {
  std::mt19937_64 generator(4);
  constexpr int N = 8;
  double worst = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const test::Sample s = test::regular_sample(generator, trial % 2 == 1);
    const Pushes pushes(s.model, generator);
    Eigen::MatrixXd tau(s.model.nv(), N + 1), rates(s.model.nv(), N + 2);
    for (int k = 0; k < N + 1; ++k) tau.col(k) = test::random_vector(s.model.nv(), generator);
    TimeDerivatives work(s.model, N);
    rates << 0.3 * s.v, forward_dynamics_derivatives(s.model, s.q, 0.3 * s.v, tau, work,
                                                     pushes.wrenches, pushes.rates);
    const Matrix& Q =
        inverse_dynamics_derivatives(s.model, s.q, rates, work, pushes.wrenches, pushes.rates);
    for (int k = 0; k <= N; ++k)
      worst = std::max(worst, largest(Q.col(k) - tau.col(k)) /
                                  largest(s.M.cwiseAbs() * rates.col(k + 1).cwiseAbs()));
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 5e-14);
}

/// The coefficients of the energy of a motion that is known in quadruple precision.
std::vector<double> energy(const Mechanism& mechanism, const Model& model,
                           const reference::RandomMotion& motion, std::size_t length) {
  std::vector<double> E(length);
  const auto geometry = reference_geometry(mechanism);
  for (std::size_t b = 0; b < model.bodies().size(); ++b) {
    const ModelBody& body = model.bodies()[b];
    if (body.frame.link < 0) continue;
    const auto at = static_cast<std::size_t>(find_body(mechanism, body.name));
    const auto C = motion.pose(model, static_cast<int>(b), geometry.A[at]);
    std::vector<Twist> V = reference::twist_derivatives(C, Representation::body);
    double factorial = 1;
    for (std::size_t k = 0; k < V.size(); factorial *= static_cast<double>(++k))
      V[k] = (1 / factorial) * V[k];
    const Vec3 g = model.gravity(), mc = body.inertia.mc;
    for (std::size_t k = 0; k < length; ++k) {
      for (std::size_t j = 0; j <= k; ++j) E[k] += dot(body.inertia * V[j], V[k - j]) / 2;
      for (int i = 0; i < 3; ++i) {
        const auto moment =
            C[k](i, 0) * mc.x + C[k](i, 1) * mc.y + C[k](i, 2) * mc.z + C[k](i, 3) * body.inertia.m;
        E[k] -= g[i] * static_cast<double>(moment);
      }
    }
  }
  const Eigen::VectorXd I_a = test::armatures(model);
  Eigen::MatrixXd v = motion.rates;
  double factorial = 1;
  for (int k = 0; k < v.cols(); factorial *= ++k) v.col(k) /= factorial;
  for (int k = 0; k < std::min(static_cast<int>(length), static_cast<int>(v.cols())); ++k)
    for (int j = 0; j <= k; ++j)
      E[static_cast<std::size_t>(k)] += I_a.dot(v.col(j).cwiseProduct(v.col(k - j))) / 2;
  return E;
}

/// v . Q is the rate of the energy, at every order: one number for each, in which all joint forces and
/// all lower orders take part. Motions of every joint type, spherical and free ones along any curve.
TEST(TimeDerivatives, give_the_power_of_a_motion) {
  std::mt19937_64 generator(5);
  constexpr int N = 8;
  double worst = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const Mechanism mechanism =
        test::random_mechanism(generator, {.bodies = 16, .tree = trial % 2 == 1});
    const Model model = compile(mechanism);
    // Some of them far beyond the first turn, where exponential joints are expanded by halves.
    const reference::RandomMotion motion(model, N + 2, generator, 0.7, trial % 3 == 0 ? 4 : 1);
    const std::vector<double> E = energy(mechanism, model, motion, N + 2);
    TimeDerivatives work(model, N);
    const Matrix& Q = inverse_dynamics_derivatives(model, motion.q, motion.rates, work);
    double binomials = 1;  // k!
    for (int k = 0; k <= N; binomials *= ++k) {
      double power = 0, size = 0, choose = 1;
      for (int j = 0; j <= k; choose = choose * (k - j) / (j + 1), ++j) {
        power += choose * motion.rates.col(j).dot(Q.col(k - j));
        size += choose * motion.rates.col(j).cwiseAbs().dot(Q.col(k - j).cwiseAbs());
      }
      const double want = (k + 1) * binomials * E[static_cast<std::size_t>(k) + 1];
      worst = std::max(worst, std::abs(power - want) / size);
    }
  }
  std::printf("  largest deviation %.1e of the sum of the powers\n", worst);
  EXPECT_LE(worst, 2e-14);
}

TEST(TimeDerivatives, say_what_is_wrong) {
  std::mt19937_64 generator(6);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 5})),
              other = compile(test::random_mechanism(generator, {.bodies = 5}));
  const int nv = model.nv();
  const Eigen::VectorXd q = model.neutral(), v = Eigen::VectorXd::Zero(nv);
  EXPECT_SAYS(TimeDerivatives(model, -1), "order -1", "0 to 60");
  EXPECT_SAYS(TimeDerivatives(model, 61), "order 61");
  TimeDerivatives work(model, 2);
  const auto inverse = [&](const Eigen::VectorXd& at, const Eigen::MatrixXd& rates) {
    inverse_dynamics_derivatives(model, at, rates, work);
  };
  EXPECT_SAYS(inverse(Eigen::VectorXd(q.size() + 1), Eigen::MatrixXd(nv, 4)), "q has");
  EXPECT_SAYS(inverse(q, Eigen::MatrixXd(nv + 1, 4)), "rates, by rows");
  EXPECT_SAYS(inverse(q, Eigen::MatrixXd(nv, 3)), "rates has 3 columns", "need 4");
  const auto forward = [&](const Eigen::VectorXd& at, const Eigen::MatrixXd& tau) {
    forward_dynamics_derivatives(model, q, at, tau, work);
  };
  EXPECT_SAYS(forward(Eigen::VectorXd(nv + 1), Eigen::MatrixXd(nv, 1)), "v has");
  EXPECT_SAYS(forward(v, Eigen::MatrixXd(nv + 1, 1)), "tau, by rows");
  EXPECT_SAYS(forward(v, Eigen::MatrixXd(nv, 4)), "tau has 4 columns", "at most 3");
  const Eigen::MatrixXd rates = Eigen::MatrixXd::Zero(nv, 4);
  EXPECT_THROW(inverse_dynamics_derivatives(other, q, rates, work), ForeignError);
  const AppliedWrench stray{other.frame("body4"), {}};
  EXPECT_THROW(inverse_dynamics_derivatives(model, q, rates, work, {&stray, 1}), ForeignError);
  const AppliedWrench two[2] = {{model.frame("body4"), {}}, {model.frame("body4"), {}}};
  const Wrench three[3] = {};
  EXPECT_SAYS(inverse_dynamics_derivatives(model, q, rates, work, two, three),
              "3 rates of 2 wrenches");

  const Model light = compile(test::random_mechanism(
      generator, {.bodies = 1, .kinds = {{JointType::revolute}}, .massless = true}));
  TimeDerivatives of_light(light, 1);
  EXPECT_THROW(
      forward_dynamics_derivatives(light, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1),
                                   Eigen::VectorXd::Zero(1), of_light),
      SingularError);
}

}  // namespace
}  // namespace chasles
