#include "derivatives/parameter_change.hpp"

#include <complex>

#include "model/link_motion.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

using namespace links;

/// The state of one link: its own entries of q, v and a.
struct LinkState {
  const Model& model;
  const Link& link;
  const double *q, *v, *a;

  Twist screw(int k) const { return screw_of(model, link, q, k); }
  SE3 T() const {
    return one_screw(link.motion) ? exp(q[0] * screw(0)) : group_motion(model, link, q);
  }
  Twist u() const {
    return one_screw(link.motion) ? v[0] * screw(0) : group_twist(model, link, q, v);
  }
  Twist ud() const {
    return one_screw(link.motion) ? a[0] * screw(0) : group_acceleration(model, link, q, v, a);
  }
};

/// On SO(3) x R^3 the position coordinates keep the axes of the parent body, T = (R, Q r), when the joint
/// frame is displaced by U on it: dQ = -U_w~ Q.
void keep_position_axes(const LinkState& s, const Twist& U, LinkChange& change) {
  if (!has_position_axes(s.link)) return;
  const SO3 R = rotation_of(s.q);
  const auto turned = [&](const Vec3& x) { return -inverse_times(R, cross(U.w, s.link.Q * x)); };
  change.delta.v += turned(vec3_at(s.q + 4));
  for (int k = 0; k < 3; ++k) {
    Vec3 e;
    e[k] = 1;
    change.dX[static_cast<std::size_t>(3 + k)].v += turned(e);
  }
  if (!s.v) return;
  const Vec3 velocity = turned(vec3_at(s.v + 3));
  change.du.v += velocity;
  change.dud.v += turned(vec3_at(s.a + 3)) - cross(vec3_at(s.v), velocity);
}

/// (5).
LinkChange frame_change(const LinkState& s, const Twist& U) {
  LinkChange change{0, Ad_inv(s.T(), U), {}, {}, {}};
  keep_position_axes(s, U, change);
  return change;
}
/// (6).
LinkChange axis_change(const LinkState& s, const Twist& U) {
  LinkChange change{0, Ad_inv(s.T(), U) - U, {}, {}, {}};
  for (int k = 0; k < s.link.nv; ++k) change.dX[static_cast<std::size_t>(k)] = ad(U, s.screw(k));
  if (s.v) change.du = ad(U, s.u()), change.dud = ad(U, s.ud());
  keep_position_axes(s, U, change);
  return change;
}

/// The derivative of Xd v = d_dexp_{-x, -y} y along (dx, dy), by a complex step, free of cancellation.
Twist bias_change(const Twist& x, const Twist& y, const Twist& dx, const Twist& dy) {
  using C = std::complex<double>;
  constexpr double h = 1e-100;
  const auto join = [](const Vec3& a, const Vec3& b) {
    return lie::Vec3<C>{C(a.x, h * b.x), C(a.y, h * b.y), C(a.z, h * b.z)};
  };
  const lie::Twist<C> X{join(x.w, dx.w), join(x.v, dx.v)}, Y{join(y.w, dy.w), join(y.v, dy.v)};
  const lie::Twist<C> bias = d_dexp(-X, -Y, Y);
  const auto slope = [](const lie::Vec3<C>& r) {
    return Vec3{r.x.imag() / h, r.y.imag() / h, r.z.imag() / h};
  };
  return {slope(bias.w), slope(bias.v)};
}

/// (7) for screw k of a custom link, T = exp x with x = Z q: Z_k changes by dZ, and x by q_k dZ.
LinkChange exponential_change(const LinkState& s, int k, const Twist& dZ) {
  const Twist x = combine(s.model, s.link, s.q), dx = s.q[k] * dZ;
  const auto D = dexp(-x);
  LinkChange change{0, D(dx), {}, {}, {}};
  for (int j = 0; j < s.link.nv; ++j) {
    const Twist& Z = custom_screws(s.model)[static_cast<std::size_t>(s.link.screws + j)];
    Twist& dX = change.dX[static_cast<std::size_t>(j)];
    dX = d_dexp(-x, -dx, Z);
    if (j == k) dX += D(dZ);
    if (s.v) change.du += s.v[j] * dX, change.dud += s.a[j] * dX;
  }
  if (s.v) change.dud += bias_change(x, combine(s.model, s.link, s.v), dx, s.v[k] * dZ);
  return change;
}
/// (7).
LinkChange screw_change(const LinkState& s, int k, const Twist& dX) {
  if (is_exponential(s.link)) return exponential_change(s, k, dX);
  LinkChange change{0, dexp(-s.q[0] * s.screw(0))(s.q[0] * dX), {}, {}, {}};
  change.dX[0] = dX;
  if (s.v) change.du = s.v[0] * dX, change.dud = s.a[0] * dX;
  return change;
}

}  // namespace

ParameterChange change_of(const Model& model, const Parameter& parameter, const double* q,
                          const double* v, const double* a) {
  ParameterChange change;
  if (parameter.kind == Parameter::Kind::inertia) return change;
  const ModelJoint& joint = model.joints()[static_cast<std::size_t>(parameter.owner)];
  const auto link_of = [&](int k) { return link_of_v(model)[static_cast<std::size_t>(k)]; };
  const int first = link_of(joint.v_index), last = link_of(joint.v_index + joint.nv - 1);
  const int screw = joint.v_index + parameter.entry;

  // The screw in the frames of the links at q = 0, from the body inward.
  std::array<Twist, 6> U;
  Twist inward =
      Ad(model.bodies()[static_cast<std::size_t>(joint.child)].frame.offset, parameter.U);
  for (int i = last; i >= first; --i) {
    U[static_cast<std::size_t>(i - first)] = inward;
    inward = Ad(tree_links(model)[static_cast<std::size_t>(i)].P, inward);
  }
  for (int i = first; i <= last; ++i) {
    const Link& link = tree_links(model)[static_cast<std::size_t>(i)];
    const LinkState state{model, link, q + link.q_index, v ? v + link.v_index : nullptr,
                          a ? a + link.v_index : nullptr};
    const Twist& U_i = U[static_cast<std::size_t>(i - first)];
    LinkChange& next = change.links[static_cast<std::size_t>(change.count)];
    switch (parameter.kind) {
      case Parameter::Kind::frame:
        if (i > first) continue;
        next = frame_change(state, U_i);
        break;
      case Parameter::Kind::axis:
        next = axis_change(state, U_i);
        break;
      default:
        if (i != link_of(screw)) continue;
        next = screw_change(state, screw - link.v_index, U_i);
    }
    next.link = i;
    ++change.count;
  }
  return change;
}

}  // namespace chasles
