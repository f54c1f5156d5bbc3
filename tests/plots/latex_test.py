"""LaTeX tables: how they are laid out, and whether LaTeX sets them within the text, made-up ones and the frozen results."""
import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "plots")]

import tables
from latex_layout import fitted_table, printed_text, printed_width
from reading.number_text import digits_beside
from plot_checks import run_make_all
from reading.result_directory import open_results
from studies.study import read_study
from studies.study_tables import tables_of
from study_test import observer, row, write_study

_WITHOUT_LATEX = "no pdflatex (Debian: texlive-latex-recommended)"


def _set(files, directory):
    """pdflatex's log of the tables on pages of an article."""
    body = "\n".join(rf"\noindent\input{{{file}}}\clearpage" for file in files)
    (directory / "all.tex").write_text("\\documentclass[a4paper]{article}\\usepackage[utf8]{inputenc}\\usepackage[T1]{fontenc}"
                                       "\\usepackage{array,booktabs,longtable,textcomp}\\begin{document}" + body + "\\end{document}")
    # No output: fonts need not be rendered.
    run = subprocess.run(["pdflatex", "-draftmode", "-interaction=nonstopmode", "-halt-on-error", "all.tex"], cwd=directory, stdin=subprocess.DEVNULL,
                         capture_output=True, timeout=300, check=False)
    log = run.stdout.decode("latin-1")
    if run.returncode:
        raise AssertionError(log[-2000:])
    return log


def _overfull(log):
    """By how many points the widest box sticks out; two cannot be seen."""
    return max((float(points) for points in re.findall(r"Overfull \\[hv]box \(([\d.]+)pt", log)), default=0)


