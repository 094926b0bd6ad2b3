/// One mechanism in several descriptions has the same forces, mass matrix and accelerations, whatever
/// bodies it is made of; a mass matrix that is singular is called so in every state and by all.

#include <gtest/gtest.h>

#include "chasles/dynamics/batch.hpp"
#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/textbook/factorization.hpp"
#include "chasles/textbook/hamiltonian.hpp"
#include "chasles/textbook/recursive.hpp"
#include "math/decompositions.hpp"
#include "model/model_data.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Descriptions.

/// Chains and trees of ordinary, slender, tiny and huge bodies; all described in the world.
class WideGenerator {
 public:
  explicit WideGenerator(std::mt19937_64& generator) : generator_(generator) {}
  Mechanism operator()(int bodies) {
    Mechanism m{"wide", vector(9), {}, {}, {}};
    for (int k = 0; k < bodies; ++k) m.bodies.push_back(body(k));
    return m;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(generator_); }
  double uniform(double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(generator_);
  }
  Vec3 vector(double scale) { return random_tangent<Vec3>(generator_, scale); }
  Body body(int k) {
    const double rod = std::pow(10, uniform(-3, -1)), tiny = std::pow(10, uniform(-3, -1));
    const Vec3 sides[] = {{0.1, 0.15, 0.2}, {rod, rod, 1}, {tiny, tiny, tiny}, {3, 2, 4}};
    const int kind = below(4), along = below(3);
    Vec3 s = sides[kind];
    if (along == 0) s = {s.z, s.x, s.y};
    if (along == 1) s = {s.y, s.z, s.x};
    const double m = 1000 * s.x * s.y * s.z, xx = s.x * s.x, yy = s.y * s.y, zz = s.z * s.z;
    const Vec3 point = vector(0.4);
    Vec3 axis = vector(1);
    if (kind == 1 && below(2) == 0)
      axis = {along == 0 ? 1. : 0., along == 1 ? 1. : 0., along == 2 ? 1. : 0.};
    Body b;
    b.name = "body" + std::to_string(k);
    const int parent = k == 0 ? -1 : below(3) == 0 ? below(k) : k - 1;
    if (parent >= 0) b.parent = "body" + std::to_string(parent);
    const JointType types[] = {JointType::revolute,  JointType::revolute, JointType::revolute,
                               JointType::prismatic, JointType::helical,  JointType::cylindrical};
    b.joint = joints::of(types[below(6)], (1 / norm(axis)) * axis, point);
    if (joint_type_info(b.joint.type).takes_pitch) b.joint.pitch = 0.1;
    b.inertia =
        BodyInertia{m, point + vector(0.3),
                    Sym3::diagonal(m / 12 * (yy + zz), m / 12 * (xx + zz), m / 12 * (xx + yy))};
    return b;
  }
  std::mt19937_64& generator_;
};

