"""Every place where the code departs from a printed equation says from which one, why, and which test shows it."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
_ROOMS = ("formulations", "mechanisms", "integrators")
_COMMENT = re.compile(r"^\s*///? ?(.*)$")


def deviations():
    """(file, text from DEVIATES to the next one or the end of the paragraph) of every place."""
    found = []
    for file in sorted(path for room in _ROOMS for path in (ROOT / room).rglob("*.[ch]pp")):
        paragraph = ""
        for line in [*file.read_text(encoding="utf-8").splitlines(), ""]:
            comment = _COMMENT.match(line)
            if comment and comment[1].strip():
                paragraph += comment[1].strip() + " "
                continue
            found += [(file.relative_to(ROOT), "DEVIATES" + text) for text in paragraph.split("DEVIATES")[1:]]
            paragraph = ""
    return found


class Deviations(unittest.TestCase):
    def test_every_one_names_its_source_and_a_test_that_exists(self):
        tests = {path.stem for path in (ROOT / "tests").rglob("*_test.cpp")}
        self.assertGreater(len(deviations()), 20)
        for file, text in deviations():
            self.assertRegex(text, r"^DEVIATES \[\w[^\]]*\]: \w", f"{file}: {text}")
            named = re.findall(r"\b\w+_test\b", text)
            self.assertTrue(named, f"{file}: no test shows '{text}'")
            self.assertEqual([name for name in named if name not in tests], [], f"{file}: {text}")

    def test_what_the_paper_does_otherwise_is_tagged(self):
        """A comment that sets the paper's way against ours has a deviation in its block."""
        ways = re.compile(r"[Tt]he papers? (?:carr|reduc|assembl|comput|solv|penalis|invert)\w*|misprint|instead of (?:primal|bodies|its inverse)")
        for file in sorted((ROOT / "formulations").rglob("*.[ch]pp")):
            for block in re.findall(r"(?:^[ ]*///?.*\n)+", file.read_text(encoding="utf-8"), re.MULTILINE):
                found = ways.search(re.sub(r"\s*\n[ ]*///? ?", " ", block))
                self.assertTrue(found is None or "DEVIATES" in block, f"{file.name}: '{found and found[0]}' without DEVIATES")


if __name__ == "__main__":
    unittest.main()
