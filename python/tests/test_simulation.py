import json
import os
import signal
import subprocess
import sys
import threading
import time

import mbdbench
import numpy as np
import pytest


def test_the_published_count():
    # The counts of the README: 3169 right-hand sides, 525 steps, 3 failed attempts.
    run = mbdbench.simulate(mbdbench.Mechanism.from_key("pendulum:16"), "hdca[gauge=none]", times=10.0)
    assert (run.status, run.evaluations, run.steps, run.statistics["nfailed"]) == ("ok", 3169, 525, 3)


def test_rows_are_samples(pendulum):
    times = np.linspace(0.0, 1.0, 11)
    run = mbdbench.simulate(pendulum, "hdca", times=times)
    np.testing.assert_array_equal(run.t, times)
    assert run.ok and run.x.shape == (11, 8) and run.q.shape == run.u.shape == (11, 4)
    formulation = mbdbench.Formulation(pendulum, "hdca")
    assert run.names == [component.name for component in formulation.layout]
    q, u = formulation.unpack(run.x[5])
    np.testing.assert_array_equal(q, run.q[5])
    np.testing.assert_array_equal(u, run.u[5])


def test_times(pendulum):
    whole = mbdbench.simulate(pendulum, "dense", times=0.5)
    np.testing.assert_array_equal(whole.x, mbdbench.simulate(pendulum, "dense", times=(0.0, 0.5)).x)
    assert whole.t[0] == 0.0 and whole.t[-1] == 0.5 and len(whole.t) > 3


def test_two_formulations_move_alike(pendulum):
    runs = [mbdbench.simulate(pendulum, word, "ode113", times=[0.0, 0.5, 1.0], tolerance=1e-10) for word in ("dense", "hdca")]
    # Some hundred steps with an error of 1e-10 each, which this motion does not amplify by more than a few.
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-7)


def test_statuses_are_those_of_the_command_line(pendulum):
    early = mbdbench.simulate(pendulum, "dense", times=10.0, max_evaluations=100)
    assert early.status == "evaluation_limit" and not early.ok and early.message and early.t[-1] < 10.0
    coarse = mbdbench.simulate(pendulum, "dense", times=2.0, max_energy_error=1e-12)
    assert coarse.status == "inaccurate" and "energy" in coarse.message


def test_a_prototype_that_fails_ends_the_run_early(arm):
    def fails_late(t, q, u):
        if t > 0.5:
            raise ValueError("too late")
        return -10.0 * q

    mbdbench.add_prototype("fails_late", fails_late)
    run = mbdbench.simulate(arm, "fails_late", times=1.0)
    assert run.status == "rhs_failed" and "ValueError: too late" in run.message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"integrator": "ode46"}, "there is no integrator 'ode46'; did you mean \"ode45\""),
        ({"integrator": "rk2"}, "^step H is missing: integrator 'rk2'"),
        ({"step": 0.1}, "^step: integrator 'ode45' chooses its steps itself; max_step limits them"),
        ({"tolerance": 1e-20, "absolute_tolerance": 1e-6}, "^tolerance 1e-20: must be finite and at least"),
        ({"tolerance": float("nan")}, "nan"),
        ({"absolute_tolerance": {"momentum": 1e-6}}, "^absolute_tolerance: the state has no component of kind momentum"),
        ({"times": [0.0, 1.0, 1.0]}, "times: entry 2 is 1 and not after 1"),
        ({"times": [0.0, float("nan")]}, "times: entry 1 is nan"),
        ({"times": [1.0]}, "times: has one entry"),
        ({"times": 0.0}, "times: entry 1 is 0 and not after 0"),
    ],
)
def test_bad_arguments_are_told_by_their_names(pendulum, arguments, message):
    with pytest.raises(ValueError, match=message):
        mbdbench.simulate(pendulum, "dense", **{"times": 1.0, **arguments})


def test_a_singular_start_warns():
    with pytest.warns(UserWarning, match="singular"):
        mbdbench.simulate(mbdbench.Mechanism.from_key("five_bar:line"), "dense", times=0.01)


LONG = "import mbdbench; print('begins', flush=True); mbdbench.simulate(mbdbench.Mechanism.from_key('pendulum:64'), 'dense', times=1e3)"


def heed_control_c():
    """What a shell starts in the background ignores it, and so does all that is started from there."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_control_c_interrupts():
    with subprocess.Popen(
        [sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_control_c
    ) as process:
        try:
            assert process.stdout.readline() == b"begins\n"
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGINT and b"KeyboardInterrupt" in error


def test_control_c_within_a_prototype_interrupts(arm):
    def interrupted(t, q, u):
        os.kill(os.getpid(), signal.SIGINT)
        return -10.0 * q

    heed_control_c()
    mbdbench.add_prototype("interrupted", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mbdbench.simulate(arm, "interrupted", times=1.0)


def test_other_threads_go_on(pendulum):
    counted = 0
    worker = threading.Thread(target=lambda: mbdbench.simulate(pendulum, "dense", times=20.0, tolerance=1e-9))
    worker.start()
    while worker.is_alive():
        counted += 1
        time.sleep(0.001)
    # A run of a tenth of a second and more that kept the lock would let this loop come round once or twice.
    assert counted > 10


@pytest.mark.skipif("MBDBENCH_PROGRAM" not in os.environ, reason="MBDBENCH_PROGRAM does not name the program")
def test_the_command_line_says_the_same(tmp_path):
    command = [os.environ["MBDBENCH_PROGRAM"], "simulate", "-m", "four_bar", "-f", "dense", "-t", "2", "-o", tmp_path, "--quiet"]
    subprocess.run(command, check=True, capture_output=True)
    run = mbdbench.simulate(mbdbench.Mechanism.from_key("four_bar"), "dense", times=2.0)
    counts = ("status", "message", "nsteps", "nfevals", "samples", "mechanism", "t_end")
    written = json.loads((tmp_path / "statistics.json").read_text())
    assert written.keys() == run.statistics.keys()
    assert {name: written[name] for name in counts} == {name: run.statistics[name] for name in counts}
    # The program may be compiled for another instruction set: what differs is rounding, amplified over two seconds.
    table = mbdbench.records(tmp_path, "trajectory.csv")
    np.testing.assert_allclose(table[run.names].to_numpy(), run.x, atol=1e-9)


def test_a_mechanism_without_freedom_stays():
    weld = """name = "weld"
[[bodies]]
name = "block"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "weld"
type = "fixed"
b = "block"
"""
    run = mbdbench.simulate(mbdbench.Mechanism.from_toml_text(weld), "hdca", times=np.linspace(0.0, 1.0, 5))
    assert run.status == "ok", run.message
    np.testing.assert_array_equal(run.t, np.linspace(0.0, 1.0, 5))
