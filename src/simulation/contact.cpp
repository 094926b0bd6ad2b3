#include "chasles/simulation/contact.hpp"

#include <cmath>

#include "chasles/suggest.hpp"
#include "math/jet.hpp"
#include "simulation/contact_parts.hpp"
#include "simulation/force_parts.hpp"
#include "simulation/tangent_parts.hpp"

namespace chasles {
namespace {

/// A contact with all its geometry in the frames of the links.
class CompiledContact {
 public:
  CompiledContact(const Model& model, const Contact& contact);
  int link_a() const { return a_; }
  int link_b() const { return b_; }
  double span() const { return plane_ ? 0 : radius_ + other_radius_; }

  void operator()(double t, const VelocityKinematics& kin, JointForces& out) const;
  void tangent(double t, const VelocityKinematics& kin, ForceTangent& out) const;
  double potential(const PositionKinematics& kin) const;
  double power(double t, const VelocityKinematics& kin) const;
  double normal_force(const VelocityKinematics& kin) const;
  ContactQuery::Push push(const VelocityKinematics& kin) const;
  ContactQuery::Gap gap(const VelocityKinematics& kin) const;

 private:
  // The members below are in the frame of the link that has the balls.

  /// The surface as seen from the link with the balls.
  struct Seen {
    Vec3 n;    // of a plane
    double h;  // plane: n . p = h; sphere: the sum of the radii
    Vec3 c;    // the center of a sphere
  };
  /// A ball in contact: its deepest point, the normal there, the penetration depth.
  struct Near {
    Vec3 P, n;
    double x;
  };
  /// The twist of this link relative to the other.
  struct Relative {
    Vec3 w, v;
  };
  /// Relative motion at a contact point: penetration rate and sliding velocity.
  struct Moving {
    double x_dot;
    Vec3 v_t;
  };
  Seen seen(const PositionKinematics& kin) const;
  Relative relative(const VelocityKinematics& kin) const;
  double depth(const Seen& s, const Vec3& p) const;
  Near deepest(const Seen& s) const;
  Near near(const Seen& s, const Vec3& p, double x) const;
  static Moving moving(const Relative& V, const Near& at);
  /// Calls `visit` with each ball that penetrates the surface.
  template <class Visit>
  void each(const PositionKinematics& kin, const Visit& visit) const;

  double elastic(double x) const;  // stiffness x^exponent
  double normal(double x, double x_dot) const;
  Vec3 friction(double f_n, const Vec3& v_t) const;
  /// A point in world axes, about the point p of an element.
  struct Point {
    Vec3 center, P, n;  // center of the ball; point of application of the force; normal; all from p
    double x;
    Vec3 u, w;  // velocity there and angular velocity, relative to the surface
  };
  void add_tangent(const Point& at, ForceTangent::Element& e) const;
  /// Partial derivatives of the normal force.
  struct NormalRates {
    double f_n, by_x, by_out;  // by_out: by n . u
  };
  NormalRates normal_rates(double x, double out) const;
  void add_resistance(const Point& at, const NormalRates& rates, const Mat3& n_e,
                      ForceTangent::Element& e) const;

