#include "simulation/switching.hpp"

#include <algorithm>
#include <cmath>

namespace chasles {
namespace {

constexpr double still = 1e-9;     // [rad/s, m/s]: not moving
constexpr double touching = 1e-9;  // relative to 1 + |level|: at a stop
constexpr double lost = 1e-6;      // relative to 1 + |level|: beyond the stop

bool is_limited(const ModelJoint& joint) {
  return joint.limits && (joint.limits->lower || joint.limits->upper);
}
double direction_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

bool Switching::needed(const Scenario& s) {
  return (s.limits == LimitMode::rigid && std::ranges::any_of(s.model.joints(), is_limited)) ||
         std::ranges::any_of(s.events,
                             [](const RunEvent& e) { return e.action == RunEvent::impact; }) ||
         std::ranges::any_of(s.forces.list(), [](const Force& f) { return !f.sticks.empty(); });
}

void Switching::check_method(const Scenario& s) {
  const IntegratorOptions& options = s.integrator;
  const MethodInfo& method = method_info(options);
  const bool holds = (method.needs < Needs::masses || method.newton) && !options.momentum_form &&
                     !options.keep_invariants;
  if (holds || !needed(s)) return;
  throw Error((options.momentum_form     ? "momentum_form"
               : options.keep_invariants ? "keep_invariants"
                                         : "method '" + std::string(method.name) + "'") +
              " cannot hold joints, so there are no rigid stops, impacts and friction that sticks "
              "with it; take another method, such as dop853, mk4, radau5 or generalized_alpha");
}

Switching::Switching(const Scenario& s, std::shared_ptr<MechanicalSystem> inner)
    : rest_velocity_(s.rigid.rest_velocity),
      system_(std::make_shared<HeldSystem>(std::move(inner))),
      velocity_(s.model.nv()),
      a_(s.model.nv()) {
  check_method(s);
  s.rigid.check();
  for (std::size_t i = 0; i < s.events.size(); ++i) {
    const RunEvent& e = s.events[i];
    if (e.action != RunEvent::impact) continue;
    const Impact& hit = e.hit;
    const ModelJoint& joint = s.model.joint_of_v(hit.v);
    add_stop(joint, joint.coordinate_of_v(hit.v), hit.level, hit.upper ? 1 : -1, hit.restitution,
             e.event.name);
    stops_.back().event = i;
  }
  for (const ModelJoint& joint : s.model.joints()) {
    if (s.limits != LimitMode::rigid || !is_limited(joint)) continue;
    const std::string name = "joint '" + joint.name + "' at its ";
    if (joint.limits->lower)
      add_stop(joint, joint.coordinates[0], *joint.limits->lower, -1, s.rigid.restitution,
               name + "lower limit");
    if (joint.limits->upper)
      add_stop(joint, joint.coordinates[0], *joint.limits->upper, 1, s.rigid.restitution,
               name + "upper limit");
  }
  for (const Force& force : s.forces.list())
    for (const Stiction& stick : force.sticks) {
      const ModelJoint& joint = s.model.joint_of_v(stick.v);
      const int q = joint.coordinate_of_v(stick.v).q_index;
      sticks_.push_back({joint.name, stick, q, 0});
      *stick.direction = 0;
      holdable(q, stick.v);
    }
  for (const RigidStop& stop : stops_)
    if (const double q = s.start.q[stop.q];
        stop.side * (q - stop.level) > touching * (1 + std::abs(stop.level)))
      throw Error("joint '" + stop.joint + "' starts at " + to_text(q) +
                  ", beyond its rigid stop at " + to_text(stop.level) + "; start within");
}

void Switching::add_stop(const ModelJoint& joint, const JointCoordinate& c, double level,
                         double side, double restitution, std::string name) {
  stops_.push_back({joint.name, std::move(name), c.q_index, c.v_index, level, side, restitution,
                    static_cast<std::size_t>(-1)});
  holdable(c.q_index, c.v_index);
}
Switching::Holdable& Switching::holdable(int q, int v) {
  const auto found = std::ranges::find(holdable_, v, &Holdable::v);
  return found != holdable_.end() ? *found : holdable_.emplace_back(Holdable{q, v});
}

/// Of a held joint only the release event can occur.
void Switching::add_events(std::vector<IntegratorEvent>& list) {
  constexpr double never = 1;
  for (RigidStop& stop : stops_) {
    const auto gap = [this, &stop](const State& s) {
      return system_->holds(stop.v) ? never : stop.side * (stop.level - s.q[stop.q]);
    };
    const auto rate = [this, &stop](const State& s) {
      return system_->holds(stop.v) ? 0 : -stop.side * s.v[stop.v];
    };
    IntegratorEvent event{stop.name, gap, IntegratorEvent::falling, false, rate};
    if (stop.event < list.size()) {
      list[stop.event] = std::move(event);
      continue;
    }
    stop.event = list.size();
    list.push_back(std::move(event));
  }
  for (Holdable& h : holdable_) {
    h.event = list.size();
    list.push_back(
        {"release",
         [this, &h](const State& s) { return system_->holds(h.v) ? margin(h, s) : never; },
         IntegratorEvent::falling});
  }
  for (Sticking& s : sticks_) {
    s.event = list.size();
    list.push_back({"stop",
                    [&s](const State& state) {
                      const double d = *s.stick.direction;
                      return d == 0 ? never : d * state.v[s.stick.v];
                    },
                    IntegratorEvent::falling});
  }
}

/// The rates at a state; lambda of system_ then belongs to it. Cached while nothing else sets the system;
/// known_serial_ is reset when the set of held joints changes.
const Vector& Switching::accelerations_at(const State& s) {
  if (system_->serial() != known_serial_ || s.t != known_time_) {
    system_->rates(s.t, s.q, s.v, velocity_, a_);
    known_serial_ = system_->serial(), known_time_ = s.t;
  }
  return a_;
}
/// Distance of lambda from the bound at which the joint is released.
double Switching::margin(const Holdable& h, const State& s) {
  constexpr double unbounded = 1e300;
  accelerations_at(s);
  const double force = system_->force_of(h.v);
  return std::min({force - h.lower, h.upper - force, unbounded});
}

bool Switching::happened(std::size_t number) {
  bool told = false;
  for (const RigidStop& stop : stops_)
    if (stop.event == number) pending_ = told = true;
  for (Holdable& h : holdable_)
    if (h.event == number) pending_ = h.released = true;
  for (const Sticking& s : sticks_)
    if (s.event == number) pending_ = true;
  return told;
}

void Switching::resolve(State& state) {
  constexpr int most = 200;
  repeats_ = state.t == resolved_at_ ? repeats_ + 1 : 0;
  resolved_at_ = state.t;
  if (repeats_ > most)
    throw Error("stops and friction change more than " + std::to_string(most) +
                " times at once, without an end");
  pending_ = false;
  release(state);
  impacts(state);
  settle(state);
  look_ahead(state);
}

bool Switching::is_at(const RigidStop& stop, const State& s) const {
  return std::abs(s.q[stop.q] - stop.level) <= touching * (1 + std::abs(stop.level));
}

/// Impulses p >= 0 of all stops in contact, such that each joint leaves with at least its restitution: (3) of
/// docs/theory/stops.md.
void Switching::impacts(State& s) {
  std::vector<const RigidStop*> at;
  std::vector<int> coordinates;
  bool any = false;
  for (const RigidStop& stop : stops_) {
    if (!is_at(stop, s)) continue;
    at.push_back(&stop), coordinates.push_back(stop.v);
    any = any || stop.side * s.v[stop.v] > 0;
  }
  if (!any) return;
  Matrix X, G;
  system_->set(s);
  system_->respond(coordinates, X, G);
  const auto n = static_cast<Eigen::Index>(at.size());
  Vector b(n), lower(n), upper(n), p(n);
  std::vector<bool> rests(at.size());
  for (Eigen::Index i = 0; i < n; ++i) {
    const RigidStop& stop = *at[static_cast<std::size_t>(i)];
    const double u = -stop.side * s.v[stop.v];
    const bool rest = !(-u * stop.restitution >= rest_velocity_);
    b[i] = u < 0 && !rest ? (1 + stop.restitution) * u : u;
    rests[static_cast<std::size_t>(i)] = rest;
    upper[i] = Signal::never;
    G.row(i) *= stop.side, G.col(i) *= stop.side;
  }
  solve_in_bounds(G, b, lower, upper, p);
  for (Eigen::Index i = 0; i < n; ++i)
    s.v -= at[static_cast<std::size_t>(i)]->side * p[i] * X.col(i);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!(p[static_cast<Eigen::Index>(i)] > 0)) continue;
    if (rests[i]) s.v[at[i]->v] = 0;
    if (system_->constraint_count() == 0) s.q[at[i]->q] = at[i]->level;
  }
}

