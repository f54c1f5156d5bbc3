"""Whether the figures of a study can be read: flicker, coincidence, too many curves, empty panels, the paper's numbers."""
import json
import sys
import unittest
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

import style
from studies.curve_shapes import coincide, counted, envelope, flickers, lowest_shown
from plot_checks import InTemporaryDirectory
from reading.result_directory import open_results
from studies.study import read_study
from studies.study_figures import figures_of
from studies.study_looks import in_parts, looks_of
from study_test import write_study
from synthetic_results import write_rows

_TIMES = np.linspace(0, 10, 501)
_FLICKERING = np.where(np.arange(501) % 5 == 0, 1e-17, 1e-12)  # a dip every fifth sample: a fifth of them


class Shapes(unittest.TestCase):
    def test_flicker_is_found_and_smooth_decay_is_not(self):
        self.assertTrue(flickers(_FLICKERING, True))
        self.assertFalse(flickers(10.0 ** (-12 + _TIMES), True))
        self.assertTrue(flickers(np.where(np.arange(501) % 5 == 0, 2.0, 3.0), False), "counts that go up and down")
        self.assertFalse(flickers(np.floor(_TIMES), False))

    def test_an_envelope_is_the_largest_value_nearby_and_never_less_than_the_curve(self):
        values = _FLICKERING.copy()
        values[250] = 1e-3
        shown = envelope(_TIMES, values)
        self.assertTrue((shown >= values).all())
        near = np.abs(np.arange(501) - 250)  # samples; 1 % of 10 s to either side are 5, which one it is rounding decides
        self.assertTrue((shown[near < 5] == 1e-3).all())
        self.assertTrue((shown[near > 5] < 1e-3).all())
        self.assertFalse(flickers(shown, True))

    def test_curves_coincide_within_the_width_of_a_line_for_most_of_the_time(self):
        curve, times = np.sin(_TIMES), _TIMES[::3]
        self.assertTrue(coincide((_TIMES, curve), (times, np.sin(times) + 0.01), -1, 1))
        self.assertFalse(coincide((_TIMES, curve), (_TIMES, curve + 0.05), -1, 1))
        self.assertFalse(coincide((_TIMES, curve), (_TIMES, np.where(_TIMES < 4, curve, 2)), -1, 2))

    def test_no_axis_is_made_longer_for_one_point(self):
        values = np.full(501, 0.1)
        self.assertIsNone(lowest_shown([values]))
        values[0] = 1e-16
        self.assertEqual(lowest_shown([values]), 1e-2)
        self.assertIsNone(lowest_shown([np.where(_TIMES < 2, 1e-16, 0.1)]), "a fifth of the curve is no single point")

    def test_a_short_axis_has_labels_enough_to_read_values(self):
        for low, high, labels in ((700, 1800, {"700", "800", "900", "1000"}), (300, 4000, {"500", "2000"}), (1, 1e5, set())):
            axes = style.new_figure(88, 60).add_subplot()
            axes.loglog([1, 2], [low, high])
            style.decades(axes.yaxis)
            axes.figure.canvas.draw()
            shown = {label.get_text() for label in axes.yaxis.get_minorticklabels()} - {""}
            self.assertLessEqual(labels - {"1000"}, shown)
            self.assertEqual(bool(shown), bool(labels))
            style.plt.close(axes.figure)

    def test_parts_are_even_and_keep_the_order(self):
        self.assertEqual(in_parts(list("abcdefgh")), [list("abcdefgh")])
        self.assertEqual([len(part) for part in in_parts(range(13))], [6, 7])
        self.assertEqual([len(part) for part in in_parts(range(20))], [7, 6, 7])
        self.assertEqual([item for part in in_parts(range(20)) for item in part], list(range(20)))


