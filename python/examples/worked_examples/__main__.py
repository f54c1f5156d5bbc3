"""Runs the worked examples of gradients and writes what they have found as a folder of results."""

import argparse
import csv
import json
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # as the examples see it

import mbdbench.program  # noqa: E402
import numpy  # noqa: E402
import scipy  # noqa: E402
from worked_examples import examples  # noqa: E402

STUDY = "worked_examples"
NAMES = ("masses_from_a_marker", "links_of_a_four_bar", "cart_pole_swing_up", "five_bar_point_to_point")
TIMES = ("gradient_cost",)
COLUMNS = (
    "experiment,mechanism,formulation,integrator,parameters,quantity,unit,value,published_value,source,expected_value,"
    "expected_from,limit,verdict,note"
).split(",")
CLAIM_COLUMNS = "experiment,source,statement,criterion,baseline,held,parts,not_tested,measured,verdict,by".split(",")

# (statement, criterion, quantity, the largest number with which it holds). What is found ends where the optimiser
# stops, at some 1e-12 without noise; an end that is weighed, not prescribed, within a thousandth or so.
CLAIMS = (
    ("A gradient is right to thirteen digits.", "largest difference over the largest derivative", "gradient_error", 1e-13),
    ("It takes at most five runs, whatever the number of parameters.", "", "gradient_cost", 5.0),
    ("Masses, dampers and lengths are found to ten digits.", "largest relative error", "parameter_error", 1e-10),
    ("A motion ends within 0.01 m and rad of where it is wanted.", "", "end_error", 0.01),
    ("It ends slower than 0.01 m/s and rad/s.", "", "end_speed", 0.01),
)  # fmt: skip


def verdict_of(number):
    if number.value is None:
        return "refused"
    return "not measured" if number.disturbed else "no published value"


def rows_of(found, of_times):
    return [
        {"experiment": STUDY, "mechanism": example.name, "formulation": example.formulation, "integrator": "rk4",
         "quantity": number.quantity, "unit": number.unit, "value": "" if number.value is None else repr(number.value),
         "verdict": verdict_of(number), "note": number.note}
        for example in found for number in example.numbers if (number.quantity in TIMES) == of_times
    ]  # fmt: skip


def judged(held, parts):
    """As experiments/records/claim.cpp judges."""
    if parts == 0:
        return "not measured"
    if held in (0, parts):
        return "holds" if held else "does not hold"
    return "mostly holds" if 2 * held >= parts else "mostly does not"


def claims_of(found, of_times):
    """The sentences, judged: an example for every part of each."""
    rows = []
    for statement, criterion, quantity, limit in CLAIMS:
        if (quantity in TIMES) != of_times:
            continue
        numbers = [(example.name, number) for example in found for number in example.numbers if number.quantity == quantity]
        known = [(name, number.value) for name, number in numbers if number.value is not None and not number.disturbed]
        missed = [f"{name}: {value:.2g}" for name, value in known if not value <= limit]
        held, refused = len(known) - len(missed), sum(number.value is None for _, number in numbers)
        measured = "; ".join([f"{held} of {len(known)}", *([f"not {', '.join(missed)}"] if missed else []),
                              *([f"{refused} left out: no such value"] if refused else [])])  # fmt: skip
        rows.append({"experiment": STUDY, "source": "ours", "statement": statement, "criterion": criterion, "held": held,
                     "parts": len(known), "not_tested": len(numbers) - len(known) - refused, "measured": measured,
                     "verdict": judged(held, len(known)), "by": "run"})  # fmt: skip
    return rows


def write_table(file, columns, rows):
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def provenance():
    """That of the package's own program, which knows its compiler and this machine, under the name of this study."""
    with tempfile.TemporaryDirectory() as folder:
        small = ["simulate", "-m", "pendulum:1", "-f", "aba", "-t", "0.01", "--overwrite", "-o", folder]
        subprocess.run([mbdbench.program.path(), *small], check=True, capture_output=True)
        known = json.loads((Path(folder) / "provenance.json").read_text(encoding="utf-8"))
    known["made_by"] = {"command": "python/examples/worked_examples", "name": STUDY, "quick": False}
    known["libraries"] |= {"Python": sys.version.split()[0], "NumPy": numpy.__version__, "SciPy": scipy.__version__}
    return known


def write(directory, found):
    """All files of the folder; the records last, without which nothing reads it."""
    (directory / "trajectories").mkdir(parents=True, exist_ok=True)
    for example in found:
        curves = example.curves
        with (directory / "trajectories" / f"{example.name}.csv").open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, lineterminator="\n").writerows([list(curves), *zip(*(map(repr, map(float, curve)) for curve in curves.values()))])
    (directory / "provenance.json").write_text(json.dumps(provenance(), indent=2) + "\n", encoding="utf-8")
    for of_times, numbers, claims in ((True, "timings.csv", "timing_claims.csv"), (False, "records.csv", "claims.csv")):
        write_table(directory / claims, CLAIM_COLUMNS, claims_of(found, of_times))
        write_table(directory / numbers, COLUMNS, rows_of(found, of_times))


def main():
    parser = argparse.ArgumentParser(
        prog="worked_examples", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n  build/python/venv/bin/python python/examples/worked_examples --output results/runs/worked_examples"
        "\n  python3 plots/make_all.py results/runs/worked_examples",
    )  # fmt: skip
    parser.add_argument("--output", type=Path, default=Path("results/runs") / STUDY, metavar="DIR", help="folder of the results (%(default)s)")
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help=f"default: all: {', '.join(NAMES)}")
    options = parser.parse_args()
    for name in options.examples:
        if name not in NAMES:
            parser.error(f"there is no example '{name}'; there are {', '.join(NAMES)}")
    for name in options.examples or NAMES:
        print(f"-- {name}", flush=True)
        runpy.run_path(str(HERE.parent / f"{name}.py"))
    write(options.output, examples)
    print(f"Written: {options.output}")


if __name__ == "__main__":
    main()
