#!/usr/bin/env python3
"""Cost of one right-hand side per body against the number of bodies, from Google Benchmark's JSON."""
import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from matplotlib.lines import Line2D

import style
from studies.figure_definition import FigureDefinition
from reading.input_error import InputError
from reading.json_file import read_json
from reading.standard_descriptors import open_standard_descriptors

EXAMPLE = """example:
  build/release/benchmarks/benchmark_right_hand_side --benchmark_out=rhs.json --benchmark_out_format=json
  plots/rhs_cost.py rhs.json --output figures"""


# Largest ratio of wall to processor time of a single-threaded measurement that had its processor to itself.
_UNDISTURBED = 1.1


@dataclass
class RhsCosts:
    points: dict  # mechanism -> formulation -> {n: ns per body}
    failures: list  # (benchmark name, message)
    context: dict  # what Google Benchmark says about the machine
    disturbed: int = 0  # measurements during which the process often had to wait for a processor


def _load(file):
    content = read_json(file)
    if not isinstance(content, dict) or not isinstance(content.get("benchmarks"), list):
        raise InputError(file, "has no list 'benchmarks': write it with --benchmark_out_format=json")
    return content


def _place(file, name):
    """Formulation, mechanism and n of rhs/FORMULATION/MECHANISM/N; Google Benchmark may append parts such as real_time."""
    parts = name.split("/")
    if len(parts) < 4 or parts[0] != "rhs" or not parts[3].isdigit() or int(parts[3]) == 0:
        raise InputError(file, f"benchmark '{name}' should be named rhs/FORMULATION/MECHANISM/N")
    return parts[1], parts[2], int(parts[3])


def read_rhs_costs(file):
    """Reads a result of benchmark_right_hand_side: medians where it repeated, else the single measurements."""
    content = _load(file)
    entries = [entry for entry in content["benchmarks"] if isinstance(entry, dict)]
    repeated = {entry.get("run_name") for entry in entries if entry.get("aggregate_name") == "median"}
    costs = RhsCosts({}, [], content.get("context", {}))
    for entry in entries:
        name = entry.get("run_name", entry.get("name", ""))
        aggregate = entry.get("aggregate_name") if entry.get("run_type") == "aggregate" else None
        if aggregate not in (None, "median") or (aggregate is None and name in repeated):
            continue
        formulation, mechanism, n = _place(file, name)
        if entry.get("error_occurred"):
            costs.failures.append((name, entry.get("error_message", "no message")))
            continue
        value = entry.get("ns_per_body")
        if not isinstance(value, (int, float)) or not value > 0:
            raise InputError(file, f"benchmark '{name}' should have a counter ns_per_body above 0, not {value!r}")
        series = costs.points.setdefault(mechanism, {}).setdefault(formulation, {})
        if n in series:
            raise InputError(file, f"benchmark '{name}' was measured twice and there is no median of it")
        series[n] = value
        costs.disturbed += entry.get("real_time", 0) > _UNDISTURBED * entry.get("cpu_time", float("inf"))
    if not costs.points:
        raise InputError(file, "holds no measurement of rhs/FORMULATION/MECHANISM/N")
    return costs


def draw(costs):
    formulations = sorted({key for series in costs.points.values() for key in series})
    panels = len(costs.points)
    columns = min(len(formulations), 3 if panels == 1 else 6)
    rows = -(-len(formulations) // columns)
    figure = style.new_figure(style.SINGLE_COLUMN_MM if panels == 1 else style.DOUBLE_COLUMN_MM, 62 + 5 * rows)
    grid = figure.add_gridspec(2, panels, height_ratios=(0.1 * rows, 1))
    first = None
    for column, (mechanism, series) in enumerate(costs.points.items()):
        axes = first = figure.add_subplot(grid[1, column], sharex=first, sharey=first)
        for key in formulations:
            points = sorted(series.get(key, {}).items())
            if points:
                axes.loglog([n for n, _ in points], [cost for _, cost in points], **style.formulation_look(key))
        axes.set_title(mechanism)
        axes.set_xlabel("number of bodies n")
        axes.tick_params(labelleft=column == 0)
    figure.axes[0].set_ylabel("time per evaluation and body [ns]")
    sizes = sorted({n for series in costs.points.values() for points in series.values() for n in points})
    step = -(-len(sizes) // 6)
    style.ticks_at(first.xaxis, sizes[::step], [str(n) for n in sizes[::step]])
    style.decades(first.yaxis)
    handles = [Line2D([], [], label=style.formulation_label(key), **style.formulation_look(key)) for key in formulations]
    style.legend_row(figure, grid[0, :], handles, columns)
    return figure


def caption(costs):
    """What one sees, and on what it was measured."""
    context = costs.context
    machine = [f"{context[key]} {word}" for key, word in (("num_cpus", "processors"), ("mhz_per_cpu", "MHz")) if key in context]
    text = ("Wall time of one right-hand side divided by the number of bodies, one panel a mechanism. A level line is a cost "
            "proportional to n, a falling one shows fixed costs spread over more bodies, a rising one a cost that grows faster.")
    if machine:
        text += f" Measured on {', '.join(machine)}."
    if costs.disturbed:
        text += f" The machine was busy: {costs.disturbed} measurements took over 10 % more wall time than processor time."
    if context.get("cpu_scaling_enabled"):
        text += " The processor's frequency was not fixed: differences of some per cent mean nothing."
    if context.get("library_build_type") == "debug":
        text += " The benchmark library was a debug build."
    for name, message in costs.failures:
        text += f" {name} failed: {message}."
    return text


FIGURE = FigureDefinition("rhs_cost", "Cost of the right-hand side", caption, draw)


def main(arguments=None):
    open_standard_descriptors()
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="what the benchmark wrote")
    parser.add_argument("--output", type=Path, default=Path("."), metavar="DIR", help="for rhs_cost.pdf and rhs_cost.png; default: here")
    options = parser.parse_args(arguments)
    try:
        costs = read_rhs_costs(options.file)
        written = style.save(draw(costs), options.output, FIGURE.name)
    except (InputError, OSError) as error:
        print(f"rhs_cost: {error}", file=sys.stderr)
        return 1
    for name, message in costs.failures:
        print(f"rhs_cost: {name} failed and is not drawn: {message}", file=sys.stderr)
    print("\n".join(str(file) for file in written))
    return 0


if __name__ == "__main__":
    sys.exit(main())
