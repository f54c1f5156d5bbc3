"""The history of runs: one line a run, never changed, and a page that draws them."""
import contextlib
import io
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

import history
from plot_checks import InTemporaryDirectory, Page
from synthetic_results import write_chadaj


def run_history(directory):
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = history.main([str(directory)])
    return code, errors.getvalue()


class History(InTemporaryDirectory):
    def setUp(self):
        super().setUp()
        self.runs = self.directory / "runs"
        write_chadaj(self.runs / "chadaj2015")
        self.file = self.runs / "history.jsonl"

    def made_at(self, time):
        file = self.runs / "chadaj2015" / "provenance.json"
        file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), "utc_time": time}), encoding="utf-8")

    def lines(self):
        return [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]

    def test_a_run_is_one_line_however_often_it_is_asked(self):
        self.made_at("2026-01-01T00:00:00Z")
        self.assertEqual(run_history(self.runs), (0, ""))
        self.assertEqual(run_history(self.runs), (0, ""))
        [line] = self.lines()
        self.assertEqual(line["experiment"], "chadaj2015")
        # Nothing is written beside the folder that was named.
        self.assertEqual([path.name for path in self.directory.iterdir()], ["runs"])
        self.assertGreater(line["evaluations"], 3169)
        self.made_at("2026-01-02T00:00:00Z")
        self.assertEqual(run_history(self.runs), (0, ""))
        self.assertEqual(self.lines()[0], line)
        self.assertEqual(len(self.lines()), 2)
        page = (self.runs / "history.html").read_text(encoding="utf-8")
        self.assertIn("2026-01-02T00:00:00Z", page)
        self.assertIn("<polyline", page)
        Page(page)

    def test_lines_that_were_written_before_right_hand_sides_were_counted_stay_readable(self):
        self.made_at("2026-01-01T00:00:00Z")
        self.assertEqual(run_history(self.runs), (0, ""))
        [line] = self.lines()
        del line["rhs_calls"]
        self.file.write_text(json.dumps(line) + "\n", encoding="utf-8")
        self.made_at("2026-01-02T00:00:00Z")
        self.assertEqual(run_history(self.runs), (0, ""))
        self.assertIn("2026-01-01T00:00:00Z", (self.runs / "history.html").read_text(encoding="utf-8"))

    def test_right_hand_sides_are_counted_beside_evaluations(self):
        self.made_at("2026-01-01T00:00:00Z")
        records = self.runs / "chadaj2015" / "records.csv"
        text = records.read_text(encoding="utf-8")
        self.assertIn(",evaluations,", text)
        records.write_text(text.replace(",evaluations,", ",rhs_calls,"), encoding="utf-8")
        self.assertEqual(run_history(self.runs), (0, ""))
        [line] = self.lines()
        self.assertIsNone(line["evaluations"])
        self.assertGreater(line["rhs_calls"], 3169)
        self.assertGreater(line["runs"], 0)
        page = (self.runs / "history.html").read_text(encoding="utf-8")
        self.assertIn("right-hand sides", page)
        Page(page)

    def test_what_cannot_be_read_is_named(self):
        (self.runs / "chadaj2015" / "provenance.json").unlink()
        code, errors = run_history(self.runs)
        self.assertEqual(code, 1)
        self.assertIn("provenance.json", errors)
        for foreign in ("torn", '{"of": "another program"}', "[]"):
            self.file.write_text(foreign + "\n", encoding="utf-8")
            code, errors = run_history(self.runs)
            self.assertEqual(code, 1)
            self.assertIn("history.jsonl:1", errors)
        self.assertEqual(run_history(self.directory / "nothing")[0], 1)
