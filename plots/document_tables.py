#!/usr/bin/env python3
"""The tables of README.md and docs that hold measured numbers, made from results/reference.

A table stands between <!-- table NAME --> and <!-- end of table -->, a number in a sentence between <!-- number NAME --> and
<!-- end -->. Without options they are written anew; --check only says which
differ; --freeze DIR first takes over what the tables need from the papers' results in DIR, --freeze-times DIR from the studies
of times there (a quiet machine, a whole run). results/reference/ledger.csv is made with them."""
import argparse
import csv
import re
import shutil
import sys
import tempfile
from pathlib import Path

from reports import claims as claim_counts
from reports import cluster_claims
from reports import parallel_cost
from reports import time_tables
from document_numbers import NUMBERS, is_in_a_sentence
from reading.input_error import InputError
from reports.ledger import entries, unjudged, write_ledger
from published_numbers import GROUPS, counts, largest_deviation, published_numbers
from reading.records import COLUMNS, value_of
from reading.result_directory import open_results
from reading.standard_descriptors import open_standard_descriptors

EXAMPLE = """example:
  ./reproduce --output results/runs && python3 plots/document_tables.py --freeze results/runs"""

ROOT = Path(__file__).resolve().parents[1]
_REFERENCE = ROOT / "results" / "reference"
DOCUMENTS = ("README.md", "docs/understanding/papers/papers.md", "docs/understanding/papers/claims.md", "docs/understanding/simulated_cluster.md", "docs/using/many_states.md", "paper/paper.md",
             "docs/understanding/engines_compared.md", "docs/understanding/integrators_measured.md", "docs/understanding/speedups.md",
             "docs/using/derivatives.md", "docs/using/derivatives_measured.md", "docs/using/gradients.md", "docs/using/worked_examples.md")
_LEDGER = _REFERENCE / "ledger.csv"
_SIMULATED = _REFERENCE / cluster_claims.EXPERIMENT
_PAPERS = ("chadaj2015", "chadaj2017", "malczyk2008", "malczyk2012", "naudet2005")
_MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
_MARKED_NUMBER = re.compile(r"(<!-- number (\w+) -->).*?(<!-- end -->)", re.DOTALL)
_OF_CASES = {"DCA": "dca[projection=off]", "HDCA as published": "hdca[cut_axes=body,gauge=none,projection=off]",
             "HDCA, gauge control": "hdca[cut_axes=body,gauge=leak,leak=5,projection=off]"}
_CASES = ("four_bar", "loop8", "double_loop")
_PAPERS_RUN = {"tolerance": 1e-6, "end": 10}


def _markdown(header, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, ["---"] * len(header), *rows)) + "\n"


def _needed(records, quantity, formulation, integrator, **parameters):
    value = value_of(records, quantity, formulation, integrator, **parameters)
    if value is None:
        raise InputError(_REFERENCE, f"no {quantity} of {formulation} with {integrator}: freeze results of a whole run")
    return value


def _judged(claims):
    """'12 hold, 3 mostly hold, 1 not measured'."""
    found = claim_counts.counts(claims)
    return ", ".join(f"{count} {claim_counts.PLURALS.get(verdict, verdict) if count > 1 else verdict}" for verdict, count in found.items() if count)


def _what_is_reproduced():
    papers = {paper: open_results(_REFERENCE / paper) for paper in _PAPERS}
    numbers = {paper: published_numbers(paper, results.records + results.timings) for paper, results in papers.items()}
    found = {paper: counts(own) for paper, own in numbers.items()}
    shown = [group for group in GROUPS if any(group in own for own in found.values())]
    rows = []
    for paper, results in papers.items():
        cells = {group: str(found[paper].get(group, "")) for group in shown}
        if cells["within limit"]:
            cells["within limit"] += f" (to {100 * largest_deviation(numbers[paper]):.2g} %)"
        rounded = sum(number.by_rounding for number in numbers[paper])
        printed = f"{len(numbers[paper])}{f' ({rounded} depend on rounding)' if rounded else ''}"
        judged = [_judged([claim for claim in results.claims if claim.is_ours == ours]) for ours in (False, True)]
        rows.append([f"[{paper.capitalize()}]", printed if numbers[paper] else "lost", *cells.values(),
                     *judged])
    return _markdown(["paper", "numbers printed", *shown, "its sentences", "ours beside them"], rows)


