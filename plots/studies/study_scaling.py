"""How right-hand sides grow with the mechanism and shrink with workers: figures of a study that observes them."""
import math

from matplotlib.lines import Line2D

import style
from studies.figure_definition import FigureDefinition
from published_numbers import crossovers
from studies.study import is_drawable
from studies.study_looks import in_parts, looks_of

_FEWEST_SIZES = 3  # of mechanisms in a family
_PANEL_MM = 62
_LEGEND_LINE_MM = 5.5
_COLUMNS = 2


def _family(specification):
    """What mechanisms of several sizes share: 'loop' of loop:9, 'loop, cut=3' of loop:9,cut=3; a size without a name comes first."""
    name, _, parameters = specification.partition(":")
    first, *others = parameters.split(",")
    return name if "=" in first else ", ".join([name, *others])


def _families(study, mechanisms):
    """{family: [mechanism]} by number of bodies, of families with several sizes: pendulum:8, pendulum:16, ..."""
    families = {}
    # Shares of a study may be of several machines, whose times are not compared: those of the one with most mechanisms.
    machines = [mechanism.get("machine", "") for mechanism in mechanisms]
    for mechanism in (each for each in mechanisms if each.get("machine", "") == max(machines, key=machines.count)):
        families.setdefault(_family(mechanism["mechanism"]), []).append(mechanism)
    grown = {family: sorted(members, key=lambda member: member["bodies"]) for family, members in families.items()}
    return {family: members for family, members in grown.items() if len({member["bodies"] for member in members}) >= _FEWEST_SIZES}


def _record(study, mechanism, variant, quantity):
    """Of a right-hand side; of a run with the mechanism's first integrator and control."""
    if all(observer["quantity"] != quantity or observer["of_right_hand_side"] for observer in study.observers):
        return study.of_right_hand_side(mechanism, variant, quantity)
    integrator = study.integrators_of(mechanism)[0]
    return study.record(mechanism, variant, integrator, study.first_control(integrator, mechanism), quantity)


def _value(study, mechanism, variant, quantity, disturbed=False):
    record = _record(study, mechanism, variant, quantity)
    return record.value if is_drawable(record) and disturbed == (record.verdict == "not measured") else None


def _counts_joints(mechanism):
    """Whether the size in its name is the number of joints, cut ones too: a loop of 15 joints has 14 moving bodies."""
    first = mechanism["mechanism"].partition(":")[2].partition(",")[0]
    return mechanism.get("cut_joints", 0) > 0 and first == str(mechanism["bodies"] + mechanism["cut_joints"])


def _size(members):
    """(what the abscissa is called, its value of a mechanism)."""
    if all(map(_counts_joints, members)):
        return "joints", lambda mechanism: mechanism["bodies"] + mechanism["cut_joints"]
    return "bodies", lambda mechanism: mechanism["bodies"]


def _curve(study, members, variant, quantity, factor=1.0, disturbed=False):
    size = _size(members)[1]
    points = [(size(member), _value(study, member, variant, quantity, disturbed)) for member in members]
    # A mechanism may stand in a study under several labels.
    return list(dict.fromkeys((at, factor * value) for at, value in points if value is not None))


def _baseline_times(study, members):
    """{size: time of the fastest sequential variant}, by which speedups were divided: any run's own speedup times its time."""
    size = _size(members)[1]
    times = {}
    for member in members:
        for variant in study.variants:
            speedup, time = (_value(study, member, variant, quantity) for quantity in ("speedup", "wall_time"))
            if speedup and time:
                times[size(member)] = speedup * time
    return times


def _second_baselines(study, members):
    """{label: [(size, speedup)]} of sequential variants that speedups were not taken over, because they stand under another label."""
    base = _baseline_times(study, members)
    curves = {}
    for variant in study.variants:
        if variant["sequential"] and not _curve(study, members, variant, "speedup"):
            times = _curve(study, members, variant, "wall_time")
            curves[variant["label"]] = [(at, base[at] / time) for at, time in times if at in base]
    return {label: points for label, points in curves.items() if points}


