# %% [markdown]
# # Lengths of links from a marker's motion
#
# A four-bar linkage swings under its weight. A camera has seen a point of its coupler; the lengths of two links are
# wanted. A longer link moves the start, too: the loop has to close, and joints follow. The gradient of the sum of squared
# distances by the lengths comes from the discrete adjoint, one way back over the run. As a script:
#
#     python links_of_a_four_bar.py
#
# It needs SciPy: `pip install ".[examples]"`.

# %%
import mbdbench
import numpy as np
from scipy.optimize import minimize
from worked_examples import WorkedExample  # beside this file: measures the gradient, keeps what the study records

linkage = mbdbench.Mechanism.from_key("four_bar:angle=0.3")
names = ["length.joint2", "length.joint3"]
formulation = "bae-haug[projection=velocities]"
run = mbdbench.GradientRun(linkage, formulation, times=1.0, step=0.01, parameters=names)
example = WorkedExample("links_of_a_four_bar", formulation)
print(", ".join(f"{name} = {number:.3f} m" for name, number in zip(run.names, run.start)))

# %% [markdown]
# What the camera saw: made here with a known answer, without noise, every 0.05 s.

# %%
def point_of(values):
    t, q, u = run.simulate(values)
    observer = mbdbench.Formulation(run.mechanism(values), formulation)
    return t, np.array([observer.observe(0.0, observer.pack(*state)).marker_positions["K"] for state in zip(q, u)])


truth = run.start * [1.05, 0.97]
t, seen = point_of(truth)
run.track("K", t[::5], seen[::5])

# %% [markdown]
# The gradient against differences of the whole run in numbers of 113 bits, and what it costs.

# %%
guess = run.start
error = example.measure_gradient(run, guess)
assert error < 1e-12

# %% [markdown]
# Identification from the guess.

# %%
found = minimize(run, guess, jac=True, method="BFGS", options={"gtol": 1e-12})
for name, number, right in zip(names, found.x, truth):
    print(f"{name:<16} {number:.12f}  (true: {right:.4f})")
example.keep_search(run, guess, found.x, [found])
error = np.abs(found.x / truth - 1).max()
print(f"largest relative error {error:.1e}")

# %% [markdown]
# What the study keeps, and draws.

# %%
example.keep("parameter_error", "1", error)
example.keep_curves(t, seen=seen, guessed=point_of(guess)[1], found=point_of(found.x)[1])
