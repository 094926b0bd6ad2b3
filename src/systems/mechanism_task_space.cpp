#include "chasles/dynamics/operational_space.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "systems/mechanism_factors.hpp"

namespace chasles {

MechanismState::TaskSpace& MechanismState::task_space() {
  if (!factors_->task_space) factors_->task_space.emplace(model_, constraint_count());
  return *factors_->task_space;
}

void MechanismState::inverse_operational_space_inertia(const Frame& frame, Representation rep,
                                                       Matrix6Ref out) {
  TaskSpace& task = task_space();
  if (constraint_count() == 0) {
    if (task.serial != serial()) {
      task.serial = -1;
      task.mass.factorize(model_, position());
      task.serial = serial();
    }
    return chasles::inverse_operational_space_inertia(task.mass, frame, rep, out);
  }
  jacobian(model_, position(), frame, rep, task.J);
  for (int j = 0; j < 6; ++j) {
    task.force = task.J.row(j).transpose();
    solve(task.force, task.none, task.column, task.lambda);
    out.col(j).noalias() = task.J * task.column;
  }
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < j; ++i) out(i, j) = out(j, i) = (out(i, j) + out(j, i)) / 2;
}
void MechanismState::operational_space_inertia(const Frame& frame, Representation rep,
                                               Matrix6Ref out) {
  inverse_operational_space_inertia(frame, rep, out);
  invert_operational_space(out);
}

const std::vector<Wrench>& MechanismState::joint_reactions(Representation rep,
                                                           JointReactions& out) {
  TaskSpace& task = task_space();
  acceleration(task.v_dot);
  task.binding.wrenches.clear();
  if (constraint_count() > 0) constraint_forces(task.binding);
  const AccelerationKinematics& kin = kinematics(task.v_dot);
  return chasles::joint_reactions(model_, kin, rep, out, forces().wrenches, task.binding.wrenches);
}

}  // namespace chasles
