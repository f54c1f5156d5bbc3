"""The index of all results: distinct published numbers, verdicts, claims, and what cannot be read."""
import contextlib
import csv
import io
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

import index
from reports import ledger
from reports.claims import COLUMNS as CLAIM_COLUMNS
from plot_checks import InTemporaryDirectory, Page
from published_numbers import counts, largest_deviation, published_numbers
from reading.records import COLUMNS, read_records
from reading.result_directory import open_results
from study_test import write_study
from synthetic_results import record, write_chadaj, write_rows


def run_index(directory):
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = index.main([str(directory)])
    return code, errors.getvalue()


class PublishedNumbers(InTemporaryDirectory):
    def numbers(self, rows, experiment):
        write_rows(self.directory / "records.csv", COLUMNS, rows)
        return published_numbers(experiment, read_records(self.directory / "records.csv"))

    def test_a_number_met_three_times_counts_once(self):
        source = "Chadaj2015, sect. III"
        rows = [record("dca", "ode45", parameters, quantity, 3493, published=3493, source=source, verdict="exact")
                for parameters, quantity in (("tolerance=1e-06", "evaluations"), ("tolerance=1e-06", "rhs_calls"),
                                             ("tolerance=1e-06;output_step=0.01", "evaluations"))]
        numbers = self.numbers(rows, "chadaj2015")
        # Two counts and two times are printed; three of the four are compared with nothing here.
        self.assertEqual(counts(numbers), {"exact": 1, "not there": 3})
        self.assertIsNone(largest_deviation(numbers))

    def test_numbers_that_are_not_printed_do_not_count(self):
        rows = [record("dca", "ode45", "tolerance=1e-06", "steps", 576, published=576, source="independent prototype, not published", verdict="exact")]
        self.assertEqual(counts(self.numbers(rows, "chadaj2015")), {"not there": 4})
        self.assertEqual(published_numbers("chadaj2017", []), [])

    def test_equal_numbers_of_one_table_are_different_cells(self):
        rows = [record("naudet-acc", "ode45", f"tolerance={tolerance}", "end_error_q1", value, "rad", 2e-11, "Naudet2005, table 2", verdict)
                for tolerance, value, verdict in (("1e-12", 2.2e-11, "within limit"), ("1e-13", 1e-12, "not reproduced"))]
        numbers = self.numbers(rows, "naudet2005")
        self.assertEqual([number.verdict for number in numbers if number.printed == "2e-11"], ["within limit", "not reproduced"])
        self.assertAlmostEqual(largest_deviation(numbers), 0.1)
        # The text repeats one number of table 1.
        self.assertEqual(len(numbers), 20 + 26 + 12 + 3 - 1)


