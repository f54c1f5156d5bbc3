#!/usr/bin/env python3
"""One self-contained page of all results: what of each paper is reproduced, and how well; the studies of ours."""
import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

try:
    import jinja2  # noqa: F401
except ImportError as error:
    sys.exit(f"index: {sys.executable} cannot import {error.name}; on Debian: /usr/bin/python3 with python3-jinja2")

from reports import claims
from reports import parallel_cost
from reports.cluster_claims import EXPERIMENT as SIMULATED, cluster_entries
from reading.input_error import InputError
from reports.ledger import entries, write_ledger
from reading.number_text import plain
from papers import papers as all_papers
from published_numbers import GROUPS, counts, largest_deviation, published_numbers
from reading.records import VERDICTS, distinct
from reports.report import page_environment
from reading.result_directory import open_results
from reading.standard_descriptors import open_standard_descriptors
from studies.study import read_study
from studies.study_tables import tables_of

EXAMPLE = """example:
  python3 plots/index.py results/runs

Reads every result directory in DIR and writes DIR/index.html and DIR/ledger.csv. What cannot be read is named, and the exit code is 1."""

_TABLES_SHOWN = ("runs", "ranking")  # of a study


@dataclass
class Paper:
    """A section of the page."""

    name: str
    text: dict
    results: object

    def __post_init__(self):
        records = self.results.records + self.results.timings
        self.numbers = published_numbers(self.name, records)
        self.counts = counts(self.numbers)
        self.by_rounding = sum(number.by_rounding for number in self.numbers)
        self.directory = self.results.path.name
        self.quick = self.results.declaration.get("quick", False)
        self.entries = entries(self.name, records, self.results.claims)
        self.claims = self.results.claims
        self.own_claims = [claim for claim in self.claims if claim.is_ours]
        self.paper_claims = [claim for claim in self.claims if not claim.is_ours]
        self.claim_counts = claims.counts(self.paper_claims)
        self.own_claim_counts = claims.counts(self.own_claims)
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
        """[(verdict, the paper's own sentences)], of verdicts that occur."""
        found = [(verdict, [claim for claim in self.paper_claims if claim.verdict == verdict]) for verdict in claims.VERDICTS]
        return [(verdict, statements) for verdict, statements in found if statements]


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
        shown = [table for table in tables_of(study) if table.name.startswith(_TABLES_SHOWN) and not table.on_paper_only] if study else []
        self.tables = [(table, table.header(results), table.rows(results)) for table in shown]


def write_index(root):
    """Writes ROOT/index.html. Returns its path and what could not be read."""
    texts = all_papers()
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
    simulated, simulated_entries = [], []
    if (root / SIMULATED / "claims.csv").exists():
        try:
            simulated, simulated_entries = cluster_entries(root / SIMULATED)
        except InputError as error:
            problems.append(str(error))
    total = {"numbers": sum(len(paper.numbers) for paper in ordered), "counts": _sums(GROUPS, [paper.counts for paper in ordered]),
             "claims": sum(len(paper.paper_claims) for paper in ordered), "claim_counts": _sums(claims.VERDICTS, [paper.claim_counts for paper in ordered]),
             "own_claims": sum(len(paper.own_claims) for paper in ordered),
             "own_claim_counts": _sums(claims.VERDICTS, [paper.own_claim_counts for paper in ordered])}
    page = page_environment().get_template("index.html.jinja").render(papers=ordered, total=total, studies=studies, problems=problems,
                                                                          plurals=claims.PLURALS, parallel_header=parallel_cost.HEADER,
                                                                          parallel=parallel_cost.rows({paper.name: paper.claims for paper in ordered}, simulated))
    write_ledger(root / "ledger.csv", [entry for paper in ordered for entry in paper.entries] + simulated_entries)
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
