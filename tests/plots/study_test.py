"""Figures, tables and report of a study, from made-up numbers: everything comes from study.json."""
import json
import shutil
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

import history
import index
from reading.input_error import InputError
from plot_checks import InTemporaryDirectory, Page, Readable, run_make_all
from reading.records import COLUMNS
from reading.result_directory import open_results
from studies.study import read_study
from studies.study_figures import figures_of, merged_curves
from studies.study_tables import tables_of
from synthetic_results import write_rows

_TOLERANCES = (1e-4, 1e-6)
_VARIANTS = {"First one": "dca", "Second & last": "hdca[gauge=leak]", "Same as first": "aba"}


def row(mechanism, formulation, integrator, parameters, quantity, unit, value, verdict="no published value", note=""):
    return ["small", mechanism, formulation, integrator, parameters, quantity, unit, value, "", "", "", "", "", verdict, note]


def observer(name, title, unit, timed=False, of_right_hand_side=False):
    return {"name": name, "quantity": name, "title": title, "unit": unit, "meaning": f"what {title} is", "timed": timed,
            "of_right_hand_side": of_right_hand_side}


def write_study(directory):
    """Two mechanisms, of which `hdca` is refused by the second; `aba` draws the curve of `dca`; cvode-bdf fails."""
    rows = []
    for mechanism in ("four_bar", "pendulum:4"):
        rows.append(row(mechanism, "", "", "end=5", "reference_uncertainty", "m", 1e-9))
        for formulation in _VARIANTS.values():
            for integrator in ("ode45", "cvode-bdf"):
                for tolerance in _TOLERANCES:
                    run = (mechanism, formulation, integrator, f"tolerance={tolerance:g};end=5")
                    refused = mechanism == "pendulum:4" and formulation.startswith("hdca")
                    failed = integrator == "cvode-bdf" and not refused
                    verdict, note = ("refused", "only with loops") if refused else ("failed", "step too small") if failed else ("no published value", "")
                    factor = 2 if formulation.startswith("hdca") else 1
                    rows.append(row(*run, "evaluations", "1", "" if verdict != "no published value" else int(100 * factor / tolerance**0.2), verdict, note))
                    rows.append(row(*run, "position_error", "m", "" if verdict != "no published value" else 3 * tolerance, verdict, note))
                rows.append(row(mechanism, formulation, integrator, "position_error=1e-05;end=5", "evaluations_at_equal_error", "1",
                                 "" if refused or failed else 1234.5 * factor, "refused" if refused or failed else "no published value",
                                 note if refused or failed else f"place {factor}"))
    write_rows(directory / "records.csv", COLUMNS, rows)
    declaration = {
        "format": 1, "name": "small", "title": "A small study",
        "mechanisms": [{"label": name, "mechanism": name, "end": 5.0} for name in ("four_bar", "pendulum:4")],
        "variants": [{"label": label, "formulation": formulation, "state": "velocity", "sequential": True} for label, formulation in _VARIANTS.items()],
        "integrators": [{"key": key, "adaptive": True} for key in ("ode45", "cvode-bdf")],
        "controls": [{"kind": "tolerance", "value": tolerance} for tolerance in _TOLERANCES],
        "observers": [observer("evaluations", "evaluations", "1"), observer("position_error", "position error", "m")],
        "rankings": [{"error": "position_error", "at": 1e-5, "work": ["evaluations"]}], "settings": {}}
    (directory / "study.json").write_text(json.dumps(declaration))
    (directory / "provenance.json").write_text(json.dumps({"version": "0.1.0"}))


