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
import mbdbench
import numpy as np
from scipy.optimize import minimize
from worked_examples import WorkedExample  # beside this file: measures the gradient, keeps what the study records

cart_pole = mbdbench.Mechanism.from_key("cart_pole:ratio=0.5").with_initial_values({"q.hinge": np.pi})
knots = np.linspace(0.0, 2.0, 11)
example = WorkedExample("cart_pole_swing_up", "aba")


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
guess = 3.0 * np.sin(np.pi * knots)
error = example.measure_gradient(swing(10.0), guess)
assert error is None or error < 1e-12

# %% [markdown]
# First roughly, then with the end weighed a hundred times more.

# %%
force, searches = guess, []
for weight in (10.0, 1000.0):
    run = swing(weight)
    searches.append(minimize(run, force, jac=True, method="BFGS", options={"maxiter": 200}))
    force = searches[-1].x
example.keep_search(run, guess, force, searches)
t, q, u = run.simulate(force)
print(f"largest force {np.abs(force).max():.1f} N")
print(f"at the end: cart {q[-1, 0]:.1e} m, pole {q[-1, 1]:.1e} rad, velocities {u[-1, 0]:.1e} m/s, {u[-1, 1]:.1e} rad/s")

# %% [markdown]
# The force is a table over time now, in a mechanism like any other: an integrator with error control confirms it.

# %%
checked = mbdbench.simulate(run.mechanism(force), "dense", times=2.0, tolerance=1e-9)
away = np.abs(checked.q[-1] - q[-1]).max()
print(f"ode45 ends {away:.1e} away")

# %% [markdown]
# What the study keeps, and draws.

# %%
example.keep("end_error", "m, rad", np.abs(q[-1]).max())
example.keep("end_speed", "m/s, rad/s", np.abs(u[-1]).max())
example.keep("difference_from_ode45", "m, rad", away)
example.keep_curves(t, force=np.interp(t, knots, force), cart=q[:, 0], pole=q[:, 1])
