#include "chasles/simulation/shape_contact.hpp"

#include <cmath>

#include "math/jet.hpp"
#include "simulation/contact_parts.hpp"
#include "simulation/force_parts.hpp"
#include "simulation/shape_geometry.hpp"
#include "simulation/tangent_parts.hpp"

namespace chasles {
namespace {

using contacts::ContactPoint;
using contacts::LinkPose;
using contacts::LinkShape;

LinkShape link_shape(const CollisionShape& shape, const Frame& frame) {
  using enum CollisionShape::Kind;
  LinkShape out{.kind = shape.kind, .pose = frame.offset * shape.pose};
  const auto add = [&](const Vec3& p) { out.points.push_back(out.pose * p); };
  switch (shape.kind) {
    case plane:
      add({}), out.normal = out.pose.R * Vec3{0, 0, 1};
      break;
    case sphere:
      add({}), out.radius = shape.size.x;
      break;
    case capsule:
    case cylinder:
      for (const double side : {-0.5, 0.5}) add({0, 0, side * shape.size.y});
      out.radius = shape.size.x, out.normal = out.pose.R * Vec3{0, 0, 1};
      break;
    case box:
      for (const Vec3& corner : box_corners(shape.size)) add(corner);
      out.half = 0.5 * shape.size;
      break;
    case ellipsoid:
      out.half = shape.size;
      break;
    case mesh:
      break;
  }
  out.extent = shape.kind == ellipsoid ? max_abs(shape.size) : 0;
  for (const Vec3& p : out.points)
    out.extent = std::max(out.extent, norm(p - out.pose.r) + out.radius);
  out.reach = norm(out.pose.r) + out.extent;
  return out;
}

/// Two shapes, with the force law of contact.hpp. Link a has the first shape, link b the second one, the plane or box.
class ShapePair {
 public:
  ShapePair(const Model& model, const ShapeContact& contact);
  int link_a() const { return a_; }
  int link_b() const { return b_; }
  double span() const {
    return second_.kind == CollisionShape::plane ? 0 : first_.radius + second_.radius + margin_;
  }

  void operator()(double t, const VelocityKinematics& kin, JointForces& out) const;
  void tangent(double t, const VelocityKinematics& kin, ForceTangent& out) const;
  double potential(const PositionKinematics& kin) const;
  double power(double t, const VelocityKinematics& kin) const;
  double normal_force(const VelocityKinematics& kin) const;
  ContactQuery::Push push(const VelocityKinematics& kin) const;
  ContactQuery::Gap gap(const VelocityKinematics& kin) const;

 private:
  /// Twist of a link: angular velocity, and velocity of its material point at a point fixed in space.
  template <class S>
  struct LinkTwist {
    lie::Vec3<S> w, v;
  };
  /// Both links in world axes, positions from `p`.
  template <class S>
  struct Links {
    LinkPose<S> A, B;
    LinkTwist<S> V_a, V_b;
  };
  Links<double> links(const VelocityKinematics& kin, const Vec3& p) const;
  /// Whether spheres around the shapes are apart.
  bool apart(const PositionKinematics& kin) const;
  template <class S, class Visit>
  void each(const LinkPose<S>& A, const LinkPose<S>& B, const Visit& visit) const;
  /// Calls visit(point, velocity of a relative to b there, angular velocity) with each point that penetrates.
  template <class S, class Visit>
  void each_touching(const Links<S>& at, const Visit& visit) const;

  template <class S>
  S elastic(const S& x) const {
    using std::pow;
    return S(stiffness_) * pow(x, law_.exponent);
  }
  /// contact.hpp (1); zero where it would pull.
  template <class S>
  S normal(const S& x, const S& x_dot) const {
    const S factor = S(1) + S(1.5 * law_.dissipation) * x_dot;
    return lie::real_part(factor) > 0 ? elastic(x) * factor : S(0);
  }
  /// contact.hpp (1) and (2).
  template <class S>
  lie::Vec3<S> force(const ContactPoint<S>& at, const lie::Vec3<S>& u) const {
    using std::sqrt;
    const S out = dot(at.n, u), f_n = normal(at.x, -out);
    const lie::Vec3<S> v_t = u - out * at.n;
    const S s = sqrt(dot(v_t, v_t) + S(law_.velocity * law_.velocity));
    return f_n * at.n - (S(law_.friction) * f_n / s) * v_t;
  }

