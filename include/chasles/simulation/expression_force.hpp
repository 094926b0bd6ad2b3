/// Forces given as text, with exact partial derivatives: the function is compiled once and differentiated by the
/// chain rule. Its evaluation does not allocate.
///
///     forces.add(expression_force(model, "elbow", {"-k*(q.elbow - 0.3) - c*v.elbow^3"},
///                                 {{"k", 10}, {"c", 0.1}}));
///
/// Operators + - * / ^, parentheses, sqrt, sin, cos, tan, atan2, exp, log, abs, min, max, pi. Numbers may have units,
/// which convert them to SI: 30 deg. At most 4096 characters and 256 numbers, names and operations, nested 64 deep.
#pragma once

#include <map>

#include "chasles/export.hpp"
#include "chasles/simulation/forces.hpp"

namespace chasles CHASLES_API {

/// Constants of an expression by name.
using ExpressionParameters = std::map<std::string, double, std::less<>>;

/// Q_i = f_i(t, q, v), the force in a joint. Variables: t [s]; q.JOINT and v.JOINT of any joint, with an index from 0
/// for joints with several, q.nut.1; names with other characters than letters, digits, _ and . in braces,
/// q.{left-knee}. Its power counts as work.
/// @param force  nv texts
/// @throws Error naming the joint, the text, the column and the nearest known name; for a parameter that is not used;
///         for q of spherical and floating joints, which are not numbers
Force expression_force(const Model& model, std::string_view joint,
                       const std::vector<std::string>& force,
                       const ExpressionParameters& parameters = {});

/// A tension T(t, d, d_dot) between two points at the distance d, whose rate is d_dot; positive pulls them together.
Force point_expression(const Model& model, const BodyPoint& a, const BodyPoint& b,
                       const std::string& tension, const ExpressionParameters& parameters = {});

}  // namespace CHASLES_API
