"""Figures of a study of right-hand sides, from made-up numbers."""
import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

from plot_checks import InTemporaryDirectory, Page, run_make_all
from reading.records import COLUMNS
from reading.result_directory import open_results
from studies.study import read_study
from studies.study_scaling import scaling_figures
from synthetic_results import write_rows

_SIZES = (8, 64, 512)
_VARIANTS = {"Recursion": "aba", "Lanes": "dca[leaf=subchain]", "Refused": "hdca"}
_OBSERVERS = {"time_per_body": ("s", True), "operations": ("1", False), "operation_rate": ("1/s", True), "memory_per_body": ("B", True), "acceleration_error": ("1", False),
              "modelled_speedup_1": ("1", True), "modelled_speedup_16": ("1", True)}


def _value(observer, bodies, variant):
    lanes = variant.startswith("dca")
    return {"time_per_body": 1e-6 / bodies if lanes else 5e-8, "operations": 400.0 * bodies, "operation_rate": 1e10 if lanes else 8e9,
            "memory_per_body": 1000.0, "acceleration_error": 1e-16 * bodies if lanes else 1e-13, "modelled_speedup_1": 1.0, "modelled_speedup_16": 5.0 if lanes else 1.0}[observer]


def _write(directory, machine=True):
    rows = [["scaling", "", "", "", "", name, unit, value, "", "", "", "", "", "no published value", ""]
            for name, unit, value in (("machine_operations", "1/s", 1e11), ("machine_bandwidth", "B/s", 2e10), ("machine_latency", "s", 3e-7))
            if machine]
    for bodies in _SIZES:
        for variant in _VARIANTS.values():
            for observer, (unit, _) in _OBSERVERS.items():
                refused = variant == "hdca"
                rows.append(["scaling", f"pendulum:{bodies}", variant, "", "", observer, unit, "" if refused else _value(observer, bodies, variant),
                             "", "", "", "", "", "refused" if refused else "no published value", "too short" if refused else ""])
    write_rows(directory / "records.csv", COLUMNS, [row for row in rows if row[5] in ("operations", "acceleration_error")])
    write_rows(directory / "timings.csv", COLUMNS, [row for row in rows if row[5] not in ("operations", "acceleration_error")])
    declaration = {
        "format": 1, "name": "scaling", "title": "Right-hand sides", "integrators": [], "controls": [], "rankings": [], "settings": {},
        "mechanisms": [{"label": f"pendulum:{n}", "mechanism": f"pendulum:{n}", "end": 0.0, "bodies": n} for n in _SIZES],
        "variants": [{"label": label, "formulation": key, "state": "velocity", "sequential": True} for label, key in _VARIANTS.items()],
        "observers": [{"name": name, "quantity": name, "title": name, "unit": unit, "meaning": "what it is", "timed": timed,
                       "of_right_hand_side": True} for name, (unit, timed) in _OBSERVERS.items()]}
    (directory / "study.json").write_text(json.dumps(declaration))
    (directory / "provenance.json").write_text(json.dumps({"version": "0.1.0"}))


