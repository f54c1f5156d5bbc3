# %% [markdown]
# # A figure for a paper
#
# Error against work of two formulations on one mechanism, from runs made here. As a script:
#
#     python figure_for_a_paper.py [FILE]
#
# FILE: `work_precision.pdf` by default. It needs matplotlib: `pip install ".[examples]"`.

# %%
import sys

import matplotlib.pyplot as plt
import mbdbench
import numpy as np

in_notebook = "ipykernel" in sys.modules
if not in_notebook:
    plt.switch_backend("Agg")
mechanism = mbdbench.Mechanism.from_key("pendulum:8")
times = np.linspace(0.0, 2.0, 41)
reference = mbdbench.simulate(mechanism, "dense", "ode113", times=times, tolerance=1e-12)
assert reference.ok, reference.message

# %% [markdown]
# One curve a formulation, one point a tolerance. A column of a journal is 86 mm (3.4 in) wide.

# %%
figure, axes = plt.subplots(figsize=(3.4, 2.6), layout="constrained")
for formulation, marker in (("dca", "o"), ("hdca", "s")):
    runs = [mbdbench.simulate(mechanism, formulation, times=times, tolerance=10.0**-k) for k in range(4, 10)]
    assert all(run.ok for run in runs)
    errors = [np.abs(run.q - reference.q).max() for run in runs]
    axes.loglog([run.evaluations for run in runs], errors, marker=marker, label=formulation)
axes.set(xlabel="right-hand sides", ylabel="largest error of q (rad)", title=f"{mechanism.name}, ode45")
axes.grid(True, which="major", linewidth=0.3)
axes.legend()
if not in_notebook:
    file = sys.argv[1] if len(sys.argv) > 1 else "work_precision.pdf"
    figure.savefig(file)
    print(f"written: {file}")
