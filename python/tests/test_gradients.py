"""Gradients of whole runs."""

import mbdbench
import numpy as np
import pytest


def run_of(mechanism, **arguments):
    return mbdbench.GradientRun(mechanism, **{"times": 1.0, "step": 0.01, "parameters": ["mass.body1", "v.joint2"], **arguments})


@pytest.mark.parametrize("formulation", ["aba", "naudet"])
def test_gradient_is_that_of_differences_and_of_forward_sensitivities(pendulum, formulation):
    run = run_of(pendulum, formulation=formulation, controls={"joint1": [0.0, 0.4, 1.0]})
    assert run.names == ["mass.body1", "v.joint2", "force.joint1@0", "force.joint1@0.4", "force.joint1@1"]
    run.target("q.joint3", 0.3)
    run.target("v.joint1", 0.1, weight=0.5, running=True)
    run.track("tip", [0.5, 1.0], [[3.0, 0.0, -1.0], [2.0, 0.0, -2.0]], weight=0.2)
    run.control_cost(0.1)
    at = run.start + np.array([0.2, 0.5, 1.0, -1.0, 2.0])
    value, gradient = run(at)
    assert value == run.value(at)
    np.testing.assert_allclose(run.along(at, np.eye(5)), gradient, rtol=0, atol=1e-12 * np.abs(gradient).max())
    step = 1e-4
    differences = [(run.value(at + step * unit) - run.value(at - step * unit)) / (2 * step) for unit in np.eye(5)]
    # Truncation of the order of the square of the step, with third derivatives of some hundreds.
    np.testing.assert_allclose(differences, gradient, rtol=0, atol=1e-5 * np.abs(gradient).max())


def test_adjoint_of_an_objective_of_my_own(pendulum):
    run = run_of(pendulum)
    run.target("q.joint2", 0.3)
    at = run.start
    t, q, u = run.simulate(at)
    assert t.shape == (run.steps + 1,) and q.shape == u.shape == (run.steps + 1, 4)
    by_q = np.zeros_like(q)
    by_q[-1, 1] = 2.0 * (q[-1, 1] - 0.3)
    np.testing.assert_allclose(run.adjoint(at, by_q=by_q), run(at)[1], rtol=1e-13)


def test_lengths_of_links(pendulum):
    run = run_of(pendulum, formulation="naudet", parameters=["length.joint2", "length.joint4", "mass.body3"])
    run.track("tip", [0.5, 1.0], [[3.0, 0.0, -1.0], [2.0, 0.0, -2.0]])
    at = run.start * [1.1, 0.9, 1.0]
    _, gradient = run(at)
    step = 1e-4
    differences = [(run.value(at + step * unit) - run.value(at - step * unit)) / (2 * step) for unit in np.eye(3)]
    np.testing.assert_allclose(differences, gradient, rtol=0, atol=1e-5 * np.abs(gradient).max())
    with pytest.raises(mbdbench.MechanismError, match="length.joint2.*must be positive"):
        run.mechanism([-1.0, 1.0, 1.0])


def test_steps_are_those_of_the_integrator(pendulum):
    run = run_of(pendulum, method="rkf45-fixed", parameters=["mass.body1"])
    t, q, u = run.simulate(run.start)
    same = mbdbench.simulate(pendulum, "aba", "rkf45-fixed", times=1.0, step=0.01)
    np.testing.assert_array_equal(q[-1], same.q[-1])


@pytest.mark.parametrize("method", ["implicit-midpoint", "gauss4", "gauss6", "trapezoidal"])
def test_implicit_methods(pendulum, method):
    run = run_of(pendulum, method=method, formulation="naudet")
    run.target("q.joint2", 0.3, running=True)
    _, gradient = run(run.start)
    np.testing.assert_allclose(run.along(run.start, np.eye(2)), gradient, rtol=0, atol=1e-12 * np.abs(gradient).max())
    assert run.simulate(run.start)[0].shape == (101,)


@pytest.mark.parametrize("method", ["ode23", "ode45", "rkf45", "odeint-dopri5", "odeint-fehlberg78"])
def test_methods_that_choose_their_steps(pendulum, method):
    run = run_of(pendulum, method=method, step=None, rtol=1e-7, atol=1e-8, land_on=[0.3, 0.7])
    run.track("tip", [0.3, 0.7], [[3.0, 0.0, -1.0], [2.0, 0.0, -2.0]])
    with pytest.raises(ValueError, match="time 0.5 is no end of a step whatever the numbers are.*land_on"):
        run.track("tip", [0.5], [[3.0, 0.0, -1.0]])
    at = run.start + [0.1, 0.5]
    value, gradient = run(at)
    np.testing.assert_allclose(run.along(at, np.eye(2)), gradient, rtol=0, atol=1e-12 * np.abs(gradient).max())
    t, q, u = run.simulate(at)
    assert {0.3, 0.7, 1.0} <= set(t)
    by_q = np.zeros_like(q)
    with pytest.raises(ValueError, match="by_q: there must be"):
        run.adjoint(at, by_q=by_q[1:])
    np.testing.assert_array_equal(run.adjoint(at, by_q=by_q), [0.0, 0.0])
    whole = run_of(pendulum, method=method, step=None, rtol=1e-7, atol=1e-8)
    t, q, u = whole.simulate(at)
    same = mbdbench.simulate(whole.mechanism(at), "aba", method, times=1.0, tolerance=1e-7, absolute_tolerance=1e-8)
    np.testing.assert_array_equal(q[-1], same.q[-1])


