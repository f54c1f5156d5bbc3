"""Figures of the worked examples of gradients, from curves that are made up here."""
import math
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

import worked_examples
from plot_checks import CompleteFigures, InTemporaryDirectory, Readable, run_make_all
from reading.records import COLUMNS
from reading.result_directory import open_results

MARKERS = ("masses_from_a_marker", "links_of_a_four_bar")
STEPS = [0.02 * k for k in range(41)]


def write_example(directory, name, curves, **numbers):
    """Curves: functions of the time. Adds its numbers to the records."""
    folder = directory / "trajectories"
    folder.mkdir(exist_ok=True)
    rows = [",".join(["t", *curves]), *(",".join(map(repr, [t, *(curve(t) for curve in curves.values())])) for t in STEPS)]
    (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")
    records = directory / "records.csv"
    known = records.read_text() if records.exists() else ",".join(COLUMNS) + "\n"
    own = [f"worked_examples,{name},aba,rk4,,{quantity},1,{value},,,,,,no published value," for quantity, value in numbers.items()]
    records.write_text(known + "\n".join(own) + "\n")


def write_marker(directory, name):
    curves = {f"{curve}_{axis}": (lambda t, shift=shift, turn=turn: shift + turn(3.0 * t))
              for curve, shift in (("seen", 0.0), ("guessed", 0.2), ("found", 0.01)) for axis, turn in (("x", math.cos), ("y", math.sin), ("z", math.sin))}
    write_example(directory, name, curves, numbers=6, iterations=21, gradients=30, objective_at_start=2.5, objective_at_end=1e-24, parameter_error=3e-12)


def write_all(directory):
    for name in MARKERS:
        write_marker(directory, name)
    write_example(directory, "cart_pole_swing_up", {"force": lambda t: 9.0 * math.sin(9.0 * t), "cart": lambda t: 0.1 * t, "pole": lambda t: 3.1 - 4.0 * t},
                  numbers=11, iterations=80, gradients=95, objective_at_start=40, objective_at_end=0.1, end_error=2e-3)
    places = {"tool": (0.1, 0.5), "guessed": (0.0, 0.45), "left_elbow": (-0.4, 0.3), "right_elbow": (0.4, 0.3)}
    curves = {f"{name}_{axis}": (lambda t, start=start: start + 0.1 * t) for name, place in places.items() for axis, start in zip("xy", place)}
    write_example(directory, "five_bar_point_to_point", {**curves, "left_motor": lambda t: -t, "right_motor": lambda t: 2.0 * t},
                  numbers=18, iterations=80, gradients=95, objective_at_start=40, objective_at_end=0.1, end_error=2e-3)
    (directory / "provenance.json").write_text('{"format": 1}\n')


class AllFigures(CompleteFigures, Readable):
    FIGURES = worked_examples._FIGURES
    write = staticmethod(write_all)

    def test_captions_have_the_numbers_of_this_run(self):
        results = open_results(self.directory)
        captions = {figure.name: figure.caption(results) for figure in worked_examples.figures_of(results)}
        self.assertIn("6 numbers, 21 iterations, 30 gradients; the objective falls from 2.5 to 1·10⁻²⁴", captions["masses_from_a_marker"])
        self.assertIn("largest relative error of a number 3·10⁻¹²", captions["links_of_a_four_bar"])
        self.assertIn("within 0.002 m and rad of zero", captions["cart_pole_swing_up"])
        self.assertIn("ends 0.002 m from where it is wanted", captions["five_bar_point_to_point"])

    def test_what_is_drawn_are_the_curves(self):
        results = open_results(self.directory)
        figures = {figure.name: figure.draw(results) for figure in worked_examples.figures_of(results)}
        seen = next(line for line in figures["masses_from_a_marker"].axes[0].lines if line.get_label() == "seen")
        self.assertEqual(len(seen.get_xdata()), 9, "every fifth of 41 steps")
        self.assertAlmostEqual(seen.get_ydata()[1], math.sin(0.3))
        arms = figures["five_bar_point_to_point"].axes[0].lines[1]
        self.assertAlmostEqual(arms.get_ydata()[2], 0.5 + 0.1 * STEPS[-1], msg="the tool at the end")


class SomeFigures(InTemporaryDirectory):
    def test_examples_that_were_not_run_are_left_out(self):
        write_marker(self.directory, MARKERS[0])
        (self.directory / "provenance.json").write_text('{"format": 1}\n')
        code, output, errors = run_make_all(self.directory)
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("figures/masses_from_a_marker.pdf", output)
        self.assertEqual(len(list((self.directory / "figures").glob("*.png"))), 1)

    def test_curves_that_are_damaged_are_named(self):
        write_marker(self.directory, MARKERS[0])
        file = self.directory / "trajectories" / f"{MARKERS[0]}.csv"
        file.write_text(file.read_text().replace("found_x", "lost"))
        code, _, errors = run_make_all(self.directory)
        self.assertEqual(code, 1)
        self.assertIn("no column found_x", errors)


if __name__ == "__main__":
    unittest.main()
