"""Figures and tables of the experiment integrators, from results in the documented format."""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

import integrators_figures
import style
from plot_checks import InTemporaryDirectory, Page, Readable, pdf_size_mm, run_make_all
from result_directory import open_results
from synthetic_results import FIXED_STEP, INTEGRATORS, write_integrators


class IntegratorResults(InTemporaryDirectory, Readable):
    """The experiment with many mechanisms, integrators and no formulation in places."""

    def setUp(self):
        super().setUp()
        write_integrators(self.directory, ("pendulum:16", "four_bar.toml"))

    def figure(self, name):
        [definition] = [definition for definition in integrators_figures.FIGURES if definition.name == name]
        return definition.draw(open_results(self.directory))

    def test_everything_is_made(self):
        code, output, errors = run_make_all(self.directory)
        self.assertEqual((code, errors), (0, ""))
        for definition in integrators_figures.FIGURES:
            self.assertIn(f"figures/{definition.name}.pdf", output)
            self.assertAlmostEqual(pdf_size_mm(self.directory / "figures" / f"{definition.name}.pdf")[0], 180, delta=0.1)
        page = Page((self.directory / "report.html").read_text())
        self.assertEqual(len(page.images), len(integrators_figures.FIGURES))
        self.assertIn("four_bar.toml", page.text)

    def test_tables_say_which_mechanism(self):
        run_make_all(self.directory)
        published = (self.directory / "tables" / "integrators_expected.tex").read_text()
        self.assertIn(r"steps & lorenz &  & ode45 &  & $239$ & $239$ & exact \\", published)
        self.assertIn(r"\begin{tabular}{@{}lllllrrl@{}}", published)

    def test_no_text_is_cut_off_or_lies_on_another(self):
        for definition in integrators_figures.FIGURES:
            self.assert_readable(definition.name, self.figure(definition.name))

    def test_every_integrator_is_a_curve_of_every_panel(self):
        figure = self.figure("integrators_mechanisms")
        panels = [axes for axes in figure.axes if axes.axison]
        self.assertEqual(len(panels), 4)
        for axes in panels:
            # The uncertainty is a line of its own.
            self.assertEqual(len(axes.get_lines()), len(INTEGRATORS) + 1)
            points = set(zip(axes.get_lines()[0].get_xdata(), axes.get_lines()[0].get_ydata()))
            self.assertEqual(points, {(10.0**-(2 + 2 * i), 300 * 2**i) for i in range(4)})

    def test_fixed_steps_are_dashed(self):
        axes = [axes for axes in self.figure("integrators_problems").axes if axes.axison][0]
        styles = [line.get_linestyle() for line in axes.get_lines()][:len(INTEGRATORS)]
        self.assertEqual(styles, ["--" if key in FIXED_STEP else "-" for key in INTEGRATORS])

    def test_a_missing_long_run_costs_its_figure_only(self):
        (self.directory / "trajectories" / "drift_kepler_gauss4.csv").unlink()
        code, _, errors = run_make_all(self.directory)
        self.assertEqual(code, 1)
        self.assertIn("figure integrators_energy_drift is missing", errors)
        self.assertTrue((self.directory / "figures" / "integrators_problems.png").exists())


class Looks(unittest.TestCase):
    def test_integrators_look_different(self):
        style.apply()
        keys = [key for members in style._INTEGRATOR_FAMILIES.values() for key in members]
        self.assertEqual(len({tuple(style.integrator_look(key).values()) for key in [*keys, "my-own"]}), len(keys) + 1)
        self.assertEqual(style.in_families(["my-own", "cvode-bdf", "ode45"]), ["ode45", "cvode-bdf", "my-own"])


if __name__ == "__main__":
    unittest.main()
