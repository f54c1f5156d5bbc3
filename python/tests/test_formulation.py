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
        (np.zeros((8, 1)), r"x: has shape \(8, 1\); rows of 8 numbers are wanted"),
        (np.zeros((2, 2, 8)), "x: has 3 dimensions; one is wanted"),
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


@pytest.mark.parametrize("key", ["aba", "naudet", "hdca", "dense"])
def test_rows_have_the_right_hand_sides_of_single_states(pendulum, key):
    formulation = mbdbench.Formulation(pendulum, key)
    random = np.random.default_rng(7)
    states = random.uniform(-1.0, 1.0, (37, formulation.state_size))
    rates = formulation.rhs(0.0, states)
    assert rates.shape == states.shape
    expected = np.array([formulation.rhs(0.0, x) for x in states])
    # Lanes and single states differ by rounding, times a condition of the mass matrix below 1e4.
    np.testing.assert_allclose(rates, expected, rtol=1e-11, atol=1e-11)
    shared, failures = formulation.rhs_batch(0.0, states, threads=2)
    np.testing.assert_array_equal(shared, rates)
    assert failures == {}
    assert formulation.rhs_calls == 3 * 37


def test_rows_are_written_in_place_and_lists_are_taken(pendulum):
    formulation = mbdbench.Formulation(pendulum, "aba")
    states = np.linspace(0.0, 1.0, 5 * formulation.state_size).reshape(5, -1)
    out = np.full(states.shape, np.nan)
    assert formulation.rhs(0.0, states, out=out) is out
    np.testing.assert_array_equal(out, formulation.rhs(0.0, states.tolist()))
    np.testing.assert_array_equal(out, formulation.rhs(0.0, np.asfortranarray(states)))


def test_a_state_that_fails_leaves_the_others(pendulum):
    formulation = mbdbench.Formulation(pendulum, "aba")
    states = np.linspace(0.0, 1.0, 11 * formulation.state_size).reshape(11, -1)
    expected = formulation.rhs(0.0, states)
    states[4, 1] = np.nan
    rates, failures = formulation.rhs_batch(0.0, states)
    assert list(failures) == [4] and "joint" in failures[4]
    assert np.isnan(rates[4]).all()
    np.testing.assert_array_equal(np.delete(rates, 4, 0), np.delete(expected, 4, 0))
    with pytest.raises(mbdbench.RightHandSideError, match="state 4: joint"):
        formulation.rhs(0.0, states)


@pytest.mark.parametrize("key", ["dense", "dense-momentum", "hdca", "dca[leaf=body]", "dca-alm", "naudet"])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_any_number_that_is_none_fails_alone_and_names_its_joint(key, number):
    # car_axis: momenta of the driven road are numbers on which no rate depends.
    for mechanism in (mbdbench.Mechanism.from_key("car_axis"), mbdbench.Mechanism.from_key("four_bar:angle=0.3")):
        formulation = mbdbench.Formulation(mechanism, key)
        x = formulation.pack(mechanism.q0, mechanism.u0)
        expected = formulation.rhs_batch(0.0, np.tile(x, (2, 1)))[0][0]
        states = np.tile(x, (x.size + 1, 1))
        np.fill_diagonal(states, number)
        rates, failures = formulation.rhs_batch(0.0, states)
        assert list(failures) == list(range(x.size))
        assert all("joint '" in reason for reason in failures.values())
        assert np.isnan(rates[:-1]).all()
        np.testing.assert_array_equal(rates[-1], expected)
        with pytest.raises(mbdbench.RightHandSideError, match="state 0: joint"):
            formulation.rhs(0.0, states)


