#include "chasles/screws/physical.hpp"

#include "chasles/screws/eigen.hpp"
#include "math/decompositions.hpp"

namespace chasles::lie {

std::string physical_defect(const Inertia<double>& M) {
  for (const double p : parameters(M))
    if (!std::isfinite(p)) return "inertia " + tuple_text(parameters(M)) + " is not finite";
  if (M.m < 0) return "mass " + to_text(M.m) + " kg is negative; give a mass >= 0";
  if (M.m == 0 && (M.mc != Vec3<double>{} || M.I != Sym3<double>{}))
    return "mass is 0 but the first moment is " + tuple_text(coordinates(M.mc)) +
           " kg m and the inertia has trace " + to_text(trace(M.I)) +
           " kg m^2; a massless body has neither";
  const Eigen::Vector3d moments =
      symmetric_eigen(Eigen::Matrix3d(to_eigen(central_inertia(M)))).values;
  const double tolerance = inertia_tolerance * std::max(std::abs(moments.sum()), trace(M.I) * 1e-6);
  const std::string value =
      "principal moments " + tuple_text(moments) + " kg m^2 about the center of mass";
  if (moments[0] < -tolerance)
    return value + ": one is negative; give a positive semidefinite tensor";
  if (moments[2] > moments[0] + moments[1] + tolerance)
    return value + ": triangle inequality violated by " +
           to_short_text(moments[2] - moments[0] - moments[1]) +
           "; no body has a moment larger than the sum of the other two";
  return {};
}

Inertia<double> nearest_physical(const Inertia<double>& M) {
  for (const double p : parameters(M))
    if (!std::isfinite(p))
      throw Error("no nearest inertia: " + tuple_text(parameters(M)) + " is not finite");
  const auto eigen = symmetric_eigen(Eigen::Matrix4d(to_eigen(pseudo_inertia(M))));
  const Eigen::Matrix4d P =
      eigen.vectors * eigen.values.cwiseMax(0).asDiagonal() * eigen.vectors.transpose();
  return inertia_from_pseudo(from_eigen<Matrix<double, 4>>(P));
}

}  // namespace chasles::lie
