"""Figures, tables and report of the experiment naudet2005."""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

from input_error import InputError
from naudet2005_figures import FIGURES
from naudet2005_look import FORMS, STEPS
from naudet2005_tables import TABLES
from plot_checks import CompleteFigures, InTemporaryDirectory, Page, Readable
from records import COLUMNS
from result_directory import open_results
from synthetic_biped import biped_records, write_biped
from synthetic_results import write_rows


def figure_named(name):
    return next(definition for definition in FIGURES if definition.name == name)


class CompleteBiped(CompleteFigures, Readable):
    FIGURES = FIGURES
    write = staticmethod(write_biped)

    def test_diagrams_show_every_run_unchanged(self):
        results = open_results(self.directory)
        lines = [line for axes in figure_named("table1_convergence").draw(results).axes for line in axes.get_lines()]
        self.assertEqual(len(lines), 2 * len(FORMS))
        self.assertTrue(all(list(line.get_xdata()) == list(STEPS) for line in lines))
        self.assertAlmostEqual(lines[1].get_ydata()[0], 2e-8)
        lines = [line for axes in figure_named("table2_work_precision").draw(results).axes for line in axes.get_lines()]
        self.assertEqual([len(line.get_xdata()) for line in lines], [3] * 2 * len(FORMS))

    def test_iterations_are_drawn_as_they_are(self):
        figure = figure_named("figure9_iterations_full_control").draw(open_results(self.directory))
        steps = [patch for axes in figure.axes for patch in axes.patches]
        self.assertEqual(len(steps), 2)
        for patch in steps:
            self.assertEqual((len(patch.get_data().values), sum(patch.get_data().values)), (85, 2 * 85 + 13))

    def test_tables_hold_published_numbers_beside_ours(self):
        tables = self.directory / "tables"
        self.assertIn(r"0.01 & end error & $0.0002$ & $1\times10^{-8}$ & $0.0002$ & $2\times10^{-8}$ & $3\times10^{-8}$ & $4\times10^{-8}$",
                      (tables / "naudet2005_table1_fixed_steps.tex").read_text())
        self.assertIn("ode15s & 0.001 & $313$ & $599$ & $313$ &", (tables / "naudet2005_table2_evaluations.tex").read_text())
        self.assertIn("partial & evaluations & $1177$ & $1164$ & $1177$ & $1164$ & $1164$ & $1164$",
                      (tables / "naudet2005_table3_error_control.tex").read_text())

    def test_report_shows_claims_and_tables(self):
        page = Page((self.directory / "report.html").read_text())
        self.assertEqual(len(page.images), len(FIGURES))
        for text in ("It is evaluated less often.", *(table.title for table in TABLES)):
            self.assertIn(text, page.text)


class IncompleteBiped(InTemporaryDirectory):
    def setUp(self):
        super().setUp()
        write_biped(self.directory)

    def test_failed_runs_leave_gaps(self):
        rows = [row for row in biped_records() if not row[2].startswith("naudet[")]
        write_rows(self.directory / "records.csv", COLUMNS, rows)
        results = open_results(self.directory)
        self.assertIn("(not recorded)", figure_named("figure8_constraint_violation").caption(results))
        self.assertIn("(not recorded)", figure_named("figure10_iterations_partial_control").caption(results))
        for name in ("table1_convergence", "table2_work_precision"):
            figure_named(name).draw(results)
        for table in TABLES:
            self.assertTrue(any(None in row for row in table.rows(results)), table.name)

    def test_without_numbers_a_diagram_is_named(self):
        write_rows(self.directory / "records.csv", COLUMNS, [row for row in biped_records() if row[5] != "end_error"])
        results = open_results(self.directory)
        for name in ("table1_convergence", "table2_work_precision"):
            with self.assertRaisesRegex(InputError, "records.csv: no end_error"):
                figure_named(name).draw(results)


if __name__ == "__main__":
    unittest.main()
