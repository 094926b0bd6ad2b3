#include "chasles/screws/inertia.hpp"

#include <gtest/gtest.h>

#include <random>

#include "chasles/lie/geodesic.hpp"
#include "chasles/screws/physical.hpp"
#include "support/near.hpp"

namespace chasles {
namespace {

/// A cloud of point masses: its inertia by direct summation, independent of every formula of
/// inertia.hpp.
struct Cloud {
  std::vector<double> m;
  std::vector<Vec3> x;

  explicit Cloud(std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    for (int i = 0; i < 6; ++i) {
      m.push_back(0.1 + std::abs(random_tangent<Vec3>(generator).x));
      x.push_back(random_tangent<Vec3>(generator));
    }
  }
  Cloud moved(const SE3& C) const {
    Cloud c = *this;
    for (Vec3& p : c.x) p = C * p;
    return c;
  }
  Inertia inertia() const {
    Inertia M;
    Mat3 I;
    for (std::size_t i = 0; i < m.size(); ++i) {
      M.m += m[i];
      M.mc += m[i] * x[i];
      I = I - m[i] * (hat(x[i]) * hat(x[i]));
    }
    M.I = symmetric_part(I);
    return M;
  }
};

class InertiaOfACloud : public ::testing::Test {
 protected:
  const Cloud cloud{1};
  const Inertia M = cloud.inertia();
  std::mt19937_64 generator{6};
  Twist twist() { return random_tangent<Twist>(generator); }
};

TEST_F(InertiaOfACloud, gives_momentum_and_energy_of_the_points) {
  const Twist V = twist();
  Wrench momentum;
  double energy = 0;
  for (std::size_t i = 0; i < cloud.m.size(); ++i) {
    const Vec3 v = V.v + cross(V.w, cloud.x[i]);
    momentum += Wrench{cloud.m[i] * cross(cloud.x[i], v), cloud.m[i] * v};
    energy += 0.5 * cloud.m[i] * dot(v, v);
  }
  EXPECT_CLOSE(M * V, momentum, 5e-15);
  EXPECT_NEAR(kinetic_energy(M, V), energy, 1e-14);
}

TEST_F(InertiaOfACloud, transforms_with_the_points) {
  for (int i = 0; i < 20; ++i) {
    const SE3 C = random_element<SE3>(generator);
    EXPECT_CLOSE(transform(C, M), cloud.moved(C).inertia(), 2e-13);
    const Twist V = twist();  // Ad^-T M Ad^-1
    EXPECT_CLOSE(transform(C, M) * V, Ad_inv_dual(C, M * Ad_inv(C, V)), 2e-13);
    EXPECT_CLOSE(transform(inverse(C), transform(C, M)), M, 2e-13);
  }
}

TEST_F(InertiaOfACloud, adds) {
  const Cloud other(2);
  Cloud both = cloud;
  both.m.insert(both.m.end(), other.m.begin(), other.m.end());
  both.x.insert(both.x.end(), other.x.begin(), other.x.end());
  EXPECT_CLOSE(M + other.inertia(), both.inertia(), 1e-14);
}

TEST_F(InertiaOfACloud, parallel_axis) {
  const Vec3 c = center_of_mass(M);
  const Inertia central = cloud.moved(SE3{{}, -c}).inertia();
  EXPECT_CLOSE(central_inertia(M), central.I, 2e-14);
  EXPECT_CLOSE(compose_inertia(M.m, c, central.I), M, 2e-14);
  EXPECT_EQ(center_of_mass(Inertia{}), Vec3{});
}

/// Points of the rigid cloud accelerate by vdot + alpha x x + w x (v + w x x); their d'Alembert
/// forces sum to the wrench.
TEST_F(InertiaOfACloud, newton_euler) {
  const Twist V = twist(), A = twist();
  Wrench W;
  for (std::size_t i = 0; i < cloud.m.size(); ++i) {
    const Vec3& x = cloud.x[i];
    const Vec3 a = A.v + cross(A.w, x) + cross(V.w, V.v + cross(V.w, x));
    W += Wrench{cloud.m[i] * cross(x, a), cloud.m[i] * a};
  }
  EXPECT_CLOSE(newton_euler(M, V, A), W, 4e-14);
}

TEST_F(InertiaOfACloud, binet_and_pseudo_inertia_are_second_moments) {
  lie::Matrix<double, 4> P;
  for (std::size_t i = 0; i < cloud.m.size(); ++i) {
    const double h[4] = {cloud.x[i].x, cloud.x[i].y, cloud.x[i].z, 1};
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) P(a, b) += cloud.m[i] * h[a] * h[b];
  }
  EXPECT_CLOSE(pseudo_inertia(M), P, 1e-14);
  EXPECT_CLOSE(inertia_from_pseudo(pseudo_inertia(M)), M, 1e-14);
  EXPECT_CLOSE(rotational_inertia(lie::binet(M.I)), M.I, 1e-14);
}

TEST_F(InertiaOfACloud, parameters_are_linear_and_round_trip) {
  EXPECT_EQ(inertia_from_parameters(parameters(M)), M);
  const auto p = parameters(M);
  EXPECT_EQ(p[0], M.m);
  EXPECT_EQ(p[5], M.I.xy);
  EXPECT_EQ(p[7], M.I.yy);
}

TEST_F(InertiaOfACloud, matrix_is_symmetric_and_has_the_textbook_blocks) {
  const auto m = matrix(M);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_EQ(m(i, j), m(j, i));
  const Mat3 mc = hat(M.mc);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(m(i, j), matrix(M.I)(i, j));
      EXPECT_EQ(m(i, 3 + j), mc(i, j));
      EXPECT_EQ(m(3 + i, 3 + j), i == j ? M.m : 0);
    }
}

TEST_F(InertiaOfACloud, is_physical_and_stays_so) {
  EXPECT_TRUE(lie::is_physical(M));
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(lie::is_physical(transform(random_element<SE3>(generator, 10), M)));
  EXPECT_FALSE(lie::is_physical(M - Inertia{0, {}, Sym3::diagonal(trace(M.I), 0, 0)}));
}

}  // namespace
}  // namespace chasles
