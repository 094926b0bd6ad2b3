/// Batches with applied wrenches, and kinematics in batches, against one state at a time.
#include "chasles/dynamics/batch.hpp"

#include <gtest/gtest.h>

#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

constexpr std::array representations{Representation::body, Representation::spatial,
                                     Representation::hybrid, Representation::mixed};

/// States, and places on some of the bodies and on ground.
struct Many {
  Model model;
  int states;
  std::vector<Eigen::VectorXd> q, v, a;
  std::vector<Frame> frames;
  std::vector<std::vector<Wrench>> W;  // by states

  Many(std::mt19937_64& generator, int bodies, int count)
      : model(compile(test::random_mechanism(generator, {.bodies = bodies, .tree = true}))),
        states(count) {
    const auto vec = [&] {
      const Eigen::VectorXd x = test::random_vector(3, generator);
      return Vec3{x[0], x[1], x[2]};
    };
    for (const ModelFrame& frame : model.frames()) frames.push_back(frame.frame);
    frames.push_back({-1, {{}, {1, 2, 3}}});
    for (int s = 0; s < count; ++s) {
      q.push_back(test::random_configuration(model, generator));
      v.push_back(test::random_vector(model.nv(), generator));
      a.push_back(test::random_vector(model.nv(), generator));
      W.emplace_back();
      for (std::size_t k = 0; k < frames.size(); ++k) W.back().push_back({vec(), vec()});
    }
  }
  template <class Real>
  static std::vector<Real> rows(const std::vector<Eigen::VectorXd>& from) {
    std::vector<Real> to;
    for (const Eigen::VectorXd& x : from)
      for (const double e : x) to.push_back(static_cast<Real>(e));
    return to;
  }
  template <class Real>
  std::vector<Real> wrench_rows() const {
    std::vector<Real> to;
    for (const auto& row : W)
      for (const Wrench& w : row)
        for (const double e : {w.t.x, w.t.y, w.t.z, w.f.x, w.f.y, w.f.z})
          to.push_back(static_cast<Real>(e));
    return to;
  }
};

void append(const Vec3& a, std::vector<double>& to) { to.insert(to.end(), {a.x, a.y, a.z}); }
void append(const Twist& a, std::vector<double>& to) { append(a.w, to), append(a.v, to); }

template <class Real>
double worst(const std::vector<Real>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0, size = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double e = std::abs(static_cast<double>(a[i]) - b[i]);
    if (!(e <= most)) most = e;
    size = std::max(size, std::abs(b[i]));
  }
  return most / size;
}

template <class Real>
class KernelBatch : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(KernelBatch, Reals);

TYPED_TEST(KernelBatch, wrenches_in_every_representation) {
  using Real = TypeParam;
  std::mt19937_64 generator(11);
  const Many many(generator, 12, 19);
  const auto q = many.rows<Real>(many.q), v = many.rows<Real>(many.v), a = many.rows<Real>(many.a);
  const auto W = many.wrench_rows<Real>();
  Batch<Real> batch(many.model, 2);
  InverseDynamics id(many.model);
  ForwardDynamics fd(many.model);
  for (const Representation rep : representations) {
    std::vector<double> tau, acceleration;
    for (int s = 0; s < many.states; ++s) {
      const auto i = static_cast<std::size_t>(s);
      // The independent way: poses, body-fixed wrenches, and J^T W.
      PositionKinematics kin(many.model);
      forward_kinematics(many.model, many.q[i], kin);
      Matrix6X J(6, many.model.nv());
      Eigen::VectorXd applied = Eigen::VectorXd::Zero(many.model.nv());
      for (std::size_t k = 0; k < many.frames.size(); ++k) {
        jacobian(many.model, kin, many.frames[k], rep, J);
        const Wrench& w = many.W[i][k];
        applied += J.transpose() *
                   (Eigen::VectorXd(6) << w.t.x, w.t.y, w.t.z, w.f.x, w.f.y, w.f.z).finished();
      }
      const Eigen::VectorXd f = inverse_dynamics(many.model, many.q[i], many.v[i], many.a[i], id);
      for (const double e : Eigen::VectorXd(f - applied)) tau.push_back(e);
      const Eigen::VectorXd x =
          forward_dynamics(many.model, many.q[i], many.v[i], many.a[i] + applied, fd);
      acceleration.insert(acceleration.end(), x.begin(), x.end());
    }
    std::vector<Real> out(tau.size());
    batch.inverse_dynamics(many.states, q, v, a, out, BatchLayout::rows, {many.frames, W, rep});
    EXPECT_LE(worst(out, tau), sizeof(Real) == 8 ? 1e-13 : 1e-4);
    batch.forward_dynamics(many.states, q, v, a, out, BatchLayout::rows, {many.frames, W, rep});
    EXPECT_LE(worst(out, acceleration), sizeof(Real) == 8 ? 1e-9 : 0.5);  // conditioned
  }
}

