"""The fan chart of an ensemble, from a small one that is made up here."""
import contextlib
import io
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

import ensemble
import style
from plot_checks import InTemporaryDirectory, pdf_size_mm, png_size_mm, run_make_all

HEADER = "time,quantity,members,mean,standard_deviation,minimum,q05,q25,q50,q75,q95,maximum"


class FanChart(InTemporaryDirectory):
    def write(self, quantities=("q.joint1", "total"), spread=0.5):
        rows = [HEADER]
        for step in range(5):
            for name in quantities:
                middle = 0.25 * step
                values = [middle, spread, *(middle + spread * k for k in (-3, -1.6, -0.7, 0, 0.7, 1.6, 3))]
                rows.append(",".join(map(str, (0.1 * step, name, 9, *values))))
        (self.directory / "ensemble.csv").write_text("\n".join(rows) + "\n")
        (self.directory / "ensemble.json").write_text(json.dumps({"mechanism": "pendulum", "members": 10, "spread": "positions=0.1", "seed": "1"}))

    def run_program(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = ensemble.main([str(self.directory), *arguments])
        return code, output.getvalue()

    def test_a_panel_a_quantity_at_the_width_of_a_journal(self):
        self.write()
        code, output = self.run_program()
        self.assertEqual(code, 0, output)
        self.assertAlmostEqual(pdf_size_mm(self.directory / "figures" / "ensemble.pdf")[0], style.DOUBLE_COLUMN_MM, delta=0.1)
        self.assertAlmostEqual(png_size_mm(self.directory / "figures" / "ensemble.png")[0], style.DOUBLE_COLUMN_MM, delta=0.2)
        self.assertIn("Quantiles of 9 members of pendulum", output)
        self.assertIn("1 of 10 members failed or are inaccurate", output)
        self.assertEqual(self.run_program("--quantities", "total")[0], 0)
        self.assertAlmostEqual(pdf_size_mm(self.directory / "figures" / "ensemble.pdf")[0], style.SINGLE_COLUMN_MM, delta=0.1)

    def test_what_is_drawn_are_the_numbers_of_the_table(self):
        self.write()
        figure = ensemble.draw(ensemble.read_ensemble(self.directory))
        panel = next(axes for axes in figure.axes if axes.get_title(loc="left") == "q.joint1")
        lowest = min(path.vertices[:, 1].min() for band in panel.collections for path in band.get_paths())
        self.assertAlmostEqual(lowest, -0.8)
        median = panel.lines[2].get_ydata()
        self.assertEqual(list(median), [0.0, 0.25, 0.5, 0.75, 1.0])

    def test_equal_data_gives_equal_bytes(self):
        self.write()
        self.run_program()
        first = (self.directory / "figures" / "ensemble.pdf").read_bytes()
        self.run_program()
        self.assertEqual((self.directory / "figures" / "ensemble.pdf").read_bytes(), first)

    def test_at_most_six_panels_unasked(self):
        self.write([f"q.joint{k}" for k in range(9)])
        read = ensemble.read_ensemble(self.directory)
        self.assertEqual(len(read.chosen), 6)
        self.assertIn("3 further quantities stand in ensemble.csv", ensemble.caption(read))

    def test_what_cannot_be_drawn_is_told(self):
        self.write()
        code, output = self.run_program("--quantities", "q.joint9")
        self.assertEqual(code, 1)
        self.assertIn("no quantity 'q.joint9'; there are q.joint1, total", output)
        (self.directory / "ensemble.csv").write_text(HEADER + "\n0,total,1,x,,1,1,1,1,1,1,1\n")
        code, output = self.run_program()
        self.assertIn("ensemble.csv:2: mean should be a number, not 'x'", output)
        (self.directory / "ensemble.csv").write_text(HEADER + "\n")
        self.assertIn("there is no member to draw", self.run_program()[1])

    def test_a_number_of_members_that_is_none_is_told(self):
        self.write()
        for members in ("40", 40.5, True, None):
            (self.directory / "ensemble.json").write_text(json.dumps({"mechanism": "pendulum", "members": members}))
            code, output = self.run_program()
            self.assertEqual(code, 1)
            self.assertIn(f"ensemble.json: members should be a whole number, not {json.dumps(members)}", output)

    def test_a_quantity_of_which_no_member_has_a_number_leaves_a_gap(self):
        self.write()
        with (self.directory / "ensemble.csv").open("a") as table:
            table.write("0.5,total,0,,,,,,,,,\n")
        code, output = self.run_program()
        self.assertEqual(code, 0, output)

    def test_make_all_draws_it_into_the_report(self):
        self.write()
        code, output, errors = run_make_all(self.directory)
        self.assertEqual(code, 0, errors)
        self.assertIn("figures/ensemble.pdf", output)
        self.assertIn("Quantiles of 9 members", (self.directory / "report.html").read_text())
