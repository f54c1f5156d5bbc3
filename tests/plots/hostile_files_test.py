"""Results that somebody else has made: what is read from them can neither run, nor write to a terminal, nor go on without end."""
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLOTS = HERE.parents[1] / "plots"
sys.path[:0] = [str(HERE), str(PLOTS)]

from plot_checks import InTemporaryDirectory
from reading.csv_rows import read_csv_rows
from reading.input_error import InputError
from reading.json_file import DEEPEST, read_json


class HostileFiles(InTemporaryDirectory):
    def refused(self, read, text):
        file = self.directory / "file"
        file.write_text(text, encoding="utf-8")
        with self.assertRaises(InputError) as raised:
            read(file)
        return str(raised.exception)

    def test_json_that_is_too_deep_is_refused(self):
        for text in (300000 * "[", 300000 * '{"a":', (DEEPEST + 1) * "[" + (DEEPEST + 1) * "]"):
            self.assertRegex(self.refused(read_json, text), "nested deeper than 32 levels|not JSON")

    def test_what_terminals_obey_is_refused(self):
        for escape in ("\x1b[2J", "\x00", "\x9b1m", "\u202e"):
            self.assertIn(f":2: a field holds the control character U+{ord(escape[0]):04X}", self.refused(read_csv_rows, f"a,b\n1,{escape}\n"))
        self.assertIn("U+001B", self.refused(read_json, r'{"a": [{"b\u001b[2J": 1}]}'))

    def test_texts_that_were_kept_from_spreadsheets_read_as_they_were(self):
        file = self.directory / "cells.csv"
        file.write_text("a,b\n'=1+1,\"'@x,\"\n''-y,-2\n'quoted',it's\n", encoding="utf-8")
        self.assertEqual(read_csv_rows(file), (["a", "b"], [(2, ["=1+1", "@x,"]), (3, ["'-y", "-2"]), (4, ["'quoted'", "it's"])]))

    def test_a_figure_does_not_get_the_number_of_a_closed_descriptor(self):
        script = ("import os\nfor d in (0, 2): os.close(d)\nfrom reading.standard_descriptors import open_standard_descriptors\n"
                  "open_standard_descriptors()\nprint(open('figure', 'w').fileno())\n")
        done = subprocess.run([sys.executable, "-c", script], cwd=self.directory, env={"PYTHONPATH": str(PLOTS)}, capture_output=True, text=True,
                              check=False)
        self.assertGreater(int(done.stdout), 2)


if __name__ == "__main__":
    unittest.main()
