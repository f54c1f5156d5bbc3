# %% [markdown]
# # Masses and damping from a marker's motion
#
# A chain of three links swings. A camera has seen its tip; the masses of the links and the damping of the joints are
# wanted. The derivatives of the sum of squared distances come from the discrete adjoint, one way back over the run. As
# a script:
#
#     python masses_from_a_marker.py
#
# It needs SciPy: `pip install ".[examples]"`.

# %%
import time

import mbdbench
import numpy as np
from scipy.optimize import minimize

dampers = "".join(f'\n[[joint_springs]]\nname = "damper{k}"\njoint = "joint{k}"\ndamping = 0.2\n' for k in (1, 2, 3))
text = mbdbench.Mechanism.from_key("pendulum:3").to_toml() + dampers
chain = mbdbench.Mechanism.from_toml_text(text).with_initial_values({"q.joint1": 0.3, "v.joint2": 1.0})
names = ["mass.body1", "mass.body2", "mass.body3", "damping.damper1", "damping.damper2", "damping.damper3"]
run = mbdbench.GradientRun(chain, "naudet", "rk4", times=2.0, step=0.01, parameters=names)

# %% [markdown]
# What the camera saw: made here with a known answer, without noise, every 0.05 s.

# %%
truth = np.array([1.2, 0.8, 1.5, 0.4, 0.25, 0.1])
t, q, u = run.simulate(truth)
observer = mbdbench.Formulation(chain, "aba")
tip = np.array([observer.observe(0.0, observer.pack(*state)).marker_positions["tip"] for state in zip(q, u)])
run.track("tip", t[::5], tip[::5])

# %% [markdown]
# The gradient against differences of the whole run in numbers of 113 bits, and what it costs, whatever the number of
# parameters.

# %%
guess = run.start
value, gradient = run(guess)
error = np.abs(gradient - run.precise_along(guess, np.eye(len(names)))).max() / np.abs(gradient).max()
print(f"gradient against differences of 113 bits: {error:.1e}")
assert error < 1e-12


def shortest(work):
    """The shortest of several times, s: whatever else the machine does makes them longer."""
    times = []
    for _ in range(20):
        start = time.perf_counter()
        work(guess)
        times.append(time.perf_counter() - start)
    return min(times)


print(f"one gradient by {len(names)} numbers takes {shortest(run) / shortest(run.value):.1f} runs")

# %% [markdown]
# Identification from a wrong guess. Logarithms keep masses and dampers positive.


# %%
def in_logarithms(z):
    value, gradient = run(np.exp(z))
    return value, gradient * np.exp(z)


found = minimize(in_logarithms, np.log(guess), jac=True, method="BFGS", options={"gtol": 1e-12})
for name, number, right in zip(names, np.exp(found.x), truth):
    print(f"{name:<16} {number:.12f}  (true: {right})")
print(f"{found.nfev} gradients, largest relative error {np.abs(np.exp(found.x) / truth - 1).max():.1e}")
