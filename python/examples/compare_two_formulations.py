"""Two formulations on your robot: the same motion, how many right-hand sides each needs, how far apart they end.

python compare_two_formulations.py [MECHANISM]    a key of the catalogue or a TOML file; default: a random tree of 8 bodies
"""

import sys

import mbdbench
import numpy as np

word = sys.argv[1] if len(sys.argv) > 1 else "random_tree:seed=3,bodies=8"
robot = mbdbench.Mechanism.from_toml(word) if word.endswith(".toml") else mbdbench.Mechanism.from_key(word)
print(f"{robot}\njoints: {', '.join(robot.joints)}")

times = np.linspace(0.0, 1.0, 101)
reference = mbdbench.simulate(robot, "dense", "ode113", times=times, tolerance=1e-11)
assert reference.ok, reference.message

# At equal tolerance the errors differ: only the two columns together say which formulation is cheaper.
print(f"{'formulation':<12} {'tolerance':>9} {'status':<11} {'evaluations':>11} {'largest error of q':>19}")
for formulation in ("dca", "hdca"):
    for tolerance in (1e-4, 1e-6, 1e-8):
        run = mbdbench.simulate(robot, formulation, times=times, tolerance=tolerance)
        error = np.abs(run.q - reference.q).max() if len(run.t) == len(times) else np.nan
        print(f"{formulation:<12} {tolerance:9.0e} {run.status:<11} {run.evaluations:11d} {error:19.2e}")
