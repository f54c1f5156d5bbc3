"""How right-hand sides grow with the mechanism and shrink with workers: figures of a study that observes them."""
import math

from matplotlib.lines import Line2D

import style
from figure_definition import FigureDefinition
from study_looks import looks_of

_FEWEST_SIZES = 3  # of mechanisms in a family
_PANEL_MM = 62
_LEGEND_LINE_MM = 5.5
_COLUMNS = 2


def _families(study):
    """{family: [mechanism]} by number of bodies, of families with several sizes: pendulum:8, pendulum:16, ..."""
    families = {}
    for mechanism in study.mechanisms:
        families.setdefault(mechanism["mechanism"].split(":")[0], []).append(mechanism)
    grown = {family: sorted(members, key=lambda member: member["bodies"]) for family, members in families.items()}
    return {family: members for family, members in grown.items() if len({member["bodies"] for member in members}) >= _FEWEST_SIZES}


def _value(study, mechanism, variant, quantity):
    record = study.of_right_hand_side(mechanism, variant, quantity)
    measured = record and record.value is not None and record.verdict != "not measured" and record.value > 0
    return record.value if measured else None


def _curve(study, members, variant, quantity, factor=1.0):
    points = [(member["bodies"], _value(study, member, variant, quantity)) for member in members]
    return [(bodies, factor * value) for bodies, value in points if value is not None]


