# %% [markdown]
# # A five-bar arm from point to point
#
# Two arms of two links each stand on motors and hold one tool: a closed loop with two degrees of freedom. Which torques
# bring the tool from rest at one point to rest at another one, with little effort? They are linear between nine times;
# SciPy moves these 18 numbers along gradients of the whole run. As a script:
#
#     python five_bar_point_to_point.py
#
# It needs SciPy: `pip install ".[examples]"`.

# %%
import mbdbench
import numpy as np
from scipy.optimize import minimize
from worked_examples import WorkedExample  # beside this file: measures the gradient, keeps what the study records


def link(name, length):
    inertia = length**2 / 12
    com = f"com = [{length / 2}, 0.0, 0.0]"
    return f'[[bodies]]\nname = "{name}"\nmass = 1.0\n{com}\ninertia = [1e-3, {inertia}, {inertia}]\n'


def pivot(name, a, b, place, more):
    ends = f'type = "revolute"\na = "{a}"\nb = "{b}"'
    return f'[[joints]]\nname = "{name}"\n{ends}\nframe_a = {{position = [{place}, 0.0, 0.0]}}\n{more}\n'


# Upper arms of 0.4 m, forearms of 0.6 m, motors 0.3 m apart, all in a horizontal plane. The angles of the forearms are
# rough: they are marked as dependent and corrected, so that the loop closes.
text = "\n".join([
    'name = "five_bar_arm"\ngravity = [0.0, 0.0, 0.0]\n',
    link("left_arm", 0.4), link("left_forearm", 0.6), link("right_arm", 0.4), link("right_forearm", 0.6),
    pivot("left_motor", "ground", "left_arm", -0.15, "q0 = [2.2]"),
    pivot("left_elbow", "left_arm", "left_forearm", 0.4, "q0 = [-1.3]\ndependent = true"),
    pivot("right_motor", "ground", "right_arm", 0.15, "q0 = [0.9]"),
    pivot("right_elbow", "right_arm", "right_forearm", 0.4, "q0 = [1.3]\ndependent = true"),
    pivot("tool", "left_forearm", "right_forearm", 0.6, "frame_b = {position = [0.6, 0.0, 0.0]}\ncut = true"),
    '[[markers]]\nname = "tool"\nbody = "left_forearm"\npoint = [0.6, 0.0, 0.0]\n',
    '[[markers]]\nname = "left_elbow"\nbody = "left_arm"\npoint = [0.4, 0.0, 0.0]\n',
    '[[markers]]\nname = "right_elbow"\nbody = "right_arm"\npoint = [0.4, 0.0, 0.0]\n',
])  # fmt: skip
arm = mbdbench.Mechanism.from_toml_text(text)
target = [0.25, 0.55, 0.0]
motors = ("left_motor", "right_motor")
knots = np.linspace(0.0, 0.8, 9)
formulation = "bae-haug[projection=velocities]"
example = WorkedExample("five_bar_point_to_point", formulation)

# %% [markdown]
# The run: `projection=velocities` keeps velocities on the constraints within the right-hand side, and leaves the ends
# of steps alone. What is wrong at the end is weighed heavily, the torques a little.


# %%
def move(weight):
    run = mbdbench.GradientRun(arm, formulation, times=0.8, step=0.02, controls={motor: knots for motor in motors})
    run.track("tool", [0.8], [target], weight=weight)
    for motor in motors:
        run.target(f"v.{motor}", 0.0, weight=0.01 * weight)
    run.control_cost(1e-3)
    return run


# %% [markdown]
# The gradient against differences of the whole run in numbers of 113 bits, and what it costs: a few runs, whatever the
# number of parameters.

# %%
guess = np.concatenate([-np.cos(4.0 * knots), -np.sin(4.0 * knots)])
error = example.measure_gradient(move(100.0), guess)
assert error < 1e-12

# %% [markdown]
# First roughly, then with the end weighed a hundred times more.

# %%
torques, searches = guess, []
for weight in (100.0, 10000.0):
    run = move(weight)
    searches.append(minimize(run, torques, jac=True, method="BFGS", options={"maxiter": 300}))
    torques = searches[-1].x
example.keep_search(run, guess, torques, searches)
t, q, u = run.simulate(torques)
observer = mbdbench.Formulation(arm, "bae-haug")


def places(q, u):
    """Of the markers, an array of shape (times, 3) each."""
    seen = [observer.observe(0.0, observer.pack(*state)).marker_positions for state in zip(q, u)]
    return {name: np.array([one[name] for one in seen]) for name in ("tool", "left_elbow", "right_elbow")}


moved = places(q, u)
error, speed = np.linalg.norm(moved["tool"][-1] - target), np.abs(u[-1]).max()
print(f"largest torque {np.abs(torques).max():.1f} N m")
print(f"at the end: {error:.1e} m away, speeds up to {speed:.1e} rad/s")

# %% [markdown]
# The torques are tables over time now, in a mechanism like any other: an integrator with error control, and steps that
# are projected on the constraints, confirm them.

# %%
checked = mbdbench.simulate(run.mechanism(torques), "dense", times=0.8, tolerance=1e-9)
away = np.abs(checked.q[-1] - q[-1]).max()
print(f"ode45 ends {away:.1e} away")

# %% [markdown]
# What the study keeps, and draws.

# %%
example.keep("end_error", "m", error)
example.keep("end_speed", "rad/s", speed)
example.keep("difference_from_ode45", "rad", away)
of_motors = {motor: np.interp(t, knots, own) for motor, own in zip(motors, torques.reshape(2, -1))}
example.keep_curves(t, **moved, guessed=places(*run.simulate(guess)[1:])["tool"], **of_motors)