def _panels(count, labels):
    """(figure, cells of the panels, cell of the legend, its columns)."""
    columns = 1 if max(map(len, labels), default=0) > 40 else 2 if max(map(len, labels), default=0) > 25 else 3
    legend_mm = _LEGEND_LINE_MM * math.ceil(len(labels) / columns) + 3
    across = min(count, _COLUMNS)
    rows = math.ceil(count / across)
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, legend_mm + _PANEL_MM * rows)
    grid = figure.add_gridspec(rows + 1, across, height_ratios=(legend_mm, *[_PANEL_MM] * rows))
    cells = [grid[1 + place // across, place % across] for place in range(count)]
    return figure, cells, grid[0, :], columns


def _draw_lines(study, panels, part, y_label):
    """`panels`: {title: {"x": its label, "curves": {variant's label: [(x, y)]}, "disturbed": as curves, "published": [(x, y)],
    "crossovers": [x], "why" there is nothing}}; one part of the variants has its looks, the others are grey."""
    parts = in_parts(_shown(study, panels))
    labels = parts[part]
    looks = dict(zip(labels, style.nested([looks_of(study)[label] for label in labels])))
    published = any(panel["published"] for panel in panels.values())
    handles = [Line2D([], [], label=label, **looks[label]) for label in labels]
    handles += [Line2D([], [], label="published", **style.PUBLISHED_POINT)] if published else []
    handles += [Line2D([], [], label="published: two processors win from", **style.PUBLISHED_LINE)] if any(
        panel.get("crossovers") for panel in panels.values()) else []
    handles += [Line2D([], [], **style.DISTURBED_POINT)] if any(
        panel.get("disturbed", {}).get(label) for panel in panels.values() for label in labels) else []
    handles += [Line2D([], [], label="in another part", **style.ELSEWHERE)] if len(parts) > 1 else []
    figure, cells, legend, columns = _panels(len(panels), [handle.get_label() for handle in handles])
    style.legend_row(figure, legend, handles, columns)
    for cell, (title, panel) in zip(cells, panels.items()):
        axes = figure.add_subplot(cell)
        axes.set_title(title.replace("_", " "))
        for label, points in panel["curves"].items():
            if points:
                axes.loglog([x for x, _ in points], [y for _, y in points], **looks.get(label, style.ELSEWHERE))
        for label in labels:
            style.mark_disturbed(axes, panel.get("disturbed", {}).get(label), looks[label])
        for x, y in panel["published"]:
            axes.loglog([x], [y], **style.PUBLISHED_POINT)
        if not axes.lines:
            style.say(axes, panel["why"])
            continue
        for x, _ in panel.get("crossovers", []):
            axes.axvline(x, **style.PUBLISHED_LINE)
        axes.set_xlabel(panel["x"])
        axes.set_ylabel(y_label)
        style.decades(axes.xaxis)
        if y_label == "speedup":
            axes.axhline(1, color="black", linewidth=0.6)
            style.ratios(axes.yaxis)
        else:
            style.decades(axes.yaxis)
        for x, where in panel.get("crossovers", []):
            at_the_right = x > math.sqrt(math.prod(axes.get_xlim()))
            axes.text(x, 0.02, f" {x:g} ({where}) ", transform=axes.get_xaxis_transform(), ha="right" if at_the_right else "left",
                      fontsize="x-small", color=style.PUBLISHED_LINE["color"])
    return figure


def _shown(study, panels):
    """Labels of the variants that have a point, in the study's order."""
    return [variant["label"] for variant in study.variants
            if any(panel[kind].get(variant["label"]) for panel in panels.values() for kind in ("curves", "disturbed") if kind in panel)]


def _why_empty(study, members, quantity):
    records = [_record(study, member, variant, quantity) for member in members for variant in study.variants]
    records = [record for record in records if record]
    if any(record.verdict == "not measured" for record in records):
        return "not measured: other work on the machine disturbed the times"
    return next((f"{record.verdict}: {record.note}" for record in records if record.value is None), "not asked for")


def _growth(study, families, quantity, factor):
    """Panels over the size, one a family."""
    panels = {}
    for family, members in families.items():
        name, size = _size(members)
        records = [(size(member), _record(study, member, variant, quantity)) for member in members for variant in study.variants]
        curves = {variant["label"]: _curve(study, members, variant, quantity, factor) for variant in study.variants}
        curves |= _second_baselines(study, members) if quantity == "speedup" else {}
        panels[family] = {"x": name, "curves": curves,
                          "disturbed": {variant["label"]: _curve(study, members, variant, quantity, factor, disturbed=True) for variant in study.variants},
                          "published": [(at, factor * record.published_value) for at, record in records if record and record.published_value],
                          "crossovers": crossovers(study.name) if quantity == "speedup" and name == "joints" else [],
                          "why": _why_empty(study, members, quantity)}
    return panels


def _modelled_workers(study):
    """[(workers, quantity)] that the study asks for."""
    names = [observer["quantity"] for observer in study.observers if observer["quantity"].startswith("modelled_speedup_")]
    return sorted((int(name.rsplit("_", 1)[1]), name) for name in names)


def _model(study, families):
    """Panels over the number of workers, one a family's largest mechanism."""
    panels, workers = {}, _modelled_workers(study)
    for members in families.values():
        member, curves = members[-1], {}
        for variant in study.variants:
            points = [(count, _value(study, member, variant, quantity)) for count, quantity in workers]
            curves[variant["label"]] = [(count, value) for count, value in points if value is not None]
        panels[f"{member['label']} (model)"] = {"x": "workers", "curves": curves, "published": [], "why": _why_empty(study, [member], workers[0][1])}
    return panels


def _line_figures(study, name, title, caption, panels, y_label):
    """In parts where there are too many curves; none where nothing was measured, such as engines that are not installed: tables say why."""
    parts = in_parts(_shown(study, panels)) if _shown(study, panels) else []
    return [FigureDefinition(name + (f"_{part + 1}" if len(parts) > 1 else ""), title,
                             lambda _: caption + (" Curves of another part are grey." if len(parts) > 1 else ""),
                             lambda _, p=part: _draw_lines(study, panels, p, y_label), part=part + 1) for part in range(len(parts))]


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
    roofs = {"color": "black", "linewidth": 1}
    style.legend_row(figure, legend, [Line2D([], [], label=label, **looks[label] | {"linestyle": "none"}) for label in points]
                     + [Line2D([], [], label="roofs of one core", **roofs)], columns)
    axes = figure.add_subplot(cells[0])
    everywhere = [x for values in points.values() for x, _ in values] + [peak / bandwidth]
    low, high = min(everywhere) / 2, max(everywhere) * 2
    axes.loglog([low, peak / bandwidth, high], [low * bandwidth, peak, peak], **roofs)
    for label, values in points.items():
        axes.loglog([x for x, _ in values], [y for _, y in values], **looks[label] | {"linestyle": "none"})
    axes.set_xlabel("operations a byte held [1/B]")
    axes.set_ylabel("operations [1/s]")
    style.decades(axes.xaxis)
    style.decades(axes.yaxis)
    return figure


def _roofline_caption(study):
    return (f"Operations a second of right-hand sides under the roofs of one core: {study.machine['machine_operations'] / 1e9:.3g}e9 "
            f"multiplications and additions a second in registers, {study.machine['machine_bandwidth'] / 1e9:.3g}e9 bytes a second from "
            "memory. Bytes are those that the formulation holds: what it moves if nothing stays in a cache; points above the "
            "slanted roof have stayed in one. Two threads have two cores.")


def _second_baseline_text(study, families):
    labels = list(dict.fromkeys(label for members in families.values() for label in _second_baselines(study, members)))
    if not labels:
        return ""
    return (f" {', '.join(labels)}: a second baseline, sequential too, which the speedups are not taken over. Variants below its curve "
            "do not win over it.")


def _gain_figures(study):
    """Speedups against the fastest sequential variant, of runs and of right-hand sides."""
    observed = {observer["quantity"] for observer in study.observers}
    definitions = []
    for quantity, mechanisms, what in (("wall_time", study.run_mechanisms(), "Wall time of a run"),
                                       ("speedup", study.run_mechanisms(), "Speedup of runs"),
                                       ("evaluation_speedup", study.mechanisms, "Speedup of right-hand sides")):
        families = _families(study, mechanisms) if quantity in observed and (quantity != "wall_time" or "speedup" in observed) else {}
        if families:
            unit = " [s]" if quantity == "wall_time" else ""
            definitions += _line_figures(
                study, f"{quantity}_against_bodies", what,
                f"{what} over the size" + (", with the first integrator and tolerance or step." if mechanisms is not study.mechanisms else ".")
                + ("" if unit else " Above 1 a variant is faster than the fastest one on one thread and process.")
                + (_second_baseline_text(study, families) if quantity == "speedup" else ""),
                _growth(study, families, quantity, 1.0), what.split(" of ")[0].lower() + unit)
    return definitions


def scaling_figures(study):
    """Time and memory a body against bodies, speedups measured and modelled, as far as observed."""
    observed = {observer["quantity"] for observer in study.observers if observer.get("of_right_hand_side", True)}
    families = _families(study, study.mechanisms) if observed else {}
    definitions = _gain_figures(study)
    if not families:
        return definitions
    if "time_per_body" in observed:
        definitions += _line_figures(
            study, "time_per_body", "Time of a right-hand side and body",
            "Wall time of one right-hand side over the size, the fastest of nine batches at the initial state.",
            _growth(study, families, "time_per_body", 1e9), "time a body [ns]")
    if "memory_per_body" in observed:
        definitions += _line_figures(
            study, "memory_per_body", "Memory a body", "What a formulation holds when it has been made, over the size.",
            _growth(study, families, "memory_per_body", 1.0), "memory a body [B]")
    for quantity, title, what in (
            ("acceleration_error", "Digits of accelerations", "Largest difference of u' from numbers of 113 bits over the largest u'"),
            ("velocity_error", "Digits of velocities from momenta",
             "Largest difference of u after packing and unpacking the state over the largest u")):
        if quantity in observed:
            definitions += _line_figures(study, quantity, title, f"{what}, over the size, at a state near the start.",
                                         _growth(study, families, quantity, 1.0), "relative error")
    if {"operations", "operation_rate", "memory_per_body"} <= observed and study.machine:
        definitions.append(FigureDefinition("roofline", "Operations under the roofs of a core", lambda _: _roofline_caption(study),
                                            lambda _: _draw_roofline(study)))
    if _modelled_workers(study):
        latency = f" ({1e6 * study.machine['machine_latency']:.2g} µs)" if "machine_latency" in study.machine else ""
        definitions += _line_figures(
            study, "modelled_speedup", "Modelled speedup of the largest mechanism of each family",
            "A model and no measurement: the measured time on one worker, divided by the stages that the formulation states, and the "
            f"measured latency between two threads{latency} for every round in which workers meet.",
            _model(study, families), "modelled speedup")
    return definitions
