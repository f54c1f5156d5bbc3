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

linkage = mbdbench.Mechanism.from_key("four_bar:angle=0.3")
names = ["length.joint2", "length.joint3"]
run = mbdbench.GradientRun(linkage, "bae-haug[projection=velocities]", times=1.0, step=0.01, parameters=names)
print(", ".join(f"{name} = {number:.3f} m" for name, number in zip(run.names, run.start)))

# %% [markdown]
# What the camera saw: made here with a known answer, without noise, every 0.05 s.

# %%
truth = run.start * [1.05, 0.97]
t, q, u = run.simulate(truth)
longer = run.mechanism(truth)
observer = mbdbench.Formulation(longer, "bae-haug[projection=velocities]")
seen = np.array([observer.observe(0.0, observer.pack(*state)).marker_positions["K"] for state in zip(q, u)])
run.track("K", t[::5], seen[::5])

# %% [markdown]
# The gradient against differences of the same run in numbers of 113 bits, with equations of motion of its own: there,
# too, the loop closes with the other lengths.

# %%
guess = run.start
value, gradient = run(guess)
error = np.abs(gradient - run.precise_along(guess, np.eye(len(names)))).max() / np.abs(gradient).max()
print(f"gradient against differences of 113 bits: {error:.1e}")
assert error < 1e-12

# %% [markdown]
# Identification from the guess.

# %%
found = minimize(run, guess, jac=True, method="BFGS", options={"gtol": 1e-12})
for name, number, right in zip(names, found.x, truth):
    print(f"{name:<16} {number:.12f}  (true: {right:.4f})")
print(f"{found.nfev} gradients, largest relative error {np.abs(found.x / truth - 1).max():.1e}")
