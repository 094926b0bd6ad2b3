/// What round-off leaves: slender, tiny, far bodies in every kernel, against long double; descriptions
/// of one mechanism against each other; singular mass matrices in every path.
///
/// Errors are relative to what is sensible: of M as parts of (M_ii M_jj)^1/2, of forces tau_i / M_ii^1/2
/// and accelerations a_i M_ii^1/2 as parts of the largest.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "chasles/dynamics/factorization.hpp"
#include "chasles/mechanism/builder.hpp"
#include "kernels/kernel_runner.hpp"
#include "math/decompositions.hpp"

namespace chasles::kernels::longer {

/// A long double that is found by functions of this namespace.
struct Wide {
  long double x;
  Wide() = default;
  Wide(long double a) : x(a) {}
  friend Wide operator+(Wide a, Wide b) { return a.x + b.x; }
  friend Wide operator-(Wide a, Wide b) { return a.x - b.x; }
  friend Wide operator-(Wide a) { return -a.x; }
  friend Wide operator*(Wide a, Wide b) { return a.x * b.x; }
  friend Wide operator/(Wide a, Wide b) { return a.x / b.x; }
};
inline void sincos(Wide a, Wide& s, Wide& c) { s.x = std::sin(a.x), c.x = std::cos(a.x); }
inline bool all_above(Wide a, Wide bound) { return a.x > bound.x; }
inline Wide larger(Wide a, Wide b) { return a.x > b.x ? a : b; }
#pragma GCC diagnostic ignored "-Wpsabi"
#include "kernels/dynamics_table.inl"
#include "model/model_data.hpp"
/// Inverse dynamics is all that is used; the others would take long to compile.
using Sp = Lanes<Wide, long double>;
const KernelTable<long double> exact = [] {
  KernelTable<long double> one;
  one.lanes = Sp::lanes;
  one.of[inverse_dynamics] = {run_inverse_dynamics<Sp>, [](const Tree<long double>& tree) {
                                return inverse_dynamics_work<Sp>(tree.links.size(), tree.nq);
                              }};
  return one;
}();

}  // namespace chasles::kernels::longer