@pytest.mark.parametrize("key", ["aba", "dense"])
def test_rates_may_be_written_over_states(pendulum, key):
    formulation = mbdbench.Formulation(pendulum, key)
    rng = np.random.default_rng(5)
    memory = rng.standard_normal((40, 8))
    memory[11, 2] = 1e200  # its velocities overflow: it fails alone, once its lanes have been written
    memory[11, 5] = 1e200
    expected, failures = formulation.rhs_batch(0.0, memory[:39].copy())
    assert list(failures) == [11]
    below = memory.copy()
    np.testing.assert_array_equal(formulation.rhs_batch(0.0, below[:39], out=below[1:])[0], expected)
    same = memory.copy()
    np.testing.assert_array_equal(formulation.rhs_batch(0.0, same[:39], out=same[:39])[0], expected)
    row = memory[:2].copy().reshape(-1)
    np.testing.assert_allclose(formulation.rhs(0.0, row[:8], out=row[3:11]), expected[0], rtol=1e-12)


def test_every_state_has_the_text_of_its_own_error():
    link = mbdbench.Mechanism.from_key("pendulum:1")

    def wrong(t, q, u):
        raise RuntimeError("trouble " * int(q[0]))

    mbdbench.add_prototype("wrong", wrong)
    formulation = mbdbench.Formulation(link, "wrong")
    states = np.column_stack([np.arange(1.0, 40.0), np.zeros(39)])
    for threads in (1, 2):
        failures = formulation.rhs_batch(0.0, states, threads=threads)[1]
        assert [reason.count("trouble") for reason in failures.values()] == list(range(1, 40))


def test_messages_name_the_argument(pendulum):
    formulation = mbdbench.Formulation(pendulum, "aba")
    for product, name in ((formulation.jacobian_vector, "direction"), (formulation.vector_jacobian, "weights")):
        with pytest.raises(ValueError, match=f"^{name}: has 7 entries; 8 are wanted"):
            product(0.0, np.zeros(8), np.zeros(7))
    with pytest.raises(ValueError, match="x: has 3 dimensions; one is wanted, or two of rows of states"):
        formulation.rhs(0.0, np.zeros((2, 8, 1)))
    with pytest.raises(ValueError, match="C order"):
        formulation.rhs(0.0, np.zeros((3, 8)), out=np.zeros((3, 8), order="F"))


def test_rows_of_a_wrong_shape_are_refused(pendulum):
    formulation = mbdbench.Formulation(pendulum, "aba")
    with pytest.raises(ValueError, match=r"x: has shape \(2, 3\); rows of 8 numbers are wanted"):
        formulation.rhs(0.0, np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"out: must be a contiguous numpy array of float64 with shape \(2, 8\)"):
        formulation.rhs(0.0, np.zeros((2, 8)), out=np.zeros((3, 8)))
    for evaluate in (formulation.rhs, formulation.rhs_batch):
        with pytest.raises(ValueError, match=r"x: has shape \(0, 8\), no states; K rows are wanted, K at least 1"):
            evaluate(0.0, np.zeros((0, 8)))
    assert formulation.rhs_calls == 0 and formulation.states_alone == 0
    welded = pendulum.to_toml().replace('type = "revolute"', 'type = "fixed"')
    welded = "\n".join(line for line in welded.splitlines() if not line.startswith(("axis", "q0", "v0")))
    still = mbdbench.Formulation(mbdbench.Mechanism.from_toml_text(welded), "aba")
    assert len(still.rhs(0.0, [])) == 0
    with pytest.raises(ValueError, match="states have no components"):
        still.rhs(0.0, np.zeros((3, 0)))
    with pytest.raises(ValueError, match="threads: is 0"):
        formulation.rhs_batch(0.0, np.zeros((2, 8)), threads=0)


def test_jacobian_is_that_of_the_pendulum(arm):
    formulation = mbdbench.Formulation(arm, "aba")
    stiffness = MASS * G * LENGTH * np.sin(0.3) / (INERTIA + MASS * LENGTH**2)
    np.testing.assert_allclose(formulation.jacobian(0.0, [0.3, 1.5]), [[0.0, 1.0], [stiffness, 0.0]], atol=1e-13)