def test_checkpoints_change_no_bit(pendulum):
    whole, little = run_of(pendulum), run_of(pendulum, memory=6e3)
    assert whole.checkpoint_distance == whole.steps and little.checkpoint_distance < 10
    for run in (whole, little):
        run.target("q.joint2", 0.3, running=True)
    np.testing.assert_array_equal(whole(whole.start)[1], little(little.start)[1])


def test_errors_say_what_would_be_right(pendulum):
    for arguments, message in [
        ({"method": "ode113"}, "rk2, rk4, rkf45-fixed"),
        ({"method": "ode45"}, "step: 'ode45' chooses its steps by tolerances"),
        ({"rtol": 1e-6}, "rtol, atol: 'rk4' has fixed steps"),
        ({"step": None}, "step: 'rk4' has fixed steps"),
        ({"land_on": [0.5]}, "land_on: 'rk4' has fixed steps"),
        ({"step": 0.0}, "step: is 0"),
        ({"parameters": ["mass.body9"]}, "did you mean"),
        ({"parameters": []}, "no parameter"),
        ({"controls": {"joint9": [0.0, 1.0]}}, "no such joint"),
        ({"times": [0.0, 1.0, 2.0]}, "times: has 3 entries"),
    ]:
        with pytest.raises(ValueError, match=message):
            run_of(pendulum, **arguments)
    run = run_of(pendulum)
    with pytest.raises(ValueError, match="no objective yet"):
        run(run.start)
    with pytest.raises(ValueError, match="no end of a step"):
        run.track("tip", [0.505], [[0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="y is not a number"):
        run.track("tip", [0.5], [[0.0, np.nan, 0.0]])
    run.target("q.joint1", 0.0)
    with pytest.raises(ValueError, match="values: has 1 entries"):
        run([1.0])
    with pytest.raises(mbdbench.MechanismError, match="mass"):
        run([-1.0, 0.0])
    with pytest.raises(mbdbench.RightHandSideError, match="t = "):
        run([1.0, 1e300])


def test_mechanism_with_values_has_the_controls(pendulum):
    run = run_of(pendulum, parameters=["v.joint2"], controls={"joint1": [0.0, 0.5]})
    made = run.mechanism([0.7, 1.0, 2.0])
    assert made.u0[1] == 0.7
    assert "y = [1.0, 2.0]" in made.to_toml()


def test_starts_of_closed_loops_take_others_with_them():
    four_bar = mbdbench.Mechanism.from_key("four_bar:angle=0.3")
    arguments = {"times": 0.5, "step": 0.01, "parameters": ["mass.body2", "q.joint1", "v.joint2"]}
    run = mbdbench.GradientRun(four_bar, "bae-haug[projection=velocities]", **arguments)
    run.target("q.joint4", 0.5)
    at = run.start + np.array([0.1, 0.05, 0.7])
    t, q, u = run.simulate(at)
    assert q[0, 0] == at[1] and u[0, 1] == at[2]
    moved = np.flatnonzero(q[0] != four_bar.q0)
    assert 0 in moved and len(moved) == 3  # joint1, and as many as the loop has constraints in its plane
    made = run.mechanism(at)
    np.testing.assert_array_equal(made.q0, q[0])
    gradient = run(at)[1]
    np.testing.assert_allclose(run.along(at, np.eye(3)), gradient, rtol=0, atol=1e-12 * np.abs(gradient).max())
    step = 1e-4
    differences = [(run.value(at + step * unit) - run.value(at - step * unit)) / (2 * step) for unit in np.eye(3)]
    # Truncation of the order of the square of the step, with third derivatives of some hundreds.
    np.testing.assert_allclose(differences, gradient, rtol=0, atol=1e-5 * np.abs(gradient).max())
    with pytest.raises(mbdbench.MechanismError, match="q.joint1 = 3"):
        run([1.0, 3.0, 0.0])
    for changed, message in [
        ({"parameters": ["q.joint1", "q.joint2", "q.joint3"]}, "vary at most 2, the others follow"),
        ({"formulation": "bae-haug"}, "projection=velocities"),
    ]:
        with pytest.raises(ValueError, match=message):
            mbdbench.GradientRun(four_bar, **{"formulation": "bae-haug[projection=off]", **arguments, **changed})


def test_numbers_that_are_none_are_told_with_their_place(pendulum):
    run = mbdbench.GradientRun(pendulum, "aba", "rk4", times=0.1, step=0.05, parameters=["mass.body2", "q.joint1"])
    run.target("q.joint1", 0.1)
    for along in (run.along, run.precise_along):
        with pytest.raises(ValueError, match=r"directions: entry \(0, 1\) is nan"):
            along(run.start, [[1.0, np.nan]])
    by_q = np.zeros((3, 4))
    by_q[2, 1] = np.inf
    with pytest.raises(ValueError, match=r"by_q: entry \(2, 1\) is inf"):
        run.adjoint(run.start, by_q=by_q)