class StudyReport(InTemporaryDirectory):
    def setUp(self):
        super().setUp()
        write_study(self.directory)

    def change_declaration(self, **changes):
        file = self.directory / "study.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | changes))

    def test_a_quick_version_says_so_everywhere(self):
        run_make_all(self.directory)
        figure = next(self.directory.glob("figures/*.png"))
        whole = figure.read_bytes()
        self.assertNotIn("uick", Page((self.directory / "report.html").read_text()).text)
        self.change_declaration(quick=True)
        self.assertEqual(run_make_all(self.directory)[0], 0)
        text = Page((self.directory / "report.html").read_text()).text
        self.assertIn("A small study (quick)", text)
        self.assertIn("Quick version", text)
        for table in self.directory.glob("tables/*.tex"):
            self.assertIn("Quick version", table.read_text(), table.name)
        self.assertNotEqual(figure.read_bytes(), whole, "the figure says so too")
        self.assertTrue(history.line_of(open_results(self.directory))["quick"])
        self.assertIn("(quick version)", self.index_text())

    def index_text(self):
        root = self.directory / "all"
        (root / "small").mkdir(parents=True)
        for name in ("records.csv", "study.json", "provenance.json"):
            shutil.copy(self.directory / name, root / "small" / name)
        index.write_index(root)
        return Page((root / "index.html").read_text()).text

    def test_engines_that_did_not_start_are_named(self):
        self.change_declaration(inputs={"engines": [{"name": "mujoco", "command": "x", "version": "", "failure": "is not there"},
                                                    {"name": "drake", "command": "y", "version": "Drake 1", "failure": ""}]})
        run_make_all(self.directory)
        text = Page((self.directory / "report.html").read_text()).text
        self.assertIn("Engines that did not start, so that nothing was compared with them: mujoco (is not there).", " ".join(text.split()))
        self.assertNotIn("drake", text)
        self.assertIn("Engines that did not start: mujoco.", self.index_text())

    def test_labels_and_reasons_come_from_the_study(self):
        code, _, errors = run_make_all(self.directory)
        self.assertEqual((code, errors), (0, ""))
        page = Page((self.directory / "report.html").read_text())
        self.assertEqual(len(page.images), 2)
        for text in ("A small study", "Second & last", "only with loops", "step too small", "2 of 4", "refused"):
            self.assertIn(text, page.text)
        ranking = (self.directory / "tables" / "small_ranking_1_evaluations.tex").read_text()
        self.assertIn(r"1.23$\cdot10^{3}$ ode45 (1)", ranking)
        self.assertIn(r"Second \& last", ranking)

    def test_curves_that_agree_are_drawn_as_one(self):
        study = read_study(open_results(self.directory))
        merged = merged_curves(study, study.mechanisms[0], study.error_observer(), study.work_observers()[0])
        self.assertEqual([[variant["label"] for variant in variants] for variants, _ in merged], [["First one", "Same as first"], ["Second & last"]])
        self.assertEqual(merged[0][1]["ode45"][0], (3 * 1e-4, 630.0))

    def test_a_mechanism_without_runs_costs_its_figure_only(self):
        rows = [row.replace(",four_bar,", ",gone,") for row in (self.directory / "records.csv").read_text().splitlines(keepends=True)]
        (self.directory / "records.csv").write_text("".join(rows))
        code, _, errors = run_make_all(self.directory)
        self.assertEqual(code, 1)
        self.assertIn("four_bar", errors)
        self.assertEqual(len(Page((self.directory / "report.html").read_text()).images), 1)

    def test_a_mechanism_that_is_not_timed_has_no_figure_of_times(self):
        file = self.directory / "study.json"
        declaration = json.loads(file.read_text())
        declaration["observers"].append(observer("wall_time", "wall time", "s", timed=True))
        declaration["mechanisms"][1]["timed"] = False
        file.write_text(json.dumps(declaration))
        names = [definition.name for definition in figures_of(read_study(open_results(self.directory)), file)]
        self.assertIn("wall_time_four_bar", names)
        self.assertIn("evaluations_pendulum_4", names)
        self.assertNotIn("wall_time_pendulum_4", names)

    def test_a_mechanism_that_moves_is_shown_moving(self):
        file = self.directory / "study.json"
        declaration = json.loads(file.read_text())
        (self.directory / "drawings").mkdir()
        for mechanism, name in zip(declaration["mechanisms"], ("loop", "chain")):
            mechanism |= {"drawing": f"drawings/{name}.svg", "bodies": 4, "coordinates": 4, "cut_joints": 0}
            (self.directory / "drawings" / f"{name}.svg").write_text(f"<svg><text>{name} at its start</text></svg>")
        (self.directory / "drawings" / "loop.html").write_text("<div class='motion'>loop in motion</div>")
        file.write_text(json.dumps(declaration))
        self.assertEqual(run_make_all(self.directory)[0], 0)
        text = Page((self.directory / "report.html").read_text()).text
        self.assertIn("loop in motion", text)
        self.assertNotIn("loop at its start", text)
        self.assertIn("chain at its start", text)

    def test_bad_declarations_are_named(self):
        (self.directory / "study.json").write_text("{")
        with self.assertRaisesRegex(InputError, "study.json:1: not JSON"):
            read_study(open_results(self.directory))
        (self.directory / "study.json").write_text("{}")
        with self.assertRaisesRegex(InputError, "'title' is missing"):
            read_study(open_results(self.directory))

    def test_a_field_of_another_kind_is_named_and_nothing_fails(self):
        file = self.directory / "study.json"
        declared = json.loads(file.read_text())
        for place, value, wrong in (
                (("mechanisms",), None, "mechanisms must be a list"), (("mechanisms", 0), 3, r"mechanisms\[0\] must be an object"),
                (("mechanisms", 0, "drawing"), None, r"mechanisms\[0\].drawing must be a text"),
                (("mechanisms", 0, "variants"), [{}], r"variants\[0\] must be a whole number"),
                (("mechanisms", 0, "variants"), [99], "variants names 99, and there are 3 variants"),
                (("mechanisms", 0, "controls"), [-1], "controls names -1"), (("mechanisms", 0, "own_controls"), "x", "own_controls must be an object"),
                (("mechanisms", 0, "end"), {}, "end must be a number"), (("variants", 0, "label"), ["x"], r"variants\[0\].label must be a text"),
                (("controls", 0, "value"), True, "value must be a number"), (("observers", 0, "quantity"), -1, "quantity must be a text"),
                (("rankings", 0, "error"), "nothing", "a ranking is by 'nothing'"), (("inputs",), {"engines": None}, "inputs.engines must be a list"),
                (("quick",), "yes", "quick must be true or false"), ((), [], "it must be an object")):
            changed = json.loads(json.dumps(declared))
            node = changed
            for key in place[:-1]:
                node = node[key]
            if place:
                node[place[-1]] = value
            else:
                changed = value
            file.write_text(json.dumps(changed))
            with self.subTest(place=place), self.assertRaisesRegex(InputError, wrong):
                read_study(open_results(self.directory))
            code, _, errors = run_make_all(self.directory)
            self.assertEqual(code, 1)
            self.assertRegex(errors, wrong)


