import mbdbench
import numpy as np
import pytest

G, MASS, LENGTH, INERTIA = 9.81, 2.0, 0.25, 0.05


def accelerations(t, q, u):
    return -MASS * G * LENGTH * np.cos(q) / (INERTIA + MASS * LENGTH**2)


def test_a_right_prototype_passes(arm):
    result = mbdbench.verify(arm, accelerations)
    assert result.passed and result.outcome == "passed" and result.states == 6
    assert {"rate", "energy"} <= result.blocks.keys()
    assert result.blocks["rate"].error <= result.blocks["rate"].limit
    assert "accelerations on arm: passed" in str(result)


def test_a_wrong_prototype_fails_by_name(arm):
    result = mbdbench.verify(arm, lambda t, q, u: (1.0 + 1e-6) * accelerations(t, q, u))
    assert not result.passed and result.outcome == "FAILED"
    # The factor that was put in, on top of the right number.
    np.testing.assert_allclose(result.blocks["rate"].error, 1e-6, rtol=1e-3)
    assert "shoulder" in result.blocks["rate"].component


def test_a_prototype_runs_like_any_formulation(arm):
    mbdbench.add_prototype("my-pendulum", accelerations)
    assert "my-pendulum" in mbdbench.formulations()
    run = mbdbench.simulate(arm, "my-pendulum", times=2.0)
    reference = mbdbench.simulate(arm, "dense", times=2.0)
    assert run.ok and run.evaluations == reference.evaluations
    np.testing.assert_allclose(run.q[-1], reference.q[-1], atol=1e-12)  # equal steps; rounding only


def test_formulations_of_the_suite_are_verified_too(pendulum):
    assert mbdbench.verify(pendulum, "hdca[gauge=none]", states=2).passed
    assert mbdbench.verify(mbdbench.Mechanism.from_key("four_bar"), "aba").outcome == "refused"


def test_what_a_prototype_returns_is_checked(arm):
    result = mbdbench.verify(arm, lambda t, q, u: [1.0, 2.0])
    assert "what the function returns: has 2 entries; 1 are wanted" in result.failure
    assert "entry 0 is nan" in mbdbench.verify(arm, lambda t, q, u: [np.nan]).failure


def test_bad_names_are_told(arm):
    with pytest.raises(ValueError, match="'dense' is a formulation of the suite"):
        mbdbench.add_prototype("dense", accelerations)
    with pytest.raises(ValueError, match="cannot be the name"):
        mbdbench.add_prototype("a b", accelerations)
    with pytest.raises(ValueError, match="there is no formulation 'nothing'"):
        mbdbench.verify(arm, "nothing")
    with pytest.raises(ValueError, match="states: is -1"):
        mbdbench.verify(arm, accelerations, states=-1)