class DrawnFigures(InTemporaryDirectory):
    def setUp(self):
        super().setUp()
        write_study(self.directory)

    def _declare(self, change):
        file = self.directory / "study.json"
        declaration = json.loads(file.read_text())
        change(declaration)
        file.write_text(json.dumps(declaration))

    def _curves(self, variants, curves):
        self._declare(lambda d: d.update(figures=[{"name": "over_time", "title": "Over time", "curves": ["position_error"], "mechanisms": [0],
                                                   "variants": variants, "integrator": 0, "control": 1, "lowest": 0.0,
                                                   "files": [[f"curve_{place}" for place in range(len(variants))]]}]))
        for place, values in enumerate(curves):
            write_rows(self.directory / "trajectories" / f"curve_{place}.csv", ["t", "position_error"], [list(row) for row in zip(_TIMES, values)])

    def _figures(self):
        results = open_results(self.directory)
        return results, {definition.name: definition for definition in figures_of(read_study(results), "records.csv")}

    def _panels(self, figure):
        return [axes for axes in figure.axes if axes.axison]

    def test_lines_look_like_their_legend_and_none_hides_another(self):
        calm = 1e-6 * (1 + _TIMES)
        self._curves([0, 1, 2], [calm, 1.01 * calm, 100 * calm])
        results, figures = self._figures()
        figure = figures["over_time"].draw(results)
        legend = {line.get_label(): line for axes in figure.axes if axes.get_legend() for line in axes.get_legend().get_lines()}
        lines = dict(zip(legend, self._panels(figure)[0].get_lines()))
        for label, line in lines.items():
            for attribute in ("get_color", "get_linewidth", "get_linestyle"):
                self.assertEqual(getattr(line, attribute)(), getattr(legend[label], attribute)(), label)
        first, second, third = lines.values()
        self.assertGreater(second.get_linewidth(), first.get_linewidth() + 1, "its edges show")
        self.assertLess(second.get_zorder(), first.get_zorder())
        self.assertEqual(third.get_linewidth(), first.get_linewidth())
        self.assertIn("one is wider", figures["over_time"].caption(results))

    def test_what_flickers_is_drawn_as_an_envelope_and_said_so(self):
        self._curves([0], [_FLICKERING])
        results, figures = self._figures()
        line = self._panels(figures["over_time"].draw(results))[0].get_lines()[0]
        self.assertEqual(set(line.get_ydata()), {1e-12})
        self.assertIn("largest position error within 0.05 s", figures["over_time"].caption(results))

    def test_depths_of_single_samples_are_words(self):
        values = np.full(501, 0.1)
        values[0] = 3e-16
        self._curves([0], [values])
        results, figures = self._figures()
        axes = self._panels(figures["over_time"].draw(results))[0]
        self.assertEqual(axes.get_ylim()[0], 1e-2)
        self.assertIn("down to 3·10⁻¹⁶", [text.get_text() for text in axes.texts])

    def test_formulations_of_one_family_are_told_apart(self):
        self._declare(lambda d: d["variants"].extend({"label": key, "formulation": key, "state": "velocity", "sequential": True}
                                                     for key in ("naudet", "naudet-acc", "naudet[switching=off]")))
        looks = looks_of(read_study(open_results(self.directory)))
        colours = [looks[key]["color"] for key in ("naudet", "naudet-acc", "naudet[switching=off]")]
        self.assertEqual(len(set(colours)), 3)
        self.assertNotEqual(looks["naudet"]["linestyle"], looks["naudet[switching=off]"]["linestyle"])

    def test_what_a_mechanism_is_not_observed_for_is_no_gap(self):
        rows = (self.directory / "records.csv").read_text().splitlines(keepends=True)
        (self.directory / "records.csv").write_text("".join(row for row in rows if not (",pendulum:4," in row and ",evaluations," in row)))
        self.assertEqual(list(self._figures()[1]), ["evaluations_four_bar"])

    def test_more_than_eight_curves_are_split(self):
        def add(declaration):
            declaration["variants"] += [declaration["variants"][0] | {"label": f"copy {number}"} for number in range(7)]
        self._declare(add)
        self._curves(list(range(10)), [1e-6 * (1 + _TIMES)] * 10)
        results, figures = self._figures()
        self.assertEqual([name for name in figures if name.startswith("over_time")], ["over_time_1", "over_time_2"])
        for name in ("over_time_1", "over_time_2"):
            self.assertEqual(len(self._panels(figures[name].draw(results))[0].get_lines()), 5)
        self.assertEqual([(figures[name].title, figures[name].part) for name in ("over_time_1", "over_time_2")], [("Over time", 1), ("Over time", 2)])

    def test_an_empty_panel_says_why(self):
        results, figures = self._figures()
        panels = {axes.get_title(loc="left"): axes for axes in figures["evaluations_four_bar"].draw(results).axes}
        self.assertEqual([text.get_text() for text in panels["BDF of CVODE"].texts], ["failed: step too small"])
        self.assertTrue(panels["ode45"].get_lines())
        self.assertFalse(panels["ode45"].texts)

    def test_points_of_disturbed_times_are_marked_and_on_no_curve(self):
        file = self.directory / "records.csv"
        run = "small,four_bar,dca,ode45,tolerance={};end=5,evaluations,1,"
        text = file.read_text()
        for tolerance in ("0.0001", "1e-06"):
            line = next(row for row in text.splitlines() if row.startswith(run.format(tolerance)))
            text = text.replace(line, line.replace("no published value", "not measured"))
        file.write_text(text)
        results, figures = self._figures()
        figure = figures["evaluations_four_bar"].draw(results)
        panels = {axes.get_title(loc="left"): axes for axes in figure.axes}
        marked = [line for line in panels["ode45"].get_lines() if line.get_alpha()]
        self.assertEqual([(list(np.round(line.get_xdata(), 9)), line.get_linestyle()) for line in marked], [([3e-4, 3e-6], "None")])
        legends = [text.get_text() for axes in figure.axes if axes.get_legend() for text in axes.get_legend().get_texts()]
        self.assertIn("disturbed, on no curve", legends)

    def test_tolerances_that_differ_in_their_last_digits_make_no_curve(self):
        self._declare(lambda d: d.update(controls=[{"kind": "tolerance", "value": value} for value in (1e-6, 1.000001e-6)]))
        self.assertEqual(list(self._figures()[1]), [])

    def test_counts_are_drawn_as_what_every_interval_adds(self):
        times, counts = counted(np.array([0, 0.1, 0.2, 0.25, 0.4]), np.array([0.0, 2, 3, 4, 7]), 0.2)
        self.assertEqual((list(np.round(times, 9)), list(counts)), ([0, 0.2, 0.2, 0.4], [3, 3, 4, 4]))
        self._curves([0], [np.arange(501.0)])
        self._declare(lambda d: (d["figures"][0].update(every=1.0), d["observers"][1].update(unit="1")))
        results, figures = self._figures()
        axes = self._panels(figures["over_time"].draw(results))[0]
        self.assertEqual(set(axes.get_lines()[0].get_ydata()), {50.0})
        self.assertEqual(axes.get_ylabel(), "position error in 1 s")
        self.assertIn("Counted in every 1 s of ode45", figures["over_time"].caption(results))

    def test_a_panel_of_several_observers_tells_variants_apart(self):
        self._curves([0, 1], [])
        for place in (0, 1):
            write_rows(self.directory / "trajectories" / f"curve_{place}.csv", ["t", "tip.x", "tip.z"],
                       [[t, t + place, -t - place] for t in (0.0, 0.5, 1.0)])
        curves = [{"quantity": name, "title": f"velocity, {name}", "unit": "m/s", "meaning": "what it is", "signed": True,
                   "of_right_hand_side": False, "timed": False} for name in ("tip.x", "tip.z")]
        self._declare(lambda d: (d["figures"][0].update(curves=["tip.x", "tip.z"]), d.update(curves=curves)))
        results, figures = self._figures()
        figure = figures["over_time"].draw(results)
        legend = [text.get_text() for axes in figure.axes if axes.get_legend() for text in axes.get_legend().get_texts()]
        self.assertEqual(legend, ["tip.x", "tip.z", "First one", "Second & last"])
        looks = [(line.get_color(), line.get_linestyle()) for line in self._panels(figure)[0].get_lines()]
        self.assertEqual(len(set(looks)), 4)
        self.assertNotIn("recorded", figures["over_time"].caption(results))
        self._curves([0], [1e-6 * _TIMES])
        results, figures = self._figures()
        self.assertIn("Over the whole run, in the order of the legend: four_bar: 3·10⁻⁶.", figures["over_time"].caption(results))

    def test_a_refused_run_costs_its_curve_only(self):
        self._curves([0], [])
        self._declare(lambda d: d["figures"][0].update(integrator=1))  # cvode-bdf fails
        results, figures = self._figures()
        axes = self._panels(figures["over_time"].draw(results))[0]
        self.assertEqual([text.get_text() for text in axes.texts], ["failed: step too small"])

    def test_published_numbers_stand_beside_ours(self):
        file = self.directory / "records.csv"
        rows = file.read_text().splitlines(keepends=True)
        place = next(place for place, row in enumerate(rows) if ",dca,ode45,tolerance=0.0001;end=5,evaluations,1,630," in row)
        rows[place] = rows[place].replace("evaluations,1,630,,", "evaluations,1,630,700,")
        file.write_text("".join(rows))
        self._declare(lambda d: d.update(figures=[{"name": "sweep", "title": "Sweep", "curves": ["evaluations"], "mechanisms": [0],
                                                   "variants": [0], "integrator": 0, "control": 0, "lowest": 0.0, "against_control": True}]))
        results, figures = self._figures()
        for name, at in (("evaluations_four_bar", 3e-4), ("sweep", 1e-4)):
            figure = figures[name].draw(results)
            points = [(line.get_xdata()[0], line.get_ydata()[0]) for axes in figure.axes for line in axes.get_lines() if line.get_marker() == "x"]
            self.assertEqual([(round(x, 12), y) for x, y in points], [(at, 700.0)], name)
            legends = [text.get_text() for axes in figure.axes if axes.get_legend() for text in axes.get_legend().get_texts()]
            self.assertIn("published", legends)
        said = "Where the paper prints no error beside its number, the number stands at our error."
        self.assertIn(said, figures["evaluations_four_bar"].caption(results))

    def test_a_published_number_stands_at_the_error_printed_in_its_row(self):
        file = self.directory / "records.csv"
        text = file.read_text()
        for run, old, printed in (("dca", "position_error,m,0.00030000000000000003,,", "position_error,m,0.0003,2e-3,"),
                                  ("hdca[gauge=leak]", "evaluations,1,1261,,", "evaluations,1,1261,1300,")):
            beginning = f"small,four_bar,{run},ode45,tolerance=0.0001;end=5,"
            self.assertIn(beginning + old, text)
            text = text.replace(beginning + old, beginning + printed)
        file.write_text(text)
        results, figures = self._figures()
        points = [(line.get_xdata()[0], line.get_ydata()[0]) for axes in figures["evaluations_four_bar"].draw(results).axes
                  for line in axes.get_lines() if line.get_marker() == "x"]
        self.assertEqual(points, [(2e-3, 1300.0)], "the error is printed beside another variant")
        self.assertNotIn("prints no error", figures["evaluations_four_bar"].caption(results))


if __name__ == "__main__":
    unittest.main()
