#include "chasles/simulation/series_elastic_control.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/derivatives/time_derivatives.hpp"

namespace chasles {
namespace {

constexpr const char* flatness_name = "flatness control";

/// A joint with its motor: indices into q and v.
struct ElasticJoint {
  int q, v, motor_q, motor_v;
  double stiffness, damping, inertia, motor_damping, frequency;
  Reference reference;
  std::string name;

  Setpoint wanted(double t) const {
    const Setpoint at = reference(t);
    if (std::isnan(at.jerk) || std::isnan(at.snap))
      throw Error(std::string(flatness_name) + ": the reference of joint '" + name +
                  "' does not say its jerk and snap; set Setpoint::jerk and Setpoint::snap");
    return at;
  }
};

struct Flatness {
  std::vector<ElasticJoint> joints;
  bool damped;
  TimeDerivatives forward, inverse;
  Matrix tau, rates;

  Flatness(const Model& model, std::vector<ElasticJoint> list, bool d)
      : joints(std::move(list)),
        damped(d),
        forward(model, damped ? 0 : 1),
        inverse(model, damped ? 1 : 2),
        tau(model.nv(), damped ? 1 : 2),
        rates(model.nv(), damped ? 3 : 4) {}

  void operator()(double t, const VelocityKinematics& kin, VectorRef efforts) {
    const Model& model = kin.model();
    tau.setZero();
    for (const ElasticJoint& j : joints) {
      const double turn = kin.q()[j.motor_q] - kin.q()[j.q], rate = relative_rate(j, kin);
      tau(j.v, 0) = j.stiffness * turn + j.damping * rate;
      if (!damped) tau(j.v, 1) = j.stiffness * rate;
    }
    // Motors are separate bodies without mass: their own accelerations do not matter here.
    const Matrix& a = forward_dynamics_derivatives(model, kin.q(), kin.v(), tau, forward);
    rates.setZero();
    for (const ElasticJoint& j : joints) {
      rates(j.v, 0) = kin.v()[j.v], rates(j.v, 1) = a(j.v, 0);
      if (!damped) rates(j.v, 2) = a(j.v, 1);
      rates(j.v, damped ? 2 : 3) = commanded(j, t, kin);
    }
    const Matrix& Q = inverse_dynamics_derivatives(model, kin.q(), rates, inverse);
    for (const ElasticJoint& j : joints) {
      const double relative =  // theta'' - a, (3) or (6)
          damped ? (Q(j.v, 1) - j.stiffness * relative_rate(j, kin)) / j.damping
                 : Q(j.v, 2) / j.stiffness;
      efforts[j.motor_v] = j.inertia * (rates(j.v, 1) + relative) +
                           j.motor_damping * kin.v()[j.motor_v] + tau(j.v, 0);
    }
  }

 private:
  static double relative_rate(const ElasticJoint& j, const VelocityKinematics& kin) {
    return kin.v()[j.motor_v] - kin.v()[j.v];
  }
  /// (4) or (5).
  double commanded(const ElasticJoint& j, double t, const VelocityKinematics& kin) const {
    const Setpoint x = j.wanted(t);
    const double w = j.frequency, e = x.q - kin.q()[j.q], de = x.v - rates(j.v, 0),
                 dde = x.a - rates(j.v, 1);
    if (damped) return x.jerk + w * (3 * dde + w * (3 * de + w * e));
    const double third = x.jerk - rates(j.v, 2);
    return x.snap + w * (4 * third + w * (6 * dde + w * (4 * de + w * e)));
  }
};

void require_flat(const Model& model, const std::vector<SeriesElasticDrive>& drives) {
  const auto refuse = [](const std::string& why) {
    throw Error(std::string(flatness_name) + ": " + why);
  };
  if (!model.loops().empty() || !model.couplings().empty())
    refuse(
        "the model has loops or couplings; only joints of trees are a flat output here; use "
        "computed_torque");
  std::vector<std::string> known;
  for (const SeriesElasticDrive& drive : drives) {
    known.push_back(drive.joint), known.push_back(drive.motor());
    if ((drive.damping > 0) != (drives.front().damping > 0))
      refuse("the spring of joint '" + drives.front().joint + "' has the damping " +
             to_text(drives.front().damping) + ", that of '" + drive.joint + "' " +
             to_text(drive.damping) + "; give all or none, since it changes the relative degree");
  }
  for (const ModelJoint& joint : model.joints())
    if (joint.nv > 0 && std::ranges::find(known, joint.name) == known.end())
      refuse("joint '" + joint.name + "' has no series elastic drive; give it one, or fix it");
}

const ModelJoint& scalar_joint(const Model& model, const std::string& name) {
  const ModelJoint& joint = model.joint(name);
  if (joint.nv != 1 || joint.nq != 1)
    throw Error(std::string(flatness_name) + ": joint '" + name +
                "' does not have exactly one coordinate");
  return joint;
}

/// Kinematics of the rigid model at the motors, and where its efforts act.
struct ByMotors {
  struct Entry {
    int q, v, n_q, n_v, to_q, to_v;  // in the rigid model; sizes; in the elastic one
  };
  ControlLaw law;
  std::vector<Entry> entries;
  VelocityKinematics kin;
  Vector q, v, wanted;