/// The points of the axes somewhere else on them.
Mechanism slide_points(Mechanism m, double far, std::mt19937_64& generator) {
  std::uniform_real_distribution<double> uniform(-far, far);
  for (Body& b : m.bodies) {
    auto& at = std::get<AxisGeometry>(b.joint.geometry);
    at.point = at.point + uniform(generator) * at.axis;
  }
  return m;
}
/// Body frames somewhere else, with their axes in another order, so that tensors keep their digits.
Mechanism replace_frames(Mechanism m, double far, std::mt19937_64& generator) {
  for (Body& b : m.bodies) {
    const SE3 C{SO3::unchecked({{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}),
                random_tangent<Vec3>(generator, far)};
    b.pose = {C, DescribedIn::world};
    b.inertia->com = inverse(C) * b.inertia->com;
    const Sym3 t = b.inertia->tensor;
    b.inertia->tensor = Sym3::diagonal(t.yy, t.zz, t.xx);
  }
  return m;
}

// Results.

struct Results {
  VectorXd tau, a, size;
  MatrixXd M;
  double condition;
  Results(const Model& model, const VectorXd& q, const VectorXd& v, const VectorXd& f) {
    InverseDynamics id(model);
    ForwardDynamics fd(model);
    MassMatrix mm(model);
    tau = inverse_dynamics(model, q, v, f, id);
    a = forward_dynamics(model, q, v, f, fd);
    M = mass_matrix(model, q, mm);
    size = M.diagonal().cwiseSqrt();
    const VectorXd s = symmetric_eigenvalues(scaled(M));
    condition = s.maxCoeff() / std::abs(s.minCoeff());
  }
  MatrixXd scaled(const MatrixXd& x) const {
    return size.cwiseInverse().asDiagonal() * x * size.cwiseInverse().asDiagonal();
  }
};
double part(const VectorXd& x, const VectorXd& of) {
  return (x - of).cwiseAbs().maxCoeff() / of.cwiseAbs().maxCoeff();
}
struct Worst {
  double tau = 0, M = 0, a = 0;
  void add(const Results& x, const Results& of) {
    tau = std::max(tau, part(x.tau.cwiseQuotient(of.size), of.tau.cwiseQuotient(of.size)));
    M = std::max(M, of.scaled(x.M - of.M).cwiseAbs().maxCoeff());
    a = std::max(a, part(x.a.cwiseProduct(of.size), of.a.cwiseProduct(of.size)) / of.condition);
  }
  void expect(double tolerance, const char* what) const {
    EXPECT_LE(tau, tolerance) << what;
    EXPECT_LE(M, tolerance) << what;
    EXPECT_LE(a, tolerance) << what;
    if (std::getenv("CHASLES_SHOW")) std::printf("%-30s %8.1e %8.1e %8.1e\n", what, tau, M, a);
  }
};

TEST(Descriptions, points_anywhere_on_their_axes) {
  for (const double far : {1., 100.}) {
    std::mt19937_64 generator(11);
    Worst worst;
    for (int k = 0; k < 200; ++k) {
      const Mechanism m = WideGenerator(generator)(3 + k % 8);
      const Model one = compile(m), other = compile(slide_points(m, far, generator));
      const VectorXd q = test::random_configuration(one, generator),
                     v = test::random_vector(one.nv(), generator),
                     f = test::random_vector(one.nv(), generator);
      worst.add(Results(other, q, v, f), Results(one, q, v, f));
    }
    worst.expect(1e-12 * far, "points");  // the axes themselves are rounded at their points
  }
}

TEST(Descriptions, body_frames_anywhere) {
  for (const double far : {1., 100.}) {
    std::mt19937_64 generator(12);
    Worst worst;
    for (int k = 0; k < 200; ++k) {
      const Mechanism m = WideGenerator(generator)(3 + k % 8);
      const Model one = compile(m), other = compile(replace_frames(m, far, generator));
      const VectorXd q = test::random_configuration(one, generator),
                     v = test::random_vector(one.nv(), generator),
                     f = test::random_vector(one.nv(), generator);
      worst.add(Results(other, q, v, f), Results(one, q, v, f));
    }
    worst.expect(1e-12 * far, "frames");  // centers of mass are rounded in far frames
  }
}

/// A free chain, described from its other end: the accelerations of its joints stay.
TEST(Descriptions, from_the_other_end) {
  std::mt19937_64 generator(13);
  double worst = 0;
  for (int k = 0; k < 100; ++k) {
    const int n = 3 + k % 5;
    Mechanism m = WideGenerator(generator)(n), back = m;
    m.bodies[0].joint = joints::floating();
    for (int i = 1; i < n; ++i) {
      Body& b = m.bodies[static_cast<std::size_t>(i)];
      b.parent = "body" + std::to_string(i - 1);
      const auto at = std::get<AxisGeometry>(b.joint.geometry);
      b.joint = joints::revolute(at.axis, at.point);
    }
    back.bodies.clear();
    for (int i = n - 1; i >= 0; --i) {
      Body b = m.bodies[static_cast<std::size_t>(i)];
      b.parent = i == n - 1 ? std::string(ground) : "body" + std::to_string(i + 1);
      if (i == n - 1) {
        b.joint = joints::floating();
      } else {
        const auto at =
            std::get<AxisGeometry>(m.bodies[static_cast<std::size_t>(i + 1)].joint.geometry);
        b.joint = joints::revolute(-at.axis, at.point);
      }
      back.bodies.push_back(b);
    }
    const Model one = compile(m), other = compile(back);
    const VectorXd q = test::random_configuration(one, generator),
                   v = test::random_vector(one.nv(), generator);
    VectorXd f = test::random_vector(one.nv(), generator), q_back(q), v_back(v), f_back(f);
    f.head(6).setZero(), f_back.head(6).setZero();
    VelocityKinematics kin(one);
    forward_kinematics(one, q, v, kin);
    const Frame last = one.frame("body" + std::to_string(n - 1));
    const SE3 C = pose(kin, last);
    const Twist V = twist(kin, last, Representation::body);
    const Quaternion p = quaternion(C.R);
    q_back.head(7) << p.w, p.x, p.y, p.z, C.r.x, C.r.y, C.r.z;
    v_back.head(6) << V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z;
    for (int i = 1; i < n; ++i) {
      q_back[6 + i] = q[6 + n - i], v_back[5 + i] = v[5 + n - i], f_back[5 + i] = f[5 + n - i];
    }
    const Results a(one, q, v, f), b(other, q_back, v_back, f_back);
    const VectorXd there = a.a.tail(n - 1), here = b.a.tail(n - 1).reverse(),
                   size = a.size.tail(n - 1);
    worst = std::max(worst, part(here.cwiseProduct(size), there.cwiseProduct(size)) /
                                std::max(a.condition, b.condition));
  }
  EXPECT_LE(worst, 1e-12);
  if (std::getenv("CHASLES_SHOW")) std::printf("other end %8.1e\n", worst);
}

// Singular.

/// Axes through one point, and a point mass: it moves on a sphere, so two of them would do.
Model three_axes(int before = 0) {
  MechanismBuilder m("three axes");
  std::string parent(ground);
  for (int k = 0; k < before; ++k) {
    const std::string name = "link" + std::to_string(k);
    m.body(name, parent, joints::revolute({1, 0.3 * k, 0.2}, {0.1 * k, 0, 0.05 * k}))
        .inertia(1, {0.1 * k + 0.2, 0.1, 0}, Sym3::diagonal(0.01, 0.02, 0.02));
    parent = name;
  }
  m.body("yaw", parent, joints::revolute({0, 0, 1}, {0.5, 0.2, 0.1})).joint_name("yaw");
  m.body("pitch", "yaw", joints::revolute({0, 1, 0}, {0.5, 0.2, 0.1}));
  m.body("roll", "pitch", joints::revolute({1, 0, 0}, {0.5, 0.2, 0.1}))
      .inertia(2, {0.8, 0.6, -0.3}, Sym3::diagonal(0, 0, 0));
  return compile(m.build());
}

template <class F>
int refusals(int count, const F& f) {
  int refused = 0;
  for (int k = 0; k < count; ++k) {
    try {
      f(k);
    } catch (const SingularError&) {
      ++refused;
    }
  }
  return refused;
}

TEST(SingularMassMatrix, is_refused_in_every_state_by_all) {
  constexpr int states = 1000;
  for (const int before : {0, 4, 20}) {
    const Model model = three_axes(before);
    const int n = model.nv();
    std::mt19937_64 generator(1);
    const VectorXd v = test::random_vector(n, generator), tau = test::random_vector(n, generator);
    const MatrixXd q = MatrixXd::NullaryExpr(
        n, states, [&] { return std::uniform_real_distribution<double>(-3, 3)(generator); });
    ForwardDynamics fd(model);
    MassMatrixInverse inverse(model);
    EXPECT_EQ(refusals(states, [&](int k) { forward_dynamics(model, q.col(k), v, tau, fd); }),
              states);
    EXPECT_EQ(refusals(states, [&](int k) { mass_matrix_inverse(model, q.col(k), inverse); }),
              states);
    Batch<double> batch(model);
    std::vector<double> a(static_cast<std::size_t>(n)), M(a.size() * a.size());
    const auto at = [&](int k) { return std::span(q.col(k).data(), a.size()); };
    const std::span<const double> rate(v.data(), a.size()), force(tau.data(), a.size());
    EXPECT_EQ(refusals(states, [&](int k) { batch.forward_dynamics(1, at(k), rate, force, a); }),
              states);
    EXPECT_EQ(refusals(states, [&](int k) { batch.mass_matrix_inverse(1, at(k), M); }), states);
    VelocityKinematics kin(model);
    textbook::RecursiveDynamics recursive(model);
    textbook::Factorization factorization(model);
    textbook::HamiltonianDynamics hamiltonian(model);
    for (const auto rep : {Representation::body, Representation::spatial, Representation::hybrid,
                           Representation::mixed})
      EXPECT_EQ(refusals(states,
                         [&](int k) {
                           forward_kinematics(model, q.col(k), v, kin);
                           textbook::forward_dynamics(model, kin, tau, rep, recursive);
                         }),
                states);
    EXPECT_EQ(refusals(states,
                       [&](int k) {
                         forward_kinematics(model, q.col(k), v, kin);
                         textbook::factorize(model, kin, factorization);
                       }),
              states);
    EXPECT_EQ(refusals(states,
                       [&](int k) {
                         forward_kinematics(model, q.col(k), v, kin);
                         textbook::hamiltonian_dynamics(model, kin, v, tau, hamiltonian);
                       }),
              states);
  }
}

TEST(SingularMassMatrix, has_one_message) {
  const Model model = three_axes();
  const VectorXd q = VectorXd::Constant(3, 0.4), zero = VectorXd::Zero(3);
  ForwardDynamics fd(model);
  MassMatrixInverse inverse(model);
  textbook::RecursiveDynamics recursive(model);
  VelocityKinematics kin(model);
  forward_kinematics(model, q, zero, kin);
  Batch<double> batch(model, 2);
  std::vector<double> many(30), out(30), matrices(90);
  for (std::size_t k = 0; k < 30; ++k) many[k] = q[static_cast<Eigen::Index>(k % 3)];
  const std::string one = test::message([&] { forward_dynamics(model, q, zero, zero, fd); });
  EXPECT_NE(one.find("'yaw' has no inertia"), std::string::npos) << one;
  EXPECT_EQ(test::message([&] { mass_matrix_inverse(model, q, inverse); }), one);
  EXPECT_EQ(test::message([&] {
              textbook::forward_dynamics(model, kin, zero, Representation::body, recursive);
            }),
            one);
  EXPECT_EQ(test::message([&] { batch.forward_dynamics(10, many, many, many, out); }),
            "state 0: " + one);
  EXPECT_EQ(test::message([&] { batch.mass_matrix_inverse(10, many, matrices); }),
            "state 0: " + one);
}

/// The one state of many that is at fault is named, in both layouts, and what is not a number is called
/// that.
TEST(SingularMassMatrix, of_a_batch_names_the_state) {
  // Singular where the two axes are parallel and the mass is on both.
  MechanismBuilder m("pan and tilt");
  m.body("pan", ground, joints::revolute({0, 0, 1}, {}));
  m.body("tilt", "pan", joints::revolute({1, 0, 0}, {}))
      .inertia(1, {0, 0, 1}, Sym3::diagonal(0, 0, 0));
  const Model model = compile(m.build());
  Batch<double> batch(model, 2);
  const int states = 41;
  for (const BatchLayout layout : {BatchLayout::rows, BatchLayout::lanes}) {
    const std::size_t rows =
        static_cast<std::size_t>(layout == BatchLayout::rows ? states : batch.padded(states));
    std::vector<double> q(2 * rows, 0.5), v(2 * rows), a(2 * rows);
    const auto at = [&](int s, int e) -> double& {
      const int l = batch.lanes();
      return q[static_cast<std::size_t>(layout == BatchLayout::rows ? 2 * s + e
                                                                    : (s / l * 2 + e) * l + s % l)];
    };
    EXPECT_NO_THROW(batch.forward_dynamics(states, q, v, v, a, layout));
    at(29, 1) = 0;
    EXPECT_SAYS(batch.forward_dynamics(states, q, v, v, a, layout), "state 29: ", "'pan'");
    at(27, 1) = std::nan("");
    EXPECT_SAYS(batch.forward_dynamics(states, q, v, v, a, layout), "state 27: q[1]", "'tilt'",
                "not finite");
    at(40, 1) = at(27, 1), at(27, 1) = at(29, 1) = 0.5;
    EXPECT_SAYS(batch.forward_dynamics(states, q, v, v, a, layout), "state 40: q[1]", "'tilt'");
  }
}

/// Joints that are regular stay so, however far things are.
TEST(RegularMassMatrix, is_not_refused) {
  for (const double far : {1., 1e3, 1e6}) {
    MechanismBuilder m("gantry");
    m.body("turntable", ground, joints::revolute({0.36, 0.48, 0.8}, {}))
        .inertia(1, {0.1, 0, 0}, Sym3::diagonal(0.01, 0.01, 0.01));
    m.body("trolley", "turntable", joints::prismatic({0.36, 0.48, 0.8}))
        .inertia(1, {0.1, 0, 0}, Sym3::diagonal(0.01, 0.01, 0.01));
    m.body("hook", "trolley", joints::revolute({1, 0, 0}, {}))
        .inertia(1, {0, 0.1, 0}, Sym3::diagonal(0.01, 0.01, 0.01));
    const Model model = compile(m.build());
    const Eigen::Vector3d q(0.3, far, 0.4), v(0, 0, 0), tau(1, 1, 1);
    ForwardDynamics fd(model);
    MassMatrixInverse inverse(model);
    EXPECT_NO_THROW(forward_dynamics(model, q, v, tau, fd)) << far;
    EXPECT_NO_THROW(mass_matrix_inverse(model, q, inverse)) << far;
    Batch<double> batch(model);
    std::vector<double> a(3), M(9);
    EXPECT_NO_THROW(batch.forward_dynamics(1, {q.data(), 3}, {v.data(), 3}, {tau.data(), 3}, a));
    EXPECT_NO_THROW(batch.mass_matrix_inverse(1, {q.data(), 3}, M));
  }
  std::mt19937_64 generator(5);
  for (int k = 0; k < 500; ++k) {
    const Model model = compile(WideGenerator(generator)(2 + k % 10));
    VectorXd q = test::random_configuration(model, generator);
    for (const Link& link : tree_links(model))
      if (link.motion == LinkMotion::prismatic) q[link.q_index] *= 1e3;
    const VectorXd v = test::random_vector(model.nv(), generator);
    ForwardDynamics fd(model);
    EXPECT_NO_THROW(forward_dynamics(model, q, v, v, fd)) << k;
    MassMatrixInverse inverse(model);
    EXPECT_NO_THROW(mass_matrix_inverse(model, q, inverse)) << k;
  }
}

/// Quaternions of any length mean the rotation of the unit one.
TEST(Quaternions, of_any_length) {
  MechanismBuilder m("base");
  m.body("base", ground, joints::floating())
      .inertia(2, {0.1, 0.2, 0.3}, Sym3::diagonal(0.1, 0.2, 0.25));
  m.body("ball", "base", joints::spherical({0.3, 0, 0}))
      .inertia(1, {0.5, 0, 0.1}, Sym3::diagonal(0.1, 0.1, 0.1));
  const Model model = compile(m.build());
  std::mt19937_64 generator(2);
  const VectorXd q = test::random_configuration(model, generator),
                 v = test::random_vector(model.nv(), generator);
  ForwardDynamics fd(model);
  PositionKinematics kin(model);
  const VectorXd a = forward_dynamics(model, q, v, v, fd);
  forward_kinematics(model, q, kin);
  const SE3 C = pose(kin, model.frame("ball"));
  Batch<double> batch(model);
  std::vector<double> found(12);
  for (const double length : {1e-300, 1e-160, 1e-154, 1e-140, 1e140, 1e155, 1e160, 1e300}) {
    VectorXd scaled = q;
    scaled.head<4>() *= length, scaled.tail<4>() *= length;
    EXPECT_LE((forward_dynamics(model, scaled, v, v, fd) - a).cwiseAbs().maxCoeff(), 1e-12)
        << length;
    batch.forward_dynamics(1, {scaled.data(), 11}, {v.data(), 9}, {v.data(), 9},
                           std::span(found).first(9));
    for (int k = 0; k < 9; ++k)
      EXPECT_NEAR(found[static_cast<std::size_t>(k)], a[k], 1e-12) << length;
    forward_kinematics(model, scaled, kin);
    EXPECT_LE(norm(pose(kin, model.frame("ball")).r - C.r), 1e-14) << length;
  }
  VectorXd none = q;
  none.tail<4>().setZero();
  EXPECT_SAYS(forward_dynamics(model, none, v, v, fd), "quaternion", "'ball'", "zero");
}

}  // namespace
}  // namespace chasles