def _chadaj2015_counts():
    records = open_results(_REFERENCE / "chadaj2015").records
    rows = []
    for key, label in (("dca", "DCA (q, q')"), ("hdca", "HDCA (q, p)")):
        run = {"formulation": key, "integrator": "ode45", **_PAPERS_RUN}
        [first] = [record for record in records if record.quantity == "evaluations" and record.formulation == key
                   and record.published_value is not None]
        steps, failed = (_needed(records, quantity, **run) for quantity in ("steps", "failed_attempts"))
        rows.append([label, f"{first.published_value:g}", f"{first.value:g} ({steps:g} steps, {failed:g} failed attempts)", first.verdict])
    return _markdown(["formulation", "published evaluations", "ours", "verdict"], rows)


def _chadaj2017_cases():
    records = open_results(_REFERENCE / "chadaj2017").records
    rows = []
    for case in _CASES:
        own = [record for record in records if record.mechanism == case]
        rows.append([f"`{case}`", *(f"{_needed(own, 'evaluations', key, 'ode45', **_PAPERS_RUN):g} / "
                                    f"{_needed(own, 'energy_error', key, 'ode45', **_PAPERS_RUN):.1e} J" for key in _OF_CASES.values())])
    return _markdown(["evaluations / largest energy error", *_OF_CASES], rows)


def _naudet2005_table2():
    records = open_results(_REFERENCE / "naudet2005").records
    rows, tolerances = [], ("0.0001", "1e-05", "1e-06", "1e-09", "1e-12", "1e-13")
    for key, label in (("naudet-acc[projection=off]", "Lagrange (q, q')"),
                       ("naudet[projection=off,switching=off]", "Hamilton (q, p)")):
        found = {record.parameters["tolerance"]: record for record in records
                 if (record.quantity, record.formulation, record.integrator) == ("rhs_calls", key, "ode45") and record.parameters.keys() == {"tolerance", "end"}}
        rows.append([label, *(f"{found[tolerance].published_value:g} / {found[tolerance].value:g}" for tolerance in tolerances)])
    return _markdown(["ode45, evaluations, published / ours", *(f"{float(tolerance):g}" for tolerance in tolerances)], rows)


def _claims(ours):
    """The sentences of the papers, or ours beside them."""
    rows = []
    for paper in _PAPERS:
        rows += [[claim.source, claim.statement.replace("|", r"\|"), (claim.k_of_n or claim.measured.split(";")[0]).replace("|", r"\|"), claim.verdict]
                 for claim in open_results(_REFERENCE / paper).claims if claim.is_ours == ours]
    return _markdown(["source", "statement", "k of n", "verdict"], rows)


def _simulated_claims():
    return claim_counts.read_claims(_SIMULATED / "claims.csv")


def _parallel_cost():
    return _markdown(parallel_cost.HEADER, parallel_cost.rows({paper: open_results(_REFERENCE / paper).claims for paper in _PAPERS}, _simulated_claims()))


def _scaling():
    """What the simulated cluster says of the largest mechanisms: one node, 1024, and where more stop paying."""
    cluster = cluster_claims.read_cluster(_SIMULATED)
    rows = []
    for formulation, family, exchange in sorted({point.curve for point in cluster.points}):
        bodies = max(point.bodies for point in cluster.points if point.curve == (formulation, family, exchange))
        curve = cluster.curve(formulation, family, exchange, bodies)
        best, end = cluster_claims.fastest(curve), curve[-1]
        rows.append([f"`{formulation}`", family, exchange, f"{bodies}", f"{curve[0].simulated_us:.3g}" if curve[0].nodes == 1 else "",
                     f"{end.simulated_us:.3g}", f"{end.estimated_us:.3g}", f"{best.nodes} ({best.simulated_us:.3g})"])
    return _markdown(["formulation", "family", "messages", "bodies", "1 node", "1024 nodes", "LogGP", "fewest nodes that are fastest"], rows)


