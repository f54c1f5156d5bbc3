#!/usr/bin/env python3
"""Which numbers of a study depend on rounding, and how far: from results of several processors and compilers, and of runs whose
tolerances differ in their last digits."""
import argparse
import csv
import sys
from collections import Counter
from pathlib import Path

from reading.csv_rows import read_csv_rows
from reading.input_error import InputError
from reading.result_directory import open_results

EXAMPLE = """example:
  python3 plots/rounding_ranges.py results/reference/naudet2005 runs/gcc runs/clang runs/gcc_without_fma

The builds must be of one commit. Writes FOLDER/rounding.csv, by which 'mbdbench compare FOLDER results/runs/STUDY' judges these numbers."""

COLUMNS = ["mechanism", "formulation", "integrator", "parameters", "quantity", "lowest", "highest", "samples", "missing"]
# What 'compare' tells from rounding: errors below the first, ratios of errors up to half of the second's excess.
_ROUNDING = 1e-12
_RATIO = 1.05
_ERRORS = ("error", "drift", "violation", "residual", "misfit")


def _key(record):
    parameters = ";".join(f"{name}={value}" if value else name for name, value in record.parameters.items())
    return record.mechanism, record.formulation, record.integrator, parameters, record.quantity


def _family(key):
    """Runs whose tolerances differ in the seventh digit are samples of one another as further builds are."""
    parameters = [f"{name}={float(value):.3g}" if name == "tolerance" else f"{name}={value}"
                  for name, _, value in (part.partition("=") for part in key[3].split(";"))]
    return (*key[:3], ";".join(parameters), key[4])


def _is_error(quantity):
    return any(word in quantity for word in _ERRORS) and not quantity.endswith("_at_equal_error") and "growth" not in quantity


def _scatters(quantity, values):
    """Whether errors differ by more than a change of the tolerance in its seventh digit can do by itself."""
    sizes = [abs(value) for value in values]
    return _is_error(quantity) and max(sizes) > _ROUNDING and max(sizes) > _RATIO * min(sizes)


def _depends(records):
    """Whether 'compare' would take one of them for another number."""
    values = [record.value for record in records]
    if len({value is None for value in values}) > 1 or len({record.verdict for record in records}) > 1:
        return True
    if None in values or len(set(values)) == 1:
        return False
    if _is_error(records[0].quantity):
        return _scatters(records[0].quantity, values)
    return records[0].unit == "1" and all(value == int(value) for value in values)


def ranges(reference, directories, perturbed=()):
    """Rows of COLUMNS of the reference's numbers that differ; it counts as a build itself. Raises InputError where one is missing."""
    builds = [{_key(record): record for record in open_results(directory).records} for directory in (reference, *directories)]
    samples = {}
    for key in builds[0]:
        for directory, build in zip(directories, builds[1:]):
            if key not in build:
                raise InputError(directory, f"has no {', '.join(filter(None, key))}, which {reference} has")
        samples.setdefault(_family(key), []).extend(build[key].value for build in builds)
    for record in (record for directory in perturbed for record in open_results(directory).records):
        if _family(_key(record)) in samples:
            samples[_family(_key(record))].append(record.value)
    rows = []
    for key in builds[0]:
        values = [value for value in samples[_family(key)] if value is not None]
        if values and (_depends([build[key] for build in builds]) or _scatters(key[4], values)):
            missing = any(build[key].value is None for build in builds)
            rows.append([*key, repr(min(values)), repr(max(values)), len(samples[_family(key)]), "yes" if missing else "no"])
    return rows


def widened(rows, reference):
    """The rows together with those that the reference's rounding.csv has already, of builds that need not be here any more."""
    own = Counter(_family(_key(record)) for record in open_results(reference).records)
    found = {tuple(row[:5]): row for row in rows}
    old = {tuple(fields[:5]): fields for _, fields in read_csv_rows(reference / "rounding.csv")[1]}
    merged = []
    for key in (_key(record) for record in open_results(reference).records):
        if key in found and key in old:
            (low, high, samples, missing), (old_low, old_high, old_samples, old_missing) = found[key][5:], old[key][5:]
            # The reference itself is a sample of both.
            merged.append([*key, min(low, old_low, key=float), max(high, old_high, key=float), int(samples) + int(old_samples) - own[_family(key)],
                           "yes" if "yes" in (missing, old_missing) else "no"])
        elif key in found or key in old:
            merged.append(list(found.get(key) or old[key]))
    return merged


def _comments(file):
    """The lines of a file that say what was run."""
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("#")]


def _build(directory):
    """What made a directory, in words; a file BUILD in it says more than its provenance knows."""
    note = directory / "BUILD"
    provenance = open_results(directory).provenance()
    words = [provenance.get("compiler", ""), provenance.get("flags", ""), provenance.get("cpu", ""), note.read_text().strip() if note.exists() else ""]
    return ", ".join(filter(None, words))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the reference, a build itself, whose numbers are looked at and where rounding.csv goes: results/reference/STUDY")
    parser.add_argument("builds", type=Path, nargs="+", metavar="DIR", help="results of the same study by other builds")
    parser.add_argument("--perturbed", type=Path, action="append", default=[], metavar="DIR",
                        help="results of the same runs with tolerances that differ in the seventh digit: further samples; repeatable")
    parser.add_argument("--widen", action="store_true",
                        help="keep what FOLDER/rounding.csv lists, and widen it: builds of several machines come one after another")
    options = parser.parse_args(arguments)
    try:
        rows = ranges(options.folder, options.builds, options.perturbed)
        told = [f"# {_build(directory)}" for directory in (*options.builds, *options.perturbed)]
        file = options.folder / "rounding.csv"
        if options.widen and file.exists():
            rows = widened(rows, options.folder)
            told = _comments(file) + told
        else:
            told.insert(0, f"# {_build(options.folder)}")
        with file.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(f"{line}\n" for line in told)
            csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *rows])
    except (InputError, OSError) as error:
        print(f"rounding_ranges: {error}", file=sys.stderr)
        return 2
    print(f"{options.folder / 'rounding.csv'}: {len(rows)} numbers depend on rounding")
    return 0


if __name__ == "__main__":
    sys.exit(main())
