/// Derivatives of inverse dynamics in three representations: against the recursion over power series,
/// against complex steps and differences along motions, all kinds of joints, with wrenches.
#include "chasles/textbook/time_derivatives.hpp"

#include <gtest/gtest.h>

#include "chasles/textbook/recursive.hpp"
#include "model/model_data.hpp"
#include "support/curves.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/series_recursion.hpp"
#include "textbook/sample.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::Curve;
using test::largest;

constexpr Representation forms[] = {Representation::body, Representation::spatial,
                                    Representation::hybrid};

/// Wrenches in all representations that change with time.
struct Pushes {
  std::vector<AppliedWrench> wrenches;
  std::vector<WrenchRates> rates;
  Pushes(const Model& model, std::mt19937_64& generator) {
    wrenches.push_back({model.frame("ground"), {{1, 2, 3}, {4, 5, 6}}});
    for (const ModelFrame& frame : model.frames())
      wrenches.push_back({frame.frame, random_tangent<Wrench>(generator, 1),
                          test::all_representations[wrenches.size() % 4]});
    while (rates.size() < wrenches.size())
      rates.push_back({random_tangent<Wrench>(generator, 1), random_tangent<Wrench>(generator, 1)});
  }
  Pushes at(double t) const {
    Pushes later = *this;
    for (std::size_t k = 0; k < wrenches.size(); ++k) {
      later.wrenches[k].W += t * rates[k].W_dot + (t * t / 2) * rates[k].W_ddot;
      later.rates[k].W_dot += t * rates[k].W_ddot;
    }
    return later;
  }
};

/// Q, Qd, Qdd as columns, at a time of a motion.
Eigen::MatrixXd rates_at(const Curve& curve, double t, Representation rep,
                         InverseDynamicsRates& work, const Pushes& pushes) {
  const Model& model = curve.model();
  const Eigen::MatrixXd rates = curve.rates(t, 4);
  VelocityKinematics kin(model);
  forward_kinematics(model, curve.q(t), rates.col(0), kin);
  const Pushes now = pushes.at(t);
  inverse_dynamics_rates(model, kin, rates.col(1), rates.col(2), rates.col(3), rep, work,
                         now.wrenches, now.rates);
  Eigen::MatrixXd all(model.nv(), 3);
  all << work.Q, work.Q_dot, work.Q_ddot;
  return all;
}

TEST(InverseDynamicsRates, are_those_of_the_recursion_over_power_series) {
  std::mt19937_64 generator(1);
  double worst = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Model model = compile(test::random_mechanism(
        generator, {.bodies = 10, .tree = trial % 2 == 1, .kinds = test::one_screw_kinds()}));
    const Curve curve(model, generator);
    const Eigen::MatrixXd rates = curve.rates(0, 4);
    const Eigen::MatrixXd want = test::force_derivatives<5, BodyForm>(model, curve.q(0), rates);
    VelocityKinematics kin(model);
    forward_kinematics(model, curve.q(0), rates.col(0), kin);
    InverseDynamicsRates work(model);
    for (const Representation rep : forms) {
      inverse_dynamics_rates(model, kin, rates.col(1), rates.col(2), rates.col(3), rep, work);
      worst = std::max({worst, largest(work.Q - want.col(0)) / largest(want.col(0)),
                        largest(work.Q_dot - want.col(1)) / largest(want.col(1)),
                        largest(work.Q_ddot - want.col(2)) / largest(want.col(2))});
    }
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 5e-14);
}