def _panels(count, labels):
    """(figure, cells of the panels, cell of the legend, its columns)."""
    columns = 1 if max(map(len, labels)) > 40 else 2 if max(map(len, labels)) > 25 else 3
    legend_mm = _LEGEND_LINE_MM * math.ceil(len(labels) / columns) + 3
    rows = math.ceil(count / _COLUMNS)
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, legend_mm + _PANEL_MM * rows)
    grid = figure.add_gridspec(rows + 1, _COLUMNS, height_ratios=(legend_mm, *[_PANEL_MM] * rows))
    cells = [grid[1 + place // _COLUMNS, place % _COLUMNS] for place in range(count)]
    return figure, cells, grid[0, :], columns


def _draw_growth(study, families, quantity, label, factor):
    looks = looks_of(study)
    shown = [variant for variant in study.variants
             if any(_curve(study, members, variant, quantity) for members in families.values())]
    labels = [variant["label"] for variant in shown]
    figure, cells, legend, columns = _panels(len(families), labels)
    style.legend_row(figure, legend, [Line2D([], [], label=label, **looks[label]) for label in labels], columns)
    for cell, (family, members) in zip(cells, families.items()):
        axes = figure.add_subplot(cell)
        for variant in shown:
            points = _curve(study, members, variant, quantity, factor)
            axes.loglog([x for x, _ in points], [y for _, y in points], **looks[variant["label"]])
        axes.set_title(family)
        axes.set_xlabel("bodies")
        axes.set_ylabel(label)
        style.decades(axes.xaxis)
        style.decades(axes.yaxis)
    return figure


def _modelled_workers(study):
    """[(workers, quantity)] that the study asks for."""
    names = [observer["quantity"] for observer in study.observers if observer["quantity"].startswith("modelled_speedup_")]
    return sorted((int(name.rsplit("_", 1)[1]), name) for name in names)


def _draw_model(study, families):
    looks = looks_of(study)
    workers = _modelled_workers(study)
    largest = [(family, members[-1]) for family, members in families.items()]

    def curve(member, variant):
        points = [(count, _value(study, member, variant, quantity)) for count, quantity in workers]
        return [(count, value) for count, value in points if value is not None]

    shown = [variant for variant in study.variants if any(curve(member, variant) for _, member in largest)]
    labels = [variant["label"] for variant in shown]
    figure, cells, legend, columns = _panels(len(largest), labels)
    style.legend_row(figure, legend, [Line2D([], [], label=label, **looks[label]) for label in labels], columns)
    for cell, (_, member) in zip(cells, largest):
        axes = figure.add_subplot(cell)
        for variant in shown:
            points = curve(member, variant)
            axes.loglog([x for x, _ in points], [y for _, y in points], **looks[variant["label"]])
        axes.set_title(f"{member['label']} (model)")
        axes.set_xlabel("workers")
        axes.set_ylabel("modelled speedup")
        style.decades(axes.xaxis)
        style.decades(axes.yaxis)
    return figure


def _draw_roofline(study):
    looks = looks_of(study)
    peak, bandwidth = study.machine["machine_operations"], study.machine["machine_bandwidth"]
    points = {}
    for variant in study.variants:
        for mechanism in study.mechanisms:
            operations, rate, memory = (_value(study, mechanism, variant, quantity)
                                        for quantity in ("operations", "operation_rate", "memory_per_body"))
            if operations and rate and memory:
                points.setdefault(variant["label"], []).append((operations / (memory * mechanism["bodies"]), rate))
    figure, cells, legend, columns = _panels(1, list(points))
    style.legend_row(figure, legend, [Line2D([], [], label=label, **looks[label] | {"linestyle": "none"}) for label in points], columns)
    axes = figure.add_subplot(cells[0])
    everywhere = [x for values in points.values() for x, _ in values] + [peak / bandwidth]
    low, high = min(everywhere) / 2, max(everywhere) * 2
    axes.loglog([low, peak / bandwidth, high], [low * bandwidth, peak, peak], color="black", linewidth=1)
    for label, values in points.items():
        axes.loglog([x for x, _ in values], [y for _, y in values], **looks[label] | {"linestyle": "none"})
    axes.set_xlabel("operations a byte held")
    axes.set_ylabel("operations [1/s]")
    style.decades(axes.xaxis)
    style.decades(axes.yaxis)
    return figure


def _roofline_caption(study):
    return (f"Operations a second of right-hand sides under the roofs of one core: {study.machine['machine_operations'] / 1e9:.3g}e9 "
            f"multiplications and additions a second in registers, {study.machine['machine_bandwidth'] / 1e9:.3g}e9 bytes a second from "
            "memory. Bytes are those that the formulation holds: what it moves if nothing stays in a cache; points above the "
            "slanted roof have stayed in one. Two threads have two cores.")


def scaling_figures(study):
    """Time and memory a body against bodies, modelled speedup against workers, as far as observed."""
    observed = {observer["quantity"] for observer in study.observers if observer["of_right_hand_side"]}
    families = _families(study) if observed else {}
    if not families:
        return []
    definitions = []
    if "time_per_body" in observed:
        definitions.append(FigureDefinition(
            "time_per_body", "Time of a right-hand side and body",
            lambda _: "Wall time of one right-hand side over the number of bodies, the fastest of nine batches at the initial state. "
                      "Disturbed times are left out.",
            lambda _: _draw_growth(study, families, "time_per_body", "time a body [ns]", 1e9)))
    if "memory_per_body" in observed:
        definitions.append(FigureDefinition(
            "memory_per_body", "Memory a body", lambda _: "What a formulation holds when it has been made, over the number of bodies.",
            lambda _: _draw_growth(study, families, "memory_per_body", "memory a body [B]", 1.0)))
    if {"operations", "operation_rate", "memory_per_body"} <= observed and study.machine:
        definitions.append(FigureDefinition("roofline", "Operations under the roofs of a core", lambda _: _roofline_caption(study),
                                            lambda _: _draw_roofline(study)))
    if _modelled_workers(study):
        definitions.append(FigureDefinition(
            "modelled_speedup", "Modelled speedup of the largest mechanism of each family",
            lambda _: "A model and no measurement: the measured time on one worker, divided by the stages that the formulation states, "
                      "and the measured latency between two threads"
                      + (f" ({1e6 * study.machine['machine_latency']:.2g} µs)" if "machine_latency" in study.machine else "")
                      + " for every round in which workers meet..",
            lambda _: _draw_model(study, families)))
    return definitions
