"""What a release says of itself agrees everywhere: one version, one citation, one paper whose sources exist."""
import json
import re
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "plots")]

from reading import result_directory


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def only(pattern, text):
    found = re.findall(pattern, text, re.MULTILINE)
    if len(found) != 1:
        raise AssertionError(f"{pattern}: {len(found)} times")
    return found[0]


class Version(unittest.TestCase):
    version = only(r"^project\(mbdbench VERSION ([0-9.]+) ", text_of("CMakeLists.txt"))

    def test_the_python_package_takes_that_of_the_project(self):
        pyproject = text_of("pyproject.toml")
        self.assertNotRegex(pyproject, r"(?m)^version *=")
        self.assertIn('dynamic = ["version"]', pyproject)
        pattern = only(r"^regex = '(.*)'$", pyproject)
        self.assertEqual(re.search(pattern, text_of("CMakeLists.txt"))["value"], self.version)
        self.assertTrue((ROOT / only(r'^input = "(.*)"$', pyproject)).samefile(ROOT / "CMakeLists.txt"))

    def test_citation_archive_and_changelog_agree(self):
        citation, archive = text_of("CITATION.cff"), json.loads(text_of(".zenodo.json"))
        self.assertEqual(only(r"^version: (.*)$", citation), self.version)
        self.assertEqual(archive["version"], self.version)
        date = only(r"^date-released: (.*)$", citation)
        self.assertEqual(archive["publication_date"], date)
        self.assertEqual(only(r'^title: "(.*)"$', citation), archive["title"])
        self.assertEqual(only(r"^license: (.*)$", citation), archive["license"])
        self.assertEqual(re.findall(r"^  - name: (.*)$", citation, re.MULTILINE), [creator["name"] for creator in archive["creators"]])
        keywords = citation.split("keywords:\n")[1].split("references:")[0]
        self.assertEqual(re.findall(r"^  - (.*)$", keywords, re.MULTILINE), archive["keywords"])
        released = re.findall(r"^## \[([0-9.]+)\] - (\S+)$", text_of("CHANGELOG.md"), re.MULTILINE)
        self.assertEqual(released[0], (self.version, date), "the newest version in CHANGELOG.md")
        self.assertIn("## [Unreleased]", text_of("CHANGELOG.md"))


class Formats(unittest.TestCase):
    def test_all_readers_know_the_same_newest_format(self):
        newest = int(only(r"kResultFormat = (\d+);", text_of("mechanisms/io/file_format.hpp")))
        self.assertEqual(result_directory._NEWEST_FORMAT, newest)
        self.assertEqual(int(only(r"^_NEWEST_FORMAT = (\d+)$", text_of("python/mbdbench/results.py"))), newest)


class Paper(unittest.TestCase):
    paper = text_of("paper/paper.md")

    def test_it_has_what_journals_ask_for(self):
        head = self.paper.split("---\n")[1]
        for key in ("title", "tags", "authors", "affiliations", "date", "bibliography"):
            self.assertRegex(head, rf"(?m)^{key}:")
        headings = re.findall(r"^# (.*)$", self.paper, re.MULTILINE)
        self.assertEqual(headings, ["Summary", "Statement of need", "State of the field", "Design", "Quality control", "References"])
        words = len(re.sub(r"<!--.*?-->|\|.*\|", "", self.paper.split("---\n", 2)[2]).split())
        self.assertTrue(500 < words < 1500, f"{words} words")

    def test_every_source_is_cited_and_every_citation_has_one(self):
        cited = set(re.findall(r"@([A-Za-z]+\d{4})", self.paper))
        self.assertEqual(cited, set(re.findall(r"^@\w+\{(\w+),", text_of("paper/paper.bib"), re.MULTILINE)))

    def test_measured_numbers_stand_between_marks(self):
        """Where document_tables.py finds them: a number of evaluations or a share typed by hand would grow old."""
        prose = re.sub(r"(?s)<!-- (?:table|number).*?<!-- end.*?-->", "", self.paper.split("---\n", 2)[2])
        self.assertEqual(re.findall(r"\d+(?:\.\d+)? ?%|\b\d{3,}\b(?! \[)", re.sub(r"@\w+", "", prose)), [])


if __name__ == "__main__":
    unittest.main()