/// One state at a time takes lists in which every wrench has its own representation.
TEST(KernelWrenches, of_mixed_representations) {
  std::mt19937_64 generator(12);
  const Many many(generator, 12, 1);
  std::vector<AppliedWrench> applied;
  PositionKinematics kin(many.model);
  forward_kinematics(many.model, many.q[0], kin);
  Matrix6X J(6, many.model.nv());
  Eigen::VectorXd force = Eigen::VectorXd::Zero(many.model.nv());
  for (std::size_t k = 0; k < many.frames.size(); ++k) {
    const Representation rep = representations[k % 4];
    const Wrench& w = many.W[0][k];
    applied.push_back({many.frames[k], w, rep});
    jacobian(many.model, kin, many.frames[k], rep, J);
    force +=
        J.transpose() * (Eigen::VectorXd(6) << w.t.x, w.t.y, w.t.z, w.f.x, w.f.y, w.f.z).finished();
  }
  InverseDynamics id(many.model);
  const Eigen::VectorXd plain = inverse_dynamics(many.model, many.q[0], many.v[0], many.a[0], id);
  const Eigen::VectorXd tau =
      inverse_dynamics(many.model, many.q[0], many.v[0], many.a[0], id, applied);
  EXPECT_LE((tau - (plain - force)).cwiseAbs().maxCoeff(), 1e-12 * plain.cwiseAbs().maxCoeff());
  ForwardDynamics fd(many.model);
  const Eigen::VectorXd back = forward_dynamics(many.model, many.q[0], many.v[0], tau, fd, applied);
  EXPECT_LE((back - many.a[0]).cwiseAbs().maxCoeff(), 1e-9);
}

TYPED_TEST(KernelBatch, kinematics_in_every_representation_and_layout) {
  using Real = TypeParam;
  std::mt19937_64 generator(13);
  const Many many(generator, 14, 21);
  const auto q = many.rows<Real>(many.q), v = many.rows<Real>(many.v), a = many.rows<Real>(many.a);
  const double tolerance = sizeof(Real) == 8 ? 1e-13 : 1e-5;
  const auto in_lanes = [&](const Batch<Real>& batch, const std::vector<Real>& rows) {
    const int lanes = batch.lanes(), n = static_cast<int>(rows.size()) / many.states;
    std::vector<Real> out(static_cast<std::size_t>(batch.padded(many.states) * n), Real(NAN));
    for (int s = 0; s < many.states; ++s)
      for (int e = 0; e < n; ++e)
        out[static_cast<std::size_t>((s / lanes * n + e) * lanes + s % lanes)] =
            rows[static_cast<std::size_t>(s * n + e)];
    return out;
  };
  for (const Representation rep : representations) {
    std::vector<double> poses, twists, twist_rates, jacobians;
    const Frame tip = many.frames[many.frames.size() - 2];
    for (std::size_t s = 0; s < many.q.size(); ++s) {
      AccelerationKinematics kin(many.model);
      forward_kinematics(many.model, many.q[s], many.v[s], many.a[s], kin);
      for (const Frame& frame : many.frames) {
        const SE3 C = pose(kin, frame);
        for (int k = 0; k < 3; ++k) append(C.R.matrix().column(k), poses);
        append(C.r, poses);
        append(twist(kin, frame, rep), twists);
        append(acceleration(kin, frame, rep), twist_rates);
      }
      Matrix6X J(6, many.model.nv());
      jacobian(many.model, kin, tip, rep, J);
      jacobians.insert(jacobians.end(), J.data(), J.data() + J.size());
    }
    std::vector<Real> first[4];
    for (const int threads : {1, 3}) {
      Batch<Real> batch(many.model, threads);
      std::vector<Real> out[4] = {std::vector<Real>(poses.size()), std::vector<Real>(twists.size()),
                                  std::vector<Real>(twist_rates.size()),
                                  std::vector<Real>(jacobians.size())};
      batch.poses(many.states, q, many.frames, out[0]);
      batch.twists(many.states, q, v, many.frames, rep, out[1]);
      batch.accelerations(many.states, q, v, a, many.frames, rep, out[2]);
      batch.jacobians(many.states, q, tip, rep, out[3]);
      EXPECT_LE(worst(out[0], poses), tolerance);
      EXPECT_LE(worst(out[1], twists), tolerance);
      EXPECT_LE(worst(out[2], twist_rates), tolerance);
      EXPECT_LE(worst(out[3], jacobians), tolerance);
      for (int k = 0; k < 4; ++k) {
        if (threads == 1) first[k] = out[k];
        EXPECT_EQ(out[k], first[k]) << threads << " threads";
      }
      std::vector<Real> lanes = in_lanes(batch, out[2]), found(lanes.size(), Real(NAN));
      batch.accelerations(many.states, in_lanes(batch, q), in_lanes(batch, v), in_lanes(batch, a),
                          many.frames, rep, found, BatchLayout::lanes);
      for (std::size_t i = 0; i < lanes.size(); ++i)
        if (lanes[i] == lanes[i]) {
          EXPECT_EQ(found[i], lanes[i]);
        }
    }
  }
}

TYPED_TEST(KernelBatch, refuses_what_makes_no_sense) {
  using Real = TypeParam;
  std::mt19937_64 generator(14);
  const Many many(generator, 3, 1);
  const auto q = many.rows<Real>(many.q), v = many.rows<Real>(many.v);
  Batch<Real> batch(many.model);
  std::vector<Real> out(v.size()), W(6), poses(12);
  const Frame foreign{99, {}}, fine{0, {}, many.model.id()};
  EXPECT_SAYS(batch.inverse_dynamics(1, q, v, v, out, BatchLayout::rows,
                                     {std::span(&foreign, 1), W, Representation::body}),
              "link 99");
  EXPECT_SAYS(batch.inverse_dynamics(1, q, v, v, out, BatchLayout::rows,
                                     {std::span(&fine, 1), v, Representation::body}),
              "W has", "needs 6");
  EXPECT_SAYS(batch.poses(1, q, {&foreign, 1}, poses), "link 99");
  EXPECT_SAYS(batch.poses(1, q, {&fine, 1}, W), "C has 6", "needs 12");
  const Batch<Real> other = std::move(batch);
  EXPECT_GE(other.lanes(), 1);
  EXPECT_SAYS(batch.lanes(), "moved");                            // NOLINT(bugprone-use-after-move)
  EXPECT_SAYS(batch.inverse_dynamics(1, q, v, v, out), "moved");  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace chasles
