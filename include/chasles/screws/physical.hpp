/// Physical consistency of an inertia. A body has a nonnegative mass distribution, which is equivalent to: its
/// pseudo-inertia [[E, m c], [m c^T, m]] is positive semidefinite; for m > 0, its central principal moments satisfy the
/// triangle inequality A + B >= C.
#pragma once

#include <string>

#include "chasles/export.hpp"
#include "chasles/screws/inertia.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// Tolerance for the rounding of published data, relative to the trace of the inertia: flat bodies are on the boundary.
inline constexpr double inertia_tolerance = 1e-6;

/// The violated condition, in words and numbers; empty if M is consistent.
std::string physical_defect(const Inertia<double>& M);
inline bool is_physical(const Inertia<double>& M) { return physical_defect(M).empty(); }

/// Returns M.
/// @throws Error with physical_defect(M)
inline const Inertia<double>& checked(const Inertia<double>& M) {
  if (const std::string defect = physical_defect(M); !defect.empty())
    throw Error("no body can have this inertia: " + defect + "; nearest_physical projects");
  return M;
}
/// A body of mass m [kg], center of mass c [m] and rotational inertia about c, or about the frame origin [kg m^2].
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
Inertia<double> nearest_physical(const Inertia<double>& M);

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using lie::compose_inertia;
using lie::inertia_about_com;
using lie::inertia_about_origin;
using lie::nearest_physical;
}  // namespace CHASLES_API
