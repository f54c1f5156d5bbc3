# %% [markdown]
# # A pole swung up by its cart
#
# The pole hangs from a cart. Which force on the cart swings it up in two seconds, so that all comes to rest upright at
# the place where it began? The force is linear between eleven times; SciPy moves these numbers along gradients of the
# whole run. As a script:
#
#     python cart_pole_swing_up.py
#
# It needs SciPy: `pip install ".[examples]"`.

# %%
import time

import mbdbench
import numpy as np
from scipy.optimize import minimize

cart_pole = mbdbench.Mechanism.from_key("cart_pole:ratio=0.5").with_initial_values({"q.hinge": np.pi})
knots = np.linspace(0.0, 2.0, 11)


def swing(weight):
    """The run with the squares of what is wrong at its end, and a little of the squared force."""
    run = mbdbench.GradientRun(cart_pole, "aba", "rk4", times=2.0, step=0.02, controls={"track": knots})
    for name in cart_pole.q_names + cart_pole.u_names:
        run.target(name, 0.0, weight=weight)
    run.control_cost(1e-3)
    return run


# %% [markdown]
# The gradient against differences of the whole run in numbers of 113 bits, and what it costs, whatever the number of
# parameters.

# %%
force = 3.0 * np.sin(np.pi * knots)
run = swing(10.0)
gradient = run(force)[1]
error = np.abs(gradient - run.precise_along(force, np.eye(len(knots)))).max() / np.abs(gradient).max()
print(f"gradient against differences of 113 bits: {error:.1e}")
assert error < 1e-12


def shortest(work):
    """The shortest of several times, s: whatever else the machine does makes them longer."""
    times = []
    for _ in range(20):
        start = time.perf_counter()
        work(force)
        times.append(time.perf_counter() - start)
    return min(times)


print(f"one gradient by {len(force)} numbers takes {shortest(run) / shortest(run.value):.1f} runs")

# %% [markdown]
# First roughly, then with the end weighed a hundred times more.

# %%
gradients = 0
for weight in (10.0, 1000.0):
    run = swing(weight)
    found = minimize(run, force, jac=True, method="BFGS", options={"maxiter": 200})
    force = found.x
    gradients += found.nfev
t, q, u = run.simulate(force)
print(f"{gradients} gradients; largest force {np.abs(force).max():.1f} N")
print(f"at the end: cart {q[-1, 0]:.1e} m, pole {q[-1, 1]:.1e} rad, velocities {u[-1, 0]:.1e} m/s, {u[-1, 1]:.1e} rad/s")

# %% [markdown]
# The force is a table over time now, in a mechanism like any other: an integrator with error control confirms it.

# %%
checked = mbdbench.simulate(run.mechanism(force), "dense", times=2.0, tolerance=1e-9)
print(f"ode45 ends {np.abs(checked.q[-1] - q[-1]).max():.1e} away")