/// Releases joints, with friction opposing their motion.
void Switching::release(const State& s) {
  for (Holdable& h : holdable_) {
    if (!h.released || !system_->holds(h.v)) continue;
    accelerations_at(s);
    const double force = system_->force_of(h.v);
    for (const Sticking& stick : sticks_)
      if (stick.stick.v == h.v) *stick.stick.direction = force - h.lower < h.upper - force ? 1 : -1;
  }
}

/// Joints at rest at a stop or by friction, with the bounds of the forces that may hold them.
std::vector<Switching::Holdable*> Switching::candidates(State& s) {
  std::vector<Holdable*> list;
  const auto add = [&](Holdable& h, double lower, double upper) {
    if (std::ranges::find(list, &h) == list.end()) {
      list.push_back(&h);
      h.lower = h.upper = 0;
    }
    h.lower += lower, h.upper += upper;
    s.v[h.v] = 0;
  };
  for (const RigidStop& stop : stops_) {
    Holdable& h = holdable(stop.q, stop.v);
    if (is_at(stop, s) && std::abs(s.v[stop.v]) <= still && !h.released)
      add(h, stop.side > 0 ? -Signal::never : 0, stop.side > 0 ? 0 : Signal::never);
  }
  for (const Sticking& stick : sticks_) {
    Holdable& h = holdable(stick.q, stick.stick.v);
    if (h.released) continue;
    const double v = s.v[h.v];
    *stick.stick.direction = std::abs(v) <= still ? 0 : direction_of(v);
    if (*stick.stick.direction == 0) add(h, -stick.stick.breakaway, stick.stick.breakaway);
  }
  for (Holdable& h : holdable_) h.released = false;
  return list;
}

