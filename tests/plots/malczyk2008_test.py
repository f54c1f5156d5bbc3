"""Figures, tables and report of the experiment malczyk2008."""
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

from input_error import InputError
from malczyk2008_figures import FIGURES
from malczyk2008_look import SERIAL, SUB_CHAINS, TWO_RANKS, TWO_RANKS_TCP
from plot_checks import Readable, run_make_all
from records import COLUMNS
from result_directory import open_results
from synthetic_results import compared_with, write_rows

JOINTS = (5, 15, 51, 151)


def _row(mechanism, program, parameters, quantity, value, published="", note=""):
    source, verdict = ("Malczyk2008, table 1", "trend only") if published != "" else ("", "no published value")
    return ["malczyk2008", mechanism, program, "cvode-bdf" if parameters else "", parameters, quantity, "s", value, *compared_with(published, source),
            verdict, note]


def timings(two_ranks=True, busy=(), tcp=True):
    """Made up: a body costs 1e-6 s, the messages of a right-hand side 4e-6 s, over TCP 40e-6 s."""
    rows = [_row("", "", "numbers=27", "exchange_time", 1.3e-6, note="Open MPI, 2 ranks on 4 processors, not bound")] if two_ranks else []
    for step, factor in (("0.01", 1), ("0.001", 2.5)):
        parameters = f"end=60;output_step={step};tolerance=1e-06"
        rows.append(_row("slider_crank", SERIAL, parameters, "wall_time", 0.08 * factor, 4.768))
        if two_ranks:
            rows.append(_row("slider_crank", TWO_RANKS, parameters, "wall_time", 0.16 * factor, 6.951))
            rows.append(_row("slider_crank", TWO_RANKS, parameters, "wall_time_speedup", 0.5, 0.686))
    for quantity, parameters, scale in (("time_per_evaluation", "", 1), ("wall_time", "end=10;output_step=0.01;tolerance=1e-06", 1e4)):
        for joints in JOINTS:
            one, two = scale * 1e-6 * joints, scale * (0.5e-6 * joints + 4e-6)
            rows.append(_row(f"loop:{joints}", SERIAL, parameters, quantity, one))
            if quantity != "wall_time":
                rows.append(_row(f"loop:{joints}", SUB_CHAINS, parameters, quantity, 1.05 * one))
            if two_ranks:
                rows.append(_row(f"loop:{joints}", TWO_RANKS, parameters, quantity, two))
                if joints not in busy:
                    rows.append(_row(f"loop:{joints}", TWO_RANKS, parameters, f"{quantity}_speedup", one / two))
    if two_ranks and tcp:
        rows.append(_row("", "", "numbers=27;messages=tcp", "exchange_time", 13e-6, note="Open MPI, self,tcp"))
        rows.append(_row("loop", TWO_RANKS_TCP, "", "predicted_crossover", 78.5))
        rows.append(_row("loop", TWO_RANKS_TCP, "", "time_per_evaluation_crossover", 80.25, 251))
        for joints in (15, 151):
            one, two = 1e-6 * joints, 0.5e-6 * joints + 40e-6
            rows.append(_row(f"loop:{joints}", TWO_RANKS_TCP, "", "time_per_evaluation", two))
            rows.append(_row(f"loop:{joints}", TWO_RANKS_TCP, "", "time_per_evaluation_speedup", one / two))
    return rows


class MalczykFigures(Readable):
    def results(self, rows):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        directory = Path(holder.name)
        record = _row("slider_crank", SERIAL, "end=60;output_step=0.01;tolerance=1e-06", "rhs_calls", 40000)
        write_rows(directory / "records.csv", COLUMNS, [record])
        write_rows(directory / "timings.csv", COLUMNS, rows)
        (directory / "provenance.json").write_text("{}", encoding="utf-8")
        return directory

    def test_everything_is_made_and_can_be_read(self):
        directory = self.results(timings())
        code, output, errors = run_make_all(directory)
        self.assertEqual((code, errors), (0, ""))
        results = open_results(directory)
        for definition in FIGURES:
            self.assertIn(f"figures/{definition.name}.pdf", output)
            self.assert_readable(definition.name, definition.draw(results))
            self.assertIn("2 ranks on 4 processors", definition.caption(results))
            self.assertNotIn("busy", definition.caption(results))

    def test_figures_show_the_numbers_unchanged(self):
        [definition] = [definition for definition in FIGURES if definition.name == "figure4_loop"]
        left, right = definition.draw(open_results(self.results(timings()))).axes[-2:]
        one, two = left.get_lines()
        self.assertEqual(list(one.get_xdata()), list(JOINTS))
        self.assertAlmostEqual(one.get_ydata()[1], 0.15)
        self.assertAlmostEqual(two.get_ydata()[1], 0.115)
        self.assertAlmostEqual(right.get_lines()[0].get_ydata()[1], 0.15 / 0.115)

    def test_messages_over_tcp_are_shown_and_named(self):
        results = open_results(self.results(timings()))
        [definition] = [definition for definition in FIGURES if definition.name == "right_hand_side"]
        left, right = definition.draw(results).axes[-2:]
        self.assertEqual(list(left.get_lines()[-1].get_xdata()), [15, 151])
        self.assertAlmostEqual(right.get_lines()[1].get_ydata()[1], 151 / 115.5)
        self.assertIn("stand in for a second node", definition.caption(results))
        without = open_results(self.results(timings(tcp=False)))
        self.assert_readable(definition.name, definition.draw(without))
        self.assertNotIn("TCP", definition.caption(without))

    def test_tables_hold_the_numbers(self):
        directory = self.results(timings())
        run_make_all(directory)
        table = (directory / "tables" / "malczyk2008_table1.tex").read_text(encoding="utf-8")
        self.assertIn(r"0.01 s & 60 s & $4.77$ & $6.95$ & $0.686$ & $80$ & $160$ & $0.5$ \\", table)
        times = (directory / "tables" / "malczyk2008_right_hand_sides.tex").read_text(encoding="utf-8")
        self.assertIn(r"loop:15 & $15$ &", times)
        messages = (directory / "tables" / "malczyk2008_messages.tex").read_text(encoding="utf-8")
        self.assertIn(r"TCP & $13$ & $78.5$ & $80.2$ & two nodes: 251 \\", messages)

    def test_captions_say_what_was_not_measured(self):
        for rows, words in ((timings(two_ranks=False), "there was no second process"), (timings(busy=(51, 151)), "51, 151 joints")):
            results = open_results(self.results(rows))
            for definition in FIGURES:
                definition.draw(results)
                self.assertIn(words, definition.caption(results))

    def test_without_times_nothing_is_drawn(self):
        results = open_results(self.results([_row("slider_crank", SERIAL, "", "time_per_evaluation", 2e-6)]))
        for definition in FIGURES:
            with self.assertRaises(InputError):
                definition.draw(results)


if __name__ == "__main__":
    unittest.main()
