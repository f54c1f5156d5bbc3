"""From results in the documented format to figures, tables and the report, and what happens when the results are damaged."""
import contextlib
import io
import json
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

import make_all
from reading import number_text
import rhs_cost
import style
import tables
from reading.input_error import InputError
from plot_checks import InTemporaryDirectory, Page, Readable, pdf_size_mm, png_size_mm, run_make_all
from reading.records import COLUMNS, read_records, select, value_of
from reading.result_directory import open_results
from synthetic_results import benchmark_entry, chadaj_records, record, write_benchmark, write_chadaj, write_rows
from reading.trajectory import read_trajectory


class CompleteResults(Readable):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.directory = Path(holder.name)
        write_chadaj(cls.directory)
        cls.code, cls.output, cls.errors = run_make_all(cls.directory)

    def test_everything_is_made_and_named(self):
        self.assertEqual((self.code, self.errors), (0, ""))
        self.assertIn(sys.executable, self.output)
        for table in ("published", "expected", "checked"):
            self.assertIn(f"tables/chadaj2015_{table}.tex", self.output)

    def test_a_second_run_writes_the_same_bytes(self):
        def content():
            return {file: file.read_bytes() for file in self.directory.rglob("*") if file.is_file()}

        first = content()
        run_make_all(self.directory)
        self.assertEqual(first, content())

    def test_published_and_expected_numbers_stand_apart(self):
        published = (self.directory / "tables" / "chadaj2015_published.tex").read_text()
        expected = (self.directory / "tables" / "chadaj2015_expected.tex").read_text()
        self.assertIn(r"evaluations & hdca & ode45 & tolerance = 1e-06 & $3169$ & $3169$ & exact \\", published)
        self.assertNotIn("3085", published)
        self.assertIn("3085", expected)
        self.assertIn(r"largest energy error [J] & dca & ode45 & tolerance = 1e-06; output\_\allowbreak{}step = 0.01 & $0.0002$", expected)
        checked = (self.directory / "tables" / "chadaj2015_checked.tex").read_text()
        self.assertNotIn("dense", published)
        self.assertIn(r"evaluations & dense & ode45 & tolerance = 1e-06 & -- & $3493$ & exact \\", checked)
        self.assertNotIn("published", checked + expected.split("toprule")[1])
        for text in (published, expected, checked):
            rows = [line for line in text.splitlines() if line.endswith(r"\\")]
            self.assertEqual({line.count(" & ") for line in rows}, {6})
            self.assertIn(r"\toprule", text)

    def test_report_is_one_well_formed_file(self):
        page = Page((self.directory / "report.html").read_text())
        # Pictures are inside; what is linked beside is there, so that the folder can be moved.
        for link in page.links:
            self.assertTrue(link.startswith(("data:image/png;base64,", "#")) or (self.directory / link).exists(), link[:60])
        for text in ("3493", "exact", "within limit", "trend only", "Eigen 3.4.0", "100 % & more_", "pendulum:16"):
            self.assertIn(text, page.text)


    def test_the_report_leads_everywhere(self):
        text = (self.directory / "report.html").read_text()
        page = Page(text)
        for link in ("records.csv", "timings.csv", "tables/chadaj2015_published.tex", "#comparison", "#provenance"):
            self.assertIn(link, page.links)
        self.assertTrue(any(link.startswith("figures/") and link.endswith(".pdf") for link in page.links) or not list(self.directory.glob("figures/*.pdf")))
        for link in page.links:
            if link.startswith("#"):
                self.assertIn(f'id="{link[1:]}"', text)
        self.assertNotIn("../index.html", page.links, "there is none")
        self.assertEqual(run_make_all(self.directory, "--indexed")[0], 0)
        self.assertIn("../index.html", Page((self.directory / "report.html").read_text()).links)
        run_make_all(self.directory)

    def test_the_verdict_stands_beside_the_numbers_on_any_screen(self):
        """Five columns that may break; below 40rem a row is a block, with the names of its numbers."""
        text = (self.directory / "report.html").read_text()
        heads = re.findall(r'<table class="stacked records">\s*<thead><tr>(.*?)</tr>', text)
        self.assertTrue(heads)
        for head in heads:
            self.assertEqual(re.findall(r"<th[^>]*>(.*?)</th>", head)[-1], "verdict")
            self.assertEqual(head.count("<th"), 5)
        self.assertNotIn('<div class="wide"><table class="stacked records">', text, "nothing of it is scrolled out of sight")
        self.assertIn(".records td { overflow-wrap: anywhere; }", text)

    def test_report_and_index_count_alike(self):
        text = " ".join(Page((self.directory / "report.html").read_text()).text.split())
        # Two counts and two times are printed.
        self.assertIn("The paper prints 4 numbers that can still be read: exact 2, trend only 1, not there 1.", text)
        self.assertIn("92 records, one a run and quantity", text)


