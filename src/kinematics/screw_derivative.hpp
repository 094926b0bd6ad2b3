/// Partial derivatives of any order of the screws of links whose screws depend on q.
#pragma once

#include <span>

#include "model/link_motion.hpp"
#include "model/model_data.hpp"

namespace chasles::links {

/// How often the coordinates x of a custom link must be halved until their power series are accurate at every
/// order.
/// @throws Error naming the joint if it has rotated so far that derivatives lose all digits
int halvings(const Model& model, const Link& link, const double* q);

/// The derivative of column n of X along the entries `along` of the link's velocity,
///
///     d/ds_1 d/ds_2 ... X_n(q + s_1 e_1 + s_2 e_2 + ...) at s = 0,   e_k: unit vector along[k]    (1)
///
/// applied one after the other, as in plus(). Entries may repeat in `along`. Custom links: X_n = dexp_{-x}
/// Z_n with x = Z q, in O(3^m) for m entries. floating_so3xr3: the axes R^T Q rotate backward, y -> y x e.
/// @throws Error as halvings
Twist screw_derivative(const Model& model, const Link& link, const double* q, int n,
                       std::span<const int> along);

}  // namespace chasles::links