void Switching::settle(State& s) {
  const std::vector<Holdable*> list = candidates(s);
  system_->hold({}, s.q);
  known_serial_ = -1;
  if (list.empty()) return;
  const auto n = static_cast<Eigen::Index>(list.size());
  std::vector<int> coordinates;
  for (const Holdable* h : list) coordinates.push_back(h->v);
  Vector free(n), lower(n), upper(n), force(n);
  const Vector& a = accelerations_at(s);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Holdable& h = *list[static_cast<std::size_t>(i)];
    free[i] = a[h.v], lower[i] = h.lower, upper[i] = h.upper;
  }
  Matrix X, G;
  system_->set(s);
  system_->respond(coordinates, X, G);
  const std::vector<int> at = solve_in_bounds(G, free, lower, upper, force);
  std::vector<std::pair<int, int>> held;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (at[i] == 0) held.emplace_back(list[i]->v, list[i]->q);
    for (const Sticking& stick : sticks_)
      if (stick.stick.v == list[i]->v) *stick.stick.direction = -at[i];
  }
  system_->hold(held, s.q);
  known_serial_ = -1;
  if (system_->constraint_count() > 0) system_->project(s);
}

/// A joint that has just bounced is back at its stop after 2 u / a.
void Switching::look_ahead(const State& s) {
  soon_ = Signal::never;
  for (const RigidStop& stop : stops_) {
    if (!is_at(stop, s) || system_->holds(stop.v)) continue;
    const double u = -stop.side * s.v[stop.v], a = stop.side * accelerations_at(s)[stop.v];
    if (u > 0 && a > 0) soon_ = std::min(soon_, s.t + 1.5 * u / a);
  }
}

void Switching::check(const State& s) const {
  for (const RigidStop& stop : stops_)
    if (!system_->holds(stop.v) &&
        stop.side * (s.q[stop.q] - stop.level) > lost * (1 + std::abs(stop.level)))
      throw Error("joint '" + stop.joint + "' went through its rigid stop at " +
                  to_text(stop.level) + " within a step; take shorter steps (step, max_step)");
  for (const Sticking& stick : sticks_)
    if (*stick.stick.direction * s.v[stick.stick.v] < -lost)
      throw Error("joint '" + stick.joint +
                  "' slid back and forth within a step, so its friction is not known; take shorter "
                  "steps (step, max_step)");
}

}  // namespace chasles