class LatexLayout(unittest.TestCase):
    def _study(self):
        directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        write_study(directory)
        return directory

    def test_long_tables_break_over_pages_and_wide_ones_wrap(self):
        narrow = fitted_table("c", "lr", ["a", "b"], [["x", "$1$"]])
        self.assertIn(r"\begin{tabular}{@{}lr@{}}", narrow)
        self.assertIn(r"\begin{longtable}", fitted_table("c", "lr", ["a", "b"], [["x", "$1$"]] * 50))
        wide = fitted_table("c", "ll", ["a", "b"], [["word " * 40, "other " * 40]])
        widths = [float(width) for width in re.findall(r"p\{([\d.]+)\\linewidth\}", wide)]
        self.assertEqual(len(widths), 2)
        self.assertLess(sum(widths), 1)

    def test_text_and_width_are_those_on_paper(self):
        self.assertEqual(printed_text(r"$1.5\times10^{-5}$"), "1.5××10-5")
        self.assertEqual(printed_text(r"a\_b \& \textless{}"), "a_b & x")
        self.assertLess(printed_width("illicit"), printed_width("memento"))

    def test_columns_that_do_not_fit_stand_in_parts_that_say_what_their_rows_are(self):
        text = fitted_table("c", "l" + "r" * 20, ["name", *(f"column{place}" for place in range(20))], [["first", *["$1.25$"] * 20]])
        parts = text.split(r"\begin{tabular}")[1:]
        self.assertGreater(len(parts), 1)
        self.assertTrue(all("first &" in part and "name &" in part for part in parts))
        self.assertEqual(sum(part.count("column") for part in parts), 20)

    def test_tall_rows_count_by_their_lines(self):
        self.assertIn("longtable", fitted_table("c", "ll", ["a", "b"], [["word " * 60, "other " * 60]] * 10))

    def test_a_number_has_the_digits_of_the_printed_one_beside_it(self):
        for value, compared, digits in ((0.000196761971, 0.0002, 2), (1247.65, 1248, 4), (0.8463, 0.847, 3), (3493.0, 3500, 10), (2.5, None, 10)):
            self.assertEqual(digits_beside(value, compared), digits)

    def test_numbers_stay_beside_what_they_are_compared_with(self):
        file = self._study()
        rows = (file / "records.csv").read_text().replace(",evaluations,1,630,,,,", ",evaluations,1,630,,,700,")
        (file / "records.csv").write_text(rows)
        declaration = json.loads((file / "study.json").read_text())
        declaration["tables"] = [{"name": "t", "title": "T", "caption": "c", "observers": ["evaluations", "position_error"],
                                  "mechanisms": [0], "variants": [0]}]
        (file / "study.json").write_text(json.dumps(declaration))
        results = open_results(file)
        [table] = [table for table in tables_of(read_study(results)) if table.name == "t"]
        self.assertEqual(table.header(results)[-3:], ["evaluations", "expected: evaluations", "position error [m]"])
        self.assertEqual(table.rows(results)[0][-3:-1], [630, 700])

    def test_printed_digits_stay_and_quotients_have_three(self):
        file = self._study()
        rows = (file / "records.csv").read_text().replace(",evaluations,1,630,,,,", ",evaluations,1,630,1.143,a paper,,")
        (file / "records.csv").write_text(rows)
        declaration = json.loads((file / "study.json").read_text())
        empty = "a_quantity_of_nothing"
        declaration["observers"].append(observer(empty, "nothing", "1"))
        declaration["tables"] = [{"name": "t", "title": "T", "caption": "c", "observers": ["evaluations"], "mechanisms": [0], "variants": [0]},
                                 {"name": "empty", "title": "E", "caption": "c", "observers": [empty], "mechanisms": [0], "variants": [0]}]
        (file / "study.json").write_text(json.dumps(declaration))
        run_make_all(file)
        self.assertIn("$1.143$", (file / "tables" / "small_t.tex").read_text())
        self.assertIn("published:", (file / "tables" / "small_t.tex").read_text())
        self.assertFalse((file / "tables" / "small_empty.tex").exists(), "a table of nothing is not written")
        self.assertEqual([tables.latex(0.6823529411764706, 3), tables.is_ratio("speedup"), tables.is_ratio("ratio_wall_time")], ["$0.682$", True, True])

    @unittest.skipIf(shutil.which("pdflatex") is None, _WITHOUT_LATEX)
    def test_latex_sets_every_table_within_the_text(self):
        directory = self._study()
        # As wide as a study's own tables become: many observers of many digits, and records compared with long names.
        declaration = json.loads((directory / "study.json").read_text())
        declaration["observers"] += [observer(f"observed_{place}", f"a quantity of {place}", "m/s^2, rad/s^2") for place in range(9)]
        sum_of_joints = "+".join(f"joint{place}" for place in range(16))
        declaration["observers"].append(observer(f"end_error_{sum_of_joints}", f"end error, {sum_of_joints}", "rad"))
        (directory / "study.json").write_text(json.dumps(declaration))
        long = "hdca[cut_axes=world,gauge=leak,leak=5,projection=off,loops=proximal]"
        rows = [row("random_closed:seed=5,cuts=2,loads=0", long, "odeint-bulirsch-stoer", "tolerance=1e-06;end=10;controlled=position",
                    "largest_energy_error_of_the_run", "m/s^2", 1.23456789e-7)[:8] + [2.3456789e-7, "a source", "", "", "", "trend only", ""]]
        for place in range(9):
            rows.append(row("four_bar", "dca", "ode45", "tolerance=0.0001;end=5", f"observed_{place}", "m/s^2, rad/s^2", 1.23456789e-7))
        rows.append(row("four_bar", "dca", "ode45", "tolerance=0.0001;end=5", f"end_error_{sum_of_joints}", "rad", 1.23456789e-7))
        with (directory / "records.csv").open("a") as stream:
            csv.writer(stream).writerows(rows)
        run_make_all(directory)
        self.assertLess(_overfull(_set(sorted((directory / "tables").glob("*.tex")), directory)), 2)

    @unittest.skipIf(shutil.which("pdflatex") is None, _WITHOUT_LATEX)
    def test_latex_sets_the_tables_of_the_frozen_results_within_the_text(self):
        directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        files = []
        for frozen in sorted((ROOT / "results" / "reference").glob("*/records.csv")):
            files += tables.write_tables(open_results(frozen.parent), directory / frozen.parent.name)
        self.assertGreater(len(files), 15)
        self.assertLess(_overfull(_set(files, directory)), 2)

    def test_a_table_of_a_mechanism_has_the_columns_that_it_is_observed_for(self):
        directory = self._study()
        declaration = json.loads((directory / "study.json").read_text())
        declaration["observers"].append(observer("end_error_of_the_other", "end error", "rad"))
        (directory / "study.json").write_text(json.dumps(declaration))
        [table] = [table for table in tables_of(read_study(open_results(directory))) if table.name == "numbers_four_bar"]
        self.assertEqual(table.header(None), ["variant", "integrator", "tolerance or step [s]", "evaluations", "position error [m]"])
        self.assertEqual({len(cells) for cells in table.rows(None)}, {5})

    def test_sums_of_joints_may_break(self):
        self.assertEqual(tables.breakable("a1+a2"), r"a1+\allowbreak{}a2")


if __name__ == "__main__":
    unittest.main()
