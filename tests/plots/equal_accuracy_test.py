"""Whole simulations by other engines: what equal_accuracy.py asks, and what it makes of answers, refusals and crashes."""
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples" / "engines")]

try:
    import equal_accuracy
    MISSING = ""
except ImportError as error:
    MISSING = str(error)

# One joint whose angle goes as t^2; an integrator that is off by its control.
FAKE = """
    import sys
    sys.path[:0] = [{folder!r}]
    from engine_protocol import Refused, serve
    def simulate(mechanism, simulation):
        if simulation["integrator"] == "refusing":
            raise Refused("not this one")
        if simulation["integrator"] == "crashing":
            sys.exit(3)
        return [[simulation["q"][0] + t * t + (t > 0) * simulation["control"]] for t in simulation["times"]], 1e-9 / simulation["control"]
    serve("fake 1.0", lambda mechanism: None, simulate=simulate)
"""
MECHANISM = {"mechanism": {"joints": [{"type": "revolute", "cut": False}], "bodies": [{"name": "arm"}]}}


@unittest.skipIf(MISSING, f"needs Python 3.11: {MISSING}")
class EqualAccuracy(unittest.TestCase):
    def _runs(self, integrator, mechanism=None):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "fake.py").write_text(textwrap.dedent(FAKE.format(folder=str(ROOT / "examples" / "engines"))), encoding="utf-8")
            engine = equal_accuracy.Engine(str(Path(folder) / "fake.py"))
            with mock.patch.object(equal_accuracy, "START", [sys.executable]):
                start = {"q": [1.0], "v": [0.0], "joint_forces": [0.0], "times": [0.0, 1.0, 2.0], "springs": []}
                return equal_accuracy.simulations(engine, integrator, [1e-2, 1e-4, 1e-7, 1e-9], mechanism or MECHANISM, start, [5.0], 2, 20.0)

    def test_controls_are_refined_until_the_error_is_met(self):
        name, runs, why = self._runs("exact")
        self.assertEqual((name, why), ("fake 1.0", ""))
        self.assertEqual([control for control, _, _ in runs], [1e-2, 1e-4, 1e-7])
        self.assertAlmostEqual(runs[1][1], 1e-4, delta=1e-12)
        labelled = [("exact", *run) for run in runs]
        self.assertEqual(equal_accuracy.fastest(labelled, 1e-3)[2], 1e-4)
        self.assertEqual(equal_accuracy.fastest(labelled, 1e-6)[2], 1e-7)
        self.assertIsNone(equal_accuracy.fastest(labelled, 1e-8))

    def test_refusals_and_crashes_are_told(self):
        self.assertEqual(self._runs("refusing")[1:], ([], "not this one"))
        self.assertEqual(self._runs("crashing")[1:], ([], "it ended before it answered"))
        ball = {"mechanism": {"joints": [{"type": "spherical", "cut": False}], "bodies": []}}
        self.assertIn("quaternions", self._runs("exact", ball)[2])

    def test_springs_name_bodies_by_number(self):
        spring = {"body1": "ground", "body2": "arm", "point1": [0, 0, 0], "point2": [1, 0, 0], "stiffness": 2.0, "damping": 0.0, "rest": 1.0}
        found = equal_accuracy.springs_of({"point_springs": [spring]}, MECHANISM["mechanism"])
        self.assertEqual((found[0]["a"], found[0]["b"], found[0]["point_b"]), (-1, 0, [1, 0, 0]))

    def test_references_have_ten_intervals_and_the_mechanisms_coordinates(self):
        for name, count in (("bricard", 5), ("squeezer", 7), ("four_bar", 4), ("pendulum_16", 16)):
            times, end = equal_accuracy.reference_of(ROOT / "results" / "reference" / "field" / f"{name}.csv")
            self.assertEqual((len(times), len(end)), (11, count), name)


if __name__ == "__main__":
    unittest.main()
