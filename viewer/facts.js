'use strict';
// Facts of recorded runs in words: files have them by the keys of their summaries.

const factNames = {
  energy_drift: 'largest drift of energy [J]', final_energy_drift: 'drift of energy at the end [J]',
  linear_momentum_drift: 'largest change of linear momentum [kg m/s]', final_linear_momentum_drift: 'change of linear momentum at the end [kg m/s]',
  angular_momentum_drift: 'largest change of angular momentum [kg m²/s]', final_angular_momentum_drift: 'change of angular momentum at the end [kg m²/s]',
  angular_momentum_com_drift: 'largest change of angular momentum about the center of mass [kg m²/s]',
  final_angular_momentum_com_drift: 'change of angular momentum about the center of mass at the end [kg m²/s]',
  constraint_violation: 'largest violation of constraints [rad, m]', final_constraint_violation: 'violation of constraints at the end [rad, m]',
  constraint_velocity_violation: 'largest violation of velocities of constraints [rad/s, m/s]', constraint_reciprocal_condition: 'reciprocal condition of constraints',
  singular_time: 'time of least condition [s]', orthogonality: 'deviation from unit quaternions', work: 'work [J]', rejected: 'rejected steps',
  smallest_step: 'smallest step [s]', largest_step: 'largest step [s]', next_step: 'next step [s]', last_error: 'last error', stiff_steps: 'stiff steps',
  implicit_steps: 'implicit steps', method_changes: 'changes of method', iterations: 'iterations of Newton\'s method', time: 'time at the end [s]', wall_seconds: 'wall time [s]'};
/** What says nothing where it is zero, or in every run of a tree. */
const quietFacts = new Set(['origin', 'iterations', 'constraint_violation', 'final_constraint_violation', 'constraint_velocity_violation', 'singular_time',
  'orthogonality', 'work', 'stiff_steps', 'implicit_steps', 'method_changes']);

/** [name, value] of the facts of a run that say something. */
function shownFacts(run) {
  const bound = run.facts.some(([key, value]) => key === 'constraint_violation' && Number(value) !== 0);
  return run.facts.filter(([key, value]) => !(quietFacts.has(key) && Number(value) === 0) && (bound || key !== 'constraint_reciprocal_condition'))
    .map(([key, value]) => [factNames[key] || key.replace(/_/g, ' '), value]);
}
/** The strip of a recorded run. */
function headlineOf({facts}) {
  const given = new Map(facts), short = key => Number(given.get(key)).toExponential(1), out = [];
  if (given.has('energy_drift')) out.push(`energy kept to ${short('energy_drift')} J`);
  if (Number(given.get('constraint_violation'))) out.push(`constraints to ${short('constraint_violation')} rad, m`);
  return out;
}
