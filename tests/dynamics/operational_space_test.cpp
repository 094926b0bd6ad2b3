/// Operational-space inertias and joint reactions on the fast path, against dense algebra and the textbook.
#include "chasles/dynamics/operational_space.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "chasles/dynamics/joint_reactions.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/physical.hpp"
#include "chasles/textbook/factorization.hpp"
#include "chasles/textbook/recursive.hpp"
#include "model/model_data.hpp"
#include "support/allocation.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "textbook/sample.hpp"

namespace chasles {
namespace operational_space_test {

using Matrix66 = Eigen::Matrix<double, 6, 6>;

/// J M^-1 J^T with M as a sum over links.
Matrix66 dense(const test::Sample& s, const Frame& frame, Representation rep) {
  Matrix6X J(6, s.model.nv());
  jacobian(s.model, s.kin, frame, rep, J);
  const Eigen::MatrixXd J_t = J.transpose();
  return J * s.M.llt().solve(J_t);
}

TEST(OperationalSpace, is_the_projected_inverse_of_the_mass_matrix) {
  std::mt19937_64 generator(101);
  int regular = 0;
  for (int round = 0; round < 12; ++round) {
    const test::Sample s = test::regular_sample(generator, round % 2 == 0, 17);
    MassFactorization M(s.model);
    M.factorize(s.model, s.kin);
    // The error of the dense solution grows with the condition of M.
    const double rounding = 1e-15 * test::condition(s.M);
    std::vector<Frame> frames;
    for (const ModelBody& body : s.model.bodies()) frames.push_back(body.frame);
    for (const ModelFrame& frame : s.model.frames()) frames.push_back(frame.frame);
    for (const Frame& frame : frames)
      for (const Representation rep : test::all_representations) {
        const Matrix66 expected = dense(s, frame, rep);
        Matrix66 inverse, Lambda;
        inverse_operational_space_inertia(M, frame, rep, inverse);
        const double size = expected.cwiseAbs().maxCoeff();
        EXPECT_LE((inverse - expected).cwiseAbs().maxCoeff(), (1e-12 + rounding) * size);
        EXPECT_EQ(inverse, inverse.transpose());
        const Eigen::Vector<double, 6> scale =
            inverse.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
        const Matrix66 scaled = scale.asDiagonal() * inverse * scale.asDiagonal();
        const Eigen::FullPivLU<Matrix66> lu(scaled);
        if (!lu.isInvertible() || !(lu.rcond() > 1e-6)) continue;
        ++regular;
        operational_space_inertia(M, frame, rep, Lambda);
        EXPECT_LT((Lambda * inverse - Matrix66::Identity()).norm(),
                  1e-14 * Lambda.norm() * inverse.norm());
        EXPECT_EQ(Lambda, Lambda.transpose());
      }
  }
  EXPECT_GT(regular, 100);
}

/// The innovations factorization of the textbook has the same matrix about its reference point.
TEST(OperationalSpace, is_the_compliance_of_the_textbook) {
  std::mt19937_64 generator(102);
  const test::Sample s = test::regular_sample(generator, true, 17);
  MassFactorization M(s.model);
  M.factorize(s.model, s.kin);
  textbook::Factorization f(s.model);
  factorize(s.model, s.kin, f);
  std::vector<textbook::Matrix6> Ups(tree_links(s.model).size());
  inverse_operational_space_inertias(f, Ups);
  for (std::size_t i = 0; i < Ups.size(); ++i) {
    Matrix66 inverse;
    const Frame link{static_cast<int>(i), {}, s.model.id()};
    inverse_operational_space_inertia(M, link, Representation::hybrid, inverse);
    // V at the reference point p has v + w x (p - r).
    const Matrix66 T = to_eigen(Ad_matrix(SE3{{}, s.kin.C()[i].r - f.reference_point()}));
    const Matrix66 moved = T * inverse * T.transpose();
    EXPECT_LT((moved - Ups[i]).cwiseAbs().maxCoeff(), 1e-10 * Ups[i].cwiseAbs().maxCoeff());
  }
}

TEST(OperationalSpace, of_a_free_body_is_its_inertia) {
  const Inertia I = inertia_about_com(3, {0.1, 0.2, -0.3}, Sym3::diagonal(1, 2, 2.5));
  const Model model = compile(MechanismBuilder("free")
                                  .body("body", ground, joints::floating())
                                  .inertia(3, {0.1, 0.2, -0.3}, Sym3::diagonal(1, 2, 2.5))
                                  .build());
  PositionKinematics kin(model);
  forward_kinematics(model, Vector{0.5, 0.5, -0.5, 0.5, 1, 2, 3}, kin);
  MassFactorization M(model);
  M.factorize(model, kin);
  Matrix Lambda(6, 6);
  operational_space_inertia(M, model.frame("body"), Representation::body, Lambda);
  EXPECT_LT((Lambda - to_eigen(matrix(I))).norm(), 1e-14);
}

TEST(OperationalSpace, that_does_not_exist_is_an_error) {
  const Model model = compile(MechanismBuilder("arm")
                                  .body("a", ground, joints::revolute({0, 1, 0}))
                                  .inertia(1, {0.2, 0, 0}, Sym3::diagonal(1, 1, 1))
                                  .body("b", "a", joints::revolute({0, 1, 0}, {0.5, 0, 0}))
                                  .inertia(1, {0.7, 0, 0}, Sym3::diagonal(1, 1, 1))
                                  .frame("tip", "b", {{}, {1, 0, 0}})
                                  .build());
  const Model other = model.with_gravity({});
  MassFactorization M(model);
  Matrix66 Lambda;
  const auto of = [&](const Frame& frame, Representation rep = Representation::hybrid) {
    operational_space_inertia(M, frame, rep, Lambda);
  };
  EXPECT_SAYS(of(model.frame("tip")), "call factorize first");
  PositionKinematics kin(model);
  forward_kinematics(model, Vector{0.3, 0.7}, kin);
  M.factorize(model, kin);
  EXPECT_THROW(of(model.frame("tip")), SingularError);
  EXPECT_SAYS(of(model.frame("tip")), "do not move the frame in all six directions");
  EXPECT_SAYS(of(other.frame("tip")), "'arm'");
  EXPECT_SAYS(of(model.frame("tip"), static_cast<Representation>(9)), "9");
  EXPECT_THROW(of(model.frame("ground")), SingularError);
  inverse_operational_space_inertia(M, model.frame("ground"), Representation::body, Lambda);
  EXPECT_EQ(Lambda, Matrix66::Zero());
}

TEST(JointReactions, are_those_of_the_textbook) {
  std::mt19937_64 generator(103);
  for (int round = 0; round < 8; ++round) {
    const test::Sample s(generator, {.bodies = 17, .tree = round % 2 == 0});
    const auto applied = s.wrenches(generator);
    const std::span all(applied);
    textbook::RecursiveDynamics book(s.model);
    const Vector tau =
        textbook::inverse_dynamics(s.model, s.kin, s.a, Representation::spatial, book, applied);
    JointReactions fast(s.model);
    double largest = 1;
    for (const Representation rep : test::all_representations) {
      joint_reactions(s.model, s.kin, rep, fast, all.first(3), all.subspan(3));
      for (std::size_t k = 0; k < s.model.joints().size(); ++k) {
        const Wrench expected = textbook::reaction(s.model, s.kin, book, k, rep);
        largest = std::max({largest, max_abs(expected.t), max_abs(expected.f)});
        EXPECT_CLOSE(fast.W[k], expected, 1e-12 * largest) << s.model.joints()[k].name;
      }
    }
    // Along the screws of joints at q = 0 of one motion they are the joint forces, without those of armatures.
    joint_reactions(s.model, s.kin, Representation::body, fast, applied);
    for (std::size_t k = 0; k < s.model.joints().size(); ++k)
      if (const ModelJoint& joint = s.model.joints()[k]; joint.nv == 1 && joint.nq == 1) {
        EXPECT_NEAR(dot(fast.W[k], joint.X[0]),
                    tau[joint.v_index] - joint.armature * s.a[joint.v_index], 1e-12 * largest);
      }
  }
}

TEST(JointReactions, refuse_other_models) {
  std::mt19937_64 generator(104);
  const test::Sample s(generator, {.bodies = 5});
  const Model other = s.model.with_gravity({});
  JointReactions of_other(other), mine(s.model);
  EXPECT_SAYS(joint_reactions(s.model, s.kin, Representation::body, of_other), "the workspace");
  EXPECT_SAYS(joint_reactions(other, s.kin, Representation::body, of_other), "the kinematics");
  EXPECT_SAYS(joint_reactions(s.model, s.kin, static_cast<Representation>(7), mine), "7");
  const AppliedWrench foreign{other.frame("body1"), {}};
  EXPECT_SAYS(joint_reactions(s.model, s.kin, Representation::body, mine, {&foreign, 1}),
              "'random'");
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(OperationalSpace, allocates_nothing) {
  std::mt19937_64 generator(105);
  const test::Sample s = test::regular_sample(generator, true, 17);
  const auto applied = s.wrenches(generator);
  MassFactorization M(s.model);
  JointReactions reactions(s.model);
  Matrix Lambda(6, 6);
  const long before = test::allocations;
  for (const Representation rep : test::all_representations) {
    M.factorize(s.model, s.kin);
    inverse_operational_space_inertia(M, s.model.bodies().back().frame, rep, Lambda);
    joint_reactions(s.model, s.kin, rep, reactions, applied);
  }
  EXPECT_EQ(test::allocations - before, 0);
}
#endif

}  // namespace operational_space_test
}  // namespace chasles
