"""A closed mechanism with a driver: the crank of a four-bar turns steadily; torque of its motor, and reactions."""
import numpy as np

import chasles

model = chasles.load("examples/four_bar.yaml")
system = chasles.System(model)
print(f"{system.constraint_count} constraint equations, mobility {system.mobility}")

scenario = chasles.Scenario(model, duration=2.0)
scenario.drive_joint("crank", chasles.references.speed(np.pi))
scenario.quantities = ["driver_force:crank", "reaction:rocker", "energy"]
scenario.every = 0.01
run = chasles.simulate(scenario)

torque = run["driver_force:crank"].ravel()
print(f"torque of the motor: {torque.min():.3f} to {torque.max():.3f} N m")
force = np.linalg.norm(run["reaction:rocker"][:, 3:], axis=1)
print(f"largest force in the bearing of the rocker: {force.max():.2f} N")

# Power of the motor is the rate of the energy.
power = torque * run.joint("crank").v[:, 0]
work = float(np.sum((power[1:] + power[:-1]) / 2 * np.diff(run.t)))
assert abs(work - (run["energy"][-1] - run["energy"][0])) < 1e-3