class Index(InTemporaryDirectory):
    def setUp(self):
        super().setUp()
        write_chadaj(self.directory / "chadaj2015")
        claims = [["chadaj2015", "Chadaj2015, sect. III", "A holds.", "a < b", "", 1, 1, 0, "1 of 1; a = 1", "holds", "run"],
                  ["chadaj2015", "Chadaj2015, sect. III", "B does not.", "b < a", "the fastest", 0, 3, 2, "0 of 3", "does not hold", "run"],
                  ["chadaj2015", "Chadaj2015, sect. IV", "D is logarithmic.", "d", "", 2, 2, 0, "2 of 2", "by model", "model"],
                  ["chadaj2015", "ours, beside Chadaj2015", "C, of ours.", "c", "", 1, 1, 0, "1 of 1", "holds", "run"]]
        write_rows(self.directory / "chadaj2015" / "claims.csv", CLAIM_COLUMNS, claims)
        write_study(self.directory / "matrix")

    def test_one_page_says_what_is_reproduced(self):
        self.assertEqual(run_index(self.directory), (0, ""))
        text = (self.directory / "index.html").read_text()
        page = Page(text)
        self.assertTrue(all(link.startswith(("data:image/png;base64,", "#")) or link.split("#")[0] in ("chadaj2015/report.html", "matrix/report.html", "ledger.csv")
                            for link in page.links))
        for item in ("<li>A holds. (1 of 1)</li>", "<li>B does not. (0 of 3, 2 not measured)</li>", "<li>D is logarithmic. (2 of 2)</li>"):
            self.assertIn(item, text)
        self.assertRegex(page.text, r"papers print 4 numbers that can still be read: 2.exact, 1.trend only, 1.not there\. "
                                    r"Of 3 sentences of theirs 1.holds, 1.does not hold, 1.by model\s*; of 1 sentences of ours beside them 1.holds")
        self.assertEqual(text.count('<i class="holds" style="flex:1">'), 2, "the paper's sentences and ours stand in two columns")
        self.assertIn("With n threads the cost is O(log2 n).judged where it is run, mpirun -n 2not simulatednone", page.text)
        for link in ("chadaj2015/report.html#comparison", "chadaj2015/report.html#claims", "#matrix", "ledger.csv"):
            self.assertIn(link, page.links)
        for words in ("0 of 3", "b < a", "inferred from the two published counts", open_results(self.directory / "matrix").experiment):
            self.assertIn(words, page.text)
        first = text
        run_index(self.directory)
        self.assertEqual((self.directory / "index.html").read_text(), first)

    def test_a_simulated_cluster_of_the_same_folder_has_its_column_and_its_rows(self):
        frozen = HERE.parents[1] / "results" / "reference" / "simulated_cluster"
        shutil.copytree(frozen, self.directory / "simulated_cluster")
        self.assertEqual(run_index(self.directory), (0, ""))
        page = Page((self.directory / "index.html").read_text())
        self.assertIn("With n threads the cost is O(log2 n).judged where it is run, mpirun -n 212 of 12, by simulationnone", page.text)
        with (self.directory / "ledger.csv").open(newline="", encoding="utf-8") as stream:
            rows = [row for row in csv.DictReader(stream) if row["experiment"] == "simulated_cluster"]
        self.assertEqual({(row["source"], row["by what"], row["verdict"]) for row in rows}, {("ours", "simulation", "by simulation")})
        self.assertIn("latency of 1 us", rows[0]["settings inferred"])
        (self.directory / "simulated_cluster" / "network.csv").unlink()
        code, said = run_index(self.directory)
        self.assertEqual(code, 1)
        self.assertIn("network.csv", said)

    def test_the_ledger_has_every_number_curve_and_sentence(self):
        run_index(self.directory)
        with (self.directory / "ledger.csv").open(newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual(list(rows[0]), ledger.COLUMNS)
        numbers, curves, sentences = ([row for row in rows if row["kind"] == kind] for kind in ("number", "curve", "sentence"))
        self.assertEqual([row["verdict"] for row in numbers].count("exact"), 2)
        self.assertEqual([(row["k"], row["n"], row["not tested"]) for row in numbers if row["verdict"] == "not there"], [("0", "0", "1")])
        self.assertIn("evaluations of pendulum:16, dca, ode45", numbers[0]["sentence"])
        self.assertIn("inertia about the centre of mass", numbers[0]["settings inferred"])
        self.assertEqual({row["verdict"] for row in curves}, {"not measured"})
        self.assertIn("figure 6", [row["page or equation"] for row in curves])
        by_sentence = {row["sentence"]: row for row in sentences}
        self.assertEqual([by_sentence["B does not."][name] for name in ("source", "page or equation", "baseline", "k", "n", "not tested", "by what")],
                         ["Chadaj2015", "sect. III", "the fastest", "0", "3", "2", "run"])
        self.assertEqual(by_sentence["D is logarithmic."]["by what"], "model")
        self.assertEqual(by_sentence["C, of ours."]["source"], "ours")

    def test_what_cannot_be_read_is_named_and_the_rest_is_there(self):
        write_rows(self.directory / "broken" / "records.csv", COLUMNS, [["a"]])
        code, errors = run_index(self.directory)
        self.assertEqual(code, 1)
        self.assertIn("broken/records.csv:2", errors)
        self.assertIn("A holds.", Page((self.directory / "index.html").read_text()).text)

    def test_no_directory(self):
        code, errors = run_index(self.directory / "nothing")
        self.assertEqual(code, 1)
        self.assertIn("is not a directory", errors)
