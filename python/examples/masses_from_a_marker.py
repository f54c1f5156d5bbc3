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
import mbdbench
import numpy as np
from scipy.optimize import minimize
from worked_examples import WorkedExample  # beside this file: measures the gradient, keeps what the study records

dampers = "".join(f'\n[[joint_springs]]\nname = "damper{k}"\njoint = "joint{k}"\ndamping = 0.2\n' for k in (1, 2, 3))
text = mbdbench.Mechanism.from_key("pendulum:3").to_toml() + dampers
chain = mbdbench.Mechanism.from_toml_text(text).with_initial_values({"q.joint1": 0.3, "v.joint2": 1.0})
names = ["mass.body1", "mass.body2", "mass.body3", "damping.damper1", "damping.damper2", "damping.damper3"]
run = mbdbench.GradientRun(chain, "naudet", "rk4", times=2.0, step=0.01, parameters=names)
example = WorkedExample("masses_from_a_marker", "naudet")

# %% [markdown]
# What the camera saw: made here with a known answer, without noise, every 0.05 s.

# %%
observer = mbdbench.Formulation(chain, "aba")


def tip_of(values):
    t, q, u = run.simulate(values)
    return t, np.array([observer.observe(0.0, observer.pack(*state)).marker_positions["tip"] for state in zip(q, u)])


truth = np.array([1.2, 0.8, 1.5, 0.4, 0.25, 0.1])
t, tip = tip_of(truth)
run.track("tip", t[::5], tip[::5])

# %% [markdown]
# The gradient against differences of the whole run in numbers of 113 bits, and what it costs, whatever the number of
# parameters.

# %%
guess = run.start
error = example.measure_gradient(run, guess)
assert error is None or error < 1e-12

# %% [markdown]
# Identification from a wrong guess. Logarithms keep masses and dampers positive.


# %%
def in_logarithms(z):
    value, gradient = run(np.exp(z))
    return value, gradient * np.exp(z)


found = minimize(in_logarithms, np.log(guess), jac=True, method="BFGS", options={"gtol": 1e-12})
numbers = np.exp(found.x)
for name, number, right in zip(names, numbers, truth):
    print(f"{name:<16} {number:.12f}  (true: {right})")
example.keep_search(run, guess, numbers, [found])
error = np.abs(numbers / truth - 1).max()
print(f"largest relative error {error:.1e}")

# %% [markdown]
# What the study keeps, and draws.

# %%
example.keep("parameter_error", "1", error)
example.keep_curves(t, seen=tip, guessed=tip_of(guess)[1], found=tip_of(numbers)[1])
