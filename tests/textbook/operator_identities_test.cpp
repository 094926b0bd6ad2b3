/// Lemmas A.1 and A.2 of 002: both sides on random chains and trees; operators by inverses; gradients by differences of
/// quantities that are formed anew from poses.
#include "chasles/textbook/operator_identities.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "chasles/mechanism/builder.hpp"
#include "dynamics/links.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace operator_identities_test {

using Eigen::MatrixXd;
using enum OperatorIdentity;

/// Joints whose screws are constant in their bodies.
Model constant_model(std::mt19937_64& generator, bool tree) {
  test::RandomMechanismOptions shape{.bodies = 7, .tree = tree};
  shape.kinds = {{JointType::revolute},  {JointType::spherical}, {JointType::helical},
                 {JointType::universal}, {JointType::prismatic}, {JointType::floating}};
  return compile(test::random_mechanism(generator, shape));
}

struct At {
  Model model;
  Vector q, v;
  VelocityKinematics kin;
  Factorization f;
  At(const Model& m, std::mt19937_64& generator)
      : model(m),
        q(test::random_configuration(m, generator)),
        v(test::random_vector(m.nv(), generator)),
        kin(m),
        f(m) {
    forward_kinematics(model, q, v, kin);
    factorize(model, kin, f);
  }
  std::size_t links() const { return tree_links(model).size(); }
};

