"""Figures, tables and report of the experiment chadaj2017."""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

from chadaj2017_figures import FIGURES
from chadaj2017_look import CASES, INTEGRATORS, VARIANTS
from chadaj2017_tables import TABLES
from input_error import InputError
from plot_checks import CompleteFigures, InTemporaryDirectory, Page, Readable
from records import COLUMNS
from result_directory import open_results
from synthetic_loops import loop_records, write_loops
from synthetic_results import write_rows


class CompleteLoops(CompleteFigures, Readable):
    FIGURES = FIGURES
    WIDTHS_MM = (180,)
    write = staticmethod(write_loops)

    def test_work_precision_shows_every_run_unchanged(self):
        results = open_results(self.directory)
        [definition] = [definition for definition in FIGURES if definition.name == "work_precision"]
        lines = [line for axes in definition.draw(results).axes for line in axes.get_lines()]
        self.assertEqual(len(lines), len(CASES) * len(INTEGRATORS) * len(VARIANTS))
        self.assertTrue(all(len(line.get_xdata()) == 3 for line in lines))
        self.assertIn((1.1e-6, round(11 * 1e-6**-0.25)), {pair for line in lines for pair in zip(line.get_xdata(), line.get_ydata())})

    def test_tables_hold_the_numbers(self):
        tables = self.directory / "tables"
        expected = (tables / "chadaj2017_expected.tex").read_text()
        self.assertIn(r"steps & four\_bar & dca & ode45 & tolerance = 1e-05 & $133$ & $133$ & exact \\", expected)
        gauge = (tables / "chadaj2017_gauge_control.tex").read_text()
        self.assertIn(r"case 1: four bodies & ode45 & HDCA & body & leak 5 1/s & $2023$ & $1.5\times10^{-6}$", gauge)
        self.assertIn(r"DCA &  & leak 5 1/s & $2023$ & $1.5\times10^{-6}$ & -- &", gauge)
        self.assertIn("& $12.3$ & $12.3$ & $12.3$", (tables / "chadaj2017_table2_wall_time.tex").read_text())
        claims = (tables / "chadaj2017_claims.tex").read_text()
        self.assertIn(r"HDCA is 100 \% better. & smaller in all cases & case 1: 1 \& 2 J & holds in part \\", claims)
        for definition in TABLES:
            rows = [line for line in (tables / f"chadaj2017_{definition.name}.tex").read_text().splitlines() if line.endswith(r"\\")]
            self.assertEqual(len({line.count(" & ") for line in rows}), 1, definition.name)

    def test_report_shows_claims_and_tables(self):
        page = Page((self.directory / "report.html").read_text())
        self.assertEqual(len(page.images), len(FIGURES))
        for text in ("HDCA is 100 % better.", "does not hold", "counts as true when", "leak 5 1/s", "four_bar", *(table.title for table in TABLES)):
            self.assertIn(text, page.text)


class IncompleteLoops(InTemporaryDirectory):
    def setUp(self):
        super().setUp()
        write_loops(self.directory)

    def test_failed_runs_leave_gaps(self):
        rows = [row for row in loop_records() if not (row[1] == "loop8" and row[2].startswith("hdca"))]
        rows.append(["chadaj2017", "loop8", "hdca", "ode45", "tolerance=1e-06", "function_evaluations", "1", "", "", "", "", "", "", "failed", "step too small"])
        write_rows(self.directory / "records.csv", COLUMNS, rows)
        results = open_results(self.directory)
        captions = {definition.name: definition.caption(results) for definition in FIGURES}
        self.assertIn("(not recorded)", captions["figure5_energy_error"])
        for name in ("figure11_evaluation_ratio", "work_precision"):
            FIGURES[[definition.name for definition in FIGURES].index(name)].draw(results)

    def test_without_ratios_their_figure_is_named(self):
        write_rows(self.directory / "records.csv", COLUMNS, [row for row in loop_records() if row[5] != "evaluation_ratio"])
        results = open_results(self.directory)
        [definition] = [definition for definition in FIGURES if definition.name == "figure11_evaluation_ratio"]
        with self.assertRaisesRegex(InputError, "records.csv: no evaluation_ratio"):
            definition.draw(results)

    def test_damaged_claims_are_said(self):
        file = self.directory / "claims.csv"
        file.write_text(file.read_text().replace("holds in part", "perhaps"))
        with self.assertRaisesRegex(InputError, "claims.csv:2: verdict should be one of holds"):
            open_results(self.directory)


if __name__ == "__main__":
    unittest.main()
