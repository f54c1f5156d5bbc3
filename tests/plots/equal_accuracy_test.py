"""Whole simulations by other engines: what equal_accuracy.py asks, and what it makes of answers, refusals and crashes."""
import contextlib
import csv
import io
import json
import math
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
    asked = []
    def simulate(mechanism, simulation):
        if simulation["integrator"] == "refusing":
            raise Refused("not this one")
        if simulation["integrator"] == "crashing":
            sys.exit("the licence has run out")
        if simulation["integrator"] == "once" and asked.append(0) or len(asked) > 1:
            raise RuntimeError("not twice")
        return [[simulation["q"][0] + t * t + (t > 0) * simulation["control"]] for t in simulation["times"]], 1e-9 / simulation["control"]
    serve("fake 1.0", lambda mechanism: None, simulate=simulate)
"""
MECHANISM = {"mechanism": {"joints": [{"type": "revolute", "cut": False}], "bodies": [{"name": "arm"}]}}
START = {"q": [1.0], "v": [0.0], "joint_forces": [0.0], "times": [0.0, 1.0, 2.0], "springs": []}
# In the place of mbdbench: a study of nothing, and bars whose angles stay.
PROGRAM = """#!{python}
import json, pathlib, sys
if sys.argv[1] == "study":
    folder = pathlib.Path(sys.argv[sys.argv.index("--output") + 1])
    folder.mkdir(exist_ok=True)
    for name in ("records.csv", "timings.csv"):
        (folder / name).write_text("mechanism,formulation,integrator,parameters,quantity,value,note\\n")
    {ends}
elif sys.argv[-1] == "toml":
    print({toml!r})
else:
    print(json.dumps({{"mechanism": {{"joints": [], "bodies": []}}}}))
    print(json.dumps({{"q": [], "v": [], "joint_forces": []}}))
"""
# Joints of four_bar that stand still.
STILL = """
    import sys
    sys.path[:0] = [{folder!r}]
    from engine_protocol import serve
    serve("still 1.0", lambda mechanism: None, simulate=lambda mechanism, asked: ([[0.0] * 4 for _ in asked["times"]], 1e-3))
