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
import time

import mbdbench
import numpy as np
from scipy.optimize import minimize


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
])  # fmt: skip
arm = mbdbench.Mechanism.from_toml_text(text)
target = [0.25, 0.55, 0.0]
motors = ("left_motor", "right_motor")
knots = np.linspace(0.0, 0.8, 9)

# %% [markdown]
# The run: `projection=velocities` keeps velocities on the constraints within the right-hand side, and leaves the ends
# of steps alone. What is wrong at the end is weighed heavily, the torques a little.


# %%
def move(weight):
    run = mbdbench.GradientRun(
        arm, "bae-haug[projection=velocities]", "rk4", times=0.8, step=0.02, controls={motor: knots for motor in motors}
    )
    run.track("tool", [0.8], [target], weight=weight)
    for motor in motors:
        run.target(f"v.{motor}", 0.0, weight=0.01 * weight)
    run.control_cost(1e-3)
    return run


run = move(100.0)

# %% [markdown]
# The gradient against differences of the same run in numbers of 113 bits, with equations of motion of its own. It takes
# a few runs, whatever the number of parameters.

# %%
torques = np.concatenate([-np.cos(4.0 * knots), -np.sin(4.0 * knots)])


def fastest(call):
    times = []
    for _ in range(20):
        before = time.perf_counter()
        call(torques)
        times.append(time.perf_counter() - before)
    return min(times)


gradient = run(torques)[1]
error = np.abs(gradient - run.precise_along(torques, np.eye(len(torques)))).max() / np.abs(gradient).max()
print(f"gradient against differences of 113 bits: {error:.1e}")
assert error < 1e-12
print(f"one gradient by {len(torques)} numbers costs {fastest(run) / fastest(run.value):.1f} runs")

# %% [markdown]
# First roughly, then with the end weighed a hundred times more.

# %%
gradients = 0
for weight in (100.0, 10000.0):
    run = move(weight)
    found = minimize(run, torques, jac=True, method="BFGS", options={"maxiter": 300})
    torques = found.x
    gradients += found.nfev
t, q, u = run.simulate(torques)
observer = mbdbench.Formulation(arm, "bae-haug")
tool = observer.observe(0.8, observer.pack(q[-1], u[-1])).marker_positions["tool"]
print(f"{gradients} gradients; largest torque {np.abs(torques).max():.1f} N m")
print(f"at the end: {np.linalg.norm(tool - target):.1e} m away, speeds up to {np.abs(u[-1]).max():.1e} rad/s")

# %% [markdown]
# The torques are tables over time now, in a mechanism like any other: an integrator with error control, and steps that
# are projected on the constraints, confirm them.

# %%
checked = mbdbench.simulate(run.mechanism(torques), "dense", times=0.8, tolerance=1e-9)
print(f"ode45 ends {np.abs(checked.q[-1] - q[-1]).max():.1e} away")
