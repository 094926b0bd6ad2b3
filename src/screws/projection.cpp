#include "chasles/screws/projection.hpp"

#include "chasles/screws/eigen.hpp"
#include "math/decompositions.hpp"

namespace chasles::lie {

SO3<double> nearest_rotation(const Mat3<double>& m) {
  const double largest = std::max({max_abs(m.c0), max_abs(m.c1), max_abs(m.c2)});
  const auto no_rotation = [&](const char* why) {
    return Error("no nearest rotation: the matrix with columns " + tuple_text(coordinates(m.c0)) +
                 tuple_text(coordinates(m.c1)) + tuple_text(coordinates(m.c2)) + " " + why);
  };
  if (!to_eigen(m).allFinite()) throw no_rotation("is not finite");
  if (largest == 0) throw no_rotation("is zero");
  const Eigen::Matrix3d A = to_eigen(m) / largest;
  const Eigen::Vector3d a(A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1));
  Eigen::Matrix4d K;
  K << A.trace(), a.transpose(), a, A + A.transpose() - A.trace() * Eigen::Matrix3d::Identity();
  const auto eigen = symmetric_eigen(K);
  if (eigen.values[3] - eigen.values[2] < 1e-12)
    throw no_rotation("is as near to many rotations as to one");
  const Eigen::Vector4d q = eigen.vectors.col(3);
  const Vec3<double> v{q[1], q[2], q[3]};
  return SO3<double>::unchecked(rodrigues(v, q[0] * q[0] - dot(v, v), 2 * q[0], 2.0)).normalized();
}

}  // namespace chasles::lie
