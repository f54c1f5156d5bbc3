#!/usr/bin/env python3
"""Fan chart of an ensemble: mean, median and quantiles of its quantities over time."""
import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

import style
from reading.csv_rows import read_csv_rows
from studies.figure_definition import FigureDefinition
from reading.input_error import InputError
from reading.json_file import read_json
from reading.standard_descriptors import open_standard_descriptors

EXAMPLE = """example:
  build/release/mbdbench simulate -m pendulum:3 -f aba -t 0:0.01:2 --ensemble 500 --spread positions=0.1 -o many
  python3 plots/ensemble.py many --quantities q.joint1,total

Reads DIR/ensemble.csv and DIR/ensemble.json, writes DIR/figures/ensemble.pdf and .png."""

FILE = "ensemble.csv"
MOST_PANELS = 6  # that a page of a journal holds and that are drawn unasked
_NUMBERS = ["time", "members", "mean", "standard_deviation", "minimum", "q05", "q25", "q50", "q75", "q95", "maximum"]
# One hue from pale to dark reads without colours too; the mean is dashed.
_OUTER, _INNER, _MEDIAN, _MEAN = "#BFDCEE", "#6AAFD8", "#004B7A", "#D55E00"


@dataclass
class Ensemble:
    outcome: dict
    quantities: dict  # name -> {column: array}
    chosen: list


def _number(file, line, column, text, members):
    if text == "" and (column == "standard_deviation" or (members == "0" and column != "time")):
        return np.nan  # of one member, of none that has a number
    try:
        return float(text)
    except ValueError:
        raise InputError(file, f"{column} should be a number, not '{text}'", line) from None


def read_ensemble(directory, chosen=None):
    """Raises InputError for what is missing, damaged or not there."""
    file = directory / FILE
    columns, rows = read_csv_rows(file)
    missing = [name for name in ["quantity", *_NUMBERS] if name not in columns]
    if missing:
        raise InputError(file, f"no column {', '.join(missing)}; there are {', '.join(columns)}", 1)
    if not rows:
        raise InputError(file, "there is no member to draw: all failed or are inaccurate")
    places = [columns.index(name) for name in _NUMBERS]
    values = {}
    for line, fields in rows:
        numbers = [_number(file, line, column, fields[place], fields[columns.index("members")]) for column, place in zip(_NUMBERS, places)]
        values.setdefault(fields[columns.index("quantity")], []).append(numbers)
    quantities = {name: dict(zip(_NUMBERS, np.array(table).T)) for name, table in values.items()}
    for name in chosen or []:
        if name not in quantities:
            raise InputError(file, f"no quantity '{name}'; there are {', '.join(quantities)}")
    outcome = read_json(directory / "ensemble.json")
    if not isinstance(outcome, dict):
        raise InputError(directory / "ensemble.json", "should hold one JSON object", 1)
    if type(outcome.get("members", 0)) is not int:
        raise InputError(directory / "ensemble.json", f"members should be a whole number, not {json.dumps(outcome['members'])}")
    return Ensemble(outcome, quantities, list(chosen or list(quantities)[:MOST_PANELS]))


def draw(ensemble):
    panels = len(ensemble.chosen)
    columns = min(2, panels)
    rows = -(-panels // columns)
    figure = style.new_figure(style.DOUBLE_COLUMN_MM if columns == 2 else style.SINGLE_COLUMN_MM, 12 + 44 * rows)
    grid = figure.add_gridspec(rows + 1, columns, height_ratios=(0.14, *[1] * rows))
    first = None
    for place, name in enumerate(ensemble.chosen):
        axes = figure.add_subplot(grid[1 + place // columns, place % columns], sharex=first)
        first = first or axes
        table = ensemble.quantities[name]
        time = table["time"]
        axes.fill_between(time, table["q05"], table["q95"], color=_OUTER, linewidth=0)
        axes.fill_between(time, table["q25"], table["q75"], color=_INNER, linewidth=0)
        for extreme in ("minimum", "maximum"):
            axes.plot(time, table[extreme], color="0.45", linewidth=0.5, linestyle=(0, (1, 1.5)))
        axes.plot(time, table["q50"], color=_MEDIAN, linewidth=1.2)
        axes.plot(time, table["mean"], color=_MEAN, linewidth=0.9, linestyle=(0, (4, 2)))
        axes.set_title(name)
        if place + columns >= panels:
            axes.set_xlabel("time [s]")
        else:
            axes.tick_params(labelbottom=False)
    handles = [Patch(color=_OUTER, label="5 to 95 %"), Patch(color=_INNER, label="25 to 75 %"),
               Line2D([], [], color=_MEDIAN, linewidth=1.2, label="median"),
               Line2D([], [], color=_MEAN, linewidth=0.9, linestyle=(0, (4, 2)), label="mean"),
               Line2D([], [], color="0.45", linewidth=0.5, linestyle=(0, (1, 1.5)), label="extremes")]
    style.legend_row(figure, grid[0, :], handles, 5 if columns == 2 else 3)
    return figure


def caption(ensemble):
    """What one sees, with the numbers of this very ensemble."""
    outcome = ensemble.outcome
    counted = int(ensemble.quantities[ensemble.chosen[0]]["members"][0])
    text = f"Quantiles of {counted} members of {outcome.get('mechanism', 'an ensemble')} over time, in SI units"
    if outcome.get("spread"):
        text += f"; spread {outcome['spread']}, seed {outcome.get('seed', '?')}"
    text += "."
    if outcome.get("members", counted) != counted:
        text += f" {outcome['members'] - counted} of {outcome['members']} members failed or are inaccurate and are left out."
    left = len(ensemble.quantities) - len(ensemble.chosen)
    if left > 0:
        text += f" {left} further quantities stand in {FILE}."
    return text


FIGURE = FigureDefinition("ensemble", "Ensemble", caption, draw)


def main(arguments=None):
    open_standard_descriptors()
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR", help="what 'mbdbench simulate --ensemble N --output DIR' wrote")
    parser.add_argument("--quantities", metavar="NAMES", help=f"separated by commas; default: the first {MOST_PANELS}")
    parser.add_argument("--output", type=Path, metavar="DIR", help="for ensemble.pdf and ensemble.png; default: DIR/figures")
    options = parser.parse_args(arguments)
    try:
        chosen = options.quantities.split(",") if options.quantities else None
        ensemble = read_ensemble(options.directory, chosen)
        written = style.save(draw(ensemble), options.output or options.directory / "figures", FIGURE.name)
    except (InputError, OSError) as error:
        print(f"ensemble: {error}", file=sys.stderr)
        return 1
    print("\n".join(str(file) for file in written))
    print(caption(ensemble))
    return 0


if __name__ == "__main__":
    sys.exit(main())
