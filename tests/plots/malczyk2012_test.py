"""Figures, tables and report of the experiment malczyk2012, from made-up numbers."""
import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

from malczyk2012_figures import FIGURES
from malczyk2012_look import MODELS, PROJECTED, VARIANTS
from malczyk2012_tables import TABLES
from plot_checks import CompleteFigures, InTemporaryDirectory, Page, Readable
from records import COLUMNS
from result_directory import open_results
from synthetic_results import compared_with, write_rows

_LEVELS = ("position", "velocity", "acceleration")
_NUMBERS = {"function_evaluations": 1507, "largest_position_violation": 3e-6, "largest_velocity_violation": 4e-7,
            "largest_acceleration_violation": 5e-8, "largest_energy_error": 2e-4, "smallest_singular_value": 1e-3}


def _record(model, variant, integrator, parameters, quantity, value, published="", verdict="no published value"):
    source = "prototype, not published" if published else ""
    return ["malczyk2012", model, variant, integrator, parameters, quantity, "1", value, *compared_with(published, source), verdict, ""]


def malczyk_records():
    rows = []
    for model in MODELS:
        for variant in VARIANTS:
            rows += [_record(model, variant, "ode45", "tolerance=1e-06;end=10", quantity, value) for quantity, value in _NUMBERS.items()
                     if quantity != "largest_position_violation" or variant != PROJECTED]
            if variant.startswith("dca-alm"):
                rows += [_record(model, variant, "ode45", "tolerance=1e-06;end=10", f"{what}_{level}_iterations", value)
                         for level in _LEVELS for what, value in (("mean", 3.21), ("most_regular", 4), ("most_singular", 10))]
        rows.append(_record(model, PROJECTED, "ode45", "tolerance=1e-06;end=10", "largest_position_violation", 1.1e-16, 3e-16, "trend only"))
        for quantity in ("function_evaluations", "largest_position_violation", "largest_energy_error", *(f"mean_{level}_iterations" for level in _LEVELS)):
            rows.append(_record(model, "dca-alm-proj[alpha=1e5]", "ode45", "tolerance=1e-06;end=10;sweep=penalty", quantity, 4.25))
    rows += [_record("loop:17", PROJECTED, "", "bodies=16", f"{level}_iterations", 4) for level in _LEVELS]
    return rows


def _timings():
    for place, variant in enumerate(VARIANTS):
        yield _record("loop:17", variant, "", "bodies=16", "time_per_evaluation_and_body", (5 + place) * 1e-7)
    yield _record("loop:17", PROJECTED, "", "bodies=16", "time_per_projection_and_body", 1.5e-6)


def write_malczyk(directory):
    """A complete result directory."""
    write_rows(directory / "records.csv", COLUMNS, malczyk_records())
    write_rows(directory / "timings.csv", COLUMNS, list(_timings()))
    (directory / "provenance.json").write_text(json.dumps({"version": "0.1.0"}))
    columns = ["experiment", "source", "statement", "criterion", "measured", "verdict"]
    write_rows(directory / "claims.csv", columns,
               [["malczyk2012", "Malczyk2012, sect. 4.4", "Four are enough.", "at most four", "4.05", "holds in part"]])
    write_rows(directory / "timing_claims.csv", columns,
               [["malczyk2012", "Malczyk2012, sect. 4.4", "It is O(k n).", "no growth", "1 ms", "holds"]])
    names = ["t", "energy_error", "position_violation", "velocity_violation", "smallest_singular_value", "acceleration_violation",
             "position_iterations", "velocity_iterations", "acceleration_iterations"]
    for name, _ in MODELS.values():
        for place, (variant, *_) in enumerate(VARIANTS.values()):
            rows = [[t / 10, -1e-5 * t, 10.0**-place * 1e-6 * t, 1e-7 * t, abs(t - 50) * 1e-3, 1e-8 * t, 3, 2, 4] for t in range(101)]
            write_rows(directory / "trajectories" / f"{name}_{variant}.csv", names, rows)


class Complete(CompleteFigures, Readable):
    FIGURES = FIGURES
    WIDTHS_MM = (180,)
    write = staticmethod(write_malczyk)

    def test_tables_hold_the_numbers(self):
        tables = self.directory / "tables"
        accuracy = (tables / "malczyk2012_accuracy.tex").read_text()
        self.assertIn(r"rhombus & projections & $10$ & $1507$ & $1.1\times10^{-16}$ & $4\times10^{-7}$", accuracy)
        self.assertIn(r"& $3\times10^{-16}$ & -- & -- \\", accuracy)
        self.assertIn(r"rect & projections & velocity & $3.21$ & $4$ & $10$", (tables / "malczyk2012_iterations.tex").read_text())
        self.assertIn(r"& $4.25$", (tables / "malczyk2012_penalties.tex").read_text())
        self.assertIn(r"& $1500$ & $4$ & $4$", (tables / "malczyk2012_cost.tex").read_text())
        for definition in TABLES:
            rows = [line for line in (tables / f"malczyk2012_{definition.name}.tex").read_text().splitlines() if line.endswith(r"\\")]
            self.assertGreater(len(rows), 1, definition.name)
            self.assertEqual(len({line.count(" & ") for line in rows}), 1, definition.name)

    def test_report_shows_claims_and_tables(self):
        page = Page((self.directory / "report.html").read_text())
        self.assertEqual(len(page.images), len(FIGURES))
        for text in ("Four are enough.", "holds in part", *(table.title for table in TABLES)):
            self.assertIn(text, page.text)


class Incomplete(InTemporaryDirectory):
    def test_failed_runs_leave_gaps(self):
        write_malczyk(self.directory)
        rows = [row for row in malczyk_records() if not (row[1] == "coupled_loops" and row[2] == "hdca")]
        rows.append(["malczyk2012", "coupled_loops", "hdca", "ode45", "tolerance=1e-06;end=10", "function_evaluations", "1", "", "", "", "", "", "", "failed", "step too small"])
        write_rows(self.directory / "records.csv", COLUMNS, rows)
        results = open_results(self.directory)
        captions = {definition.name: definition.caption(results) for definition in FIGURES}
        self.assertIn("(not recorded)", captions["energy_error"])
        for definition in TABLES:
            definition.rows(results)


if __name__ == "__main__":
    unittest.main()
