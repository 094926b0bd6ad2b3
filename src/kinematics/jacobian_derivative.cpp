/// Partial derivatives of Jacobians: (7) to (11) of higher_order.hpp.
#include <algorithm>

#include "chasles/kinematics/higher_order.hpp"
#include "chasles/screws/eigen.hpp"
#include "model/link_motion.hpp"

namespace chasles {
namespace {

using namespace links;

/// A coordinate with respect to which J is differentiated: its link and its column of J.
struct Index {
  int link;
  int column;
  Twist J;
};
using Indices = std::vector<Index>;

/// (8).
Twist body_derivative(Twist J, int link, const Indices& a) {
  for (const Index& k : a) {
    if (k.link <= link) return {};
    J = ad(J, k.J);
  }
  return J;
}
/// (9).
Twist spatial_derivative(Twist J, int link, const Indices& a) {
  for (auto k = a.rbegin(); k != a.rend(); ++k) {
    if (k->link > link) return {};
    J = ad(k->J, J);
  }
  return J;
}
/// (10).
Twist hybrid_derivative(const Twist& J, int link, const Indices& a) {
  auto k = a.rbegin();
  Twist B = J;
  if (k != a.rend() && k->link > link) {
    Vec3 r = k->J.v;  // the derivative of the frame's origin with respect to the indices outboard
    for (++k; k != a.rend() && k->link > link; ++k) r = cross(k->J.w, r);
    B = {{}, cross(J.w, r)};
  }
  for (; k != a.rend(); ++k) B = {cross(k->J.w, B.w), cross(k->J.w, B.v)};
  return B;
}

/// The derivative of the column J of a joint at `link` whose screw is constant. J and the indices
/// are in `rep`, but in hybrid form if that is mixed.
Twist column_derivative(const Twist& J, int link, const Indices& a, const SO3& R,
                        Representation rep) {
  switch (rep) {
    case Representation::body:
      return body_derivative(J, link, a);
    case Representation::spatial:
      return spatial_derivative(J, link, a);
    case Representation::hybrid:
    case Representation::mixed:
      break;
  }
  const Twist J_h = hybrid_derivative(J, link, a);
  if (rep == Representation::hybrid) return J_h;
  return {inverse_times(R, body_derivative(J, link, a).w), J_h.v};  // brackets turn with their axes
}

/// The indices, sorted from the base to the tip; none if one of them does not move the place.
/// @param J  the Jacobian of the place
Indices sorted_indices(const Model& model, const Place& place, std::span<const int> indices,
                       const Matrix6XRef& J) {
  Indices a;
  bool all_move_the_place = true;
  for (const int k : indices) {
    if (k < 0 || k >= model.nv())
      throw Error("indices: " + std::to_string(k) + " is not in 0 ... " +
                  std::to_string(model.nv() - 1));
    const int link = model.link_of_v()[static_cast<std::size_t>(k)];
    const Link& moved = model.links()[static_cast<std::size_t>(link)];
    all_move_the_place = all_move_the_place && link <= place.link && place.link < moved.end;
    a.push_back({link, k, from_eigen<Twist>(J.col(k))});
  }
  if (!all_move_the_place) return {};
  std::stable_sort(a.begin(), a.end(),
                   [](const Index& x, const Index& y) { return x.link < y.link; });
  const auto twice = std::adjacent_find(a.begin(), a.end(), [&](const Index& x, const Index& y) {
    return x.link == y.link && screws_turn(model.links()[static_cast<std::size_t>(x.link)]);
  });
  if (twice != a.end())
    throw Error("joint '" + model.joint_of_v(twice->column).name +
                "' has screws that depend on q (coordinates of the first kind, or SO(3) x R^3), by "
                "which Jacobians are differentiated once only; describe it by coordinates of the "
                "second kind, or on SE(3)");
  return a;
}

/// The part of the derivative of column j that comes from its screw: dX_j / dq_k, if j and an index
/// k belong to one link whose screws turn.
Twist screw_part(const Model& model, const PositionKinematics& kin, const SE3& C, int link_number,
                 int j, const Indices& a, Representation rep) {
  const Link& link = model.links()[static_cast<std::size_t>(link_number)];
  if (!screws_turn(link)) return {};
  const auto k = std::find_if(a.begin(), a.end(),
                              [&](const Index& index) { return index.link == link_number; });
  if (k == a.end()) return {};
  const SE3& C_l = kin.C()[static_cast<std::size_t>(link_number)];
  double unit[6] = {};  // the rate at unit velocity k
  unit[k->column - link.v_index] = 1;
  const Twist dX = screw_rate(model, link, kin.q().data() + link.q_index, unit, j - link.v_index);
  const Vec3 w = C_l.R * dX.w, v = C_l.R * dX.v;
  const Twist dX_h{w, v + cross(w, C.r - C_l.r)};
  const bool as_is = rep == Representation::hybrid || rep == Representation::mixed;
  Indices others(a.begin(), k);
  others.insert(others.end(), k + 1, a.end());
  return column_derivative(as_is ? dX_h : lie::convert(dX_h, C, Representation::hybrid, rep),
                           link_number, others, C.R, rep);
}

}  // namespace

void jacobian_derivative(const Model& model, const PositionKinematics& kin, const Place& place,
                         Representation rep, std::span<const int> indices, Matrix6XRef out) {
  jacobian(model, kin, place, rep == Representation::mixed ? Representation::hybrid : rep, out);
  const Indices a = sorted_indices(model, place, indices, out);
  if (a.size() != indices.size()) return out.setZero(), void();
  const SE3 C = pose(kin, place);
  for (int i = place.link; i >= 0; i = model.links()[static_cast<std::size_t>(i)].parent) {
    const Link& link = model.links()[static_cast<std::size_t>(i)];
    for (int j = link.v_index; j < link.v_index + link.nv; ++j)
      out.col(j) = to_eigen(column_derivative(from_eigen<Twist>(out.col(j)), i, a, C.R, rep) +
                            screw_part(model, kin, C, i, j, a, rep));
  }
}

std::vector<Matrix6X> kinematic_hessian(const Model& model, const PositionKinematics& kin,
                                        const Place& place, Representation rep) {
  std::vector<Matrix6X> H(static_cast<std::size_t>(model.nv()), Matrix6X(6, model.nv()));
  for (int k = 0; k < model.nv(); ++k)
    jacobian_derivative(model, kin, place, rep, std::span(&k, 1), H[static_cast<std::size_t>(k)]);
  return H;
}

}  // namespace chasles