namespace chasles::kernels {
namespace {

using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// By inverse dynamics in long double, which works in the frames of the links and loses nothing.
struct Truth {
  LongVector tau, a, size;  // of forces f taken as accelerations; of f as forces; M_ii^1/2
  LongMatrix M;
  double condition;  // of M with a diagonal of ones
  Truth(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
        const Eigen::VectorXd& f) {
    Runner<long double> run(model), still(model);
    for (auto& g : still.tree.gravity) g = 0;
    const auto id = [&](Runner<long double>& with, const Eigen::VectorXd& rate,
                        const Eigen::VectorXd& acceleration) {
      const auto x = with(longer::exact, inverse_dynamics, model, q, rate, acceleration);
      return LongVector(Eigen::Map<const LongVector>(x.data(), std::ssize(x)));
    };
    const int n = model.nv();
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
    tau = id(run, v, f);
    M.resize(n, n);
    for (int k = 0; k < n; ++k) M.col(k) = id(still, zero, Eigen::VectorXd::Unit(n, k));
    size = M.diagonal().cwiseSqrt();
    const LongMatrix scaled =
        size.cwiseInverse().asDiagonal() * M * size.cwiseInverse().asDiagonal();
    const LongVector h = id(run, v, zero), b = (f.cast<long double>() - h).cwiseQuotient(size);
    a = scaled.ldlt().solve(b).cwiseQuotient(size);
    const Eigen::VectorXd s = symmetric_eigenvalues(scaled.cast<double>());
    condition = s.maxCoeff() / s.minCoeff();
  }
};

struct Errors {
  double tau = 0, a = 0, M = 0, M_inv = 0;
  void add(const Errors& e) {
    tau = std::max(tau, e.tau), a = std::max(a, e.a), M = std::max(M, e.M);
    M_inv = std::max(M_inv, e.M_inv);
  }
};

template <class Real>
Errors errors(const KernelTable<Real>& table, const Model& model, const Eigen::VectorXd& q,
              const Eigen::VectorXd& v, const Eigen::VectorXd& f, const Truth& truth) {
  Runner<Real> run(model);
  const int n = model.nv();
  const auto get = [&](Algorithm algorithm) {
    const auto x = run(table, algorithm, model, q, v, f);
    return LongVector(
        Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>(x.data(), std::ssize(x))
            .template cast<long double>());
  };
  const auto part = [](const LongVector& x, const LongVector& of) {
    return static_cast<double>((x - of).cwiseAbs().maxCoeff() / of.cwiseAbs().maxCoeff());
  };
  const auto& s = truth.size;
  Errors e;
  e.tau = part(get(inverse_dynamics).cwiseQuotient(s), truth.tau.cwiseQuotient(s));
  e.a = part(get(forward_dynamics).cwiseProduct(s), truth.a.cwiseProduct(s)) / truth.condition;
  const LongVector m = get(mass_matrix), inverse = get(mass_matrix_inverse);
  const LongMatrix M = m.reshaped(n, n), M_inv = inverse.reshaped(n, n);
  const auto scaled = [&](const LongMatrix& x, const LongVector& d) {
    return LongMatrix(d.asDiagonal() * x * d.asDiagonal());
  };
  const LongVector s_inv = s.cwiseInverse();
  e.M = static_cast<double>(scaled(M - truth.M, s_inv).cwiseAbs().maxCoeff());
  const LongMatrix one = scaled(M_inv, s) * scaled(truth.M, s_inv);
  e.M_inv = static_cast<double>((one - LongMatrix::Identity(n, n)).cwiseAbs().maxCoeff()) /
            truth.condition;
  return e;
}

/// Of all instruction sets.
struct AllErrors {
  Errors in_double, in_float;
};
AllErrors all_errors(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                     const Eigen::VectorXd& f) {
  // Rounded before, so that float is not charged with it.
  const auto rounded = [](const Eigen::VectorXd& x) {
    return Eigen::VectorXd(x.cast<float>().cast<double>());
  };
  const Eigen::VectorXd q_r = rounded(q), v_r = rounded(v), f_r = rounded(f);
  const Truth truth(model, q_r, v_r, f_r);
  AllErrors all;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) continue;
    all.in_double.add(errors(*set.single, model, q_r, v_r, f_r, truth));
    all.in_double.add(errors(*set.lanes, model, q_r, v_r, f_r, truth));
    all.in_float.add(errors(*set.float_lanes, model, q_r, v_r, f_r, truth));
  }
  return all;
}
void expect_digits(const AllErrors& e, double in_double, double in_float, const std::string& what) {
  EXPECT_LE(e.in_double.tau, in_double) << what;
  EXPECT_LE(e.in_double.a, in_double) << what;
  EXPECT_LE(e.in_double.M, in_double) << what;
  EXPECT_LE(e.in_double.M_inv, in_double) << what;
  EXPECT_LE(e.in_float.tau, in_float) << what;
  EXPECT_LE(e.in_float.a, in_float) << what;
  EXPECT_LE(e.in_float.M, in_float) << what;
  EXPECT_LE(e.in_float.M_inv, in_float) << what;
  if (std::getenv("CHASLES_SHOW"))
    std::printf("%-40s %8.1e %8.1e %8.1e %8.1e   %8.1e %8.1e %8.1e %8.1e\n", what.c_str(),
                e.in_double.tau, e.in_double.a, e.in_double.M, e.in_double.M_inv, e.in_float.tau,
                e.in_float.a, e.in_float.M, e.in_float.M_inv);
}

