#!/usr/bin/env python3
"""Right-hand sides on a simulated cluster: a figure over the nodes, and what the simulation says of sentences on parallel cost.

DIR holds scaling.csv and network.csv, and two_processes/ what two real processes took (benchmarks/simulated_cluster/run.sh)."""
import argparse
import math
import sys
from pathlib import Path

from matplotlib.lines import Line2D

import style
from reports.cluster_claims import FIRST_NODES, fastest, read_cluster, write_claims
from studies.figure_definition import FigureDefinition
from reading.input_error import InputError
from reading.standard_descriptors import open_standard_descriptors

EXAMPLE = """example:
  benchmarks/simulated_cluster/run.sh build/release results/runs/simulated_cluster && python3 plots/simulated_cluster.py results/runs/simulated_cluster"""

_SIZES = {1 << 14: "#56B4E9", 1 << 16: "#CC79A7", 1 << 17: "#009E73", 1 << 20: "#D55E00"}
_FAMILIES = {"chain": "#0072B2", "loop": "#D55E00", "ladder": "#009E73"}


def _panel(axes, cluster, title, formulation, family):
    axes.set_title(title)
    for bodies, colour in _SIZES.items():
        for exchange, shape in (("tree", "-"), ("all to all", "--")):
            curve = cluster.curve(formulation, family, exchange, bodies)
            if not curve:
                continue
            nodes = [point.nodes for point in curve]
            axes.plot(nodes, [point.simulated_us for point in curve], color=colour, linestyle=shape, marker="o", markersize=2.5, linewidth=1)
            axes.plot(nodes, [point.estimated_us for point in curve], color="0.4", linestyle=":", linewidth=0.8)
            best = fastest(curve)
            axes.plot([best.nodes], [best.simulated_us], color=colour, marker="v", markersize=7, markerfacecolor="white", linestyle="none")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")


def _of_one_body(axes, cluster):
    axes.set_title("one body a node")
    for family, colour in _FAMILIES.items():
        for formulation, shape in (("hdca[leaf=body]", "-"), ("dca-alm", "--")):
            curve = cluster.curve(formulation, family, "tree")
            if curve:
                axes.plot([point.nodes for point in curve], [point.simulated_us for point in curve], color=colour, linestyle=shape, marker="o", markersize=2.5,
                          linewidth=1)
                axes.plot([point.nodes for point in curve], [point.estimated_us for point in curve], color="0.4", linestyle=":", linewidth=0.8)
    chain = {point.nodes: point.simulated_us for point in cluster.curve("hdca[leaf=body]", "chain", "tree")}
    if chain.get(FIRST_NODES):
        nodes = [2**power for power in range(1, 11)]
        axes.plot(nodes, [chain[FIRST_NODES] / math.log2(FIRST_NODES) * math.log2(count) for count in nodes], **style.PUBLISHED_LINE)
    axes.set_xscale("log", base=2)


def draw(cluster):
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 142)
    grid = figure.add_gridspec(3, 3, height_ratios=[1, 1, 0.42])
    panels = (("chain, HDCA", "hdca[leaf=subchain]", "chain"), ("chain, DCA", "dca[leaf=subchain]", "chain"), ("loop, HDCA", "hdca[leaf=subchain]", "loop"),
              ("balanced tree, HDCA", "hdca", "tree"), ("ladder, HDCA, bodies as leaves", "hdca[leaf=body]", "ladder"))
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(grid[place // 3, place % 3])
        _panel(axes, cluster, *panel)
        style.decades(axes.yaxis)
        if place % 3 == 0:
            axes.set_ylabel("a right-hand side [µs]")
        if place >= 2:
            axes.set_xlabel("nodes, simulated")
    axes = figure.add_subplot(grid[1, 2])
    _of_one_body(axes, cluster)
    axes.set_xlabel("nodes, simulated")
    shown = {point.bodies for point in cluster.points}
    handles = [Line2D([], [], color=colour, label=f"{bodies} bodies") for bodies, colour in _SIZES.items() if bodies in shown]
    handles += [Line2D([], [], color="0.2", label="along a tree"), Line2D([], [], color="0.2", linestyle="--", label="all to all; last panel: dca-alm"),
                Line2D([], [], color="0.4", linestyle=":", label="LogGP, on paper"),
                Line2D([], [], color="0.2", marker="v", markerfacecolor="white", linestyle="none", label="more nodes stop paying")]
    handles += [Line2D([], [], color=colour, marker="o", markersize=2.5, label=f"{family} (last panel)") for family, colour in _FAMILIES.items()]
    handles.append(Line2D([], [], label="papers: log2 n", **style.PUBLISHED_LINE))
    style.legend_row(figure, grid[2, :], handles, 3)
    return figure


def caption(cluster):
    network = cluster.network
    return (f"Simulated time of a right-hand side over the nodes (SimGrid; latency {network['latency_us']:g} µs, {network['overhead_us']:g} µs at either end of a "
            f"message, {network['per_byte_ns']:g} ns a byte). Pieces of work were timed on one real core, one process a node.")


FIGURE = FigureDefinition("simulated_cluster", "A simulated cluster", caption, draw)


def main(arguments=None):
    open_standard_descriptors()
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR", help="what run.sh wrote; claims.csv and figures/ are added")
    options = parser.parse_args(arguments)
    try:
        cluster = read_cluster(options.folder)
        written = [write_claims(options.folder / "claims.csv", cluster), *style.save(draw(cluster), options.folder / "figures", FIGURE.name)]
    except (InputError, OSError) as error:
        print(f"simulated_cluster: {error}", file=sys.stderr)
        return 1
    print("\n".join(map(str, written)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