  void operator()(double t, const VelocityKinematics& elastic, VectorRef tau) {
    for (const Entry& e : entries) {
      q.segment(e.q, e.n_q) = elastic.q().segment(e.to_q, e.n_q);
      v.segment(e.v, e.n_v) = elastic.v().segment(e.to_v, e.n_v);
    }
    forward_kinematics(kin.model(), q, v, kin);
    wanted.setZero();
    law(t, kin, wanted);
    for (const Entry& e : entries) tau.segment(e.to_v, e.n_v) = wanted.segment(e.v, e.n_v);
  }
};

}  // namespace

Controller flatness_control(const Model& model, const std::vector<SeriesElasticDrive>& drives,
                            std::vector<Reference> reference, std::vector<double> frequency) {
  const std::string what = flatness_name;
  if (drives.empty()) throw Error(what + ": there are no series elastic drives");
  require_flat(model, drives);
  if (reference.size() != drives.size())
    throw Error(what + ": reference has " + std::to_string(reference.size()) +
                " entries; there are " + std::to_string(drives.size()) + " drives");
  if (frequency.size() == 1) frequency.resize(drives.size(), frequency[0]);
  if (frequency.size() != drives.size())
    throw Error(what + ": frequency has " + std::to_string(frequency.size()) +
                " entries; give one for all drives or one for each of " +
                std::to_string(drives.size()));
  std::vector<ElasticJoint> list;
  std::vector<std::string> motors;
  for (std::size_t i = 0; i < drives.size(); ++i) {
    const SeriesElasticDrive& d = drives[i];
    if (!(frequency[i] >= 0 && std::isfinite(frequency[i])))
      throw Error(what + ": frequency " + to_text(frequency[i]) +
                  " is not an angular frequency; give rad/s, 0 or more");
    const ModelJoint &joint = scalar_joint(model, d.joint), &motor = scalar_joint(model, d.motor());
    motors.push_back(motor.name);
    list.push_back({joint.q_index, joint.v_index, motor.q_index, motor.v_index, d.stiffness,
                    d.damping, d.reflected_inertia(), d.motor_damping, frequency[i], reference[i],
                    d.joint});
  }
  Controller c{what, model, Flatness(model, std::move(list), drives.front().damping > 0)};
  c.joints = std::move(motors);
  c.next_break = [reference = std::move(reference)](double t) {
    double first = Signal::never;
    for (const Reference& one : reference) first = std::min(first, one.next_break(t));
    return first;
  };
  return c;
}

Controller control_by_motors(const Model& model, const Controller& rigid,
                             const std::vector<SeriesElasticDrive>& drives) {
  const auto elastic_name = [&](const std::string& name) {
    const auto drive = std::ranges::find(drives, name, &SeriesElasticDrive::joint);
    return drive == drives.end() ? name : drive->motor();
  };
  std::vector<ByMotors::Entry> entries;
  for (const ModelJoint& joint : rigid.model.joints()) {
    const ModelJoint& to = model.joint(elastic_name(joint.name));
    entries.push_back({joint.q_index, joint.v_index, joint.nq, joint.nv, to.q_index, to.v_index});
  }
  Controller out = rigid;
  out.model = model;
  out.law = ByMotors{rigid.law,
                     std::move(entries),
                     VelocityKinematics(rigid.model),
                     rigid.model.neutral(),
                     Vector(rigid.model.nv()),
                     Vector(rigid.model.nv())};
  out.joints.clear();
  for (const std::string& name : rigid.joints.empty() ? driven_joints(rigid.model) : rigid.joints)
    out.joints.push_back(elastic_name(name));
  out.gains.reset();
  if (!rigid.gains) return out;
  const LinearGains& of = *rigid.gains;
  LinearGains moved{Vector(model.nv()), Vector(model.nv())};
  for (const ModelJoint& joint : rigid.model.joints()) {
    const ModelJoint& to = model.joint(elastic_name(joint.name));
    moved.stiffness.segment(to.v_index, to.nv) = of.stiffness.segment(joint.v_index, joint.nv);
    moved.damping.segment(to.v_index, to.nv) = of.damping.segment(joint.v_index, joint.nv);
  }
  out.gains = std::move(moved);
  return out;
}

}  // namespace chasles
