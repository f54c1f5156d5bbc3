"""A report goes case by case, on one page, and nothing of it is "part 1 of 15"."""
import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

from reports import claims
from papers import Setting
from plot_checks import InTemporaryDirectory, Page, run_make_all
from reports.report import page_environment
from reports.report_cases import cases_of
from reading.result_directory import open_results
from studies.study import read_study
from study_test import write_study
from synthetic_results import write_rows


class ReportByCases(InTemporaryDirectory):
    def setUp(self):
        super().setUp()
        write_study(self.directory)

    def _report(self, change=lambda declaration: None):
        file = self.directory / "study.json"
        declaration = json.loads(file.read_text())
        change(declaration)
        file.write_text(json.dumps(declaration))
        self.assertEqual(run_make_all(self.directory)[0], 0)
        return (self.directory / "report.html").read_text()

    def test_a_case_has_its_drawing_settings_figures_and_tables_one_after_another(self):
        def change(declaration):
            (self.directory / "drawings").mkdir()
            (self.directory / "drawings" / "bar.svg").write_text("<svg><text>the bars</text></svg>")
            declaration["mechanisms"][0] |= {"drawing": "drawings/bar.svg", "bodies": 3, "coordinates": 3, "cut_joints": 1, "parameters": "end=5"}
        text = self._report(change)
        page = Page(text)
        for link in ("#case_four_bar", "#case_pendulum_4", "#cases", "#tables"):
            self.assertIn(link, page.links)
            self.assertIn(f'id="{link[1:]}"', text)
        case = text[text.index('id="case_four_bar"'):text.index('id="case_pendulum_4"')]
        places = [case.index(words) for words in ("the bars", "3 bodies, 3 tree coordinates, 1 cut joint", "tolerance 0.0001, 1·10⁻⁶", "1·10⁻⁹ m",
                                                  "four_bar: evaluations against position error", "four_bar: all numbers")]
        self.assertEqual(places, sorted(places), "drawing, facts, settings, reference, figures, tables")
        self.assertNotIn("pendulum:4: all numbers", case)
        self.assertNotIn("four_bar: all numbers", text[text.index('id="tables"'):], "a table stands once")

    def test_what_shows_several_ways_to_run_one_mechanism_belongs_to_its_case(self):
        def change(declaration):
            declaration["mechanisms"].append({"label": "once more", "mechanism": "four_bar", "end": 5.0})
            last = len(declaration["mechanisms"]) - 1
            declaration["tables"] = [{"name": name, "title": title, "caption": "", "observers": ["evaluations"], "mechanisms": places, "variants": [0]}
                                     for name, title, places in (("ways", "Two ways", [0, last]), ("all", "Two mechanisms", [0, 1]))]
        text = self._report(change)
        case = text[text.index('id="case_four_bar"'):text.index('id="case_pendulum_4"')]
        self.assertIn("Two ways", case)
        self.assertNotIn("Two mechanisms", case)
        self.assertIn("Two mechanisms", text[text.index('id="tables"'):])

    def test_a_case_has_the_claims_that_speak_of_it_and_the_settings_that_it_rests_on(self):
        (self.directory / "inputs").mkdir()
        (self.directory / "inputs" / "declaration.toml").write_text("""
[[claims]]
source = "Small, page 1"
text = "Bars are bars."
holds = "evaluations['First one', mechanism='four_bar', integrator='ode45', tolerance=1e-6] > 0"
[[claims]]
source = "ours"
text = "Pendulums swing."
holds = "evaluations['First one'] > 0"
over = ["tolerance"]
mechanisms = ["pendulum:4"]
[[claims]]
source = "ours"
text = "All of them move."
holds = "evaluations['First one'] > 0"
over = ["mechanism"]
failure_holds = true
[[claims]]
source = "ours"
text = "A wish."
not_measured = "it is one"
""")
        write_rows(self.directory / "claims.csv", claims.COLUMNS,
                   [["small", source, text, "", "", k, n, 0, "", verdict, "run"]
                    for source, text, k, n, verdict in (("Small, page 1", "Bars are bars.", 1, 1, "holds"), ("ours", "Pendulums swing.", 1, 2, "mostly holds"),
                                                        ("ours", "All of them move.", 0, 2, "does not hold"), ("ours", "A wish.", 0, 0, "not measured"))])
        inferred = [Setting("of everything"), Setting("of the page", ["Small, page 1"]), Setting("of another page", ["Small, page 2"])]
        results = open_results(self.directory)
        cases = {case.title: case for case in cases_of(read_study(results), self.directory, [], [], results, inferred)}
        self.assertEqual([claim.statement for claim in cases["four_bar"].claims], ["Bars are bars.", "All of them move."])
        self.assertEqual([claim.statement for claim in cases["pendulum:4"].claims], ["Pendulums swing.", "All of them move."])
        self.assertEqual(cases["four_bar"].inferred, ["of everything", "of the page"])
        self.assertEqual(cases["pendulum:4"].inferred, ["of everything"])
        text = self._report()
        case = text[text.index('id="case_pendulum_4"'):text.index('id="tables"')]
        self.assertIn('<span class="verdict mostly-holds">mostly holds</span>, 1 of 2</td><td>ours: Pendulums swing.</td>', case)
        self.assertNotIn("Bars are bars.", case)

    def test_a_folder_whose_declaration_is_damaged_has_its_report_without_claims_in_cases(self):
        (self.directory / "inputs").mkdir()
        for damaged in ("claims = 3", "[[claims]]\ntext = 5", "[[claims]]\ntext = 'a'\nholds = 3\nover = 1\nmechanisms = true", "not = [toml"):
            (self.directory / "inputs" / "declaration.toml").write_text(damaged)
            self.assertNotIn("Claims on it", self._report())

    def test_names_break_after_their_signs(self):
        breakable = page_environment().filters["breakable"]
        self.assertEqual(str(breakable("hdca[gauge=none,leak=5] <b>")), "hdca[<wbr>gauge=<wbr>none,<wbr>leak=<wbr>5] &lt;b&gt;")

    def test_many_mechanisms_are_rows_of_one_table_and_parts_on_paper_only(self):
        def change(declaration):
            declaration["mechanisms"] += [{"label": f"again {n}", "mechanism": "four_bar", "end": 5.0} for n in range(5)]
        text = self._report(change)
        self.assertNotIn("part 1 of", text)
        self.assertEqual(text.count("<h3>Runs that reached their end</h3>"), 1)
        self.assertIn("<th>mechanism</th><th>First one</th>", text)
        for number in (1, 2):
            self.assertIn(f"tables/small_runs_{number}.tex", Page(text).links)
            self.assertTrue((self.directory / "tables" / f"small_runs_{number}.tex").exists())
        self.assertFalse((self.directory / "tables" / "small_runs.tex").exists(), "too wide for paper")

    def test_further_curves_of_a_figure_are_folded_below_the_first(self):
        def change(declaration):
            declaration["variants"] += [declaration["variants"][0] | {"label": f"copy {number}", "formulation": f"dca[copy={number}]"} for number in range(9)]
            rows = (self.directory / "records.csv").read_text().splitlines(keepends=True)
            copies = [row.replace(",dca,", f",dca[copy={number}],").replace(",evaluations,1,", f",evaluations,1,{number + 1}")
                      for row in rows for number in range(9) if ",dca,ode45,tolerance" in row]
            (self.directory / "records.csv").write_text("".join(rows + copies))
        text = self._report(change)
        self.assertEqual(text.count("<h3>four_bar: evaluations against position error</h3>"), 1)
        self.assertIn("<summary>four_bar: evaluations against position error: further curves</summary>", text)
        self.assertNotIn("part 2 of", text)


if __name__ == "__main__":
    unittest.main()