Matrix6 random_matrix(std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  return Matrix6(Matrix6::NullaryExpr([&] { return normal(generator); }));
}
double relative(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

/// phi and psi from their definitions, (1 - E)^-1, with E of this test: M's own factor checks taub.
TEST(OperatorIdentities, operators_factorize_the_mass_matrix) {
  std::mt19937_64 generator(5);
  for (const bool tree : {false, true}) {
    At at(constant_model(generator, tree), generator);
    const MatrixXd phi = phi_operator(at.f), psi = psi_operator(at.f);
    MatrixXd E = MatrixXd::Zero(phi.rows(), phi.cols());
    MatrixXd H = MatrixXd::Zero(phi.rows(), at.model.nv()), M = E;
    for (std::size_t i = 0; i < at.links(); ++i) {
      const Link& link = tree_links(at.model)[i];
      const auto r = 6 * static_cast<Eigen::Index>(i);
      if (link.parent >= 0) E.block<6, 6>(6 * Eigen::Index{link.parent}, r).setIdentity();
      for (int k = link.v_index; k < link.v_index + link.nv; ++k)
        H.block<6, 1>(r, k) = to_eigen(at.f.H()[static_cast<std::size_t>(k)]);
      M.block<6, 6>(r, r) = to_eigen(lie::matrix(at.f.M()[i]));
    }
    const MatrixXd one = MatrixXd::Identity(phi.rows(), phi.cols());
    EXPECT_LT(relative(phi, (one - E).inverse()), 1e-14);
    // M = H^T phi M phi^T H + armatures; psi^-1 = phi^-1 + K H^T, with K = E G: (A.16).
    MatrixXd mass(at.model.nv(), at.model.nv()), G = MatrixXd::Zero(H.rows(), H.cols());
    for (int k = 0; k < at.model.nv(); ++k) {
      Vector column(at.model.nv());
      at.f.multiply(Vector(Eigen::VectorXd::Unit(at.model.nv(), k)), column);
      mass.col(k) = column;
    }
    for (std::size_t i = 0; i < at.links(); ++i) {
      const Link& link = tree_links(at.model)[i];
      for (int k = link.v_index; k < link.v_index + link.nv; ++k) {
        mass(k, k) -= link.armature;
        G.block<6, 1>(6 * static_cast<Eigen::Index>(i), k) =
            to_eigen(at.f.G()[static_cast<std::size_t>(k)]);
      }
    }
    EXPECT_LT(relative(H.transpose() * phi * M * phi.transpose() * H, mass), 1e-12);
    EXPECT_LT(relative(psi.inverse(), phi.inverse() + E * G * H.transpose()), 1e-11);
  }
}

TEST(OperatorIdentities, lemma_A_1) {
  std::mt19937_64 generator(6);
  for (int trial = 0; trial < 6; ++trial) {
    const bool tree = trial % 2 == 1;
    At at(constant_model(generator, tree), generator);
    std::vector<Matrix6> X;
    for (std::size_t i = 0; i < at.links(); ++i) X.push_back(random_matrix(generator));
    for (const OperatorIdentity which :
         {phi_X_phi, psi_X_phi, psi_transposed_X_psi, phi_transposed_X_phi, psi_transposed_X_phi}) {
      if (tree && which == psi_transposed_X_psi) {
        EXPECT_SAYS(operator_identity(at.f, which, X), "different branches");
        continue;
      }
      const IdentitySides both = operator_identity(at.f, which, X);
      EXPECT_LT(relative(both.right, both.left), 1e-11) << static_cast<int>(which);
      EXPECT_GT(both.left.cwiseAbs().maxCoeff(), 0.1);
      ASSERT_EQ(both.S.size(), at.links());
    }
    X.pop_back();
    EXPECT_SAYS(operator_identity(at.f, phi_X_phi, X), "X");
  }
}

/// What Lemma A.2 differentiates, at q moved by dq: formed from the poses of the links, about a point of the world.
struct Moved {
  std::vector<SE3> C;
  std::vector<Twist> H;
  std::vector<Inertia> M;
  Moved(const At& at, const Eigen::VectorXd& dq) {
    Vector q(at.model.nq());
    plus(at.model, at.q, Vector(dq), q);
    PositionKinematics kin(at.model);
    forward_kinematics(at.model, q, kin);
    dynamics::for_links(at.model,
                        [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
                          C.push_back({kin.C()[i].R, kin.C()[i].r - at.f.reference_point()});
                          for (std::size_t k = first; k < last; ++k)
                            H.push_back(Ad(C[i], dynamics::screw_of_v(at.model, link, q, k)));
                          M.push_back(transform(C[i], link.inertia));
                        });
  }
};
template <class Of>
MatrixXd by_differences(const At& at, const Of& of) {
  MatrixXd out;
  for (int k = 0; k < at.model.nv(); ++k) {
    const Eigen::VectorXd column = test::derivative([&](double s) -> Eigen::VectorXd {
      return of(Moved(at, s * Eigen::VectorXd::Unit(at.model.nv(), k)));
    });
    if (out.size() == 0) out.resize(column.size(), at.model.nv());
    out.col(k) = column;
  }
  return out;
}

TEST(OperatorIdentities, lemma_A_2) {
  std::mt19937_64 generator(7);
  for (int trial = 0; trial < 4; ++trial) {
    At at(constant_model(generator, trial % 2 == 1), generator);
    const Model& model = at.model;
    const std::size_t n = at.links();
    const Vector x = test::random_vector(model.nv(), generator);
    std::vector<Twist> twists;
    std::vector<Wrench> wrenches;
    for (std::size_t i = 0; i < n; ++i) {
      const Vector six = test::random_vector(6, generator),
                   more = test::random_vector(6, generator);
      twists.push_back({{six[0], six[1], six[2]}, {six[3], six[4], six[5]}});
      wrenches.push_back({{more[0], more[1], more[2]}, {more[3], more[4], more[5]}});
    }
    const auto stacked = [&](const auto& of_link) {
      Eigen::VectorXd out(6 * static_cast<Eigen::Index>(n));
      dynamics::for_links(model, [&](const Link& link, std::size_t i, std::size_t first,
                                     std::size_t last) {
        out.segment<6>(6 * static_cast<Eigen::Index>(i)) = to_eigen(of_link(link, i, first, last));
      });
      return out;
    };
    const auto joint_twist = [&](const Moved& m, const Vector& rates, std::size_t first,
                                 std::size_t last) {
      Twist u;
      for (std::size_t k = first; k < last; ++k) u += rates[static_cast<Eigen::Index>(k)] * m.H[k];
      return u;
    };
    EXPECT_LT(relative(joint_twist_gradient(at.f, x),
                       by_differences(at,
                                      [&](const Moved& m) {
                                        return stacked([&](const Link&, std::size_t,
                                                           std::size_t first, std::size_t last) {
                                          return joint_twist(m, x, first, last);
                                        });
                                      })),
              1e-10);
    EXPECT_LT(relative(projected_wrench_gradient(at.f, wrenches),
                       by_differences(at,
                                      [&](const Moved& m) {
                                        Eigen::VectorXd out(model.nv());
                                        dynamics::for_links(
                                            model, [&](const Link&, std::size_t i,
                                                       std::size_t first, std::size_t last) {
                                              for (std::size_t k = first; k < last; ++k)
                                                out[static_cast<Eigen::Index>(k)] =
                                                    dot(wrenches[i], m.H[k]);
                                            });
                                        return out;
                                      })),
              1e-10);
    EXPECT_LT(
        relative(momentum_gradient(at.f, twists),
                 by_differences(at,
                                [&](const Moved& m) {
                                  return stacked([&](const Link&, std::size_t i, std::size_t,
                                                     std::size_t) { return m.M[i] * twists[i]; });
                                })),
        1e-10);
    EXPECT_LT(relative(momentum_gradient_at(at.f, x),
                       by_differences(at,
                                      [&](const Moved& m) {
                                        std::vector<Twist> V(n);
                                        return stacked([&](const Link& link, std::size_t i,
                                                           std::size_t first, std::size_t last) {
                                          V[i] = joint_twist(m, x, first, last);
                                          if (link.parent >= 0)
                                            V[i] += V[dynamics::parent_of(link)];
                                          return m.M[i] * V[i];
                                        });
                                      })),
              1e-10);
  }
}

TEST(OperatorIdentities, mistakes_are_named) {
  std::mt19937_64 generator(8);
  At at(constant_model(generator, false), generator);
  EXPECT_SAYS(joint_twist_gradient(at.f, Vector(at.model.nv() + 1)), "x");
  EXPECT_SAYS(projected_wrench_gradient(at.f, {}), "X");
  const Model sum = compile(
      MechanismBuilder("sum")
          .body("a", ground,
                joints::custom({{{0, 0, 1}, {}, 0}, {{0, 1, 0}, {}, 0}}, Parameterization::sum))
          .inertia(1, {0, 0, 0.5}, Sym3::diagonal(0.1, 0.1, 0.1))
          .build());
  At turning(sum, generator);
  EXPECT_SAYS(momentum_gradient_at(turning.f, turning.v), "first kind");
}

}  // namespace operator_identities_test
}  // namespace chasles