/// Two joints before it, so that nothing is along the axes of the root.
MechanismBuilder stand() {
  MechanismBuilder m("stand");
  m.body("column", ground, joints::revolute({0, 0, 1}, {}))
      .inertia(3, {0.1, 0, 0.2}, Sym3::diagonal(0.05, 0.06, 0.04));
  m.body("arm", "column", joints::revolute({1, 2, 0.5}, {0.1, 0, 0.4}))
      .inertia(2, {0.2, 0.1, 0.3}, Sym3::diagonal(0.03, 0.04, 0.02));
  return m;
}
Sym3 rod(double mass, double length, double radius) {
  const double across = mass * (length * length / 12 + radius * radius / 4);
  return Sym3::diagonal(across, across, mass * radius * radius / 2);
}
Eigen::VectorXd angles(int n) {
  return Eigen::VectorXd::NullaryExpr(n, [](Eigen::Index k) { return 0.7 - 0.4 * double(k); });
}
Eigen::VectorXd rates(int n) {
  return Eigen::VectorXd::NullaryExpr(n, [](Eigen::Index k) { return 1.5 - 0.9 * double(k); });
}

/// A rod of 2 m and 1 mm that spins about itself, on ground and at the end of an arm.
TEST(Digits, of_a_slender_rod) {
  for (const double radius : {1e-1, 1e-2, 1e-3}) {
    MechanismBuilder alone("rod");
    alone.body("rod", ground, joints::revolute({0, 0, 1}, {}))
        .inertia(1.3, {0, 0, 1}, rod(1.3, 2, radius));
    const Model on_ground = compile(alone.build());
    expect_digits(all_errors(on_ground, angles(1), rates(1), rates(1)), 1e-15, 1e-6,
                  "rod alone " + std::to_string(radius));
    MechanismBuilder held = stand();
    held.body("rod", "arm", joints::revolute({0, 0, 1}, {0.3, 0.2, 0.5}))
        .inertia(1.3, {0.3, 0.2, 1.5}, rod(1.3, 2, radius));
    const Model at_end = compile(held.build());
    expect_digits(all_errors(at_end, angles(3), rates(3), rates(3)), 1e-12, 1e-4,
                  "rod held " + std::to_string(radius));
    held.body("tip", "rod", joints::revolute({1, 0, 0}, {0.3, 0.2, 2.5}))
        .inertia(1e-2, {0.3, 0.21, 2.5}, Sym3::diagonal(1e-6, 1e-6, 1e-6));
    const Model with_tip = compile(held.build());
    expect_digits(all_errors(with_tip, angles(4), rates(4), rates(4)), 1e-12, 1e-4,
                  "rod with tip " + std::to_string(radius));
  }
}

/// A light wheel away from the root.
TEST(Digits, of_a_light_wheel) {
  for (const double mass : {1e-2, 1e-1, 1.}) {
    MechanismBuilder m = stand();
    m.body("wheel", "arm", joints::revolute({0, 1, 0}, {1, 0, 0.5}))
        .inertia(mass, {1, 0, 0.5}, Sym3::diagonal(0.6e-8, 1e-8, 0.6e-8));
    expect_digits(all_errors(compile(m.build()), angles(3), rates(3), rates(3)), 1e-12, 1e-4,
                  "wheel " + std::to_string(mass));
  }
}

/// The point of an axis anywhere on it, of every type of joint that has one.
TEST(Digits, of_points_far_along_their_axes) {
  const Vec3 axis{0.36, 0.48, 0.8};
  for (const double far : {0., 1e2, 1e4, 1e6})
    for (const JointType type :
         {JointType::revolute, JointType::prismatic, JointType::helical, JointType::cylindrical}) {
      MechanismBuilder m = stand();
      Joint joint = joints::of(type, axis, Vec3{0.3, 0.2, 0.5} + far * axis);
      if (type == JointType::helical) joint.pitch = 0.05;
      m.body("hand", "arm", joint).inertia(1.3, {0.4, 0.3, 0.6}, Sym3::diagonal(0.01, 0.02, 0.025));
      m.body("finger", "hand", joints::revolute({0, 1, 0}, {0.45, 0.3 - far, 0.6}))
          .inertia(0.1, {0.45, 0.4, 0.6}, Sym3::diagonal(1e-4, 1e-5, 1e-4));
      const Model model = compile(m.build());
      const int n = model.nv();
      expect_digits(all_errors(model, angles(n), rates(n), rates(n)), 1e-12, 1e-4,
                    std::string(joint_type_info(type).name) + " " + std::to_string(far));
    }
}