  /// contact.hpp (3).
  template <class S>
  lie::Vec3<S> torque(const ContactPoint<S>& at, const lie::Vec3<S>& u,
                      const lie::Vec3<S>& w) const {
    if (!resists_turning(law_)) return {};
    return normal(at.x, -dot(at.n, u)) * turning_resistance(law_, at.n, w);
  }

  std::string what_;
  std::uint64_t model_;
  int a_, b_;
  LinkShape first_, second_;
  double margin_, stiffness_;
  ContactLaw law_;
};

SE3 pose_of_link(const PositionKinematics& kin, int link) {
  return link < 0 ? SE3{} : kin.C()[static_cast<std::size_t>(link)];
}

int shape_rank(CollisionShape::Kind kind) {
  return kind == CollisionShape::plane ? 2 : kind == CollisionShape::box ? 1 : 0;
}

ShapePair::ShapePair(const Model& model, const ShapeContact& c)
    : what_("contact '" + c.name + "'"),
      model_(model.id()),
      margin_(c.margin),
      stiffness_(0),
      law_(c.law) {
  if (!has_contact(c.a.kind, c.b.kind))
    throw Error(what_ + ": the contact of a " + std::string(collision_kind_name(c.a.kind)) +
                " with a " + std::string(collision_kind_name(c.b.kind)) +
                " is not supported; use spheres and capsules");
  const bool swapped = shape_rank(c.a.kind) > shape_rank(c.b.kind);
  const CollisionShape &a = swapped ? c.b : c.a, &b = swapped ? c.a : c.b;
  const Frame at_a = contact_frame(model, a.body, what_),
              at_b = contact_frame(model, b.body, what_);
  a_ = at_a.link, b_ = at_b.link;
  if (a_ == b_)
    throw Error(what_ + ": '" + a.body + "' and '" + b.body +
                "' move together, so they cannot touch");
  for (const CollisionShape* shape : {&a, &b})
    for (const double x : {shape->size.x, shape->size.y, shape->size.z, margin_})
      if (!(x >= 0 && std::isfinite(x)))
        throw Error(what_ + ": " + to_text(x) + " is not a length; give 0 or more");
  first_ = link_shape(a, at_a), second_ = link_shape(b, at_b);
  check_contact_law(law_, what_);
  stiffness_ = contact_stiffness(model, law_, what_);
}

ShapePair::Links<double> ShapePair::links(const VelocityKinematics& kin, const Vec3& p) const {
  const auto pose = [&](int link) {
    const SE3 C = pose_of_link(kin, link);
    return LinkPose<double>{C.R.matrix(), C.r - p};
  };
  const auto twist = [&](int link) {
    if (link < 0) return LinkTwist<double>{};
    const Twist& V = kin.V_h()[static_cast<std::size_t>(link)];
    return LinkTwist<double>{V.w, V.v + cross(V.w, p - pose_of_link(kin, link).r)};
  };
  return {pose(a_), pose(b_), twist(a_), twist(b_)};
}
bool ShapePair::apart(const PositionKinematics& kin) const {
  const SE3 A = pose_of_link(kin, a_), B = pose_of_link(kin, b_);
  const Vec3 way = A * first_.pose.r - B * second_.pose.r;
  const double reach = first_.extent + margin_;
  if (second_.kind == CollisionShape::plane) return dot(B.R * second_.normal, way) > reach;
  return dot(way, way) > (reach + second_.extent) * (reach + second_.extent);
}
template <class S, class Visit>
void ShapePair::each(const LinkPose<S>& A, const LinkPose<S>& B, const Visit& visit) const {
  try {
    contacts::touch(first_, A, second_, B, margin_, visit);
  } catch (const contacts::NoNormal&) {
    throw ForceError("force '" + what_ +
                     "': the axes of the shapes meet, so they have no normal; they are driven too "
                     "hard for its stiffness");
  }
}
template <class S, class Visit>
void ShapePair::each_touching(const Links<S>& at, const Visit& visit) const {
  each(at.A, at.B, [&](const ContactPoint<S>& point) {
    if (!(lie::real_part(point.x) > 0)) return;
    const lie::Vec3<S> w = at.V_a.w - at.V_b.w;
    visit(point, at.V_a.v - at.V_b.v + cross(w, point.P), w);
  });
}

void ShapePair::operator()(double, const VelocityKinematics& kin, JointForces& out) const {
  if (apart(kin)) return;
  const Vec3 r_a = pose_of_link(kin, a_).r, r_b = pose_of_link(kin, b_).r;
  Vec3 t{}, f{};
  bool touches = false;
  each_touching(links(kin, r_a), [&](const ContactPoint<double>& at, const Vec3& u, const Vec3& w) {
    const Vec3 f_P = force(at, u);
    f += f_P, t += cross(at.P, f_P) + torque(at, u, w);
    touches = true;
  });
  if (!touches) return;
  if (a_ >= 0) out.wrenches.push_back({{a_, {}, model_}, {t, f}, Representation::hybrid});
  if (b_ < 0) return;
  t += cross(r_a - r_b, f);
  out.wrenches.push_back({{b_, {}, model_}, {-t, -f}, Representation::hybrid});
}

/// Variables of a jet: displacements of both links, then their twists, about p = the origin of link a (b if a is ground).
void ShapePair::tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
  if (apart(kin)) return;
  using J = Jet<24>;
  const Vec3 p = pose_of_link(kin, a_ >= 0 ? a_ : b_).r;
  const Links<double> now = links(kin, p);
  const auto vector = [](const Vec3& x, int k) {
    return lie::Vec3<J>{J::variable(x.x, k), J::variable(x.y, k + 1), J::variable(x.z, k + 2)};
  };
  const auto displaced = [&](const LinkPose<double>& C, int k) {
    const lie::Vec3<J> theta = vector({}, k), delta = vector({}, k + 3);
    const auto turned = [&](const Vec3& y) {
      const lie::Vec3<J> x = contacts::constant<J>(y);
      return x + cross(theta, x);
    };
    return LinkPose<J>{{turned(C.R.c0), turned(C.R.c1), turned(C.R.c2)}, turned(C.r) + delta};
  };
  const auto moving = [&](const LinkTwist<double>& V, int k) {
    return LinkTwist<J>{vector(V.w, k), vector(V.v, k + 3)};
  };
  const Links<J> at{displaced(now.A, 0), displaced(now.B, 6), moving(now.V_a, 12),
                    moving(now.V_b, 18)};
  lie::Vec3<J> t{}, f{};
  bool touches = false;
  each_touching(at,
                [&](const ContactPoint<J>& point, const lie::Vec3<J>& u, const lie::Vec3<J>& w) {
                  const lie::Vec3<J> f_P = force(point, u);
                  f += f_P, t += cross(point.P, f_P) + torque(point, u, w);
                  touches = true;
                });
  if (!touches) return;
  ForceTangent::Element& e = forces::add_element(out, b_, a_, p, {}, {});
  for (int i = 0; i < 6; ++i) {
    const J& w = i < 3 ? t[i] : f[i - 3];
    e.W[static_cast<std::size_t>(i)] = w.value;
    for (int j = 0; j < 6; ++j) {
      const auto to = static_cast<std::size_t>(6 * i + j), from = static_cast<std::size_t>(j);
      if (a_ >= 0) e.K_b[to] = w.d[from], e.D_b[to] = w.d[from + 12];
      if (b_ >= 0) e.K_a[to] = w.d[from + 6], e.D_a[to] = w.d[from + 18];
    }
  }
}

double ShapePair::potential(const PositionKinematics& kin) const {
  if (apart(kin)) return 0;
  const auto pose = [&](int link) {
    const SE3 C = pose_of_link(kin, link);
    return LinkPose<double>{C.R.matrix(), C.r};
  };
  double sum = 0;
  each(pose(a_), pose(b_), [&](const ContactPoint<double>& at) {
    if (at.x > 0) sum += elastic(at.x) * at.x / (law_.exponent + 1);
  });
  return sum;
}
/// Power of the dissipative part: total power plus the rate of the stored energy.
double ShapePair::power(double, const VelocityKinematics& kin) const {
  if (apart(kin)) return 0;
  double sum = 0;
  each_touching(links(kin, {}), [&](const ContactPoint<double>& at, const Vec3& u, const Vec3& w) {
    sum += dot(force(at, u), u) - elastic(at.x) * dot(at.n, u) + dot(torque(at, u, w), w);
  });
  return sum;
}
double ShapePair::normal_force(const VelocityKinematics& kin) const {
  double sum = 0;
  if (!apart(kin))
    each_touching(links(kin, {}), [&](const ContactPoint<double>& at, const Vec3& u, const Vec3&) {
      sum += normal(at.x, -dot(at.n, u));
    });
  return sum;
}
ContactQuery::Push ShapePair::push(const VelocityKinematics& kin) const {
  Vec3 f{}, moment{}, nearest{};
  double sum = 0, most = -HUGE_VAL;
  const Links<double> at_links = links(kin, {});
  each(at_links.A, at_links.B, [&](const ContactPoint<double>& at) {
    if (at.x > most) most = at.x, nearest = at.P;
  });
  each_touching(at_links, [&](const ContactPoint<double>& at, const Vec3& u, const Vec3&) {
    const double f_n = normal(at.x, -dot(at.n, u));
    f += force(at, u);
    moment += f_n * at.P;
    sum += f_n;
  });
  return {f, sum > 0 ? (1 / sum) * moment : nearest};
}
ContactQuery::Gap ShapePair::gap(const VelocityKinematics& kin) const {
  const Vec3 p = pose_of_link(kin, a_).r;
  const Links<double> at = links(kin, p);
  const Vec3 w = at.V_a.w - at.V_b.w, v = at.V_a.v - at.V_b.v;
  ContactQuery::Gap gap{HUGE_VAL, 0, 0, norm(v) + norm(w) * first_.reach};
  each(at.A, at.B, [&](const ContactPoint<double>& point) {
    if (!(-point.x < gap.distance)) return;
    const Vec3 u = v + cross(w, point.P);
    gap.distance = -point.x, gap.rate = dot(point.n, u), gap.speed = norm(u);
  });
  return gap;
}

}  // namespace

bool has_contact(CollisionShape::Kind a, CollisionShape::Kind b) {
  using enum CollisionShape::Kind;
  for (const CollisionShape::Kind kind : {a, b})
    require_known(kind, mesh, "kind of collision shape");
  if (a == mesh || b == mesh) return false;
  if (a == plane || b == plane) return a != b;
  const auto round = [](CollisionShape::Kind kind) { return kind == sphere || kind == capsule; };
  return (round(a) && round(b)) || (a == sphere && b == box) || (a == box && b == sphere);
}

Force shape_contact(const Model& model, const ShapeContact& c) {
  const auto compiled = std::make_shared<const ShapePair>(model, c);
  Force force{"contact '" + c.name + "'", model, *compiled};
  if (!is_dissipative(c.law)) force.law.power = {};
  force.internal = compiled->link_a() >= 0 && compiled->link_b() >= 0;
  force.actuator = false;
  force.touch = ContactQuery{
      c.name, [compiled](const VelocityKinematics& kin) { return compiled->gap(kin); },
      [compiled](const VelocityKinematics& kin) { return compiled->normal_force(kin); },
      [compiled](const VelocityKinematics& kin) { return compiled->push(kin); }, compiled->span()};
  return force;
}

}  // namespace chasles
