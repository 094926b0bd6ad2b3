/// Checks shared by contacts of points and of collision shapes.
#pragma once

#include <cmath>

#include "chasles/simulation/contact.hpp"

namespace chasles {

inline bool resists_turning(const ContactLaw& law) {
  return law.torsional_friction > 0 || law.rolling_friction > 0;
}
inline bool is_dissipative(const ContactLaw& law) {
  return law.dissipation > 0 || law.friction > 0 || resists_turning(law);
}
/// (3) of contact.hpp for a normal force of 1 N.
template <class S>
lie::Vec3<S> turning_resistance(const ContactLaw& law, const lie::Vec3<S>& n,
                                const lie::Vec3<S>& w) {
  using std::sqrt;
  const S square(law.angular_velocity * law.angular_velocity), w_n = dot(n, w);
  const lie::Vec3<S> w_t = w - w_n * n;
  return (-S(law.torsional_friction) * w_n / sqrt(w_n * w_n + square)) * n -
         (S(law.rolling_friction) / sqrt(dot(w_t, w_t) + square)) * w_t;
}

/// The body, frame or ground of a contact.
/// @param what  begins messages: "contact 'ball'"
Frame contact_frame(const Model& model, const std::string& name, const std::string& what);
/// @throws Error naming the number that is out of range
void check_contact_law(const ContactLaw& law, const std::string& what);
/// The given stiffness, or by default the one that carries the weight at a depth of 1 mm.
double contact_stiffness(const Model& model, const ContactLaw& law, const std::string& what);

}  // namespace chasles
