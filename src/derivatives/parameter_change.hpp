/// What a parameter of a joint does to the links of the joint: (5) to (7) of parameters.hpp.
#pragma once

#include <array>

#include "chasles/derivatives/parameters.hpp"

namespace chasles {

struct LinkChange {
  int link;
  Twist delta;              // how it moves on its parent, body-fixed
  std::array<Twist, 6> dX;  // its screws
  Twist du, dud;            // what it adds to twist and acceleration at v and a
};

/// The links that change, from the base to the tip; none for inertias.
struct ParameterChange {
  int count = 0;
  std::array<LinkChange, 6> links;

  const LinkChange* begin() const { return links.data(); }
  const LinkChange* end() const { return links.data() + count; }
};

/// Of this model, and as the functions of parameters.hpp make them: its members are public.
/// @throws ForeignError; Error naming the member
void require_parameter(const Model& model, const Parameter& parameter);

/// @param v, a  null: du and dud are left zero
ParameterChange change_of(const Model& model, const Parameter& parameter, const double* q,
                          const double* v, const double* a);

}  // namespace chasles
