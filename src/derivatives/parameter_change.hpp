/// Effect of a joint parameter on the links of the joint: (5) to (7) of parameters.hpp.
#pragma once

#include <array>

#include "chasles/derivatives/parameters.hpp"

namespace chasles {

struct LinkChange {
  int link;
  Twist delta;              // displacement relative to its parent, body-fixed
  std::array<Twist, 6> dX;  // change of its screws
  Twist du, dud;            // change of the joint twist and acceleration at v and a
};

/// The links that change, from base to tip; empty for inertial parameters.
struct ParameterChange {
  int count = 0;
  std::array<LinkChange, 6> links;

  const LinkChange* begin() const { return links.data(); }
  const LinkChange* end() const { return links.data() + count; }
};

/// Checks that a parameter belongs to this model and is as made by the functions of parameters.hpp (its
/// members are public).
/// @throws ForeignError; Error naming the member
void require_parameter(const Model& model, const Parameter& parameter);

/// @param v, a  null: du and dud are left zero
ParameterChange change_of(const Model& model, const Parameter& parameter, const double* q,
                          const double* v, const double* a);

}  // namespace chasles
