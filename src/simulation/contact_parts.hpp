/// Checks shared by contacts of points and of collision shapes.
#pragma once

#include "chasles/simulation/contact.hpp"

namespace chasles {

/// The body, frame or ground of a contact.
/// @param what  begins messages: "contact 'ball'"
Frame contact_frame(const Model& model, const std::string& name, const std::string& what);
/// @throws Error naming the number that is out of range
void check_contact_law(const ContactLaw& law, const std::string& what);
/// The given stiffness, or by default the one that carries the weight at a depth of 1 mm.
double contact_stiffness(const Model& model, const ContactLaw& law, const std::string& what);

}  // namespace chasles