class DeclaredFiguresAndTables(InTemporaryDirectory, Readable):
    def setUp(self):
        super().setUp()
        write_study(self.directory)
        declaration = json.loads((self.directory / "study.json").read_text())
        declaration["mechanisms"][1] |= {"variants": [0, 2], "integrators": [0], "controls": [1]}
        declaration["figures"] = [{"name": "over_time", "title": "Over time", "curves": ["position_error", "passes_position", "passes_velocity"],
                                   "mechanisms": [0, 1], "variants": [0], "integrator": 0, "control": 1, "lowest": 0.0,
                                   "files": [["four_bar_First_one"], ["pendulum_4_First_one"]]},
                                  {"name": "both", "title": "Both", "curves": ["position_error"], "mechanisms": [0], "variants": [0, 1],
                                   "integrator": 0, "control": 1, "lowest": 1e-9, "files": [["four_bar_First_one", "four_bar_Second"]]}]
        declaration["tables"] = [{"name": "some", "title": "Some of it", "caption": "c", "observers": ["position_error", "evaluations"],
                                  "mechanisms": [0, 1], "variants": [0, 1]}]
        (self.directory / "study.json").write_text(json.dumps(declaration))
        for name in ("four_bar_First_one", "pendulum_4_First_one", "four_bar_Second"):
            write_rows(self.directory / "trajectories" / f"{name}.csv", ["t", "position_error", "passes_position", "passes_velocity"],
                       [[t / 10, 1e-7 * t, 3, 2] for t in range(101)])

    def test_curves_are_drawn_with_their_largest_values(self):
        code, _, errors = run_make_all(self.directory)
        self.assertEqual((code, errors), (0, ""))
        results = open_results(self.directory)
        figures = {definition.name: definition for definition in figures_of(read_study(results), "records.csv")}
        self.assertIn("four_bar: 3e-06; pendulum:4: 3e-06", figures["over_time"].caption(results).replace("3·10⁻⁶", "3e-06"))
        for name in ("over_time", "both"):
            self.assert_readable(name, figures[name].draw(results))

    def test_a_curve_may_be_an_integrator(self):
        file = self.directory / "study.json"
        declaration = json.loads(file.read_text())
        declaration["integrators"].append({"key": "ode113", "adaptive": True})
        declaration["mechanisms"][1]["integrators"] = [0, 2]
        families = [{"label": "one", "integrators": [0, 1]}, {"label": "other", "integrators": [0, 2]}]
        both = {"integrator": 0, "control": 0, "lowest": 0.0, "files": [], "families": families, "mechanisms": [0], "variants": [0, 1]}
        declaration["figures"] = [{"name": "work", "title": "Work", "curves": ["evaluations"], "abscissa": "position_error", "against_control": False, **both},
                                  {"name": "errors", "title": "Errors", "curves": ["position_error"], "abscissa": "", "against_control": True, **both}]
        file.write_text(json.dumps(declaration))
        study = read_study(open_results(self.directory))
        definitions = {definition.name: definition for definition in figures_of(study, file)}
        self.assertNotIn("evaluations_four_bar", definitions, "the same work is not drawn twice")
        for name, points in (("work", {(3 * 1e-4, 630.0), (3 * 1e-6, 1584.0)}), ("errors", {(1e-4, 3 * 1e-4), (1e-6, 3 * 1e-6)})):
            figure = definitions[name].draw(open_results(self.directory))
            panels = [axes for axes in figure.axes if axes.axison]
            self.assertEqual(len(panels), 4, "two families of two variants")
            for axes in panels:
                self.assertEqual(len(axes.get_lines()), 2)
            line = panels[0].get_lines()[0]
            self.assertEqual(set(zip(line.get_xdata(), line.get_ydata())), points)
            # ode45 stands in both families and looks alike; cvode-bdf failed and leaves a gap.
            self.assertEqual(line.get_color(), panels[1].get_lines()[0].get_color())
            self.assertEqual(len(panels[0].get_lines()[1].get_xdata()), 0)
            self.assert_readable(name, figure)
        self.assertIn("uncertain by 1", definitions["work"].caption(open_results(self.directory)))

    def test_integrators_have_controls_of_their_own(self):
        study = read_study(open_results(self.directory))
        mechanism = study.mechanisms[0] | {"own_controls": {"ode45": [1]}}
        self.assertEqual([control["value"] for control in study.controls_of(study.integrators[0], mechanism)], [1e-6])
        self.assertEqual([control["value"] for control in study.controls_of(study.integrators[1], mechanism)], [1e-4, 1e-6])

    def test_rankings_at_several_errors_have_their_own_tables(self):
        file = self.directory / "study.json"
        declaration = json.loads(file.read_text())
        declaration["rankings"].append({"error": "position_error", "at": 1e-3, "work": ["evaluations"]})
        declaration["variants"] = declaration["variants"][:1]
        declaration["settings"] = {"max_evaluations": 20000}
        declaration["mechanisms"][0]["variants"] = declaration["mechanisms"][1]["variants"] = [0]
        declaration["figures"], declaration["tables"] = [], []
        file.write_text(json.dumps(declaration))
        rows = (self.directory / "records.csv").read_text()
        row = next(line for line in rows.splitlines() if "position_error=1e-05;end=5" in line and "four_bar,dca,ode45" in line)
        (self.directory / "records.csv").write_text(rows + row.replace("1e-05", "0.001").replace("1234.5", "77") + "\n")
        run_make_all(self.directory)
        # More integrators than variants: a row each.
        first, second = ((self.directory / "tables" / f"small_ranking_{number}_evaluations.tex").read_text() for number in (1, 2))
        self.assertIn("ode45 & 1.23", first)
        self.assertIn("ode45 & 77 & --", second)

    def test_a_lost_curve_costs_its_figure_only(self):
        (self.directory / "trajectories" / "four_bar_Second.csv").unlink()
        code, output, errors = run_make_all(self.directory)
        self.assertEqual(code, 1)
        self.assertIn("figure both is missing", errors)
        self.assertIn("figures/over_time.pdf", output)

    def test_a_table_has_what_it_declares(self):
        run_make_all(self.directory)
        table = (self.directory / "tables" / "small_some.tex").read_text()
        rows = [line for line in table.splitlines() if line.endswith(r"\\") and ("four" in line or "pend" in line)]
        self.assertEqual(len(rows), 5, "two variants at two tolerances, and the one that the pendulum has")
        self.assertFalse(list((self.directory / "tables").glob("small_numbers_*")))


if __name__ == "__main__":
    unittest.main()