def _one_body_a_node():
    cluster = cluster_claims.read_cluster(_SIMULATED)
    nodes = (16, 64, 256, 1024)
    rows = []
    for formulation in ("hdca[leaf=body]", "dca[leaf=body]", "dca-alm"):
        for family in ("chain", "loop", "ladder"):
            of = {point.nodes: point for point in cluster.curve(formulation, family, "tree")}
            rows.append([f"`{formulation}`", family, *(f"{of[count].simulated_us:.3g}" for count in nodes)])
    return _markdown(["formulation", "family", *(f"n = {count}" for count in nodes)], rows)


def _two_processes():
    return _markdown(["formulation", "family", "bodies", "simulated [us]", "measured [us]", "deviation"],
                     [[f"`{two.formulation}`", two.family, f"{two.bodies}", f"{two.simulated_us:.3g}", f"{two.measured_us:.3g}", f"{100 * two.deviation:+.1f} %"]
                      for two in cluster_claims.read_cluster(_SIMULATED).two_processes])


def _claims_of_the_cluster():
    return _markdown(["source", "statement", "measured", "verdict"],
                     [[claim.source, claim.statement, claim.measured.replace("|", r"\|"), claim.verdict] for claim in _simulated_claims()])


def _make_ledger(file):
    """Numbers, curves and sentences of all papers, those on times too."""
    rows = []
    for paper in _PAPERS:
        results = open_results(_REFERENCE / paper)
        rows += entries(paper, results.records + results.timings, results.claims)
        rows += unjudged(paper, results.claims)
    rows += cluster_claims.cluster_entries(_SIMULATED)[1]
    return write_ledger(file, rows)


def _of_times(table):
    return _markdown(*table(_REFERENCE))


def _claims_on_times(study):
    return _markdown(*time_tables.claims_of(_REFERENCE, study))


TABLES = {"what_is_reproduced": _what_is_reproduced, "chadaj2015_counts": _chadaj2015_counts, "chadaj2017_cases": _chadaj2017_cases,
          "naudet2005_table2": _naudet2005_table2, "claims": lambda: _claims(False), "claims_of_ours": lambda: _claims(True),
          "parallel_cost": _parallel_cost, "scaling": _scaling, "one_body_a_node": _one_body_a_node, "two_processes": _two_processes,
          "claims_of_the_cluster": _claims_of_the_cluster,
          "batches": lambda: _of_times(time_tables.batches), "batches_of_loops": lambda: _of_times(time_tables.batches_of_loops),
          "batches_avx2": lambda: _of_times(time_tables.batches_avx2), "derivatives": lambda: _of_times(time_tables.derivatives),
          "derivative_costs": lambda: _of_times(time_tables.derivative_costs), "derivative_costs_of_loops": lambda: _of_times(time_tables.derivative_costs_of_loops),
          "derivative_errors_of_loops": lambda: _of_times(time_tables.derivative_errors_of_loops),
          "derivative_errors": lambda: _of_times(time_tables.derivative_errors), "gradients": lambda: _of_times(time_tables.gradients),
          "exact_jacobians": lambda: _of_times(time_tables.exact_jacobians), "times_a_body": lambda: _of_times(time_tables.times_a_body),
          "worked_examples": lambda: _of_times(time_tables.worked_examples),
          "parts": lambda: _of_times(time_tables.parts), "shared_by_two": lambda: _of_times(time_tables.shared_by_two),
          **{f"claims_on_{study}": lambda study=study: _claims_on_times(study) for study in time_tables.STUDIES}}


def _is_needed(record):
    """Whether a table or a sentence shows a record or counts it."""
    return (record["published_value"] != "" or is_in_a_sentence(record)
            or (record["experiment"] == "chadaj2015" and record["quantity"] in ("steps", "failed_attempts")
                and record["parameters"] == "tolerance=1e-06;end=10" and record["integrator"] == "ode45")
            or (record["experiment"] == "malczyk2008" and record["quantity"] in ("crank_angle", "state_q.crank"))
            or (record["experiment"] == "malczyk2012" and record["quantity"] == "energy_error" and "alpha" not in record["formulation"])
            or (record["experiment"] == "chadaj2017" and record["parameters"] == "tolerance=1e-06;end=10" and record["integrator"] == "ode45"
                and record["formulation"] in _OF_CASES.values() and record["quantity"] in ("evaluations", "energy_error")))