/// Slides that are far out.
TEST(Digits, of_far_slides) {
  for (const double far : {1., 1e2})
    for (const JointType type : {JointType::prismatic, JointType::cylindrical}) {
      MechanismBuilder m = stand();
      m.body("hand", "arm", joints::of(type, {0.36, 0.48, 0.8}, {0.3, 0.2, 0.5}))
          .inertia(1.3, {0.4, 0.3, 0.6}, Sym3::diagonal(0.01, 0.02, 0.025));
      m.body("finger", "hand", joints::revolute({0, 1, 0}, {0.45, 0.3, 0.6}))
          .inertia(0.1, {0.45, 0.4, 0.6}, Sym3::diagonal(1e-4, 1e-5, 1e-4));
      const Model model = compile(m.build());
      const int n = model.nv();
      Eigen::VectorXd q = angles(n);
      q[n - 2] = far;
      expect_digits(all_errors(model, q, rates(n), rates(n)), 1e-12, 1e-4,
                    std::string(joint_type_info(type).name) + " out " + std::to_string(far));
    }
}

/// Slides that are far out beyond a ball, which transmits no torque: that is so exactly, or roundings of the
/// squares of the distances come through. In single precision such mechanisms are singular.
TEST(Digits, of_far_slides_beyond_a_ball) {
  using enum JointType;
  const std::vector<test::JointKind> chains[] = {
      {{universal}, {cylindrical}, {spherical}, {planar}}, {{spherical}, {prismatic}}, {}};
  for (const std::vector<test::JointKind>& kinds : chains)
    for (const double far : {1., 60., 600.}) {
      Errors worst;
      double factored = 0;
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::mt19937_64 generator(seed);
        const Model model =
            compile(test::random_mechanism(generator, {.bodies = 4, .kinds = kinds}));
        Eigen::VectorXd q = test::random_configuration(model, generator);
        const Eigen::VectorXd v = test::random_vector(model.nv(), generator),
                              f = test::random_vector(model.nv(), generator);
        for (const Link& link : tree_links(model))
          if (link.motion == LinkMotion::prismatic)
            q[link.q_index] = std::copysign(far, q[link.q_index]);
        const Truth truth(model, q, v, f);
        for (const InstructionSet& set : instruction_sets()) {
          if (!set.available) continue;
          worst.add(errors(*set.single, model, q, v, f, truth));
          worst.add(errors(*set.lanes, model, q, v, f, truth));
        }
        PositionKinematics kin(model);
        chasles::forward_kinematics(model, q, kin);
        MassFactorization factors(model);
        factors.factorize(model, kin);
        Vector x(model.nv());
        factors.solve(f, x);
        const LongVector exact = truth.M.ldlt().solve(f.cast<long double>()),
                         off = (x.cast<long double>() - exact).cwiseProduct(truth.size);
        factored = std::max(
            factored, static_cast<double>(off.norm() / exact.cwiseProduct(truth.size).norm()) /
                          truth.condition);
      }
      const std::string what = std::to_string(kinds.size()) + " kinds, " + std::to_string(far);
      EXPECT_LE(worst.tau, 1e-13) << what;
      EXPECT_LE(worst.a, 1e-13) << what;  // 3e-15; zeros that are computed: 1e-11 at 600 m
      EXPECT_LE(worst.M_inv, 1e-13) << what;
      EXPECT_LE(worst.M, 1e-11) << what;  // 1.2e-12 at 600 m: composite bodies
      // Of chains of all joints 1.6e-11 at 600 m and 1.9e-13 at 60 m: about their own origins links keep squares
      // of distances, which the kernels avoid.
      EXPECT_LE(factored, kinds.empty() ? 1e-10 : 1e-13) << what;
    }
}

}  // namespace
}  // namespace chasles::kernels