def test_jacobian_is_refused_where_there_is_none():
    reset = mbdbench.Formulation(mbdbench.Mechanism.from_key("four_bar"), "hdca[gauge=reset]")
    with pytest.raises(ValueError, match="which has no derivatives: take tangent, leak or none"):
        reset.jacobian(0.0, np.zeros(6))
    with pytest.raises(ValueError, match="which has no derivatives: take tangent, leak or none"):
        reset.jacobian_vector(0.0, np.zeros(6), np.ones(6))
    with pytest.raises(ValueError, match="which has no derivatives: take tangent, leak or none"):
        reset.parameter_jacobian(0.0, np.zeros(6), [])


def test_products_with_the_jacobian_are_those_of_its_rows():
    robot = mbdbench.Mechanism.from_key("quadruped")
    formulation = mbdbench.Formulation(robot, "naudet")
    x = formulation.pack(robot.q0, np.linspace(-1.0, 1.0, len(robot.u0)))
    vector = np.cos(np.arange(len(x)))
    rows = formulation.jacobian(0.0, x)
    # Sums of 37 terms; the products have their own rounding.
    tolerance = 1e-12 * np.abs(rows).max()
    np.testing.assert_allclose(formulation.jacobian_vector(0.0, x, vector), rows @ vector, atol=tolerance, rtol=0)
    np.testing.assert_allclose(formulation.vector_jacobian(0.0, x, vector), vector @ rows, atol=tolerance, rtol=0)


def test_derivatives_by_parameters_are_differences_and_agree_with_weights():
    robot = mbdbench.Mechanism.from_key("quadruped")
    formulation = mbdbench.Formulation(robot, "aba")
    x = formulation.pack(robot.q0, np.linspace(-1.0, 1.0, len(robot.u0)))
    weights = np.cos(np.arange(len(x)))
    by_x, by_parameter = formulation.weighted_derivatives(0.0, x, weights)
    np.testing.assert_allclose(by_x, formulation.vector_jacobian(0.0, x, weights), rtol=0, atol=1e-12 * np.abs(by_x).max())
    names = list(by_parameter)
    assert {name.split(".")[0] for name in names} == {"force", "mass", "length"}
    columns = formulation.parameter_jacobian(0.0, x, names)
    assert columns.shape == (len(x), len(names))
    sums = np.array([by_parameter[name] for name in names])
    np.testing.assert_allclose(sums, weights @ columns, rtol=0, atol=1e-11 * np.abs(weights @ columns).max())


def test_derivatives_by_a_force_and_a_mass_are_those_of_the_pendulum(arm):
    formulation = mbdbench.Formulation(arm, "aba")
    inertia = INERTIA + MASS * LENGTH**2
    columns = formulation.parameter_jacobian(0.0, [0.3, 1.5], ["force.shoulder", "mass.link"])
    torque = G * LENGTH * np.cos(0.3)
    by_mass = -torque / inertia + MASS * torque * LENGTH**2 / inertia**2
    np.testing.assert_allclose(columns[0], [0.0, 0.0], atol=0)
    np.testing.assert_allclose(columns[1, 0], 1.0 / inertia, rtol=1e-13)
    np.testing.assert_allclose(columns[1, 1], by_mass, rtol=1e-12)


def test_parameters_that_are_not_there_are_errors(pendulum):
    formulation = mbdbench.Formulation(pendulum, "aba")
    with pytest.raises(ValueError, match="parameter 'mass.nobody': mechanism .* has none of that name"):
        formulation.parameter_jacobian(0.0, np.zeros(8), ["mass.nobody"])


def test_states_that_lanes_do_not_take_are_counted():
    robot = mbdbench.Mechanism.from_key("humanoid")
    formulation = mbdbench.Formulation(robot, "aba")
    x = np.tile(formulation.pack(robot.q0, robot.u0), (64, 1))
    formulation.rhs_batch(0.0, x)
    assert formulation.states_alone == 0
    dense = mbdbench.Formulation(robot, "dense")
    dense.rhs_batch(0.0, x[:3])
    assert dense.states_alone == 3