class ReferenceResults(InTemporaryDirectory):
    def test_every_record_is_counted_in_one_place(self):
        shutil.copytree(ROOT / "results" / "reference" / "naudet2005", self.directory / "naudet2005")
        run_make_all(self.directory / "naudet2005")
        text = " ".join(Page((self.directory / "naudet2005" / "report.html").read_text()).text.split())
        printed = re.search(r"The paper prints (\d+) numbers .*? as in the index\.", text).group()
        records = int(re.search(r"(\d+) records, one a run and quantity", text).group(1))
        again = re.search(r"(\d+) of them compare runs .*? once more: (.*?)\. (\d+) of those", text)
        rest = re.search(r"(\d+) are compared with no printed number", text)
        self.assertIn("not reproduced 1.", printed)
        self.assertIn("as in the index. 1 of those not reproduced is a finding", text)
        self.assertIn(f"not reproduced {again.group(3)}", again.group(2))
        speakers = sum(int(count) for count in re.findall(r"[a-z] (\d+)[.,]", printed)) - int((re.search(r"not there (\d+)", printed) or [0, 0])[1])
        self.assertEqual(records, speakers + int(again.group(1)) + int(rest.group(1)))

    def test_what_was_drawn_is_listed_once(self):
        write_chadaj(self.directory)
        (self.directory / make_all.LIST_FILE).write_text('["figures/earlier.pdf", 1, "../outside.pdf"]')
        run_make_all(self.directory)
        run_make_all(self.directory)
        listed = json.loads((self.directory / make_all.LIST_FILE).read_text())
        made = sorted(str(file.relative_to(self.directory)) for folder in ("figures", "tables") for file in (self.directory / folder).glob("*"))
        self.assertEqual(listed, sorted([*made, "figures/earlier.pdf"]))


class HostileNames(InTemporaryDirectory):
    def test_names_of_files_stay_in_the_folder(self):
        write_chadaj(self.directory / "results")
        rows = [["../../outside", *row[1:]] for row in chadaj_records()]
        write_rows(self.directory / "results" / "records.csv", COLUMNS, rows)
        (self.directory / "results" / "timings.csv").unlink()
        code, _, errors = run_make_all(self.directory / "results")
        self.assertEqual(code, 1)
        self.assertIn("no name of a file in this folder", errors)
        self.assertEqual(list(self.directory.rglob("*outside*")), [])
        with self.assertRaises(InputError):
            style.save(None, self.directory, "../figure")


class IncompleteResults(InTemporaryDirectory):
    def setUp(self):
        super().setUp()
        write_chadaj(self.directory)

    def test_a_failed_run_is_shown(self):
        rows = [row for row in chadaj_records() if not (row[2] == "hdca" and row[3] == "odeint-dopri5" and "1e-09" in row[4])]
        rows.append(record("hdca", "odeint-dopri5", "tolerance=1e-09", "evaluations", "", verdict="failed", note="step too small"))
        write_rows(self.directory / "records.csv", COLUMNS, rows)
        self.assertEqual(run_make_all(self.directory)[0], 0)
        page = Page((self.directory / "report.html").read_text())
        self.assertIn("step too small", page.text)
        self.assertIn("-- & -- & failed", (self.directory / "tables" / "chadaj2015_failed.tex").read_text())

    def test_missing_provenance_is_said(self):
        (self.directory / "provenance.json").unlink()
        code, _, errors = run_make_all(self.directory)
        self.assertEqual(code, 1)
        self.assertIn("what made these results is unknown", errors)
        self.assertTrue((self.directory / "report.html").exists())

    def test_no_records(self):
        (self.directory / "records.csv").unlink()
        code, _, errors = run_make_all(self.directory)
        self.assertEqual(code, 1)
        self.assertIn("is this the directory given to", errors)
        write_rows(self.directory / "parts" / "table.csv", COLUMNS, [])
        self.assertIn("has not finished", run_make_all(self.directory)[2])

    def test_no_directory(self):
        code, _, errors = run_make_all(self.directory / "nothing")
        self.assertEqual(code, 1)
        self.assertIn("is not a directory", errors)

    def test_an_experiment_without_figures_gets_tables_and_a_report(self):
        write_rows(self.directory / "records.csv", COLUMNS, [["other", *row[1:]] for row in chadaj_records()])
        (self.directory / "timings.csv").unlink()  # of the experiment chadaj2015
        code, output, _ = run_make_all(self.directory)
        self.assertEqual(code, 0)
        self.assertIn("No figures are defined for the experiment 'other'", output)
        self.assertTrue((self.directory / "tables" / "other_published.tex").exists())


