"""The documents can be lived in: pages are short, lines fit a screen, links lead somewhere."""
import re
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LONGEST_LINE = 120
LONGEST_PAGE = 200
# Pages that are still to be divided, with the lines that they have at most until then: none.
LONGER_PAGES = {}
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.*?) *$")


def pages(root):
    """The documents that readers are sent to."""
    named = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "SUPPORT.md")]
    # The site's own pages are lists for Sphinx, which checks them.
    written = (page for page in (root / "docs").rglob("*.md") if "site" not in page.relative_to(root / "docs").parts)
    return [page for page in named if page.exists()] + sorted(written)


def prose(text):
    """\\returns (number, line) of every line that is neither a table's nor code's."""
    lines, fenced, indented, before = [], False, False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        # Indented by four and after an empty line: code, up to the next line that is not indented.
        indented = bool(line.startswith("    ") and (indented or not before.strip())) or (indented and not line.strip())
        if not fenced and not indented and not line.lstrip().startswith(("|", "```")):
            lines.append((number, line))
        before = line
    return lines


def anchors(text):
    """\\returns the names under which the headings of a page can be linked, as the common hosts make them."""
    found = {}
    for _, line in prose(text):
        if heading := _HEADING.match(line):
            words = re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-")
            found[words] = found.get(words, -1) + 1
    return {name if number == 0 else f"{name}-{number}" for name, count in found.items() for number in range(count + 1)}


def offences(root):
    """\\returns one line an offence: FILE:LINE: what is wrong and what to do."""
    found = []
    for page in pages(root):
        name = page.relative_to(root).as_posix()
        text = page.read_text(encoding="utf-8")
        longest = LONGER_PAGES.get(name, LONGEST_PAGE)
        # A history grows by its nature.
        if name != "CHANGELOG.md" and len(text.splitlines()) > longest:
            found.append(f"{name}: {len(text.splitlines())} lines, at most {longest}: divide it into a page for each question")
        for number, line in prose(text):
            if len(line) > LONGEST_LINE:
                found.append(f"{name}:{number}: {len(line)} characters, at most {LONGEST_LINE}: wrap the line")
        for number, line in enumerate(text.splitlines(), 1):
            for link in _LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", link):
                    continue
                file, _, anchor = link.partition("#")
                target = (page.parent / file).resolve() if file else page
                if not target.exists():
                    found.append(f"{name}:{number}: the link to {link} leads nowhere: there is no such file")
                elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
                    found.append(f"{name}:{number}: the link to {link} leads nowhere: there is no such heading")
    return found


class Pages(unittest.TestCase):
    def test_pages_are_short_and_their_links_lead_somewhere(self):
        self.assertGreater(len(pages(ROOT)), 40)
        self.assertEqual(offences(ROOT), [])

    def test_every_page_is_reached_from_the_list_of_pages(self):
        index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
        linked = {(ROOT / "docs" / link.partition("#")[0]).resolve() for link in _LINK.findall(index)}
        missing = [page.relative_to(ROOT).as_posix() for page in pages(ROOT)
                   if page.is_relative_to(ROOT / "docs") and page.resolve() not in linked]
        self.assertEqual(missing, ["docs/README.md"])

    def test_sources_name_documents_that_exist(self):
        named = re.compile(r"\bdocs/[\w/]+\.md\b")
        folders = ("benchmarks", "cmake", "examples", "experiments", "formulations", "integrators", "mechanisms", "plots", "python",
                   "setup", "tests")
        files = [ROOT / "check", ROOT / "reproduce", ROOT / "CMakeLists.txt"]
        for folder in folders:
            files += [file for file in (ROOT / folder).rglob("*") if file.suffix in (".cpp", ".hpp", ".py", ".sh", ".toml", ".cmake", ".txt")]
        dead = []
        for file in files:
            # Its own pages are made up.
            if file.is_file() and file != Path(__file__).resolve() and file.name != "build_information_test.sh":
                text = file.read_text(encoding="utf-8")
                dead += [f"{file.relative_to(ROOT).as_posix()}: {page}" for page in named.findall(text) if not (ROOT / page).exists()]
        self.assertEqual(dead, [])

    def test_documents_name_sources_that_exist(self):
        named = re.compile(r"`((?:benchmarks|cmake|examples|experiments|formulations|fuzz|integrators|mechanisms|plots|python|setup|tests)/"
                           r"[\w./-]+\.\w+)`")
        dead = [f"{page.relative_to(ROOT).as_posix()}: {file}" for page in pages(ROOT) for file in named.findall(page.read_text(encoding="utf-8"))
                if "PAPER" not in file and not (ROOT / file).exists()]
        self.assertEqual(dead, [])

    def test_every_observer_and_integrator_is_described(self):
        for source, pattern, page in (
                ("experiments/studies/declaration/observer.cpp", r'QuantityEntry\{\s*Quantity::\w+,\s*"(\w+)"', "docs/using/studies/observers.md"),
                ("integrators/registry.cpp", r'OdeEntry\{"([\w-]+)"', "docs/understanding/integrators.md")):
            keys = re.findall(pattern, (ROOT / source).read_text(encoding="utf-8"))
            self.assertGreater(len(keys), 15, source)
            text = (ROOT / page).read_text(encoding="utf-8")
            self.assertEqual([key for key in keys if not re.search(rf"`{key}[`(]", text)], [], page)

    def test_offences_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "docs").mkdir()
            long = "word " * 30
            (root / "README.md").write_text(
                f"# Title\n\n[there](docs/page.md#title-of-it) [nowhere](docs/none.md)\n\n[no heading](docs/page.md#none)\n\n{long}\n\n"
                f"| {long} |\n\n    {long}\n\n```\n{long}\n```\n", encoding="utf-8")
            (root / "docs" / "page.md").write_text("# Title of `it`\n" + "line\n" * 200, encoding="utf-8")
            self.assertEqual(offences(root), [
                "README.md:7: 150 characters, at most 120: wrap the line",
                "README.md:3: the link to docs/none.md leads nowhere: there is no such file",
                "README.md:5: the link to docs/page.md#none leads nowhere: there is no such heading",
                "docs/page.md: 201 lines, at most 200: divide it into a page for each question"])


if __name__ == "__main__":
    unittest.main()
