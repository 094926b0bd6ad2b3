"""A sweep: how the stiffness of a spring changes the frequency of an arm, from its linearization and from runs."""
import numpy as np

import chasles

model = (chasles.MechanismBuilder("lever").body("lever", "ground", chasles.joints.revolute([0, 1, 0])).joint_name("hinge")
         .inertia(2, [0, 0, -0.3], np.diag([0.02, 0.02, 0.001])).build().compile())
inertia = float(chasles.mass_matrix(model, [0.0])[0, 0])
for stiffness in (0.0, 10.0, 40.0, 160.0):
    scenario = chasles.Scenario(model, [1e-3], duration=1.0)
    scenario.add_force(chasles.joint_spring_damper(model, "hinge", stiffness))
    scenario.add_event("passes zero", lambda t, q, v: float(q[0]), direction=-1)
    (mode,) = chasles.System(scenario).modes([0.0])
    run = chasles.simulate(scenario)
    times = [t for _, t in run.summary.events]
    from_run = 2 * np.pi / (times[1] - times[0]) if len(times) > 1 else np.nan
    expected = np.sqrt((stiffness + 2 * 9.81 * 0.3) / inertia)
    print(f"{stiffness:6.1f} N m/rad: {mode.frequency:.4f} rad/s, in the run {from_run:.4f}")
    assert abs(mode.frequency - expected) < 1e-6
    assert np.isnan(from_run) or abs(from_run - expected) < 1e-3
