"""What the tests of the figures share: running the program, sizes of files, and whether a page and a figure can be read."""
import contextlib
import html.parser
import io
import re
import struct
import tempfile
import unittest
from pathlib import Path

from matplotlib import pyplot
from matplotlib.text import Text

import make_all
from reading.result_directory import open_results

MM_PER_INCH, POINTS_PER_INCH = 25.4, 72


def png_size_mm(file):
    """Width and height from the image's own header."""
    data = file.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    place = data.index(b"pHYs") + 4
    pixels_per_metre = struct.unpack(">I", data[place:place + 4])[0]
    return width / pixels_per_metre * 1e3, height / pixels_per_metre * 1e3


def pdf_size_mm(file):
    box = re.search(rb"/MediaBox \[ *0 0 ([\d.]+) ([\d.]+) *\]", file.read_bytes())
    return tuple(float(length) / POINTS_PER_INCH * MM_PER_INCH for length in box.groups())


def run_make_all(*arguments):
    """Exit code, standard output, standard error."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = make_all.main([str(argument) for argument in arguments])
    return code, output.getvalue(), errors.getvalue()


class Page(html.parser.HTMLParser):
    """Collects what a report shows and checks that its elements close in order."""

    VOID = {"meta", "img", "link", "br", "wbr"}

    def __init__(self, text):
        super().__init__()
        self.open, self.images, self.links, self.text = [], [], [], ""
        self.feed(text)
        if self.open:
            raise AssertionError(f"elements that do not close: {self.open}")

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "img":
            self.images.append(attributes["src"])
        self.links += [value for name, value in attributes.items() if name in ("href", "src")]

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise AssertionError(f"</{tag}> closes another element")

    def handle_data(self, data):
        self.text += data


class InTemporaryDirectory(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.directory = Path(holder.name)
        self.addCleanup(pyplot.close, "all")


class Readable(unittest.TestCase):
    """Says what of a figure cannot be read."""

    def drawn_texts(self, axes, renderer):
        """(text, box) of titles, labels, ticks within the limits, notes and legends."""
        texts = [child for child in axes.get_children() if isinstance(child, Text)]
        if axes.get_legend():
            texts += axes.get_legend().get_texts()
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            low, high = sorted(axis.get_view_interval())
            texts += [axis.label, *(tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high)]
        return [(text.get_text(), text.get_window_extent(renderer)) for text in texts if text.get_visible() and text.get_text()]

    def assert_readable(self, name, figure):
        """No text is cut off or lies on another."""
        figure.canvas.draw()
        renderer = figure.canvas.get_renderer()
        boxes = []
        for axes in figure.axes:
            boxes += self.drawn_texts(axes, renderer)
        self.assertGreater(len(boxes), 10, name)
        width, height = figure.canvas.get_width_height()
        for i, (text, box) in enumerate(boxes):
            self.assertTrue(-1 <= box.x0 and box.x1 <= width + 1 and -1 <= box.y0 and box.y1 <= height + 1, f"{name}: '{text}' is cut off")
            for other, other_box in boxes[:i]:
                self.assertFalse(box.overlaps(other_box), f"{name}: '{text}' lies on '{other}'")


class CompleteFigures:
    """Beside Readable, for one experiment with all its results: every figure is made and can be read."""

    FIGURES = ()
    WIDTHS_MM = (88, 180)  # one and two columns of a journal

    @staticmethod
    def write(directory):
        """Writes results to draw."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.directory = Path(holder.name)
        cls.write(cls.directory)
        cls.code, cls.output, cls.errors = run_make_all(cls.directory)

    def test_everything_is_made_in_the_size_of_a_journal(self):
        self.assertEqual((self.code, self.errors), (0, ""))
        for definition in self.FIGURES:
            self.assertIn(f"figures/{definition.name}.pdf", self.output)
            width, height = png_size_mm(self.directory / "figures" / f"{definition.name}.png")
            self.assertLess(min(abs(width - allowed) for allowed in self.WIDTHS_MM), 0.1, definition.name)
            self.assertLess(height, 240, msg=definition.name)

    def test_no_text_is_cut_off_or_lies_on_another(self):
        results = open_results(self.directory)
        for definition in self.FIGURES:
            self.assert_readable(definition.name, definition.draw(results))
