"""Numbers of whole runs over the tolerance or step: a column of panels an integrator, a row a quantity."""
from matplotlib.lines import Line2D

import style
from studies.figure_definition import FigureDefinition
from studies.study import is_drawable, unit_text
from studies.study_looks import in_parts, looks_of

_ROW_MM = 62
_LEGEND_LINE_MM = 5.5
_COLOURS = ("#000000", "#CC79A7", "#009E73", "#0072B2", "#D55E00", "#E69F00", "#56B4E9")  # of mechanisms
_MARKERS = "os^vDP*"
_LINES = ("-", (0, (1, 1.2)), (0, (4, 1.5)), (0, (5, 1.5, 1, 1.5)))  # of variants


def _points(study, mechanism, variant, integrator, quantity, disturbed=False):
    """[(control, number)] of the runs that have one; `disturbed`: of those whose times other work disturbed."""
    found = [(control["value"], study.record(mechanism, variant, integrator, control, quantity))
             for control in study.controls_of(integrator, mechanism)]
    return [(value, record.value) for value, record in found
            if is_drawable(record) and disturbed == (record.verdict == "not measured")]


def _curves(study, declared):
    """[(look, label, mechanism, variant)] in the study's order; mechanisms have colours, those of variants where there is one."""
    mechanisms = [study.mechanisms[place] for place in declared["mechanisms"]]
    variants = [study.variants[place] for place in declared["variants"]]
    if len(mechanisms) == 1:
        return [(looks_of(study)[variant["label"]], variant["label"], mechanisms[0], variant) for variant in variants]
    return [({"color": _COLOURS[m % len(_COLOURS)], "marker": _MARKERS[m % len(_MARKERS)], "linestyle": _LINES[v % len(_LINES)],
              "markerfacecolor": "white" if v else _COLOURS[m % len(_COLOURS)]}, f"{mechanism['label']}, {variant['label']}", mechanism, variant)
            for v, variant in enumerate(variants) for m, mechanism in enumerate(mechanisms)]


def _published(study, curves, integrator, observer):
    """[(control, number)] that the paper prints."""
    records = [(control["value"], study.record(mechanism, variant, integrator, control, observer["quantity"]))
               for _, _, mechanism, variant in curves for control in study.controls_of(integrator, mechanism)]
    return [(value, record.published_value) for value, record in records if record and record.published_value]


def _draw_panel(axes, study, curves, integrator, observer):
    for look, _, mechanism, variant in curves:
        if points := _points(study, mechanism, variant, integrator, observer["quantity"]):
            axes.loglog([x for x, _ in points], [y for _, y in points], **look)
        style.mark_disturbed(axes, _points(study, mechanism, variant, integrator, observer["quantity"], disturbed=True), look)
    for x, y in _published(study, curves, integrator, observer):
        axes.loglog([x], [y], **style.PUBLISHED_POINT)
    runs = [(mechanism, variant, integrator, control) for _, _, mechanism, variant in curves for control in study.controls_of(integrator, mechanism)]
    if not axes.lines:
        style.say(axes, study.why_empty(runs, observer["quantity"]))
        return
    if observer["quantity"].startswith("ratio_"):
        axes.axhline(1, color="black", linewidth=0.6)
    style.decades(axes.xaxis)


def _draw(study, curves, observers):
    integrators = [integrator for integrator in study.integrators if any(integrator in study.integrators_of(mechanism) for _, _, mechanism, _ in curves)]
    handles = [Line2D([], [], label=label, **look) for look, label, _, _ in curves]
    if any(_published(study, curves, integrator, observer) for integrator in integrators for observer in observers):
        handles.append(Line2D([], [], label="published", **style.PUBLISHED_POINT))
    if any(_points(study, mechanism, variant, integrator, observer["quantity"], disturbed=True)
           for _, _, mechanism, variant in curves for integrator in integrators for observer in observers):
        handles.append(Line2D([], [], **style.DISTURBED_POINT))
    mechanism_count = len({mechanism["label"] for _, _, mechanism, _ in curves})
    columns = 3 if mechanism_count == 1 else min(3, mechanism_count)
    legend_mm = _LEGEND_LINE_MM * -(-len(handles) // columns) + 3
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, legend_mm + _ROW_MM * len(observers))
    grid = figure.add_gridspec(len(observers) + 1, len(integrators), height_ratios=[legend_mm, *[_ROW_MM] * len(observers)])
    style.legend_row(figure, grid[0, :], handles, columns)
    above = {}
    for row, observer in enumerate(observers):
        first = None
        for column, integrator in enumerate(integrators):
            axes = first = figure.add_subplot(grid[row + 1, column], sharey=first, sharex=above.get(column))
            _draw_panel(axes, study, curves, integrator, observer)
            if axes.lines:
                above.setdefault(column, axes)
            if row == 0:
                axes.set_title(style.integrator_title(integrator["key"]))
            if row + 1 == len(observers):
                axes.set_xlabel("tolerance" if integrator["adaptive"] else "step [s]")
            axes.tick_params(labelleft=column == 0, labelbottom=row + 1 == len(observers) and bool(axes.lines))
        first = figure.axes[-len(integrators)]
        if observer["quantity"].startswith("ratio_") and first.get_yscale() == "log":
            style.ratios(first.yaxis)
        elif first.get_yscale() == "log":
            style.decades(first.yaxis)
        first.set_ylabel(f"{observer['title']}{unit_text(observer)}".replace("_", " "))
    return figure


def sweep_figures(study, declared):
    """The figure that the study declares, in parts where it has too many curves."""
    observers = [study.observer(name) for name in declared["curves"]]
    meanings = "; ".join(f"{observer['title']}: {observer['meaning']}" for observer in observers)
    parts = in_parts(_curves(study, declared))
    return [FigureDefinition(declared["name"] + (f"_{number}" if len(parts) > 1 else ""), declared["title"],
                             lambda _: f"{declared['title']}. {meanings}.", lambda _, p=part: _draw(study, p, observers),
                             case=study.own_case(declared["mechanisms"]), part=number)
            for number, part in enumerate(parts, 1)]