class ScalingFigures(InTemporaryDirectory):
    def _figures(self):
        return {figure.name: figure for figure in scaling_figures(read_study(open_results(self.directory)))}

    def _declare(self, change):
        file = self.directory / "study.json"
        declaration = json.loads(file.read_text())
        change(declaration)
        file.write_text(json.dumps(declaration))

    def test_times_of_several_machines_are_not_in_one_curve(self):
        _write(self.directory)
        self.assertTrue(any(name.startswith("time_per_body") for name in self._figures()), list(self._figures()))

        def divide(declaration):
            for mechanism, machine in zip(declaration["mechanisms"], ("node1", "node1", "node2")):
                mechanism["machine"] = machine
        self._declare(divide)
        # Two sizes of one machine are no family.
        self.assertFalse(any(name.startswith("time_per_body") for name in self._figures()), list(self._figures()))

    def test_an_incomplete_campaign_says_so(self):
        _write(self.directory)
        self._declare(lambda declaration: declaration.update(missing_parts=7))
        provenance = {"version": "0.3.0", "shares": [{"share": "1/2", "parts": 3, "machines": ["node1, a processor"]}]}
        (self.directory / "provenance.json").write_text(json.dumps(provenance))
        self.assertEqual(run_make_all(self.directory)[0], 0)
        page = (self.directory / "report.html").read_text()
        self.assertIn("7 parts of the study are not computed yet", page)
        self.assertIn("1, of node1, a processor", page)

    def test_a_study_without_runs_has_figures_tables_and_reasons(self):
        _write(self.directory)
        code, _, errors = run_make_all(self.directory)
        self.assertEqual((code, errors), (0, ""))
        page = Page((self.directory / "report.html").read_text())
        self.assertEqual(len(page.images), 5)
        for text in ("Right-hand sides", "too short", "refused", "A model and no measurement"):
            self.assertIn(text, page.text)

    def test_speedups_of_runs_and_right_hand_sides_are_drawn_against_bodies(self):
        _write(self.directory)
        declaration = json.loads((self.directory / "study.json").read_text())
        declaration["integrators"] = [{"key": "ode45", "adaptive": True}]
        declaration["controls"] = [{"kind": "tolerance", "value": 1e-6, "text": "tolerance=1e-06"}]
        declaration["mechanisms"].append({**declaration["mechanisms"][0], "label": "cut", "mechanism": "pendulum:8,cut=1"})
        for name, of_right_hand_side in (("speedup", False), ("evaluation_speedup", True)):
            declaration["observers"].append({"name": name, "quantity": name, "title": name, "unit": "1", "meaning": "what it is", "timed": True,
                                             "of_right_hand_side": of_right_hand_side})
        (self.directory / "study.json").write_text(json.dumps(declaration))
        rows = []
        for bodies, specification in [(n, f"pendulum:{n}") for n in _SIZES] + [(8, "pendulum:8,cut=1")]:
            speedup = 0.5 if "cut" in specification else bodies / 64
            rows.append(["scaling", specification, "aba", "ode45", "tolerance=1e-06;end=0", "speedup", "1", speedup, "", "", "", "", "", "no published value", ""])
            rows.append(["scaling", specification, "aba", "", "", "evaluation_speedup", "1", 2 * speedup, "", "", "", "", "", "no published value", ""])
        write_rows(self.directory / "timings.csv", COLUMNS, rows)
        figures = self._figures()
        for name, factor in (("speedup_against_bodies", 1), ("evaluation_speedup_against_bodies", 2)):
            line, one = figures[name].draw(None).axes[1].get_lines()
            self.assertEqual(list(zip(line.get_xdata(), line.get_ydata())), [(n, factor * n / 64) for n in _SIZES], "another cut is another family")
            self.assertEqual(list(one.get_ydata()), [1, 1])

    def test_loops_count_joints_and_have_both_baselines_and_the_published_crossovers(self):
        _write(self.directory)
        declaration = json.loads((self.directory / "study.json").read_text())
        declaration["name"] = "malczyk2008"
        declaration["integrators"] = [{"key": "ode45", "adaptive": True}]
        declaration["controls"] = [{"kind": "tolerance", "value": 1e-6, "text": "tolerance=1e-06"}]
        declaration["mechanisms"] = [{"label": f"loop:{n}{label}", "mechanism": f"loop:{n}", "end": 0.0, "bodies": n - 1, "cut_joints": 1}
                                     for n in (5, 15, 251) for label in ("", ", again")]
        for variant in declaration["variants"]:
            variant["sequential"] = variant["label"] != "Lanes"
        declaration["observers"] = [{"name": name, "quantity": name, "title": name, "unit": unit, "meaning": "what it is", "timed": True,
                                     "of_right_hand_side": False} for name, unit in (("speedup", "1"), ("wall_time", "s"))]
        (self.directory / "study.json").write_text(json.dumps(declaration))
        rows, run = [], ["ode45", "tolerance=1e-06;end=0"]
        for n in (5, 15, 251):
            times = {"aba": 1e-3 * n, "dca[leaf=subchain]": 5e-4 * n, "hdca": 4e-4 * n}  # the last one under another label
            for key, time in times.items():
                rows.append(["malczyk2008", f"loop:{n}", key, *run, "wall_time", "s", time, *[""] * 5, "no published value", ""])
                if key != "hdca":
                    verdict = "not measured" if n == 15 and key != "aba" else "no published value"
                    rows.append(["malczyk2008", f"loop:{n}", key, *run, "speedup", "1", times["aba"] / time, *[""] * 5, verdict, ""])
        write_rows(self.directory / "timings.csv", COLUMNS, rows)
        definition = self._figures()["speedup_against_bodies"]
        figure = definition.draw(None)
        axes = figure.axes[1]
        self.assertEqual(axes.get_xlabel(), "joints")
        lines = {line.get_color(): [(x, round(float(y), 9)) for x, y in zip(line.get_xdata(), line.get_ydata())] for line in axes.get_lines()
                 if line.get_marker() not in ("None", None) and not line.get_alpha()}
        self.assertIn([(5, 2.5), (15, 2.5), (251, 2.5)], lines.values(), "the second baseline, over the first")
        self.assertIn([(5, 2.0), (251, 2.0)], lines.values(), "each size once, without the disturbed one")
        [marked] = [line for line in axes.get_lines() if line.get_alpha()]
        self.assertEqual(list(marked.get_xdata()), [15])
        self.assertEqual({text.get_text() for text in axes.texts}, {" 15 (one node) ", " 251 (two nodes) "})
        self.assertIn("Refused: a second baseline", definition.caption(None))
        figure.canvas.draw()
        labels = [float(label.get_text()) for label in axes.yaxis.get_majorticklabels()]
        self.assertGreaterEqual(sum(label > 1 for label in labels), 2, "numbers above 1 can be read")

    def test_lines_are_the_numbers(self):
        _write(self.directory)
        axes = self._figures()["time_per_body"].draw(None).axes[1]
        curves = [list(zip(line.get_xdata(), line.get_ydata())) for line in axes.get_lines()]
        self.assertEqual(len(curves), 2, "the refused variant has no line")
        for bodies, time in curves[1]:
            self.assertAlmostEqual(time, 1000.0 / bodies)

    def test_digits_are_drawn_over_the_number_of_bodies(self):
        _write(self.directory)
        axes = self._figures()["acceleration_error"].draw(None).axes[1]
        curves = {tuple(zip(line.get_xdata(), line.get_ydata())) for line in axes.get_lines()}
        self.assertIn(tuple((bodies, 1e-16 * bodies) for bodies in _SIZES), curves)

    def test_what_nobody_has_is_no_empty_figure(self):
        _write(self.directory)
        rows = (self.directory / "records.csv").read_text().splitlines(keepends=True)
        (self.directory / "records.csv").write_text("".join(row for row in rows if ",acceleration_error," not in row or ",hdca," in row))
        self.assertNotIn("acceleration_error", self._figures())
        self.assertIn("time_per_body", self._figures())

    def test_a_roof_needs_a_machine(self):
        _write(self.directory, machine=False)
        self.assertEqual(set(self._figures()), {"time_per_body", "memory_per_body", "modelled_speedup", "acceleration_error"})


if __name__ == "__main__":
    unittest.main()
