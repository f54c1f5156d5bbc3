"""The scripts of python/examples, run as a user runs them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def output_of(script, directory, *arguments):
    done = subprocess.run([sys.executable, EXAMPLES / script, *arguments], cwd=directory, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_compare_two_formulations(tmp_path, arm):
    for arguments in ([], ["arm.toml"]):
        (tmp_path / "arm.toml").write_text(arm.to_toml())
        rows = [line.split() for line in output_of("compare_two_formulations.py", tmp_path, *arguments).splitlines()[-6:]]
        assert [row[0] for row in rows] == 3 * ["dca"] + 3 * ["hdca"]
        # Four orders of the tolerance leave at least two in the error, whatever the motion does with it.
        assert float(rows[2][-1]) < 1e-2 * float(rows[0][-1]) and float(rows[5][-1]) < 1e-2 * float(rows[3][-1])


def test_prototype_checked_against_dense(tmp_path):
    said = output_of("prototype_checked_against_dense.py", tmp_path)
    assert "lagrange on pendulum:bodies=5: passed" in said
    assert "without_centrifugal_terms on pendulum:bodies=5: FAILED" in said
    assert float(said.split()[-2]) < 1e-8  # the same steps; rounding, amplified over 2 s


def test_figure_for_a_paper(tmp_path):
    pytest.importorskip("matplotlib")
    output_of("figure_for_a_paper.py", tmp_path, "figure.pdf")
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")


def test_masses_from_a_marker(tmp_path):
    pytest.importorskip("scipy")
    said = output_of("masses_from_a_marker.py", tmp_path)
    # The data have no noise: what is left is where the optimiser stops.
    assert float(said.split()[-1]) < 1e-8


def test_links_of_a_four_bar(tmp_path):
    pytest.importorskip("scipy")
    said = output_of("links_of_a_four_bar.py", tmp_path)
    assert float(re.search(r"differences of 113 bits: (\S+)", said).group(1)) < 1e-12
    # As above; the run and its gradient have the same rounding.
    assert float(said.split()[-1]) < 1e-10


def test_cart_pole_swing_up(tmp_path):
    pytest.importorskip("scipy")
    said = output_of("cart_pole_swing_up.py", tmp_path)
    end = next(line for line in said.splitlines() if line.startswith("at the end"))
    assert all(abs(float(number)) < 0.01 for number in re.findall(r"-?\d\.\d+e[-+]\d+", end)), end
    # Steps of 0.02 s of order 4, over a motion that leaves an upright position.
    assert float(said.split()[-2]) < 0.01


def test_five_bar_point_to_point(tmp_path):
    pytest.importorskip("scipy")
    said = output_of("five_bar_point_to_point.py", tmp_path)
    error = float(re.search(r"differences of 113 bits: (\S+)", said).group(1))
    assert error < 1e-12  # rounding of the run and of its adjoint
    assert float(re.search(r"costs (\S+) runs", said).group(1)) < 12.0  # 4 to 5, on a machine that others use
    away, speed = (float(number) for number in re.findall(r"-?\d\.\d+e[-+]\d+", said.splitlines()[-2]))
    assert away < 0.01 and speed < 0.1
    # Steps of 0.02 s of order 4.
    assert float(said.split()[-2]) < 1e-3