  std::string what_;
  std::uint64_t model_;
  int a_, b_;
  std::shared_ptr<const std::vector<Vec3>> points_;
  double radius_, other_radius_;
  double reach_ = 0;  // distance of the farthest point from the origin of its link
  bool plane_;
  Vec3 point_, normal_;
  double stiffness_;
  ContactLaw law_;
};

SE3 link_pose(const PositionKinematics& kin, int link) {
  return link < 0 ? SE3{} : kin.C()[static_cast<std::size_t>(link)];
}
Twist link_twist(const VelocityKinematics& kin, int link) {
  return link < 0 ? Twist{} : kin.V_h()[static_cast<std::size_t>(link)];
}

void require_length(const std::string& what, const char* name, double value) {
  if (!(value >= 0 && std::isfinite(value)))
    throw Error(what + ": " + name + " " + to_text(value) + " is not a length; give 0 or more");
}

CompiledContact::CompiledContact(const Model& model, const Contact& c)
    : what_("contact '" + c.name + "'"),
      model_(model.id()),
      radius_(c.balls.radius),
      other_radius_(c.against.radius),
      plane_(c.against.kind == ContactSurface::plane),
      stiffness_(0),
      law_(c.law) {
  require_known(c.against.kind, ContactSurface::sphere, "kind of surface");
  if (c.balls.points.empty()) throw Error(what_ + ": no points; give at least one");
  require_length(what_, "radius", radius_);
  require_length(what_, "radius of what is touched", other_radius_);
  if (!plane_ && !(radius_ + other_radius_ > 0))
    throw Error(what_ + ": both radii are 0, so nothing ever touches; give one of them");
  check_contact_law(law_, what_);
  stiffness_ = contact_stiffness(model, law_, what_);
  const Frame a = contact_frame(model, c.balls.body, what_);
  const Frame b = contact_frame(model, c.against.body, what_);
  a_ = a.link, b_ = b.link;
  if (a_ == b_)
    throw Error(what_ + ": '" + c.balls.body + "' and '" + c.against.body +
                "' move together, so they cannot touch");
  std::vector<Vec3> centers;
  for (const Vec3& p : c.balls.points) {
    if (!is_finite(p)) throw Error(what_ + ": a point on '" + c.balls.body + "' is not finite");
    centers.push_back(a.offset * p);
    reach_ = std::max(reach_, norm(centers.back()));
  }
  points_ = std::make_shared<const std::vector<Vec3>>(std::move(centers));
  if (!is_finite(c.against.point))
    throw Error(what_ + ": the point on '" + c.against.body + "' is not finite");
  point_ = b.offset * c.against.point;
  const double length = norm(c.against.normal);
  if (plane_ && !(length > 0 && std::isfinite(length)))
    throw Error(what_ + ": the normal of the plane has length " + to_text(length) +
                "; give the direction out of what is solid, such as [0, 0, 1]");
  if (plane_) normal_ = (1 / length) * (b.offset.R * c.against.normal);
}

CompiledContact::Seen CompiledContact::seen(const PositionKinematics& kin) const {
  const SE3 C_a = link_pose(kin, a_), C_b = link_pose(kin, b_);
  Seen s{{}, radius_ + other_radius_, inverse_times(C_a.R, C_b * point_ - C_a.r)};
  if (!plane_) return s;
  s.n = inverse_times(C_a.R, C_b.R * normal_);
  s.h = radius_ + dot(s.n, s.c);
  return s;
}
CompiledContact::Relative CompiledContact::relative(const VelocityKinematics& kin) const {
  const SE3 C_a = link_pose(kin, a_), C_b = link_pose(kin, b_);
  const Twist V_a = link_twist(kin, a_), V_b = link_twist(kin, b_);
  return {inverse_times(C_a.R, V_a.w - V_b.w),
          inverse_times(C_a.R, V_a.v - V_b.v - cross(V_b.w, C_a.r - C_b.r))};
}
double CompiledContact::depth(const Seen& s, const Vec3& p) const {
  return plane_ ? s.h - dot(s.n, p) : s.h - norm(p - s.c);
}
CompiledContact::Near CompiledContact::near(const Seen& s, const Vec3& p, double x) const {
  if (plane_) return {p - radius_ * s.n, s.n, x};
  const double d = norm(p - s.c);
  if (!(d > 0))
    throw ForceError("force '" + what_ +
                     "': the centers of the spheres coincide, so they have no normal; they are "
                     "driven too hard for its stiffness");
  const Vec3 n = (1 / d) * (p - s.c);
  return {p - radius_ * n, n, x};
}
CompiledContact::Moving CompiledContact::moving(const Relative& V, const Near& at) {
  const Vec3 u = V.v + cross(V.w, at.P);
  const double out = dot(at.n, u);
  return {-out, u - out * at.n};
}
template <class Visit>
void CompiledContact::each(const PositionKinematics& kin, const Visit& visit) const {
  const Seen s = seen(kin);
  for (const Vec3& p : *points_)
    if (const double x = depth(s, p); x > 0) visit(near(s, p, x));
}

double CompiledContact::elastic(double x) const {
  if (law_.exponent == 1.5) return stiffness_ * x * std::sqrt(x);
  return law_.exponent == 1 ? stiffness_ * x : stiffness_ * std::pow(x, law_.exponent);
}
/// (1).
double CompiledContact::normal(double x, double x_dot) const {
  return elastic(x) * std::max(0.0, 1 + 1.5 * law_.dissipation * x_dot);
}
/// (2).
Vec3 CompiledContact::friction(double f_n, const Vec3& v_t) const {
  return (-law_.friction * f_n / std::sqrt(dot(v_t, v_t) + law_.velocity * law_.velocity)) * v_t;
}

/// One wrench on each body, at the origin of its link.
void CompiledContact::operator()(double, const VelocityKinematics& kin, JointForces& out) const {
  const Relative V = relative(kin);
  Vec3 t{}, f{};
  bool touches = false;
  each(kin, [&](const Near& at) {
    const Moving m = moving(V, at);
    const double f_n = normal(at.x, m.x_dot);
    const Vec3 f_P = f_n * at.n + friction(f_n, m.v_t);
    f += f_P, t += cross(at.P, f_P);
    if (resists_turning(law_)) t += f_n * turning_resistance(law_, at.n, V.w);
    touches = true;
  });
  if (!touches) return;
  const SE3 C_a = link_pose(kin, a_), C_b = link_pose(kin, b_);
  f = C_a.R * f, t = C_a.R * t;
  if (a_ >= 0) out.wrenches.push_back({{a_, {}, model_}, {t, f}, Representation::hybrid});
  if (b_ < 0) return;
  t += cross(C_a.r - C_b.r, f);
  out.wrenches.push_back({{b_, {}, model_}, {-t, -f}, Representation::hybrid});
}
/// One element for all points: a is the link with the surface, b the link with the balls; p is the point of contact of
/// the first ball.
void CompiledContact::tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
  const Relative V = relative(kin);
  const SE3 C = link_pose(kin, a_);
  ForceTangent::Element* e = nullptr;
  each(kin, [&](const Near& at) {
    const Vec3 P = C * at.P, n = C.R * at.n;
    if (!e) e = &forces::add_element(out, b_, a_, P, {}, {});
    const Vec3 from_p = P - e->p;
    add_tangent({from_p + radius_ * n, from_p, n, at.x, C.R * (V.v + cross(V.w, at.P)), C.R * V.w},
                *e);
  });
}
/// With e = y_b - y_a, the relative displacement of the material points at the center of the ball,
/// N = 1 - n n^T, kappa = 1 / distance of the centers (plane: 0) and theta_a the rotation of the surface,
///
///     dx = -n . e,     dn = kappa N e + theta_a x n,     dP = y_b - radius dn
///     du = dV_b(P) - dV_a(P) + w x dP
///     df = f_x dx + F_n dn + F_u du,     d torque = dP x f + P x df
///
/// where f = f_n n - friction f_n v_t / s, s = sqrt(|v_t|^2 + velocity^2), x' = -n . u, v_t = N u.
void CompiledContact::add_tangent(const Point& at, ForceTangent::Element& e) const {
  const auto& [center, P, n, x, u, w] = at;
  const Mat3 one = Mat3::identity(), N = one - outer(n, n);
  const double out = dot(n, u);
  const NormalRates rates = normal_rates(x, out);
  const double f_n = rates.f_n, rate = rates.by_out;
  const Vec3 v_t = u - out * n, f = f_n * n + friction(f_n, v_t);
  const double s = std::sqrt(dot(v_t, v_t) + law_.velocity * law_.velocity);
  // Partial derivatives of f by f_n and by v_t.
  const Vec3 along = n - (law_.friction / s) * v_t;
  const Mat3 slide = (-law_.friction * f_n / s) * (one - (1 / (s * s)) * outer(v_t, v_t));
  const Vec3 f_x = rates.by_x * along;
  const Mat3 F_u = rate * outer(along, n) + slide * N;
  const Mat3 F_n = rate * outer(along, u) + f_n * one - slide * (outer(n, u) + out * one);
  const Mat3 F_w = F_u * hat(w);
  const Mat3 n_e = plane_ ? Mat3{} : (1 / (radius_ + other_radius_ - x)) * N;
  const Mat3 f_e = (F_n - radius_ * F_w) * n_e - outer(f_x, n);
  const Mat3 n_a = hat(-n), f_theta = (F_n - radius_ * F_w) * n_a;  // derivatives by theta_a

  if (resists_turning(law_)) add_resistance(at, rates, n_e, e);
  const Mat3 lever = hat(P), f_hat = hat(-f), by_b = f_e + F_w;
  if (a_ >= 0) {
    forces::add_point(e.K_b, f_hat * (one - radius_ * n_e) + lever * by_b, by_b, center);
    forces::add_point(e.D_b, lever * F_u, F_u, P);
  }
  const Vec3 torque = cross(P, f);
  for (int k = 0; k < 3; ++k)
    e.W[static_cast<std::size_t>(k)] += torque[k], e.W[static_cast<std::size_t>(k + 3)] += f[k];
  if (b_ < 0) return;
  forces::add_point(e.K_a, radius_ * (f_hat * n_e) - lever * f_e, -1.0 * f_e, center);
  forces::add_block(e.K_a, 0, 0, lever * f_theta - radius_ * (f_hat * n_a));
  forces::add_block(e.K_a, 3, 0, f_theta);
  forces::add_point(e.D_a, -1.0 * (lever * F_u), -1.0 * F_u, P);
}
CompiledContact::NormalRates CompiledContact::normal_rates(double x, double out) const {
  const double c = 1.5 * law_.dissipation, factor = 1 - c * out;
  if (!(factor > 0)) return {0, 0, 0};
  return {normal(x, -out), law_.exponent * elastic(x) / x * factor, -c * elastic(x)};
}
/// The torque f_n r(n, w) of (3), with dn and du as above: d torque = r df_n + f_n (r_n dn + r_w dw).
void CompiledContact::add_resistance(const Point& at, const NormalRates& rates, const Mat3& n_e,
                                     ForceTangent::Element& e) const {
  using J = Jet<6>;
  lie::Vec3<J> n_jet, w_jet;
  for (int k = 0; k < 3; ++k)
    n_jet[k] = J::variable(at.n[k], k), w_jet[k] = J::variable(at.w[k], k + 3);
  const lie::Vec3<J> r_jet = turning_resistance(law_, n_jet, w_jet);
  Vec3 r;
  std::array<Vec3, 3> by_n, by_w;  // columns
  for (int i = 0; i < 3; ++i) {
    r[i] = r_jet[i].value;
    for (std::size_t k = 0; k < 3; ++k)
      by_n[k][i] = rates.f_n * r_jet[i].d[k], by_w[k][i] = rates.f_n * r_jet[i].d[k + 3];
  }
  const Mat3 T_u = rates.by_out * outer(r, at.n), T_w = T_u * hat(at.w);
  const Mat3 T_n = Mat3{by_n[0], by_n[1], by_n[2]} + rates.by_out * outer(r, at.u) - radius_ * T_w;
  const Mat3 T_e = T_n * n_e - rates.by_x * outer(r, at.n), turn{by_w[0], by_w[1], by_w[2]};
  for (int k = 0; k < 3; ++k) e.W[static_cast<std::size_t>(k)] += rates.f_n * r[k];
  if (a_ >= 0) {
    forces::add_point(e.K_b, T_e + T_w, Mat3{}, at.center);
    forces::add_point(e.D_b, T_u, Mat3{}, at.P);
    forces::add_block(e.D_b, 0, 0, turn);
  }
  if (b_ < 0) return;
  forces::add_point(e.K_a, -1.0 * T_e, Mat3{}, at.center);
  forces::add_block(e.K_a, 0, 0, T_n * hat(-at.n));
  forces::add_point(e.D_a, -1.0 * T_u, Mat3{}, at.P);
  forces::add_block(e.D_a, 0, 0, -1.0 * turn);
}
double CompiledContact::potential(const PositionKinematics& kin) const {
  double sum = 0;
  each(kin, [&](const Near& at) { sum += elastic(at.x) * at.x / (law_.exponent + 1); });
  return sum;
}
/// Power of the dissipative part: total power plus the rate of the stored energy.
double CompiledContact::power(double, const VelocityKinematics& kin) const {
  const Relative V = relative(kin);
  double sum = 0;
  each(kin, [&](const Near& at) {
    const Moving m = moving(V, at);
    const double f_n = normal(at.x, m.x_dot);
    sum += (elastic(at.x) - f_n) * m.x_dot + dot(friction(f_n, m.v_t), m.v_t);
    if (resists_turning(law_)) sum += f_n * dot(turning_resistance(law_, at.n, V.w), V.w);
  });
  return sum;
}
double CompiledContact::normal_force(const VelocityKinematics& kin) const {
  const Relative V = relative(kin);
  double sum = 0;
  each(kin, [&](const Near& at) { sum += normal(at.x, moving(V, at).x_dot); });
  return sum;
}
ContactQuery::Push CompiledContact::push(const VelocityKinematics& kin) const {
  const Relative V = relative(kin);
  Vec3 force{}, moment{};
  double sum = 0;
  each(kin, [&](const Near& at) {
    const Moving m = moving(V, at);
    const double f_n = normal(at.x, m.x_dot);
    force += f_n * at.n + friction(f_n, m.v_t);
    moment += f_n * at.P;
    sum += f_n;
  });
  const SE3 C = link_pose(kin, a_);
  return {C.R * force, C * (sum > 0 ? (1 / sum) * moment : deepest(seen(kin)).P)};
}
CompiledContact::Near CompiledContact::deepest(const Seen& s) const {
  const Vec3* found = &points_->front();
  double most = depth(s, *found);
  for (const Vec3& p : *points_)
    if (const double x = depth(s, p); x > most) most = x, found = &p;
  return near(s, *found, most);
}
ContactQuery::Gap CompiledContact::gap(const VelocityKinematics& kin) const {
  const Near at = deepest(seen(kin));
  const Relative V = relative(kin);
  const Moving m = moving(V, at);
  return {-at.x, -m.x_dot, std::hypot(m.x_dot, norm(m.v_t)), norm(V.v) + norm(V.w) * reach_};
}

}  // namespace

