#!/usr/bin/env python3
"""Which numbers of a study depend on rounding, and how far: from results of several processors and compilers."""
import argparse
import csv
import sys
from pathlib import Path

from input_error import InputError
from result_directory import open_results

EXAMPLE = """example:
  python3 plots/rounding_ranges.py results/reference/naudet2005 runs/gcc runs/clang runs/gcc_without_fma

The builds must be of one commit. Writes FOLDER/rounding.csv, by which 'mbdbench compare FOLDER results/runs/STUDY' judges these numbers."""

COLUMNS = ["mechanism", "formulation", "integrator", "parameters", "quantity", "lowest", "highest", "builds", "missing"]
# What 'compare' tells from rounding: errors below the first, ratios of errors up to half of the second's excess.
_ROUNDING = 1e-12
_RATIO = 1.05
_ERRORS = ("error", "drift", "violation", "residual", "misfit")


def _key(record):
    parameters = ";".join(f"{name}={value}" if value else name for name, value in record.parameters.items())
    return record.mechanism, record.formulation, record.integrator, parameters, record.quantity


def _is_error(quantity):
    return any(word in quantity for word in _ERRORS) and not quantity.endswith("_at_equal_error") and "growth" not in quantity


def _depends(records):
    """Whether 'compare' would take one of them for another number."""
    values = [record.value for record in records]
    if len({value is None for value in values}) > 1 or len({record.verdict for record in records}) > 1:
        return True
    if None in values or len(set(values)) == 1:
        return False
    if _is_error(records[0].quantity):
        sizes = [abs(value) for value in values]
        return max(sizes) > _ROUNDING and max(sizes) > _RATIO * min(sizes)
    return records[0].unit == "1" and all(value == int(value) for value in values)


def ranges(directories):
    """Rows of COLUMNS of the numbers that differ. Raises InputError where the directories are of different studies."""
    builds = [{_key(record): record for record in open_results(directory).records} for directory in directories]
    for directory, build in zip(directories, builds):
        if build.keys() != builds[0].keys():
            odd = sorted(build.keys() ^ builds[0].keys())[0]
            raise InputError(directory, f"has other numbers than {directories[0]}: {', '.join(filter(None, odd))}")
    rows = []
    for key in builds[0]:
        records = [build[key] for build in builds]
        values = [record.value for record in records if record.value is not None]
        if _depends(records) and values:
            rows.append([*key, repr(min(values)), repr(max(values)), len(records), "yes" if len(values) < len(records) else "no"])
    return rows


def _build(directory):
    """What made a directory, in words; a file BUILD in it says more than its provenance knows."""
    note = directory / "BUILD"
    provenance = open_results(directory).provenance()
    words = [provenance.get("compiler", ""), provenance.get("flags", ""), provenance.get("cpu", ""), note.read_text().strip() if note.exists() else ""]
    return ", ".join(filter(None, words))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where rounding.csv goes: results/reference/STUDY")
    parser.add_argument("builds", type=Path, nargs="+", metavar="DIR", help="results of one study by different builds; two at least")
    options = parser.parse_args(arguments)
    if len(options.builds) < 2:
        print("rounding_ranges: one build has no range; give results of two at least", file=sys.stderr)
        return 2
    try:
        rows = ranges(options.builds)
        with (options.folder / "rounding.csv").open("w", encoding="utf-8", newline="") as stream:
            for directory in options.builds:
                stream.write(f"# {_build(directory)}\n")
            csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *rows])
    except (InputError, OSError) as error:
        print(f"rounding_ranges: {error}", file=sys.stderr)
        return 2
    print(f"{options.folder / 'rounding.csv'}: {len(rows)} numbers depend on rounding")
    return 0


if __name__ == "__main__":
    sys.exit(main())
