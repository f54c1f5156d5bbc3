#!/usr/bin/env python3
"""One self-contained page of all results: what of each paper is reproduced, and how well; the studies of ours."""
import argparse
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

try:
    import jinja2  # noqa: F401
except ImportError as error:
    sys.exit(f"index: {sys.executable} cannot import {error.name}; on Debian: /usr/bin/python3 with python3-jinja2")

import claims
from input_error import InputError
from number_text import plain
from published_numbers import GROUPS, counts, largest_deviation, published_numbers
from records import VERDICTS, distinct
from report import page_environment
from result_directory import open_results
from standard_descriptors import open_standard_descriptors
from study import read_study
from study_tables import tables_of

EXAMPLE = """example:
  python3 plots/index.py results/runs

Reads every result directory in DIR and writes DIR/index.html. What cannot be read is named, and the exit code is 1."""

_PAPERS = Path(__file__).with_name("papers.toml")
_TABLES_SHOWN = ("runs", "ranking")  # of a study


def _sentence(verdict, statements):
    return f"{verdict}: {' '.join(statements)}" if statements else ""


@dataclass
class Paper:
    """A section of the page."""

    name: str
    text: dict
    results: object

    def __post_init__(self):
        self.numbers = published_numbers(self.name, self.results.records + self.results.timings)
        self.counts = counts(self.numbers)
        self.by_rounding = sum(number.by_rounding for number in self.numbers)
        self.directory = self.results.path.name
        self.quick = self.results.declaration.get("quick", False)
        self.claims = self.results.claims
        self.claim_counts = {verdict: sum(claim.verdict == verdict for claim in self.claims) for verdict in claims.VERDICTS}
        figure = self.results.path / "figures" / f"{self.text['figure']}.png"
        self.figure = figure if figure.exists() else None

    @property
    def deviation(self):
        """The largest of the numbers within their limits, as a percentage; nothing where there are none."""
        largest = largest_deviation(self.numbers)
        return "" if largest is None else f"{plain(100 * largest, 2)} %"

    @property
    def title(self):
        """The paper's own, without its authors and year."""
        return self.text["citation"].split(": ", 1)[-1].rsplit(",", 1)[0]

    @property
    def conclusion(self):
        """What holds and what does not, in the paper's own sentences."""
        own = [claim for claim in self.claims if not claim.source.startswith("ours")]
        parts = [_sentence(words, [claim.statement for claim in own if claim.verdict == verdict])
                 for words, verdict in (("Holds", "holds"), ("Holds in part", "holds in part"), ("Does not hold", "does not hold"))]
        return " ".join(part for part in parts if part)


def _sums(verdicts, all_counts):
    """{verdict: how many} over all papers, of those that occur."""
    return {name: count for name in verdicts if (count := sum(found.get(name, 0) for found in all_counts))}


class OwnStudy:
    """A study, or an experiment that is of no paper."""

    def __init__(self, results):
        study = read_study(results)
        self.name = results.path.name
        self.title = study.title if study else results.experiment
        self.claims = results.claims
        self.quick = results.declaration.get("quick", False)
        self.missing_engines = [engine["name"] for engine in results.declaration.get("inputs", {}).get("engines", []) if engine.get("failure")]
        records = results.records
        self.record_count = len(records)
        self.mechanism_count = len(distinct(records, "mechanism"))
        self.formulation_count = len(distinct([record for record in records if record.formulation], "formulation"))
        found = {verdict: sum(record.verdict == verdict for record in records) for verdict in VERDICTS}
        self.verdicts = [(verdict, count) for verdict, count in found.items() if count]
        shown = [table for table in tables_of(study) if table.name.startswith(_TABLES_SHOWN)] if study else []
        self.tables = [(table, table.header(results), table.rows(results)) for table in shown]


def write_index(root):
    """Writes ROOT/index.html. Returns its path and what could not be read."""
    texts = tomllib.loads(_PAPERS.read_text(encoding="utf-8"))
    papers, studies, problems = {}, [], []
    for directory in sorted(path.parent for path in root.glob("*/records.csv")):
        try:
            results = open_results(directory)
            if results.experiment in texts:
                papers[results.experiment] = Paper(results.experiment, texts[results.experiment], results)
            else:
                studies.append(OwnStudy(results))
        except InputError as error:
            problems.append(str(error))
    ordered = [papers[name] for name in texts if name in papers]
    total = {"numbers": sum(len(paper.numbers) for paper in ordered), "counts": _sums(GROUPS, [paper.counts for paper in ordered]),
             "claims": sum(len(paper.claims) for paper in ordered), "claim_counts": _sums(claims.VERDICTS, [paper.claim_counts for paper in ordered])}
    page = page_environment().get_template("index.html.jinja").render(papers=ordered, total=total, studies=studies, problems=problems)
    file = root / "index.html"
    file.write_text(page + "\n", encoding="utf-8")
    return file, problems


def main(arguments=None):
    open_standard_descriptors()
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR", help="the folder that holds the results' directories")
    root = parser.parse_args(arguments).directory
    if not root.is_dir():
        print(f"index: {root}: is not a directory", file=sys.stderr)
        return 1
    try:
        file, problems = write_index(root)
    except OSError as error:
        print(f"index: {error.filename or root}: {error.strerror or error}", file=sys.stderr)
        return 1
    print(f"Index: {file}")
    for problem in problems:
        print(f"index: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
