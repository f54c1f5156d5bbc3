#!/usr/bin/env python3
"""What every run found and how long it took: one line a run in history.jsonl, and a page that draws it."""
import argparse
import json
import math
import sys
from pathlib import Path

try:
    import jinja2  # noqa: F401
except ImportError as error:
    sys.exit(f"history: {sys.executable} cannot import {error.name}; on Debian: /usr/bin/python3 with python3-jinja2")

from reading.input_error import InputError
from reading.json_file import parse_json
from reports.report import page_environment
from reading.result_directory import open_results
from reading.standard_descriptors import open_standard_descriptors

EXAMPLE = """example:
  python3 plots/history.py results/runs

Appends one line for every result directory in DIR that has none yet to DIR/history.jsonl and writes DIR/history.html. Lines are
never changed. Evaluations and right-hand sides are sums over all runs, times the geometric mean of those that were not disturbed."""

_COUNTS = ("evaluations", "rhs_calls")  # what methods ask for, what formulations compute: a study may count either
_TIMES = ("wall_time", "time_per_evaluation")
_WIDTH, _HEIGHT = 260.0, 60.0
_NEEDED = {"experiment", "utc_time", "verdicts", "claims", "evaluations", "mean_time"}  # of every line


def _times(records):
    return [record.value for record in records
            if record.quantity in _TIMES and record.value and record.verdict != "not measured" and "repetition" not in record.parameters]


def line_of(results):
    """What the history keeps of one run."""
    provenance = results.provenance()
    times = _times(results.timings)
    verdicts = {}
    for record in results.records:
        verdicts[record.verdict] = verdicts.get(record.verdict, 0) + 1
    claims = {}
    for claim in results.claims:
        claims[claim.verdict] = claims.get(claim.verdict, 0) + 1
    counts = {count: [record.value for record in results.records if record.quantity == count and record.value is not None] for count in _COUNTS}
    return {"experiment": results.path.name, "quick": results.declaration.get("quick", False),
            **{name: provenance.get(name) for name in ("utc_time", "commit", "dirty", "compiler", "cpu")},
            "verdicts": verdicts, "claims": claims,
            "runs": max(map(len, counts.values())), **{count: sum(values) if values else None for count, values in counts.items()},
            "times": len(times), "mean_time": math.exp(sum(map(math.log, times)) / len(times)) if times else None}


def read_history(file):
    """All lines. Raises InputError naming one that is damaged."""
    lines = []
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines() if file.exists() else [], 1):
        try:
            line = parse_json(file, text, number)
        except InputError:
            line = None
        if not isinstance(line, dict) or not _NEEDED <= line.keys():
            raise InputError(file, "is no line of a history; delete it, or the file is another one's", number)
        lines.append(line)
    return lines


def _polyline(values):
    """Points of a small picture: time runs to the right, zero is at the bottom."""
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    top = max((value for _, value in known), default=0.0)
    if len(known) < 2 or top <= 0.0:
        return ""
    step = _WIDTH / (len(values) - 1)
    return " ".join(f"{place * step:.1f},{_HEIGHT * (1.0 - 0.9 * value / top):.1f}" for place, value in known)


def write_history(root):
    """Adds what is new and writes the page. Returns its path and what could not be read."""
    file = root / "history.jsonl"
    lines = read_history(file)
    known = {(line.get("experiment"), line.get("utc_time")) for line in lines}
    problems = []
    with file.open("a", encoding="utf-8") as stream:
        for directory in sorted(path.parent for path in root.glob("*/records.csv")):
            try:
                line = line_of(open_results(directory))
            except InputError as error:
                problems.append(str(error))
                continue
            if (line["experiment"], line["utc_time"]) not in known:
                lines.append(line)
                stream.write(json.dumps(line) + "\n")
    experiments = []
    for name in sorted({line["experiment"] for line in lines}):
        own = [line for line in lines if line["experiment"] == name]
        curves = (("evaluations", "evaluations"), ("right-hand sides", "rhs_calls"), ("mean time", "mean_time"))
        experiments.append({"name": name, "lines": own,
                            "pictures": [(title, _polyline([line.get(key) or None for line in own])) for title, key in curves]})
    page = page_environment().get_template("history.html.jinja").render(experiments=experiments, width=_WIDTH, height=_HEIGHT)
    target = root / "history.html"
    target.write_text(page + "\n", encoding="utf-8")
    return target, problems


def main(arguments=None):
    open_standard_descriptors()
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR", help="the folder that holds the results' directories")
    root = parser.parse_args(arguments).directory
    if not root.is_dir():
        print(f"history: {root}: is not a directory", file=sys.stderr)
        return 1
    try:
        file, problems = write_history(root)
    except OSError as error:
        print(f"history: {error.filename or root}: {error.strerror or error}", file=sys.stderr)
        return 1
    except InputError as error:
        print(f"history: {error}", file=sys.stderr)
        return 1
    print(f"History: {file}")
    for problem in problems:
        print(f"history: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