"""


@unittest.skipIf(MISSING, f"needs Python 3.11: {MISSING}")
class EqualAccuracy(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)

    def _engine(self, text):
        file = self.folder / "fake.py"
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return equal_accuracy.Engine(str(file), ("an integrator",))

    def _asked(self, engine, integrator="", mechanism=None, patience=20.0):
        with mock.patch.object(equal_accuracy, "START", [sys.executable]):
            controls = [1e-2, 1e-4, 1e-7, 1e-9]
            return equal_accuracy.simulations(engine, integrator, controls, mechanism or MECHANISM, START, [5.0], 2, patience)

    def _runs(self, integrator, mechanism=None):
        return self._asked(self._engine(FAKE.format(folder=str(ROOT / "examples" / "engines"))), integrator, mechanism)

    def _answers(self, *lines):
        """(runs, why) of an engine that takes the mechanism, then answers with these lines."""
        lines = [json.dumps({"engine": "fake 1.0"}), *lines]
        return self._asked(self._engine(f"import sys\nfor line, _ in zip({lines!r}, sys.stdin):\n    print(line, flush=True)\n"))[1:]

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
        self.assertEqual(self._runs("crashing")[1:], ([], "it ended before it answered (exit status 1): the licence has run out"))
        ball = {"mechanism": {"joints": [{"type": "spherical", "cut": False}], "bodies": []}}
        self.assertIn("quaternions", self._runs("exact", ball)[2])

    def test_a_motion_with_something_missing_is_no_exact_one(self):
        def motion(rows, seconds=1e-3):
            return json.dumps({"q": rows, "seconds": seconds})
        exact = [[1.0], [2.0], [5.0]]
        for answer, words in ((motion(exact[:2]), '2 rows in "q"; there must be 3'), (motion(None), 'no rows in "q"'),
                              (motion([[1.0], [2.0], []]), '"q" at 2 s that is not 1 finite'),
                              (motion([[1.0], [2.0], [math.nan]]), "at 2 s"),
                              (motion([[1.0], [None], [5.0]]), "at 1 s"), (motion([[1.0], [2.0], [5.0, 0.0]]), "at 2 s"),
                              (motion([[1.0], [2.0], 5.0]), "at 2 s"), (motion(exact, 0.0), '"seconds": 0.0; there must be'),
                              (motion(exact, math.nan), '"seconds": NaN'), (motion(exact, None), '"seconds": null'),
                              ("{}", 'no rows in "q"')):
            runs, why = self._answers(*[answer] * 4)
            self.assertEqual(runs, [], answer)
            self.assertIn(words, why)
        self.assertEqual(self._answers("{}", motion(exact), motion(exact))[0], [(1e-4, 0.0, 1e-3)], "a bad answer costs its own run alone")

    def test_what_is_no_answer_ends_the_engine_and_not_the_comparison(self):
        for line in ("Warning: unstable", "null", "[1, 2]", "3"):
            runs, why = self._answers(line, json.dumps({"q": [[1.0], [2.0], [5.0]], "seconds": 1e-3}))
            self.assertEqual((runs, why.split(",")[0]), ([], f"it answered '{line.split(',')[0]}" + ("" if "," in line else "'")))
        for line in ("{}", '{"engine": 3}'):
            name, runs, why = self._asked(self._engine(f"print({line!r}, flush=True)\ninput()"))
            self.assertEqual((name, runs), ("", []))
            self.assertIn("without its name", why)
        self.assertIn("no answer after 0.2 s", self._asked(self._engine("import time\ntime.sleep(60)"), patience=0.2)[2])
        self.assertIn("signal 11", self._asked(self._engine("import os\ninput()\nos.kill(os.getpid(), 11)"))[2])

    def test_a_failed_repetition_keeps_the_run_before_it(self):
        _, runs, why = self._runs("once")
        self.assertEqual([control for control, _, _ in runs], [1e-2])
        self.assertEqual(why, "RuntimeError not twice")
        good = json.dumps({"q": [[1.0], [2.0], [5.0]], "seconds": 1e-3})
        self.assertEqual(self._answers(good)[0], [(1e-2, 0.0, 1e-3)], "nor does the engine's end lose it")

    def test_what_no_engine_is_told_is_named(self):
        plain = {"name": "m", "bodies": [], "markers": [], "point_springs": [{}], "joints": [{"name": "a"}, {"name": "c", "cut": True}],
                 "joint_loads": [{"name": "push", "joint": "a", "law": 2.0}]}
        self.assertEqual(equal_accuracy.untold(plain), [])
        for change, words in (({"joint_springs": [{}]}, "[[joint_springs]]"), ({"body_loads": [{}]}, "[[body_loads]]"),
                              ({"couplings": [{}]}, "[[couplings]]"),
                              ({"joints": [{"name": "a", "motions": [{}]}]}, "motions of joint 'a'"),
                              ({"joint_loads": [{"name": "push", "joint": "a", "law": "t"}]}, "'push', which is not constant"),
                              ({"joint_loads": [{"name": "push", "joint": "a", "law": {"x": [0.0], "y": [0.0]}}]}, "not constant"),
                              ({"joint_loads": [{"name": "push", "joint": "c", "law": 2.0}]}, "'push' of a cut joint")):
            self.assertIn(words, " ".join(equal_accuracy.untold({**plain, **change})))

    def _call(self, ends="", toml='name = "m"\njoints = []', engines=("still",), mechanisms=("four_bar",), built=True):
        """Rows of simulations.csv (without the header), and what was printed, of main with a fake program and engines."""
        program = self.folder / "program"
        if built:
            program.write_text(PROGRAM.format(python=sys.executable, ends=ends, toml=toml), encoding="utf-8")
            program.chmod(0o755)
        still = self._engine(STILL.format(folder=str(ROOT / "examples" / "engines")))
        (self.folder / "gone.py").write_text("print('{', flush=True)", encoding="utf-8")
        known = {"still": still, "other": still, "gone": equal_accuracy.Engine(str(self.folder / "gone.py"), ("any",))}
        words = ["equal_accuracy", "--program", str(program), "--output", str(self.folder / "out"), "--engines", *engines, "--mechanisms",
                 *mechanisms]
        with mock.patch.object(equal_accuracy, "START", [sys.executable]), mock.patch.object(equal_accuracy, "ENGINES", known), \
                mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(io.StringIO()) as printed:
            equal_accuracy.main()
        with (self.folder / "out" / "simulations.csv").open(encoding="utf-8") as stream:
            return list(csv.reader(stream))[1:], printed.getvalue()

    def test_rows_that_a_call_does_not_make_stay(self):
        first, _ = self._call(engines=["still"])
        self.assertEqual({(row[0], row[1], row[2]) for row in first}, {("still", "still 1.0", "four_bar")})
        both, printed = self._call(engines=["gone", "other"])
        self.assertEqual([row for row in both if row[0] == "still"], first)
        self.assertEqual({row[0] for row in both}, {"still", "other"})
        self.assertIn("still on four_bar", printed)
        self.assertIn("it answered '{'", printed)
        again, _ = self._call(engines=["still", "gone", "other"])
        self.assertEqual(sorted(again), sorted(both))
        (self.folder / "out" / "simulations.csv").write_text("engine,mechanism\n", encoding="utf-8")
        with self.assertRaisesRegex(SystemExit, "begins with 'engine,mechanism' and not"):
            self._call()

    def test_what_was_made_is_written_before_the_next_engine_is_asked(self):
        written = []
        simulations = equal_accuracy.simulations

        def spied(engine, *rest):
            written.append((self.folder / "out" / "simulations.csv").read_text(encoding="utf-8").count("still"))
            if len(written) > 1:
                raise KeyboardInterrupt
            return simulations(engine, *rest)
        with mock.patch.object(equal_accuracy, "simulations", spied), self.assertRaises(KeyboardInterrupt):
            self._call(engines=["still", "other"])
        self.assertEqual(written[0], 0)
        self.assertGreater(written[1], 0)

    def test_loads_that_engines_are_not_told_of_refuse_the_mechanism(self):
        rows, printed = self._call(toml='name = "m"\njoints = []\nbody_loads = [{name = "wind"}]')
        self.assertEqual(rows, [])
        self.assertIn("no engine is told of [[body_loads]]", printed)

    def test_a_study_that_was_killed_and_what_is_not_there_are_one_line(self):
        with self.assertRaisesRegex(SystemExit, "did not come to its end .signal 9"):
            self._call(ends="import os; os.kill(os.getpid(), 9)")
        with self.assertRaisesRegex(SystemExit, "exit status 2"):
            self._call(ends="sys.exit(2)")
        self._call(ends="sys.exit(1)")  # a failed run is a result
        (self.folder / "program").unlink()
        with self.assertRaisesRegex(SystemExit, "no program .*program; .cmake"):
            self._call(built=False)
        with self.assertRaisesRegex(SystemExit, "nothing.csv cannot be read"):
            equal_accuracy.reference_of(self.folder / "nothing.csv")
        (self.folder / "empty.csv").write_text("way,t,q.a\n", encoding="utf-8")
        with self.assertRaisesRegex(SystemExit, "empty.csv cannot be read"):
            equal_accuracy.reference_of(self.folder / "empty.csv")

    def test_lines_that_are_wrong_are_answered_in_python_too(self):
        engine = self._engine(FAKE.format(folder=str(ROOT / "examples" / "engines")))
        with mock.patch.object(equal_accuracy, "START", [sys.executable]), equal_accuracy.Program(engine.program, 20.0) as program:
            def failure(message):
                with self.assertRaises(equal_accuracy.Unanswered) as raised:
                    program.ask(message)
                return str(raised.exception)
            for message in ({}, {"simulate": START}, None, 3):
                self.assertTrue(failure(message))
            self.assertEqual(program.ask(MECHANISM)["engine"], "fake 1.0")
            for times in ([], [0.0], [0.0, 0.0], [1.0, 0.5]):
                self.assertIn("two or more that increase", failure({"simulate": {**START, "times": times}}))
            self.assertIn("integrator", failure({"simulate": START}))
            self.assertFalse(program.lost)

    def test_installed_engines_end_where_they_do_whatever_the_times(self):
        unit, zero = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0, 0.0, 0.0]
        frame, joint = {"position": zero, "rotation": unit}, {"name": "pivot", "type": "revolute", "cut": False, "a": -1, "b": 0}
        joint |= {"q": [0, 1], "v": [0, 1], "frame_a": frame, "frame_b": frame, "axis": unit[1], "axis2": unit[0], "pitch": 0.0}
        joint |= {"normal1": unit[2], "normal2": unit[0]}
        rod = {"name": "rod", "mass": 1.0, "com": [0.5, 0.0, 0.0], "inertia": [[0.01, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]]}
        mechanism = {"mechanism": {"name": "pendulum", "gravity": [0.0, 0.0, -9.81], "q_size": 1, "v_size": 1, "bodies": [rod],
                                   "joints": [joint]}}
        for key, integrator, control in (("simbody", "RungeKuttaMerson", 1e-6), ("pinocchio", "fehlberg78", 1e-6), ("mujoco", "RK4", 1e-3),
                                         ("drake", "runge_kutta5", 1e-6), ("exudyn", "DOPRI5", 1e-6)):
            with self.subTest(key), equal_accuracy.Program(equal_accuracy.ENGINES[key].program, 60.0) as program:
                try:
                    program.ask(mechanism)
                except equal_accuracy.Unanswered as why:
                    self.skipTest(str(why))
                ends = []
                for times in ([0.0, 0.5, 1.0], [0.0, 0.9, 1.0], [5.0, 5.1, 6.0]):
                    message = {**START, "q": [0.1], "times": times, "integrator": integrator, "control": control}
                    rows = program.ask({"simulate": message})["q"]
                    self.assertEqual(len(rows), 3)
                    ends.append(rows[-1][0])
                self.assertGreater(ends[0], 1.0)
                self.assertLess(max(ends) - min(ends), 1e-3, str(ends))

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
