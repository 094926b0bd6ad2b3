/// Checks of a scenario before it is run.
#include <algorithm>
#include <cmath>

#include "chasles/simulation/contact.hpp"
#include "chasles/simulation/quantity.hpp"
#include "simulation/closed_actuation.hpp"
#include "simulation/switching.hpp"

namespace chasles {
namespace {

constexpr double most_samples = 1e9;

void check_start(const Scenario& s) {
  require_size("q", s.start.q, s.model.nq());
  require_size("v", s.start.v, s.model.nv());
  if (!std::isfinite(s.start.t))
    throw Error("the start is at t = " + to_text(s.start.t) + " s; give a finite time");
  for (int k = 0; k < s.model.nv(); ++k)
    if (!std::isfinite(s.start.v[k]))
      throw Error("the start is not finite: v of joint '" + s.model.joint_of_v(k).name + "' is " +
                  to_text(s.start.v[k]));
  checked_configuration(s.model, s.start.q);
  if (!std::isfinite(s.work)) throw Error("the work of the run before is " + to_text(s.work));
}

void check_times(const Scenario& s) {
  if (!(s.duration > 0 && std::isfinite(s.duration)))
    throw Error("duration " + to_text(s.duration) + " is not positive; give seconds");
  if (s.origin && !(s.origin->t <= s.start.t && std::isfinite(s.origin->t)))
    throw Error("a run that started at t = " + to_text(s.origin->t) +
                " s goes on at t = " + to_text(s.start.t) + " s, which is before");
  if (s.origin) require_size("origin.q", s.origin->q, (s.joints ? s.joints : s.model).nq());
  if (!(s.every >= 0)) throw Error("every " + to_text(s.every) + " is not positive; give seconds");
  if (s.every > 0 && s.duration / s.every > most_samples)
    throw Error("a sample every " + to_text(s.every) + " s of " + to_text(s.duration) +
                " s is more than 1e9 of them; record less often");
  const double ulp = std::nextafter(std::abs(s.start.t) + s.duration, HUGE_VAL) -
                     (std::abs(s.start.t) + s.duration);
  if (!(s.duration > 1e6 * ulp && (s.every == 0 || s.every > 16 * ulp)))
    throw Error("a run of " + to_text(s.duration) + " s from t = " + to_text(s.start.t) +
                " s: doubles are " + to_short_text(ulp) +
                " s apart there, too far to tell steps and samples apart; start nearer to t = 0");
}

/// Rejects options that need joint coordinates, which a run in maximal coordinates does not have.
void check_maximal(const Scenario& s) {
  if (!s.joints) return;
  const auto refuse = [](const std::string& what, const std::string& instead) {
    throw Error(what + ": needs coordinates of joints, which maximal coordinates do not have; " +
                instead + "minimal coordinates");
  };
  require_size("joints_q", s.joints_q, s.joints.nq());
  checked_configuration(s.joints, s.joints_q);
  if (s.limits == LimitMode::rigid) refuse("limits, rigid", "take soft limits, or ");
  for (const Force& force : s.joint_forces.list()) {
    require_model("force '" + force.name + "'", force.model, s.joints);
    if (!force.sticks.empty()) refuse(force.name + ", which sticks", "let it creep, or take ");
  }
  for (const RunEvent& event : s.events)
    if (event.action == RunEvent::impact)
      refuse("event '" + event.event.name + "', an impact", "take soft limits, or ");
  for (const std::string& name : s.quantities)
    if (name.starts_with("motor_")) refuse("quantity '" + name + "'", "take ");
}

void check_events(const Scenario& s) {
  for (const RunEvent& e : s.events) {
    const std::string what = "event '" + e.event.name + "': ";
    const auto require_entry = [&](int k) {
      if (k < 0 || k >= s.model.nv())
        throw Error(what + "v[" + std::to_string(k) + "] is not in v, which has " +
                    std::to_string(s.model.nv()) + " entries");
    };
    const auto require_finite = [&](const char* name, double x) {
      if (!std::isfinite(x)) throw Error(what + name + " " + to_text(x) + " is not finite");
    };
    require_known(e.action, RunEvent::impact, "action of an event");
    if (e.action == RunEvent::set_velocity)
      for (const auto& [k, v] : e.velocity) require_entry(k), require_finite("velocity", v);
    if (e.action != RunEvent::impact) continue;
    require_entry(e.hit.v);
    if (const ModelJoint& joint = s.model.joint_of_v(e.hit.v);
        !joint.coordinate_of_v(e.hit.v).is_scalar())
      throw Error(
          what + "joint '" + joint.name +
          "': this coordinate is neither an angle nor a distance, so nothing bounces in it");
    require_finite("level", e.hit.level);
    if (!(e.hit.restitution >= 0 && e.hit.restitution <= 1))
      throw Error(what + "impact " + to_text(e.hit.restitution) +
                  " is not a coefficient of restitution; give 0 to 1");
  }
}

void check_actuators(const Scenario& s) {
  if (s.actuators.empty()) return;
  if (s.joints)
    throw Error(
        "actuators: inverse dynamics of maximal coordinates has none; take minimal coordinates");
  if (!is_bound(s.model, s.loops, s.constraints))
    throw Error(
        "actuators: loops and couplings share forces among joints, and here are none; leave it "
        "out");
  for (const std::string& name : s.actuators) (void)s.model.joint(name);
}

}  // namespace

void check(const Scenario& s) {
  check_start(s);
  check_maximal(s);
  check_times(s);
  check_events(s);
  check_actuators(s);
  check_options(s.integrator, s.model.nv());
  require_known(s.limits, LimitMode::rigid, "limit mode");
  if (s.limits == LimitMode::rigid) s.rigid.check();
  Switching::check_method(s);
}

}  // namespace chasles