class DamagedRecords(InTemporaryDirectory):
    HEADER = ",".join(COLUMNS)
    GOOD = "e,m,dca,ode45,tolerance=1e-06,steps,1,576,576,\"Paper, sect. III\",,,,exact,"

    def read(self, *lines):
        file = self.directory / "records.csv"
        file.write_text("\n".join(lines) + "\n")
        return read_records(file)

    def assert_error(self, place, words, *lines):
        with self.assertRaises(InputError) as caught:
            self.read(*lines)
        self.assertIn(f"records.csv:{place}: ", str(caught.exception))
        self.assertIn(words, str(caught.exception))

    def test_good_row(self):
        [read] = self.read("# a comment", self.HEADER, self.GOOD)
        self.assertEqual((read.value, read.source, read.parameters), (576, "Paper, sect. III", {"tolerance": "1e-06"}))

    def test_quoted_field_over_two_lines(self):
        first, second = self.read(self.HEADER, self.GOOD + '"two\nlines, and a "" quote"', self.GOOD)
        self.assertEqual(first.note, 'two\nlines, and a " quote')
        self.assertEqual(second.note, "")

    def test_errors_name_file_line_and_what_is_wrong(self):
        self.assert_error(3, "value should be a number or empty, not '57x'", self.HEADER, self.GOOD, self.GOOD.replace(",576,576", ",57x,576"))
        self.assert_error(2, "verdict should be one of exact", self.HEADER, self.GOOD.replace("exact", "fine"))
        self.assert_error(3, "14 fields where the header has 15", "# comment", self.HEADER, self.GOOD.rsplit(",", 1)[0])
        self.assert_error(1, "missing: note", self.HEADER.rsplit(",", 1)[0])
        self.assert_error(2, "does not end", self.HEADER, '"e' + self.GOOD, self.GOOD)
        self.assert_error(2, "parameters should be NAME=VALUE", self.HEADER, self.GOOD.replace("tolerance=", "=3;a="))
        self.assert_error(2, "value is empty", self.HEADER, self.GOOD.replace(",576,576", ",,576"))

    def test_empty_file(self):
        with self.assertRaisesRegex(InputError, "no row of column names"):
            self.read("# only a comment")

    def test_several_experiments(self):
        self.read(self.HEADER, self.GOOD, self.GOOD.replace("e,", "f,", 1))
        with self.assertRaisesRegex(InputError, "one experiment, not of e, f"):
            open_results(self.directory)

    def test_contradiction(self):
        records = self.read(self.HEADER, self.GOOD, self.GOOD.replace(",576,576", ",577,576"))
        with self.assertRaisesRegex(InputError, "contradictory records of steps"):
            value_of(records, "steps", "dca", "ode45", tolerance=1e-6)

    def test_selection_compares_parameters_as_numbers_and_exactly(self):
        records = self.read(self.HEADER, self.GOOD, self.GOOD.replace("tolerance=1e-06", "tolerance=0.000001;t=2"), self.GOOD.replace(",576,576", ",nan,576"))
        self.assertEqual(len(select(records, "steps", tolerance="0.000001")), 1)
        self.assertEqual(len(select(records, "steps", tolerance=..., t=2)), 1)
        self.assertIsNone(value_of(records, "steps", tolerance=1e-7))


class DamagedTrajectory(InTemporaryDirectory):
    def assert_error(self, words, text, needed=("x",)):
        file = self.directory / "run.csv"
        file.write_text(text)
        with self.assertRaises(InputError) as caught:
            read_trajectory(file, needed)
        self.assertIn(f"run.csv{words}", str(caught.exception))

    def test_errors_name_file_line_and_what_is_wrong(self):
        self.assert_error(":3: x should be a number, not 'a'", "t,x\n0,1\n1,a\n")
        self.assert_error(":3: x is not finite", "t,x\n0,1\n1,nan\n")
        self.assert_error(":4: the time goes back from 1.0 to 0.5", "t,x\n0,1\n1,1\n0.5,1\n")
        self.assert_error(":1: no column z_tip; there are t, x", "t,x\n0,1\n", ["z_tip"])
        self.assert_error(": there are no samples", "t,x\n")
        self.assert_error(":2: 1 fields where the header has 2", "t,x\n0\n")


