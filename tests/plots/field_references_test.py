"""The frozen references of the field's problems are what their solvers still say; each is held against something else."""
import csv
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "experiments" / "studies" / "references")]

try:
    import mpmath
    import numpy as np

    import elliptic_motions
    import small_equations
    from field_references import FROZEN, PROBLEMS, SAMPLES, apart
    from gauss_collocation import REAL, integrate, solve
    MISSING = ""
except (ImportError, SystemExit) as error:
    MISSING = str(error)


def _frozen(name):
    with (FROZEN / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(line for line in stream if not line.startswith("#")))
    return [[float(value) for value in row[2:]] for row in rows[1:SAMPLES + 2]]


@unittest.skipIf(MISSING, f"needs mpmath and numpy: {MISSING}")
class FieldReferences(unittest.TestCase):
    def _times(self, name):
        return [PROBLEMS[name].end * k / SAMPLES for k in range(SAMPLES + 1)]

    def test_collocation_has_its_order(self):
        # A circle. Order 16: half the step, 1/65536 of the error.
        errors = [abs(float(integrate(lambda _, y: np.array([-y[1], y[0]]), [1, 0], [0, 8], steps, stiff=True)[-1][0] - np.cos(REAL(8))))
                  for steps in (2, 4)]
        self.assertGreater(errors[0] / errors[1], 2**14)
        self.assertLess(errors[1], 1e-11)

    def test_stiff_stages_are_solved_by_newtons_method(self):
        def rate(_, y):
            return np.array([-1e5 * (y[0] - np.cos(y[1])), REAL(1)])
        with self.assertRaises(ArithmeticError):
            integrate(rate, [1, 0], [0, 1], 20)
        # The slow solution: cos t + 1e-5 sin t + O(1e-10).
        end = integrate(rate, [1, 0], [0, 1], 20, stiff=True)[-1]
        self.assertAlmostEqual(float(end[0]), np.cos(1.0) + 1e-5 * np.sin(1.0), delta=1e-9)

    def test_elimination_solves_with_pivots(self):
        matrix = np.array([[REAL(0), REAL(2)], [REAL(3), REAL(1)]])
        self.assertEqual([float(x) for x in solve(matrix, np.array([REAL(4), REAL(5)]))], [1.0, 2.0])

    def test_elliptic_functions_and_an_equation_are_the_same_motion(self):
        times = self._times("n_four_bar_3")
        exact = elliptic_motions.n_four_bar(3)(times, 0)
        self.assertLess(apart(exact, small_equations.n_four_bar(3)(times, 60)), 1e-14)
        # The angle's equation itself, at the end: bars turn ever on.
        self.assertLess(float(exact[-1][0]), -20.0)

    def test_frozen_numbers_are_made_anew(self):
        # Those that take seconds; field_references.py --check has them all.
        for name in ("point_pendulum", "n_four_bar_10", "car_axis", "lagrange_top"):
            way = PROBLEMS[name].ways[0]
            found = way.solve(self._times(name), way.steps)
            quaternion = PROBLEMS[name].quaternions
            for row, frozen in zip(found, _frozen(name)):
                sign = -1 if quaternion and sum(float(x) * y for x, y in zip(row, frozen)) < 0 else 1
                self.assertLess(max(abs(sign * float(x) - y) for x, y in zip(row, frozen)), 1e-14, name)


if __name__ == "__main__":
    unittest.main()
