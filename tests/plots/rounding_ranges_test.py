"""Which numbers depend on rounding, from results of several builds."""
import contextlib
import io
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

import rounding_ranges
from reading.csv_rows import read_csv_rows
from plot_checks import InTemporaryDirectory
from reading.records import COLUMNS
from synthetic_results import record, write_rows


class Ranges(InTemporaryDirectory):
    def build(self, name, evaluations, drift, verdict="no published value"):
        directory = self.directory / name
        write_rows(directory / "records.csv", COLUMNS, [
            record("dca", "ode45", "tolerance=1e-06", "evaluations", evaluations, verdict=verdict),
            record("dca", "ode45", "tolerance=1e-06", "position_drift", drift, "m"),
            record("dca", "ode45", "tolerance=1e-06", "kinetic_energy", 5.0, "J")])
        (directory / "provenance.json").write_text(json.dumps({"compiler": "GNU 12", "flags": "-O3", "cpu": name}))
        return directory

    def ranges(self, reference, *builds):
        """Of a reference and other builds; rounding.csv lies in the reference's folder."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = rounding_ranges.main([str(reference), *map(str, builds)])
        return code, output.getvalue()

    def rows(self):
        columns, rows = read_csv_rows(self.directory / "a" / "rounding.csv")
        self.assertEqual(columns, rounding_ranges.COLUMNS)
        return [fields for _, fields in rows]

    def test_what_differs_is_listed_with_its_range(self):
        code, output = self.ranges(self.build("a", 805, 1e-5), self.build("b", 811, 1.001e-5), self.build("c", 799, 1e-5))
        self.assertEqual(code, 0, output)
        [row] = self.rows()
        self.assertEqual(row[4:], ["evaluations", "799.0", "811.0", "3", "no"])
        self.assertIn("# GNU 12, -O3, b", (self.directory / "a" / "rounding.csv").read_text())

    def test_errors_by_their_ratio_and_missing_ones(self):
        code, output = self.ranges(self.build("a", 805, 1e-5), self.build("b", 805, 2e-5))
        self.assertEqual([row[4:7] for row in self.rows()], [["position_drift", "1e-05", "2e-05"]])
        self.assertEqual(self.ranges(self.build("a", 805, 1e-15), self.build("b", 805, 2e-14))[0], 0)
        self.assertEqual(self.rows(), [], "rounding itself")
        self.ranges(self.build("a", 805, 1e-5), self.build("b", "", 1e-5, "failed"))
        self.assertEqual([row[4:] for row in self.rows()], [["evaluations", "805.0", "805.0", "2", "yes"]])

    def test_tolerances_that_differ_in_the_seventh_digit_are_samples_too(self):
        for name, values in (("a", (805, 850)), ("b", (811, 790))):
            write_rows(self.directory / name / "records.csv", COLUMNS, [
                record("dca", "ode45", f"tolerance={tolerance}", "evaluations", value) for tolerance, value in zip(("1e-06", "9.99999e-07"), values)])
            (self.directory / name / "provenance.json").write_text("{}")
        self.assertEqual(self.ranges(self.directory / "a", self.directory / "b")[0], 0)
        self.assertEqual([row[5:8] for row in self.rows()], [["790.0", "850.0", "4"]] * 2)

    def test_perturbed_runs_are_samples_of_errors(self):
        write_rows(self.directory / "p" / "records.csv", COLUMNS, [record("dca", "ode45", "tolerance=1.000002e-06", "position_drift", 9e-5, "m")])
        (self.directory / "p" / "provenance.json").write_text("{}")
        builds = self.build("a", 805, 1e-5), self.build("b", 805, 1e-5)
        self.ranges(*builds)
        self.assertEqual(self.rows(), [])
        self.ranges(*builds, "--perturbed", self.directory / "p")
        self.assertEqual([row[4:8] for row in self.rows()], [["position_drift", "1e-05", "9e-05", "3"]])

    def test_ranges_are_widened_by_builds_of_another_machine(self):
        reference = self.build("a", 805, 1e-5)
        self.ranges(reference, self.build("b", 811, 2e-5))
        code, output = self.ranges(reference, self.build("c", 799, 1e-5), "--widen")
        self.assertEqual(code, 0, output)
        self.assertEqual([row[4:] for row in self.rows()], [["evaluations", "799.0", "811.0", "3", "no"], ["position_drift", "1e-05", "2e-05", "2", "no"]])
        comments = [line[-1] for line in (reference / "rounding.csv").read_text().splitlines() if line.startswith("#")]
        self.assertEqual(comments, ["a", "b", "c"], "every build is named once")
        self.ranges(reference, self.directory / "c")
        self.assertEqual([row[5:8] for row in self.rows()], [["799.0", "805.0", "2"]], "without the option the file is made anew")

    def test_a_build_without_a_number_of_the_reference_is_named(self):
        reference = self.build("a", 805, 1e-5)
        write_rows(self.directory / "b" / "records.csv", COLUMNS, [record("dca", "ode45", "tolerance=1e-06", "evaluations", 805)])
        code, output = self.ranges(reference, self.directory / "b")
        self.assertEqual(code, 2)
        self.assertIn("position_drift", output)