def freeze(runs):
    """Takes over records that tables need, claims, provenance and inputs."""
    for paper in _PAPERS:
        open_results(runs / paper)  # Says what is wrong with a directory.
        (_REFERENCE / paper).mkdir(parents=True, exist_ok=True)
        for name in ("records.csv", "timings.csv"):
            rows = []
            if (runs / paper / name).exists():
                with (runs / paper / name).open(newline="", encoding="utf-8") as stream:
                    rows = [row for row in csv.DictReader(stream) if _is_needed(row)]
            # A directory of results has records, though the numbers of a paper may be lost.
            if rows or name == "records.csv":
                with (_REFERENCE / paper / name).open("w", newline="", encoding="utf-8") as stream:
                    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(rows)
        # What is said of times holds for one machine and its load: it is not frozen.
        for name in ("claims.csv", "provenance.json", "study.json"):
            if (runs / paper / name).exists():
                shutil.copyfile(runs / paper / name, _REFERENCE / paper / name)
        # What `mbdbench compare` looks at first.
        if (runs / paper / "inputs").is_dir():
            shutil.rmtree(_REFERENCE / paper / "inputs", ignore_errors=True)
            shutil.copytree(runs / paper / "inputs", _REFERENCE / paper / "inputs")


def freeze_times(runs):
    """Takes over the times of every study of times that is in the folder."""
    found = [study for study in time_tables.STUDIES if (runs / study).is_dir()]
    if not found:
        raise InputError(runs, f"none of the studies {', '.join(time_tables.STUDIES)}")
    for study in found:
        open_results(runs / study)  # Says what is wrong with a directory.
        time_tables.freeze(runs / study, _REFERENCE / study)


def written(text):
    """The document with its tables and numbers made anew. Raises InputError for one that does not exist."""
    def table(match):
        if match[2] not in TABLES:
            raise InputError(DOCUMENTS[0], f"no table {match[2]}; there are {', '.join(TABLES)}")
        return match[1] + TABLES[match[2]]() + match[3]

    def number(match):
        if match[2] not in NUMBERS:
            raise InputError(DOCUMENTS[0], f"no number {match[2]}; there are {', '.join(NUMBERS)}")
        return match[1] + NUMBERS[match[2]](lambda paper: open_results(_REFERENCE / paper).records) + match[3]
    return _MARKED_NUMBER.sub(number, _MARKED.sub(table, text))


def main(arguments=None):
    open_standard_descriptors()
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 where a document differs from the files")
    parser.add_argument("--freeze", type=Path, metavar="DIR", help="the folder of the results of a whole run")
    parser.add_argument("--freeze-times", type=Path, metavar="DIR", help="the folder of the results of studies of times")
    options = parser.parse_args(arguments)
    different = []
    try:
        if options.freeze:
            freeze(options.freeze)
        if options.freeze_times:
            freeze_times(options.freeze_times)
        with tempfile.TemporaryDirectory() as folder:
            ledger = _make_ledger(Path(folder) / "ledger.csv").read_bytes()
        if not _LEDGER.exists() or _LEDGER.read_bytes() != ledger:
            different.append(str(_LEDGER.relative_to(ROOT)))
            if not options.check:
                _LEDGER.write_bytes(ledger)
        for name in DOCUMENTS:
            old = (ROOT / name).read_text(encoding="utf-8")
            new = written(old)
            if new != old:
                different.append(name)
                if not options.check:
                    (ROOT / name).write_text(new, encoding="utf-8")
    except (InputError, OSError) as error:
        print(f"document_tables: {error}", file=sys.stderr)
        return 1
    for name in different:
        print(f"{name}: {'differs from results/reference; python3 plots/document_tables.py makes it anew' if options.check else 'written'}")
    return 1 if different and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