class RhsCost(InTemporaryDirectory):
    def setUp(self):
        super().setUp()
        self.file = self.directory / "rhs.json"

    def entries(self):
        return [benchmark_entry(key, n, cost * n**growth) for key, cost, growth in (("dca", 300, 0), ("hdca", 310, 0), ("dense", 50, 1))
                for n in (4, 16, 64)]

    def test_a_benchmark_alone_is_drawn_and_reported(self):
        write_benchmark(self.file, self.entries())
        self.assertEqual(run_make_all(self.directory)[0], 0)
        self.assertAlmostEqual(pdf_size_mm(self.directory / "figures" / "rhs_cost.pdf")[0], 88, delta=0.1)
        self.assertIn("2 processors", Page((self.directory / "report.html").read_text()).text)

    def test_own_command(self):
        write_benchmark(self.file, self.entries())
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.assertEqual(rhs_cost.main([str(self.file), "--output", str(self.directory / "out")]), 0)
        self.assertTrue((self.directory / "out" / "rhs_cost.png").exists())
        self.assertIn("rhs_cost.png", output.getvalue())

    def test_medians_replace_repetitions(self):
        median = benchmark_entry("dca", 4, 7, run_type="aggregate", aggregate_name="median")
        mean = benchmark_entry("dca", 4, 8, run_type="aggregate", aggregate_name="mean")
        write_benchmark(self.file, [benchmark_entry("dca", 4, 6), benchmark_entry("dca", 4, 9), median, mean])
        self.assertEqual(rhs_cost.read_rhs_costs(self.file).points, {"pendulum": {"dca": {4: 7}}})

    def test_failures_and_a_busy_machine_are_said(self):
        failed = benchmark_entry("dca", 256, 0, error_occurred=True, error_message="joint 3 is singular")
        write_benchmark(self.file, [*self.entries(), failed, benchmark_entry("aba", 4, 100, real_time=1.5)])
        text = rhs_cost.caption(rhs_cost.read_rhs_costs(self.file))
        self.assertIn("joint 3 is singular", text)
        self.assertIn("busy: 1 measurements", text)
        self.assertEqual(run_make_all(self.directory)[0], 1)

    def test_errors(self):
        def error(content=None, text=None):
            self.file.write_text(text) if text is not None else write_benchmark(self.file, content)
            with self.assertRaises(InputError) as caught:
                rhs_cost.read_rhs_costs(self.file)
            return str(caught.exception)

        self.assertIn("measured twice", error([benchmark_entry("dca", 4, 6), benchmark_entry("dca", 4, 9)]))
        self.assertIn("should have a counter ns_per_body above 0, not None", error([benchmark_entry("dca", 4, None)]))
        self.assertIn("should be named rhs/", error([{**benchmark_entry("dca", 4, 1), "run_name": "other/4"}]))
        self.assertIn("holds no measurement", error([]))
        self.assertIn("rhs.json:1: not JSON", error(text='{"benchmarks": ['))
        self.assertIn("no list 'benchmarks'", error(text="[]"))


class Texts(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual(number_text.plain(4.019860757e-5), "4.019860757·10⁻⁵")
        self.assertEqual(number_text.latex(-4.02e-5), r"$-4.02\times10^{-5}$")
        for text, shown in (("2.0e-5", "2.0·10⁻⁵"), ("0.240", "0.240"), ("10400", "10400"), ("1e-02", "0.01")):
            self.assertEqual(number_text.plain(number_text.PrintedNumber(text)), shown, "zeros at the end are digits that a paper prints")
        self.assertEqual([number_text.plain(value) for value in (None, 3493.0, -1.5, float("nan"))], ["–", "3493", "−1.5", "not a number"])

    def test_latex_escapes(self):
        self.assertEqual(tables.escape("a_b & 5 % of {x} \\ ~^"), r"a\_b \& 5 \% of \{x\} \textbackslash{} \textasciitilde{}\textasciicircum{}")

    def test_formulations_look_different(self):
        style.apply()
        keys = ["dca", "hdca", "dense", "dense-momentum", "aba", "dca-alm", "dca-alm-proj", "bae-haug", "naudet", "naudet-reduced",
                "naudet-acc", "naudet-acc-reduced"]
        self.assertEqual(len({tuple(style.formulation_look(key).values()) for key in keys}), len(keys))
        # In grey print colours are gone.
        self.assertEqual(len({(look["marker"], look["markerfacecolor"] == "white") for look in map(style.formulation_look, keys)}), len(keys))
        self.assertEqual(style.formulation_look("hdca [gauge]"), style.formulation_look("hdca"))
        self.assertEqual(set(style.formulation_look("my-own")), {"color", "marker", "markerfacecolor"})

    def test_help_has_an_example(self):
        with self.assertRaises(SystemExit) as caught, contextlib.redirect_stdout(io.StringIO()) as output:
            make_all.main(["--help"])
        self.assertEqual(caught.exception.code, 0)
        self.assertIn("python3 plots/make_all.py results/runs/chadaj2015", output.getvalue())


if __name__ == "__main__":
    unittest.main()
