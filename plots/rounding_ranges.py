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


def ranges(reference, directories):
    """Rows of COLUMNS of the reference's numbers that differ; it counts as a build itself. Raises InputError where one is missing."""
    builds = [{_key(record): record for record in open_results(directory).records} for directory in (reference, *directories)]
    rows = []
    for key in builds[0]:
        for directory, build in zip(directories, builds[1:]):
            if key not in build:
                raise InputError(directory, f"has no {', '.join(filter(None, key))}, which {reference} has")
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
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the reference, a build itself, whose numbers are looked at and where rounding.csv goes: results/reference/STUDY")
    parser.add_argument("builds", type=Path, nargs="+", metavar="DIR", help="results of the same study by other builds")
    options = parser.parse_args(arguments)
    try:
        rows = ranges(options.folder, options.builds)
        with (options.folder / "rounding.csv").open("w", encoding="utf-8", newline="") as stream:
            for directory in (options.folder, *options.builds):
                stream.write(f"# {_build(directory)}\n")
            csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *rows])
    except (InputError, OSError) as error:
        print(f"rounding_ranges: {error}", file=sys.stderr)
        return 2
    print(f"{options.folder / 'rounding.csv'}: {len(rows)} numbers depend on rounding")
    return 0


if __name__ == "__main__":
    sys.exit(main())
