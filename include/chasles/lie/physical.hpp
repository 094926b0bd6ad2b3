/// Can a body have this inertia? A real body has a nonnegative mass distribution, which is the same
/// as: its pseudo-inertia
/// [[E, m c], [m c^T, m]] is positive semidefinite; for m > 0, its central principal moments obey
/// the triangle inequality A + B >= C.
#pragma once

#include <Eigen/Eigenvalues>

#include "chasles/lie/eigen.hpp"
#include "chasles/lie/inertia.hpp"

namespace chasles::lie {

/// Rounding of published data that is forgiven, relative to the trace of the inertia: flat bodies
/// sit on the boundary.
inline constexpr double inertia_tolerance = 1e-6;

/// What is wrong with M, in words and numbers; empty if nothing is.
inline std::string physical_defect(const Inertia<double>& M) {
  for (const double p : parameters(M))
    if (!std::isfinite(p)) return "inertia " + tuple_text(parameters(M)) + " is not finite";
  if (M.m < 0) return "mass " + to_text(M.m) + " kg is negative; give a mass >= 0";
  if (M.m == 0 && (M.mc != Vec3<double>{} || M.I != Sym3<double>{}))
    return "mass is 0 but the first moment is " + tuple_text(coordinates(M.mc)) +
           " kg m and the inertia has trace " + to_text(trace(M.I)) +
           " kg m^2; a massless body has neither";
  const Eigen::Vector3d moments = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(
                                      to_eigen(central_inertia(M)), Eigen::EigenvaluesOnly)
                                      .eigenvalues();
  const double tolerance = inertia_tolerance * std::max(std::abs(moments.sum()), trace(M.I) * 1e-6);
  const std::string value =
      "principal moments " + tuple_text(moments) + " kg m^2 about the centre of mass";
  if (moments[0] < -tolerance)
    return value + ": one is negative; give a positive semidefinite tensor";
  if (moments[2] > moments[0] + moments[1] + tolerance)
    return value + ": triangle inequality violated by " +
           to_short_text(moments[2] - moments[0] - moments[1]) +
           "; no body has a moment larger than the sum of the other two";
  return {};
}
inline bool is_physical(const Inertia<double>& M) { return physical_defect(M).empty(); }

/// M itself.
/// @throws Error with physical_defect(M)
inline const Inertia<double>& checked(const Inertia<double>& M) {
  if (const std::string defect = physical_defect(M); !defect.empty())
    throw Error("no body can have this inertia: " + defect + "; nearest_physical projects");
  return M;
}
/// A body of mass m [kg], centre of mass c [m] and rotational inertia about c, or about the frame's
/// origin [kg m^2].
/// @throws Error if no body can have it; compose_inertia does not check
inline Inertia<double> inertia_about_com(double m, const Vec3<double>& c, const Sym3<double>& I_c) {
  return checked(compose_inertia(m, c, I_c));
}
inline Inertia<double> inertia_about_origin(double m, const Vec3<double>& c,
                                            const Sym3<double>& I_o) {
  return checked(Inertia<double>{m, m * c, I_o});
}

/// The physical inertia whose pseudo-inertia is nearest to that of M (Frobenius): negative
/// eigenvalues become zero.
/// @throws Error if M is not finite
inline Inertia<double> nearest_physical(const Inertia<double>& M) {
  for (const double p : parameters(M))
    if (!std::isfinite(p))
      throw Error("no nearest inertia: " + tuple_text(parameters(M)) + " is not finite");
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> eigen(to_eigen(pseudo_inertia(M)));
  const Eigen::Matrix4d P = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
                            eigen.eigenvectors().transpose();
  return inertia_from_pseudo(from_eigen<Matrix<double, 4>>(P));
}

}  // namespace chasles::lie

namespace chasles {
using lie::compose_inertia;
using lie::inertia_about_com;
using lie::inertia_about_origin;
using lie::nearest_physical;
}  // namespace chasles
