"""Pictures of modes, from small ones that are made up here."""
import contextlib
import io
import json
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

import numpy as np

import modes
import style
from plot_checks import InTemporaryDirectory, Readable, png_size_mm, run_make_all
from reading.mode_shapes import EIGENVALUES, FILE, read_modes


def bars(turn, count=2):
    """A chain of bars; each turns on by as much."""
    lines, x, y = [], 0.0, 0.0
    for bar in range(1, count + 1):
        end = (x + math.sin(bar * turn), y - math.cos(bar * turn))
        lines.append(("link", x, y, *end))
        lines.append(("arm", x, y, 0.5 * (x + end[0]), 0.5 * (y + end[1])))
        x, y = end
    return lines


class Samples(InTemporaryDirectory):
    VALUES = (complex(-0.5, 4.0), complex(0.0, 2.5), complex(1.5, 0.0), complex(-1.5, 0.0))

    def write(self, values=VALUES, drawn=None, figure=bars, comments=()):
        rows = ["#  eigenvalues in 1/s, frequency in Hz", *comments, "real,imaginary,frequency,damping_ratio,moves_most,mode"]
        rows += [f"{value.real},{value.imag},0,0,v.joint1,{number}" for number, value in enumerate(values, 1)]
        rows += [f"{value.real},{-value.imag},0,0,v.joint1," for value in reversed(values) if value.imag > 0]
        (self.directory / EIGENVALUES).write_text("\n".join(rows) + "\n")
        rows = ["mode,place,line,kind,x1,y1,x2,y2"]
        for mode in range((len(values) if drawn is None else drawn) + 1):
            places = (("first", 0.1 * mode), ("second", -0.1 * mode)) if mode else (("rest", 0.0),)
            rows += [f"{mode},{place},{number}," + ",".join(map(str, line)) for place, turn in places for number, line in enumerate(figure(turn))]
        (self.directory / FILE).write_text("\n".join(rows) + "\n")
        (self.directory / "inputs.json").write_text(json.dumps({"command": "equilibrium", "mechanisms": [{"mechanism": "chain"}]}))

    def run_program(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = modes.main([str(self.directory), *arguments])
        return code, output.getvalue()

    def drawn(self, *chosen):
        """The figure, its panel of eigenvalues, and its panels of modes."""
        figure = modes.draw(read_modes(self.directory, list(chosen) or None))
        plane = next(axes for axes in figure.axes if axes.get_title(loc="left") == "eigenvalues")
        return figure, plane, [axes for axes in figure.axes if axes.get_title(loc="left").startswith("mode")]


class PicturesOfModes(Samples, Readable):
    def test_a_panel_a_mode_beside_the_eigenvalues_at_the_width_of_a_journal(self):
        self.write()
        code, output = self.run_program()
        self.assertEqual(code, 0, output)
        self.assertAlmostEqual(png_size_mm(self.directory / "figures" / "modes.png")[0], style.DOUBLE_COLUMN_MM, delta=0.2)
        self.assertIn("Modes 1–4 of chain at its equilibrium, out of 4", output)
        titles = [axes.get_title(loc="left") for axes in self.drawn()[2]]
        self.assertEqual(titles[:2], ["mode 1: 0.637 Hz\ndamping ratio 0.124", "mode 2: 0.398 Hz"])
        self.assertEqual(titles[2:], ["mode 3: 1.50 1/s\ngrows", "mode 4: −1.50 1/s\ndecays"])
        self.write(comments=["#  this is no equilibrium: v.joint1 changes by 3.2 a second"])
        self.assertIn("of chain, not at an equilibrium, out of 4", modes.caption(read_modes(self.directory)))

    def test_chosen_modes_alone(self):
        self.write()
        code, output = self.run_program("--modes", "3, 1,3", "--output", str(self.directory / "elsewhere"))
        self.assertEqual(code, 0, output)
        self.assertTrue((self.directory / "elsewhere" / "modes.png").exists())
        self.assertIn("Modes 1, 3 of chain", output)
        self.assertIn("mode_shapes.csv holds the lines of 2 more.", output)
        self.assertEqual([axes.get_title(loc="left")[:6] for axes in self.drawn("3", "1", "3")[2]], ["mode 3", "mode 1"])
        self.write([complex(-0.1, 9 - k) for k in range(8)])
        self.assertEqual(read_modes(self.directory).chosen, [1, 2, 3, 4, 5, 6])

    def test_what_is_drawn_are_the_lines_of_the_table(self):
        # Arms lie on their links, and the spring moves not. A guide on a link does not stand for it.
        spring = ("spring", 0.0, 0.0, 1.0, 0.0)
        self.write(drawn=1, figure=lambda turn: [*bars(turn), spring, ("guide", 0.0, 0.0, 2 * math.sin(turn), -2 * math.cos(turn))])
        _, _, (panel,) = self.drawn()
        lengths = [sorted(round(np.hypot(*(part[1] - part[0])), 9) for part in lines.get_segments()) for lines in panel.collections]
        self.assertEqual(lengths, [[1, 1, 1, 2], [1, 1, 2], [1, 1, 2]])
        ends = [max(part[1, 0] for part in lines.get_segments()) for lines in panel.collections[1:]]
        self.assertTrue(np.allclose(ends, [math.sin(0.1) + math.sin(0.2), -math.sin(0.1)]), ends)
        looks = [(tuple(lines.get_color()[0]), str(lines.get_linestyle()[0])) for lines in panel.collections]
        self.assertEqual(len({colour for colour, _ in looks}), 3)
        self.assertNotEqual(looks[1][1], looks[2][1])

    def test_all_panels_have_one_scale(self):
        self.write([complex(-0.1 * k, 12 - k) for k in range(12)])
        for chosen in (["1", "2"], ["1", "2", "3", "10", "11", "12"]):
            figure, _, panels = self.drawn(*chosen)
            figure.draw_without_rendering()
            scales = set()
            for panel in panels:
                box = panel.get_window_extent()
                scales |= {round(box.width / np.ptp(panel.get_xlim()), 6), round(box.height / np.ptp(panel.get_ylim()), 6)}
                corners = panel.transData.transform([point for lines in panel.collections for part in lines.get_segments() for point in part])
                self.assertTrue((corners >= box.min - 1).all() and (corners <= box.max + 1).all())
            self.assertEqual(len(scales), 1, scales)

    def test_points_stand_at_the_eigenvalues(self):
        self.write()
        _, plane, _ = self.drawn("2", "3")
        points = {point for line in plane.lines if line.get_marker() == "o" for point in zip(line.get_xdata(), line.get_ydata())}
        self.assertEqual(points, {(value.real, value.imag) for value in self.VALUES})
        self.assertEqual([text.get_text() for text in plane.texts], ["2", "3"])
        # Those on one another share a number.
        self.write([complex(-1, 9.001), complex(-1, 9), complex(-1, 8.999), complex(-1, 3)])
        self.assertEqual([text.get_text() for text in self.drawn()[1].texts], ["1–3", "4"])

    def test_rounding_is_neither_spread_nor_told(self):
        self.write([complex(1e-16, 4), complex(-1e-16, 3), complex(1e-12, 0)])
        _, plane, panels = self.drawn()
        self.assertGreater(plane.get_xlim()[1], 0.1)
        titles = [panel.get_title(loc="left") for panel in panels]
        self.assertEqual(titles, ["mode 1: 0.637 Hz", "mode 2: 0.477 Hz", "mode 3: 0 1/s\nwithin rounding"])

    def test_no_text_is_cut_off_or_lies_on_another(self):
        samples = {"chain": self.VALUES, "many": [complex(-0.1 * k, 12 - k) for k in range(12)], "one": [1j], "real": [1.0, -1e3, -2e-4],
                   "fast": [complex(-2.5e9, 3.7e12), complex(2e4, 1.1e5)], "zero": [0j, 0j], "near": [complex(-1, 9 + 0.01 * k) for k in range(5)]}
        for name, values in samples.items():
            with self.subTest(name):
                self.write(values)
                figure = self.drawn(*(str(number) for number in range(1, len(values) + 1)))[0]
                self.assertLess(figure.get_figheight() * 25.4, 240)
                self.assert_readable(name, figure)

    def test_a_figure_without_extent_is_drawn(self):
        self.write(figure=lambda turn: [("arm", 1.0, 1.0, 1.0, 1.0)])
        self.assertEqual(self.run_program()[0], 0)

    def test_make_all_draws_it_into_the_report(self):
        self.write()
        code, output, errors = run_make_all(self.directory)
        self.assertEqual(code, 0, errors)
        self.assertIn("figures/modes.pdf", output)
        page = (self.directory / "report.html").read_text()
        self.assertIn("<title>mbdbench: modes</title>", page)
        self.assertIn("Modes 1–4 of chain", page)
        self.write(drawn=0)
        code, output, errors = run_make_all(self.directory)
        self.assertEqual(code, 1)
        self.assertIn("mode_shapes.csv: there is no mode to draw", errors)


class DamagedModes(Samples):
    def said_of(self, file, line, *replaced):
        """What is said where a line is another, or missing."""
        self.write(drawn=2)
        rows = (self.directory / file).read_text().splitlines()
        rows[line - 1:line] = [rows[line - 1].replace(*replaced, 1)] if replaced else []
        (self.directory / file).write_text("\n".join(rows) + "\n")
        code, output = self.run_program()
        self.assertEqual(code, 1)
        self.assertFalse((self.directory / "figures").exists())
        return output

    def test_damage_is_told_with_its_line(self):
        for file, line, replaced, told in (
                # Line 1 names the columns, 2 to 5 are at rest, 6 to 9 the first end of mode 1, 10 to 13 its second, and so on.
                (FILE, 1, ("kind", "sort"), ":1: no column kind; there are mode, place, line, sort"),
                (FILE, 7, ("1,", "-1,"), ":7: mode should be a whole number, not '-1'"),
                (FILE, 7, ("first", "third"), ":7: mode 1 has no place 'third'"),
                (FILE, 7, ("arm", "rod"), ":7: kind should be one of link, arm, cuboid, guide, spring, gap, not 'rod'"),
                (FILE, 7, ("arm", "link"), ":7: link 1 does not follow here"),
                (FILE, 7, ("arm,", "arm,x"), ":7: x1 should be a finite number, not 'x0.0'"),
                (FILE, 13, (), ":12: mode 1 has 3 lines of place second, mode 0 has 4"),
                # Line 1 is a comment, 2 names the columns.
                (EIGENVALUES, 2, ("mode", "number"), ":2: no column mode; there are real,"),
                (EIGENVALUES, 4, ("2.5", "inf"), ":4: imaginary should be a finite number, not 'inf'"),
                (EIGENVALUES, 4, ("v.joint1,2", "v.joint1,1"), ":4: mode 1 has a row already"),
                (EIGENVALUES, 4, (), ": no row of mode 2, which mode_shapes.csv has figures of"),
                ("inputs.json", 1, ("mechanisms", "engines"), ":1: names no mechanism")):
            with self.subTest(told):
                self.assertIn(file + told, self.said_of(file, line, *replaced))

    def test_missing_files_are_told(self):
        for file in (FILE, EIGENVALUES, "inputs.json"):
            self.write()
            (self.directory / file).unlink()
            self.assertIn(f"{file}: does not exist", self.run_program()[1])

    def test_unknown_modes_are_told(self):
        self.write(drawn=2)
        for chosen, told in (("1,3", "no mode '3'; there are 1, 2"), ("0", "no mode '0'"), ("1-2", "no mode '1-2'"), ("1,,2", "no mode ''")):
            self.assertIn(told, self.run_program("--modes", chosen)[1])


if __name__ == "__main__":
    import unittest
    unittest.main()