/// Qd by one complex step of the recursion, which has no truncation.
TEST(InverseDynamicsRates, are_those_of_complex_steps) {
  using Complex = std::complex<double>;
  constexpr double h = 1e-100;
  std::mt19937_64 generator(2);
  double worst = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Model model = compile(test::random_mechanism(
        generator, {.bodies = 10, .tree = trial % 2 == 1, .kinds = test::one_screw_kinds()}));
    const Curve curve(model, generator);
    const Eigen::MatrixXd rates = curve.rates(0, 4);
    const Eigen::VectorXd q = curve.q(0);
    std::vector<lie::SE3<Complex>> C_rel;
    std::vector<Complex> v, a;
    for (const Link& link : tree_links(model)) {
      const int k = link.v_index;
      const Twist X = links::screw_of(model, link, nullptr, 0);
      const Complex x(q[link.q_index], h * rates(k, 0));
      const Complex c = std::cos(X.w.z * x), s = std::sin(X.w.z * x);
      const lie::Mat3<Complex> R{{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
      C_rel.push_back(test::RecursionOver<Complex>::pose(link.P) *
                      lie::SE3<Complex>{lie::SO3<Complex>::unchecked(R), {0, 0, X.v.z * x}});
      v.emplace_back(rates(k, 0), h * rates(k, 1));
      a.emplace_back(rates(k, 1), h * rates(k, 2));
    }
    test::RecursionOver<Complex> recursion(model, C_rel, v);
    const std::vector<Complex>& Q = recursion.inverse<BodyForm>(a);
    VelocityKinematics kin(model);
    forward_kinematics(model, q, rates.col(0), kin);
    InverseDynamicsRates work(model);
    for (const Representation rep : forms) {
      inverse_dynamics_rates(model, kin, rates.col(1), rates.col(2), rates.col(3), rep, work);
      for (int i = 0; i < model.nv(); ++i)
        worst = std::max(
            worst, std::abs(work.Q_dot[i] - Q[std::size_t(i)].imag() / h) / largest(work.Q_dot));
    }
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 5e-14);
}

/// Every joint type, wrenches in every representation that change: Q is that of RecursiveDynamics, and
/// the others are differences of order 8 along a motion.
TEST(InverseDynamicsRates, are_derivatives_along_motions_of_every_joint) {
  std::mt19937_64 generator(3);
  double worst[3] = {};
  for (int trial = 0; trial < 20; ++trial) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 16, .tree = trial % 2 == 1}));
    const Curve curve(model, generator, 0.4);
    const Pushes pushes(model, generator);
    InverseDynamicsRates work(model);
    RecursiveDynamics recursive(model);
    VelocityKinematics kin(model);
    forward_kinematics(model, curve.q(0), curve.rates(0, 1), kin);
    const Eigen::VectorXd Q = inverse_dynamics(model, kin, curve.rates(0, 2).col(1),
                                               Representation::body, recursive, pushes.wrenches);
    Eigen::MatrixXd body;
    for (const Representation rep : forms) {
      const auto at = [&](double t) { return rates_at(curve, t, rep, work, pushes); };
      const Eigen::MatrixXd here = at(0);
      if (rep == Representation::body) body = here;
      for (int k = 0; k < 3; ++k)
        EXPECT_LE(largest(here.col(k) - body.col(k)), 1e-11 * largest(body.col(k)))
            << static_cast<int>(rep) << ", derivative " << k;
      worst[0] = std::max(worst[0], largest(here.col(0) - Q) / largest(Q));
      if (rep != Representation::body) continue;
      const Eigen::MatrixXd slope = test::derivative(at);
      for (int k = 0; k < 2; ++k)
        worst[k + 1] =
            std::max(worst[k + 1], largest(slope.col(k) - here.col(k + 1)) / largest(here));
    }
  }
  std::printf("  Q %.1e, Qd %.1e, Qdd %.1e\n", worst[0], worst[1], worst[2]);
  EXPECT_LE(worst[0], 5e-14);
  EXPECT_LE(worst[1], 2e-12);
  EXPECT_LE(worst[2], 5e-12);
}

TEST(InverseDynamicsRates, say_what_is_wrong) {
  std::mt19937_64 generator(4);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 5})),
              other = compile(test::random_mechanism(generator, {.bodies = 5}));
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(model.nv()),
                        y = Eigen::VectorXd::Zero(1 + model.nv());
  VelocityKinematics kin(model), foreign(other);
  forward_kinematics(model, model.neutral(), x, kin);
  InverseDynamicsRates work(model);
  const auto rates = [&](const auto& a, const auto& jerk, const auto& snap, Representation rep) {
    inverse_dynamics_rates(model, kin, a, jerk, snap, rep, work);
  };
  EXPECT_SAYS(rates(y, x, x, Representation::body), "a has");
  EXPECT_SAYS(rates(x, y, x, Representation::body), "jerk has");
  EXPECT_SAYS(rates(x, x, y, Representation::body), "snap has");
  EXPECT_SAYS(rates(x, x, x, Representation::mixed), "mixed", "hybrid");
  EXPECT_THROW(inverse_dynamics_rates(model, foreign, x, x, x, Representation::body, work),
               ForeignError);
  EXPECT_THROW(inverse_dynamics_rates(other, foreign, x, x, x, Representation::body, work),
               ForeignError);
  const AppliedWrench push{model.frame("body0"), {}}, stray{other.frame("body4"), {}};
  const WrenchRates rate[2] = {};
  EXPECT_SAYS(
      inverse_dynamics_rates(model, kin, x, x, x, Representation::body, work, {&push, 1}, rate),
      "2 rates of 1 wrenches");
  EXPECT_THROW(inverse_dynamics_rates(model, kin, x, x, x, Representation::body, work, {&stray, 1}),
               ForeignError);
}

}  // namespace
}  // namespace chasles
