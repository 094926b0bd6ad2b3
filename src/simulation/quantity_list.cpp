/// The list of quantities, and how each is computed.
#include "chasles/derivatives/forward_dynamics.hpp"
#include "chasles/derivatives/time_derivatives.hpp"
#include "chasles/dynamics/coriolis.hpp"
#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/joint_reactions.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/kinematics/higher_order.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/simulation/contact.hpp"
#include "chasles/simulation/quantity.hpp"
#include "chasles/suggest.hpp"
#include "chasles/systems/closed_dynamics.hpp"
#include "model/model_data.hpp"
#include "simulation/closed_quantities.hpp"
#include "simulation/link_sums.hpp"

namespace chasles {
namespace {

using Out = Quantity::Out;
using Compute = Quantity::Compute;

// Adapters that make a quantity from a function: plain; only for models with mass; with a workspace, made once; for a
// frame or joint; and for a frame or joint with a workspace.

template <void (*f)(const EvaluationState&, Out)>
Compute plain(const Model&, const QuantityTarget&) {
  return f;
}
template <void (*f)(const EvaluationState&, Out)>
Compute of_mass(const Model& model, const QuantityTarget&) {
  if (!(model.mass() > 0)) throw Error("nothing that moves has mass");
  return f;
}
template <class Workspace, void (*f)(const EvaluationState&, Workspace&, Out)>
Compute with(const Model& model, const QuantityTarget&) {
  return [work = Workspace(model)](const EvaluationState& m, Out out) mutable { f(m, work, out); };
}
template <void (*f)(const EvaluationState&, const QuantityTarget&, Out)>
Compute at(const Model&, const QuantityTarget& target) {
  return [target](const EvaluationState& m, Out out) { f(m, target, out); };
}
template <class Workspace,
          void (*f)(const EvaluationState&, const QuantityTarget&, Workspace&, Out)>
Compute at_with(const Model& model, const QuantityTarget& target) {
  return [target, work = Workspace(model)](const EvaluationState& m, Out out) mutable {
    f(m, target, work, out);
  };
}

// State and time.

void q_of(const EvaluationState& m, Out out) { out = m.q; }
void v_of(const EvaluationState& m, Out out) { out = m.v; }
void a_of(const EvaluationState& m, Out out) { out = m.a; }
void tau_of(const EvaluationState& m, Out out) { out = m.acting.tau; }
void work_of(const EvaluationState& m, Out out) { out(0, 0) = m.work; }
void motor_torque_of(const EvaluationState& m, Out out) { out = m.motors.tau; }
void motor_power_of(const EvaluationState& m, Out out) { out = m.motors.tau.cwiseProduct(m.v); }
void motor_energy_of(const EvaluationState& m, Out out) { out = m.motor_energy; }

/// Whether the mechanism has constraints.
bool is_closed(const EvaluationState& m) {
  if (m.closed != nullptr) return true;
  const auto open = [](const std::string& what) {
    throw Error(what + " is open, as was asked for (loops: open, --loops open); close it");
  };
  if (!m.model.loops().empty()) open("loop '" + m.model.loops()[0].name + "'");
  for (const ModelCoupling& coupling : m.model.couplings())
    if (!coupling.mimic) open("coupling '" + coupling.name + "'");
  if (!m.model.constraints().empty()) open("constraint '" + m.model.constraints()[0].name + "'");
  return false;
}
/// Whether there are constraint forces at this state.
bool has_constraint_forces(const EvaluationState& m) {
  if (m.closed == nullptr) return false;
  if (!m.undetermined.empty()) throw Error(m.undetermined);
  return true;
}

// Energy and momentum.

double potential(const EvaluationState& m) {
  return potential_energy(m.model, m.kin) + (m.forces ? m.forces->potential(m.kin) : 0);
}
void kinetic_energy_of(const EvaluationState& m, Out out) {
  out(0, 0) = kinetic_energy(m.model, m.kin);
}
void potential_energy_of(const EvaluationState& m, Out out) { out(0, 0) = potential(m); }
void energy_of(const EvaluationState& m, Out out) {
  out(0, 0) = kinetic_energy(m.model, m.kin) + potential(m);
}
struct PowerWorkspace {
  JointForces scratch;
  explicit PowerWorkspace(const Model& model) : scratch{Vector(model.nv()), {}} {}
};
void power_of(const EvaluationState& m, PowerWorkspace& work, Out out) {
  out(0, 0) = m.forces ? m.forces->power(m.t, m.kin, work.scratch) : m.acting.power(m.kin);
  if (m.closed == nullptr || !m.closed->constraints().depends_on_time()) return;
  m.closed->set(m.t, m.q, m.v);
  m.closed->forward_dynamics(m.acting.tau, m.acting.wrenches);
  Vector time_rate(m.closed->constraint_count());
  m.closed->constraint_time_rate(time_rate);
  out(0, 0) += m.closed->multipliers().dot(time_rate);
}
void momentum_of(const EvaluationState& m, Out out) {
  out = to_eigen(spatial_momentum(m.model, m.kin));
}
void centroidal_momentum_of(const EvaluationState& m, Out out) {
  out = to_eigen(centroidal_momentum(m.model, m.kin));
}
void com_of(const EvaluationState& m, Out out) { out = to_eigen(center_of_mass(m.model, m.kin)); }

// Dynamics.

/// Dynamics with the constraint wrenches added to the applied ones.
struct BoundDynamics {
  InverseDynamics inverse;
  std::vector<AppliedWrench> wrenches;
  explicit BoundDynamics(const Model& model) : inverse(model) {}
};
void inverse_dynamics_of(const EvaluationState& m, BoundDynamics& work, Out out) {
  if (m.forces != nullptr && m.closed != nullptr && !m.actuators.empty()) {
    out = ClosedInverse(m).efforts(
        inverse_dynamics(m.model, m.q, m.v, m.a, work.inverse, m.acting.wrenches));
    return;
  }
  if (!has_constraint_forces(m)) {
    out = inverse_dynamics(m.model, m.q, m.v, m.a, work.inverse, m.acting.wrenches);
    return;
  }
  work.wrenches = m.acting.wrenches;
  work.wrenches.insert(work.wrenches.end(), m.binding.wrenches.begin(), m.binding.wrenches.end());
  out = inverse_dynamics(m.model, m.q, m.v, m.a, work.inverse, work.wrenches) - m.binding.tau;
}
void bias_of(const EvaluationState& m, InverseDynamics& work, Out out) {
  if (m.closed == nullptr) {
    out = bias(m.model, m.q, m.v, work);
    return;
  }
  const ClosedInverse inverse(m);
  out = inverse.efforts(inverse_dynamics(m.model, m.q, m.v, inverse.caused(), work));
}
void gravity_of(const EvaluationState& m, InverseDynamics& work, Out out) {
  const Vector& needed = gravity_forces(m.model, m.q, work);
  if (m.closed != nullptr)
    out = ClosedInverse(m).efforts(needed);
  else
    out = needed;
}
void forward_dynamics_of(const EvaluationState& m, ForwardDynamics& work, Out out) {
  if (m.closed != nullptr) {
    m.closed->set(m.t, m.q, m.v);
    out = m.closed->forward_dynamics(m.acting.tau, m.acting.wrenches);
    return;
  }
  out = forward_dynamics(m.model, m.q, m.v, m.acting.tau, work, m.acting.wrenches);
}
void d_inverse_dynamics_of(const EvaluationState& m, InverseDynamicsDerivatives& work, Out out) {
  d_inverse_dynamics(m.model, m.q, m.v, m.a, work, m.acting.wrenches);
  out << work.dq(), work.dv(), work.da();
  if (!has_constraint_forces(m)) return;
  Matrix S;
  m.closed->set(m.t, m.q, m.v);
  m.closed->constraint_stiffness(m.multipliers, S);
  out.topRows(S.rows()) += S;
}
void d_forward_dynamics_of(const EvaluationState& m, ForwardDynamicsDerivatives& work, Out out) {
  if (m.closed != nullptr) {
    const ClosedForwardDerivatives d =
        closed_forward_derivatives(*m.closed, m.q, m.v, m.acting.tau, m.acting.wrenches);
    out << d.dq, d.dv, d.dtau;
    return;
  }
  d_forward_dynamics(m.model, m.q, m.v, m.acting.tau, work, m.acting.wrenches);
  out << work.dq(), work.dv(), work.dtau();
}
template <int order>
struct ForceRates {
  TimeDerivatives out;
  Matrix rates;  // nv x (order + 2): v and its time derivatives
  explicit ForceRates(const Model& model) : out(model, order), rates(model.nv(), order + 2) {}
};
template <int order>
void force_rate_of(const EvaluationState& m, ForceRates<order>& work, Out out) {
  const Vector* const rates[] = {&m.v, &m.a, &m.jerk, &m.snap};
  for (int k = 0; k < order + 2; ++k) work.rates.col(k) = *rates[k];
  const Matrix& needed =
      inverse_dynamics_derivatives(m.model, m.q, work.rates, work.out, m.acting.wrenches);
  if (has_constraint_forces(m))
    out = ClosedInverse(m).effort_rates(needed).col(order);
  else
    out = needed.col(order);
}
void mass_matrix_of(const EvaluationState& m, MassMatrix& work, Out out) {
  out = mass_matrix(m.model, m.q, work);
}
void mass_matrix_inverse_of(const EvaluationState& m, MassMatrixInverse& work, Out out) {
  out = mass_matrix_inverse(m.model, m.q, work);
}
void coriolis_of(const EvaluationState& m, SkewCoriolis& work, Out out) {
  work.compute(m.model, m.kin, out);
}
void christoffel_of(const EvaluationState& m, CoriolisMatrix& work, Out out) {
  out = coriolis_matrix(m.model, m.q, m.v, work);
}
/// Of a joint of the tree or, in the order of the model after these, of a loop.
void reaction_of(const EvaluationState& m, const QuantityTarget& target, JointReactions& work,
                 Out out) {
  const std::size_t joints = m.model.joints().size();
  has_constraint_forces(m);
  if (target.joint < joints) {
    const Wrench W = joint_reactions(m.model, m.kin_a, target.representation, work,
                                     m.acting.wrenches, m.binding.wrenches)[target.joint];
    out = to_eigen(target.in_joint_frame ? Ad_dual(joint_frames(m.model)[target.joint], W) : W);
    return;
  }
  if (is_closed(m)) has_constraint_forces(m);
  const std::size_t loop = target.joint - joints;
  const SE3 C = pose(m.kin, m.model.loops()[loop].to);
  out = to_eigen(from_body(m.binding.wrenches[2 * loop].W, C, target.representation));
}

// Constraints.

void violation_of(const EvaluationState& m, Out out) {
  if (is_closed(m)) m.closed->set(m.t, m.q, m.v);
  out(0, 0) = is_closed(m) ? m.closed->violation(m.q) : 0;
}
/// In the order of the model's constraints; a run may omit some of them, or add others.
void multipliers_of(const EvaluationState& m, const std::vector<ConstraintBlock>& blocks, Out out) {
  out.setZero();
  if (!is_closed(m) || !has_constraint_forces(m)) return;
  for (const ConstraintBlock& block : blocks)
    for (const ConstraintBlock& mine : m.closed->constraints().blocks())
      if (mine.kind == block.kind && mine.name == block.name && mine.rows == block.rows)
        out.col(0).segment(block.first, block.rows) = m.multipliers.segment(mine.first, mine.rows);
}
Compute multipliers_by_block(const Model& model, const QuantityTarget&) {
  return [blocks = Constraints(model).blocks()](const EvaluationState& m, Out out) {
    multipliers_of(m, blocks, out);
  };
}
void independence_of(const EvaluationState& m, Out out) {
  out(0, 0) = is_closed(m) ? m.closed->reciprocal_condition() : 1;
}

/// The equations of the driver or constraint with this name.
const ConstraintBlock& block_named(const EvaluationState& m, std::string_view kind,
                                   const std::string& name) {
  std::vector<std::string_view> names;
  if (has_constraint_forces(m))
    for (const ConstraintBlock& block : m.closed->constraints().blocks()) {
      if (block.kind != kind) continue;
      if (block.name == name) return block;
      names.push_back(block.name);
    }
  throw Error("there is no " + std::string(kind) + " '" + name + "'" +
              (names.empty() ? "; scenarios have them" : choices(name, names)));
}
int driver_equation(const EvaluationState& m, const QuantityTarget& target) {
  return block_named(m, "driver", target.driver).first;
}
void driver_force_of(const EvaluationState& m, const QuantityTarget& target, Out out) {
  out(0, 0) = -m.multipliers[driver_equation(m, target)];
}
/// The multiplier; of several equations, which have perpendicular unit directions, their norm.
void constraint_force_of(const EvaluationState& m, const QuantityTarget& target, Out out) {
  const ConstraintBlock& block = block_named(m, "constraint", target.driver);
  const auto mine = m.multipliers.segment(block.first, block.rows);
  out(0, 0) = block.rows == 1 ? mine[0] : mine.norm();
}
void driver_power_of(const EvaluationState& m, const QuantityTarget& target, Out out) {
  const int k = driver_equation(m, target);
  Vector time_rate(m.closed->constraint_count());
  m.closed->set(m.t, m.q, m.v);
  m.closed->constraint_time_rate(time_rate);
  out(0, 0) = m.multipliers[k] * time_rate[k];
}

// Kinematics of a frame.

void pose_of(const EvaluationState& m, const QuantityTarget& target, Out out) {
  out = to_eigen(pose(m.kin, target.frame));
}
void position_of(const EvaluationState& m, const QuantityTarget& target, Out out) {
  out = to_eigen(pose(m.kin, target.frame).r);
}
void orientation_of(const EvaluationState& m, const QuantityTarget& target, Out out) {
  const lie::Quaternion<double> p = lie::quaternion(pose(m.kin, target.frame).R);
  const double sign = p.w < 0 ? -1 : 1;
  out << sign * p.w, sign * p.x, sign * p.y, sign * p.z;
}
void twist_of(const EvaluationState& m, const QuantityTarget& target, Out out) {
  out = to_eigen(twist(m.kin, target.frame, target.representation));
}
void acceleration_of(const EvaluationState& m, const QuantityTarget& target, Out out) {
  out = to_eigen(acceleration(m.kin_a, target.frame, target.representation));
}
template <int order>
struct Derivatives {
  TwistDerivatives out;
  Matrix rates;  // nv x order: v and its time derivatives
  explicit Derivatives(const Model& model) : out(model, order), rates(model.nv(), order) {}
};
template <int order>
void derivative_of(const EvaluationState& m, const QuantityTarget& target, Derivatives<order>& work,
                   Out out) {
  const Vector* const rates[] = {&m.v, &m.a, &m.jerk, &m.snap};
  for (int k = 0; k < order; ++k) work.rates.col(k) = *rates[k];
  twist_derivatives(m.model, m.q, work.rates, target.frame, target.representation, work.out);
  out = to_eigen(work.out.V.back());
}
struct JacobianWorkspace {
  Matrix6X J;
  explicit JacobianWorkspace(const Model& model) : J(6, model.nv()) {}
};
void jacobian_of(const EvaluationState& m, const QuantityTarget& target, JacobianWorkspace& work,
                 Out out) {
  jacobian(m.model, m.kin, target.frame, target.representation, work.J);
  out = work.J;
}
void jacobian_rate_of(const EvaluationState& m, const QuantityTarget& target,
                      JacobianWorkspace& work, Out out) {
  jacobian_rate(m.model, m.kin, target.frame, target.representation, work.J);
  out = work.J;
}

// Contacts.

const ContactQuery& touch_of(const EvaluationState& m, const QuantityTarget& target) {
  if (m.forces == nullptr) throw Error("there is no run, so there are no contacts");
  return contact_named(*m.forces, target.contact);
}
void contact_of(const EvaluationState& m, const QuantityTarget& target, Out out) {
  const ContactQuery& touch = touch_of(m, target);
  out(0, 0) = touch.normal_force(m.kin);
  out(1, 0) = std::max(0.0, -touch.gap(m.kin).distance);
}
void contact_force_of(const EvaluationState& m, const QuantityTarget& target, Out out) {
  const auto& [force, point] = touch_of(m, target).push(m.kin);
  for (int k = 0; k < 3; ++k) out(k, 0) = force[k], out(3 + k, 0) = point[k];
}

}  // namespace

std::span<const QuantityInfo> quantity_list() {
  using enum Argument;
  using enum QuantityInfo::Extent;
  constexpr auto number = Quantity::Shape::number;
  constexpr auto list = Quantity::Shape::list;
  constexpr auto matrix = Quantity::Shape::matrix;
  constexpr auto matrices = Quantity::Shape::matrices;
  constexpr Argument in_frame = frame_and_representation;
  static constexpr std::string_view of_inverse_dynamics[] = {"dq", "dv", "da"},
                                    of_forward_dynamics[] = {"dq", "dv", "dtau"};

  static constexpr QuantityInfo rows[] = {
      {"q", optional_joint, list, nq, one, "rad | m", QuantityStage::position, "configuration",
       plain<q_of>},
      {"v", optional_joint, list, nv, one, "rad/s | m/s", QuantityStage::velocity,
       "joint velocities", plain<v_of>},
      {"a", optional_joint, list, nv, one, "rad/s^2 | m/s^2", QuantityStage::acceleration,
       "joint accelerations, given or from the forces of a run", plain<a_of>},
      {"tau", optional_joint, list, nv, one, "N m | N", QuantityStage::force,
       "joint forces, given or from the forces of a run", plain<tau_of>},
      {"inverse_dynamics", optional_joint, list, nv, one, "N m | N", QuantityStage::acceleration,
       "joint forces that give a under the wrenches", with<BoundDynamics, inverse_dynamics_of>},
      {"bias", optional_joint, list, nv, one, "N m | N", QuantityStage::velocity,
       "what v and gravity need", with<InverseDynamics, bias_of>},
      {"gravity", optional_joint, list, nv, one, "N m | N", QuantityStage::position,
       "what holds it still", with<InverseDynamics, gravity_of>},
      {"forward_dynamics", optional_joint, list, nv, one, "rad/s^2 | m/s^2", QuantityStage::force,
       "accelerations from tau and wrenches", with<ForwardDynamics, forward_dynamics_of>},
      {"inverse_dynamics_rate", optional_joint, list, nv, one, "N m/s | N/s", QuantityStage::jerk,
       "its time derivative, the wrenches held", with<ForceRates<1>, force_rate_of<1>>},
      {"inverse_dynamics_rate2", optional_joint, list, nv, one, "N m/s^2 | N/s^2",
       QuantityStage::snap, "and the second one", with<ForceRates<2>, force_rate_of<2>>},
      {"d_inverse_dynamics", none, matrices, nv, nv, "SI", QuantityStage::acceleration,
       "derivatives {dq, dv, da} of inverse_dynamics; dq: a step of the joints",
       with<InverseDynamicsDerivatives, d_inverse_dynamics_of>, of_inverse_dynamics},
      {"d_forward_dynamics", none, matrices, nv, nv, "SI", QuantityStage::force,
       "derivatives {dq, dv, dtau} of forward_dynamics",
       with<ForwardDynamicsDerivatives, d_forward_dynamics_of>, of_forward_dynamics},
      {"mass_matrix", none, matrix, nv, nv, "kg m^2 | kg m | kg", QuantityStage::position, "M(q)",
       with<MassMatrix, mass_matrix_of>},
      {"mass_matrix_inverse", none, matrix, nv, nv, "1/(kg m^2) | 1/(kg m) | 1/kg",
       QuantityStage::position, "M(q)^-1", with<MassMatrixInverse, mass_matrix_inverse_of>},
      {"coriolis", none, matrix, nv, nv, "N m s | N s | kg/s", QuantityStage::velocity,
       "C with M' - 2 C skew", with<SkewCoriolis, coriolis_of>},
      {"christoffel", none, matrix, nv, nv, "N m s | N s | kg/s", QuantityStage::velocity,
       "C of the Christoffel symbols", with<CoriolisMatrix, christoffel_of>},
      {"reaction", joint_and_representation, list, six, one, "N m, N", QuantityStage::acceleration,
       "wrench of a joint on its child body, of a loop on its second one; without REP at the "
       "joint's "
       "point, in the axes of the joint, z along its axis",
       at_with<JointReactions, reaction_of>},
      {"constraint_violation", none, number, one, one, "rad or m", QuantityStage::position,
       "the largest gap of loops, couplings and constraints", plain<violation_of>},
      {"multipliers", none, list, bound, one, "N m or N", QuantityStage::acceleration,
       "what each row of the constraints bears, 0 for redundant ones", multipliers_by_block},
      {"constraint_reciprocal_condition", none, number, one, one, "1", QuantityStage::acceleration,
       "how far the rows are from depending on each other, 1 to 0", plain<independence_of>},
      {"kinetic_energy", none, number, one, one, "J", QuantityStage::velocity, "T",
       plain<kinetic_energy_of>},
      {"potential_energy", none, number, one, one, "J", QuantityStage::position,
       "U of gravity and, in a run, of springs", plain<potential_energy_of>},
      {"energy", none, number, one, one, "J", QuantityStage::velocity, "T + U", plain<energy_of>},
      {"power", none, number, one, one, "W", QuantityStage::force,
       "of what acts and stores no energy: the rate of energy", with<PowerWorkspace, power_of>},
      {"work", none, number, one, one, "J", QuantityStage::history,
       "power, summed up since the start of a run", plain<work_of>},
      {"motor_torque", optional_joint, list, nv, one, "N m | N", QuantityStage::motor,
       "what motors give, each coordinate by itself", plain<motor_torque_of>},
      {"motor_power", optional_joint, list, nv, one, "W", QuantityStage::motor,
       "motor_torque times v", plain<motor_power_of>},
      {"motor_energy", optional_joint, list, nv, one, "J", QuantityStage::motor,
       "motor_power, summed up since the start of a run", plain<motor_energy_of>},
      {"driver_force", driver, number, one, one, "N m | N", QuantityStage::driver,
       "force or torque of a driver along its coordinate", at<driver_force_of>},
      {"driver_power", driver, number, one, one, "W", QuantityStage::driver,
       "driver_force times the prescribed velocity", at<driver_power_of>},
      {"constraint_force", driver, number, one, one, "N", QuantityStage::driver,
       "tension of a rod or cable, force of a constraint against its normal; of one with several "
       "equations the magnitude",
       at<constraint_force_of>},
      {"contact", contact, list, two, one, "N, m", QuantityStage::contact,
       "sum of the normal forces of a contact, and how deep the deepest of its points is",
       at<contact_of>},
      {"contact_force", contact, list, six, one, "N, m", QuantityStage::contact,
       "what a contact does to the body that has its points, and where, in the world",
       at<contact_force_of>},
      {"momentum", none, list, six, one, "kg m^2/s, kg m/s", QuantityStage::velocity,
       "angular and linear, about the world's origin", plain<momentum_of>},
      {"centroidal_momentum", none, list, six, one, "kg m^2/s, kg m/s", QuantityStage::velocity,
       "about the center of mass", of_mass<centroidal_momentum_of>},
      {"com", none, list, three, one, "m", QuantityStage::position, "center of mass",
       of_mass<com_of>},
      {"pose", frame, matrix, four, four, "1, m", QuantityStage::position,
       "[R r; 0 1] in the world", at<pose_of>},
      {"position", frame, list, three, one, "m", QuantityStage::position,
       "of its origin in the world", at<position_of>},
      {"orientation", frame, list, four, one, "1", QuantityStage::position,
       "unit quaternion w, x, y, z of its axes in the world, w not negative", at<orientation_of>},
      {"twist", in_frame, list, six, one, "rad/s, m/s", QuantityStage::velocity, "angular, linear",
       at<twist_of>},
      {"acceleration", in_frame, list, six, one, "rad/s^2, m/s^2", QuantityStage::acceleration,
       "the rate of twist", at<acceleration_of>},
      {"jerk", in_frame, list, six, one, "rad/s^3, m/s^3", QuantityStage::jerk,
       "the rate of acceleration", at_with<Derivatives<3>, derivative_of<3>>},
      {"snap", in_frame, list, six, one, "rad/s^4, m/s^4", QuantityStage::snap, "the rate of jerk",
       at_with<Derivatives<4>, derivative_of<4>>},
      {"jacobian", in_frame, matrix, six, nv, "1, m | 1/m, 1", QuantityStage::position,
       "J with twist = J v", at_with<JacobianWorkspace, jacobian_of>},
      {"jacobian_rate", in_frame, matrix, six, nv, "1/s, m/s | 1/(m s), 1/s",
       QuantityStage::velocity, "J' along v", at_with<JacobianWorkspace, jacobian_rate_of>},
  };
  return rows;
}

}  // namespace chasles
