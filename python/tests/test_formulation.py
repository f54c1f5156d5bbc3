import gc

import mbdbench
import numpy as np
import pytest

G, MASS, LENGTH, INERTIA = 9.81, 2.0, 0.25, 0.05


def test_right_hand_side_is_the_pendulum_s(arm):
    formulation = mbdbench.Formulation(arm, "dense")
    xdot = formulation.rhs(0.0, formulation.pack([0.3], [1.5]))
    # One pivot and three products: a few roundings.
    expected = -MASS * G * LENGTH * np.cos(0.3) / (INERTIA + MASS * LENGTH**2)
    np.testing.assert_allclose(xdot, [1.5, expected], rtol=1e-14)


def test_out_is_written_in_place_and_returned(pendulum):
    formulation = mbdbench.Formulation(pendulum, "hdca")
    x = formulation.pack(pendulum.q0, pendulum.u0)
    out = np.full(formulation.state_size, np.nan)
    assert formulation.rhs(0.0, x, out=out) is out
    np.testing.assert_array_equal(out, formulation.rhs(0.0, x))
    assert formulation.rhs_calls == 2


def test_pack_and_unpack(pendulum):
    formulation = mbdbench.Formulation(pendulum, "hdca")
    velocities = np.array([0.1, -0.2, 0.3, 0.4])
    q, u = formulation.unpack(formulation.pack(pendulum.q0, velocities))
    np.testing.assert_array_equal(q, pendulum.q0)
    # u comes out of the momenta, with rounding of a mass matrix whose condition number is below 1e4.
    np.testing.assert_allclose(u, velocities, atol=1e-11)


def test_observe(arm):
    formulation = mbdbench.Formulation(arm, "dense")
    seen = formulation.observe(0.0, formulation.pack([0.0], [2.0]))
    np.testing.assert_allclose(seen.kinetic, 0.5 * (INERTIA + MASS * LENGTH**2) * 4.0, rtol=1e-14)
    assert seen.potential == 0.0 and seen.total == seen.kinetic
    assert seen.position_residual == 0.0 and seen.velocity_residual == 0.0
    # The link accelerates with -M g l / (I + m l^2) and turns: m (l theta'' - (-g)) upwards, -m l theta'^2 inwards.
    acceleration = -MASS * G * LENGTH / (INERTIA + MASS * LENGTH**2)
    force = seen.reactions["shoulder"][:2]
    np.testing.assert_allclose(force, [-MASS * LENGTH * 4.0, MASS * (LENGTH * acceleration + G)], rtol=1e-13)
    np.testing.assert_allclose(seen.linear_momentum, [0.0, MASS * LENGTH * 2.0, 0.0], atol=1e-15)


def test_layout_and_mechanism(pendulum):
    formulation = mbdbench.Formulation(pendulum, "hdca[gauge=none]")
    assert formulation.mechanism is pendulum
    assert formulation.word == "hdca[gauge=none]"
    assert {component.kind for component in formulation.layout} == {"position", "momentum"}
    assert formulation.layout[0].name == pendulum.q_names[0]


def test_the_mechanism_outlives_its_name():
    formulation = mbdbench.Formulation(mbdbench.Mechanism.from_key("pendulum:3"), "dense")
    gc.collect()
    assert np.isfinite(formulation.rhs(0.0, np.zeros(6))).all()


def test_unknown_words_name_the_nearest(pendulum):
    with pytest.raises(ValueError, match="there is no formulation 'hdcaa'; did you mean \"hdca\""):
        mbdbench.Formulation(pendulum, "hdcaa")
    with pytest.raises(ValueError, match="gauge"):
        mbdbench.Formulation(pendulum, "hdca[gauge=leek]")


def test_a_refused_mechanism_is_a_value_error():
    with pytest.raises(mbdbench.MechanismError, match="aba"):
        mbdbench.Formulation(mbdbench.Mechanism.from_key("four_bar"), "aba")


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros(7), "x: has 7 entries; 8 are wanted"),
        (np.zeros((8, 1)), "x: has 2 dimensions; one is wanted"),
        (np.zeros(8, dtype=np.float32), "x: is an array of float32; float64 is wanted"),
        (np.zeros(8, dtype=complex), "x: is an array of complex128"),
        (np.array([0.0, 0.0, np.nan, 0.0, 0.0, 0.0, 0.0, 0.0]), "x: entry 2 is nan"),
        (["a"] * 8, "x: is not an array of numbers"),
    ],
)
def test_bad_states_are_told(pendulum, x, message):
    with pytest.raises(ValueError, match=message):
        mbdbench.Formulation(pendulum, "dense").rhs(0.0, x)


def test_states_of_any_stride_are_taken(pendulum):
    formulation = mbdbench.Formulation(pendulum, "dense")
    both = np.linspace(0.0, 1.0, 16)
    np.testing.assert_array_equal(formulation.rhs(0.0, both[::2]), formulation.rhs(0.0, both[::2].copy()))
    np.testing.assert_array_equal(formulation.rhs(0.0, list(both[:8])), formulation.rhs(0.0, both[:8]))


@pytest.mark.parametrize("out", [np.zeros(7), np.zeros(16)[::2], np.zeros(8, dtype=np.float32), [0.0] * 8])
def test_bad_targets_are_told(pendulum, out):
    with pytest.raises(ValueError, match="out: .*float64"):
        mbdbench.Formulation(pendulum, "dense").rhs(0.0, np.zeros(8), out=out)


def test_a_target_that_is_read_only_is_told(pendulum):
    out = np.zeros(8)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out: "):
        mbdbench.Formulation(pendulum, "dense").rhs(0.0, np.zeros(8), out=out)


def test_a_failed_right_hand_side_is_a_runtime_error(arm):
    mbdbench.add_prototype("breaks", lambda t, q, u: 1 / 0)
    formulation = mbdbench.Formulation(arm, "breaks")
    with pytest.raises(mbdbench.RightHandSideError, match="prototype 'breaks': ZeroDivisionError: division by zero"):
        formulation.rhs(0.0, [0.0, 0.0])
    assert issubclass(mbdbench.RightHandSideError, RuntimeError)
