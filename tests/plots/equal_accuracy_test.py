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
    import engine_protocol
    from engine_protocol import Refused, serve
    # What the protocol's own reader would not let through.
    through, engine_protocol.moved = engine_protocol.moved, lambda mechanism, simulation, own: (
        {{"nothing": None, "list": [], "empty": {{}}}}[simulation["integrator"]] if simulation["integrator"] in ("nothing", "list", "empty")
        else {{"q": own(mechanism, simulation)[0], "seconds": 1.0}} if simulation["integrator"] in ("short", "nan", "words", "many")
        else through(mechanism, simulation, own))
    def simulate(mechanism, simulation):
        if simulation["integrator"] == "refusing":
            raise Refused("not this one")
        if simulation["integrator"] == "crashing":
            sys.exit("no licence")
        bad = {{"short": [[1.0]], "nan": [[1.0], [1.0], [float("nan")]], "words": [[1.0], [1.0], ["five"]], "many": [[5.0, 5.0]] * 3}}
        if simulation["integrator"] in bad:
            return bad[simulation["integrator"]], 1.0
        if simulation["integrator"] == "timeless":
            return [[5.0]] * 3, 0.0
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
        self.assertEqual(self._runs("crashing")[1:], ([], "it ended before it answered (exit code 1, it said: no licence)"))
        ball = {"mechanism": {"joints": [{"type": "spherical", "cut": False}], "bodies": []}}
        self.assertIn("quaternions", self._runs("exact", ball)[2])

    def test_bad_answers_are_no_runs(self):
        for integrator, why in (("short", "1 rows of q, asked for 3"), ("nan", "not finite"), ("words", "not 1 numbers"), ("many", "not 1 numbers"),
                                ("timeless", "seconds are 0.0"), ("nothing", "no object"), ("list", "no object"), ("empty", "no rows")):
            name, runs, reason = self._runs(integrator)
            self.assertEqual((name, runs), ("fake 1.0", []), integrator)
            self.assertIn(why, reason)

    def test_loads_that_the_message_does_not_say_are_refused(self):
        joint = {"name": "hip"}
        self.assertEqual(equal_accuracy.unsaid({"joints": [joint], "joint_loads": [{"name": "drive", "law": 0.033}]}), "")
        for part, word in (({"joint_loads": [{"name": "drive", "law": "sin(t)"}]}, "'drive' is not constant"),
                           ({"joint_springs": [{}]}, "joint springs"), ({"couplings": [{}]}, "couplings"), ({"body_loads": [{}]}, "body loads"),
                           ({"joints": [{"name": "hip", "motions": [{}]}]}, "'hip' is prescribed")):
            self.assertIn(word, equal_accuracy.unsaid({"joints": [joint], **part}))

    def test_a_call_of_a_part_keeps_the_rest_of_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "simulations.csv"
            row = lambda engine, mechanism, seconds: (engine, mechanism, "RK4", "0.01", "1e-07", seconds)
            equal_accuracy.keep(table, [row("ours", "bricard", "1"), row("Simbody 3.7", "bricard", "2"), row("Simbody 3.7", "squeezer", "3")], set())
            equal_accuracy.keep(table, [row("Simbody 3.8", "bricard", "4")], {("simbody", "bricard")})
            lines = table.read_text(encoding="utf-8").splitlines()
            self.assertEqual([line.split(",")[-1] for line in lines], ["seconds", "1", "3", "4"])

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
