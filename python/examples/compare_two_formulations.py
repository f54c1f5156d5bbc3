# %% [markdown]
# # Two formulations on your robot
#
# The same motion, how many right-hand sides each formulation needs, and how far apart they end. As a script:
#
#     python compare_two_formulations.py [MECHANISM]
#
# MECHANISM: a key of the catalogue or a TOML file; default: a random tree of 8 bodies.

# %%
import sys

import mbdbench
import numpy as np

# A notebook's own arguments are those of its kernel.
arguments = [] if "ipykernel" in sys.modules else sys.argv[1:]
word = arguments[0] if arguments else "random_tree:seed=3,bodies=8"
robot = mbdbench.Mechanism.from_toml(word) if word.endswith(".toml") else mbdbench.Mechanism.from_key(word)
print(f"{robot}\njoints: {', '.join(robot.joints)}")

# %% [markdown]
# Errors need a reference: another formulation, another integrator, a tolerance beyond all that follow.

# %%
times = np.linspace(0.0, 1.0, 101)
reference = mbdbench.simulate(robot, "dense", "ode113", times=times, tolerance=1e-11)
assert reference.ok, reference.message

# %% [markdown]
# At equal tolerance the errors differ: only the two columns together say which formulation is cheaper.

# %%
print(f"{'formulation':<12} {'tolerance':>9} {'status':<11} {'evaluations':>11} {'largest error of q':>19}")
for formulation in ("dca", "hdca"):
    for tolerance in (1e-4, 1e-6, 1e-8):
        run = mbdbench.simulate(robot, formulation, times=times, tolerance=tolerance)
        error = np.abs(run.q - reference.q).max() if len(run.t) == len(times) else np.nan
        print(f"{formulation:<12} {tolerance:9.0e} {run.status:<11} {run.evaluations:11d} {error:19.2e}")