Frame contact_frame(const Model& model, const std::string& name, const std::string& what) {
  try {
    return model.frame(name);
  } catch (const Error& error) {
    throw Error(what + ": " + error.what());
  }
}
void check_contact_law(const ContactLaw& law, const std::string& what) {
  if (!(law.exponent >= 1 && law.exponent <= 10))
    throw Error(what + ": exponent " + to_text(law.exponent) +
                " is out of range; give 1 to 10, such as 1.5 for spheres");
  forces::require_not_negative(what, {{"dissipation", law.dissipation},
                                      {"friction", law.friction},
                                      {"torsional_friction", law.torsional_friction},
                                      {"rolling_friction", law.rolling_friction}});
  for (const auto& [name, value] :
       {std::pair{"velocity", law.velocity}, {"angular_velocity", law.angular_velocity}})
    if (!(value > 0 && std::isfinite(value)))
      throw Error(what + ": " + name + " " + to_text(value) +
                  " is not positive; give the velocity below which friction is smooth");
}
double contact_stiffness(const Model& model, const ContactLaw& law, const std::string& what) {
  constexpr double g = 9.81, depth = 1e-3;
  if (!law.stiffness && !(model.mass() > 0))
    throw Error(what +
                ": nothing that moves has mass, so there is no stiffness by default; give it");
  const double k =
      law.stiffness ? *law.stiffness : model.mass() * g / std::pow(depth, law.exponent);
  if (!(k > 0 && std::isfinite(k)))
    throw Error(what + ": stiffness " + to_text(k) + " is not positive; give N/m^" +
                to_text(law.exponent));
  return k;
}

std::vector<Vec3> box_corners(const Vec3& size, const Vec3& center) {
  std::vector<Vec3> corners;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5})
        corners.push_back(center + Vec3{x * size.x, y * size.y, z * size.z});
  return corners;
}

Force contact(const Model& model, const Contact& c) {
  const auto compiled = std::make_shared<const CompiledContact>(model, c);
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

const ContactQuery& contact_named(const Forces& forces, std::string_view name) {
  std::vector<std::string_view> known;
  for (const Force& force : forces.list()) {
    if (!force.touch) continue;
    if (force.touch->name == name) return *force.touch;
    known.push_back(force.touch->name);
  }
  throw Error("there is no contact '" + std::string(name) + "'" +
              (known.empty() ? "; the run has none" : choices(name, known)));
}

}  // namespace chasles
