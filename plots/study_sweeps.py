"""Numbers of whole runs over the tolerance or step: a column of panels an integrator, a row a quantity."""
from matplotlib.lines import Line2D

import style
from figure_definition import FigureDefinition
from study import unit_text

_ROW_MM = 62
_LEGEND_LINE_MM = 5.5
_COLOURS = ("#000000", "#CC79A7", "#009E73", "#0072B2", "#D55E00", "#E69F00", "#56B4E9")  # of mechanisms
_MARKERS = "os^vDP*"
_LINES = ("-", (0, (1, 1.2)), (0, (4, 1.5)), (0, (5, 1.5, 1, 1.5)))  # of variants
_RATIO_TICKS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5)


def _points(study, mechanism, variant, integrator, quantity):
    """[(control, number)] of the runs that have one."""
    found = [(control["value"], study.record(mechanism, variant, integrator, control, quantity))
             for control in study.controls_of(integrator, mechanism)]
    return [(value, record.value) for value, record in found
            if record and record.value is not None and record.verdict != "not measured" and record.value > 0]


def _draw(study, declared):
    mechanisms = [study.mechanisms[place] for place in declared["mechanisms"]]
    variants = [study.variants[place] for place in declared["variants"]]
    observers = [study.observer(name) for name in declared["curves"]]
    integrators = [integrator for integrator in study.integrators if any(integrator in study.integrators_of(mechanism) for mechanism in mechanisms)]
    looks = [({"color": _COLOURS[m % len(_COLOURS)], "marker": _MARKERS[m % len(_MARKERS)], "linestyle": _LINES[v % len(_LINES)],
               "markerfacecolor": "white" if v else _COLOURS[m % len(_COLOURS)]}, mechanism, variant)
             for v, variant in enumerate(variants) for m, mechanism in enumerate(mechanisms)]
    columns = min(3, len(mechanisms))
    legend_mm = _LEGEND_LINE_MM * -(-len(looks) // columns) + 3
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, legend_mm + _ROW_MM * len(observers))
    grid = figure.add_gridspec(len(observers) + 1, len(integrators), height_ratios=[legend_mm, *[_ROW_MM] * len(observers)])
    style.legend_row(figure, grid[0, :], [Line2D([], [], label=f"{mechanism['label']}, {variant['label']}", **look)
                                          for look, mechanism, variant in looks], columns)
    for row, observer in enumerate(observers):
        first = None
        for column, integrator in enumerate(integrators):
            axes = first = figure.add_subplot(grid[row + 1, column], sharey=first)
            for look, mechanism, variant in looks:
                if points := _points(study, mechanism, variant, integrator, observer["quantity"]):
                    axes.loglog([x for x, _ in points], [y for _, y in points], **look)
            is_ratio = observer["quantity"].startswith("ratio_")
            if is_ratio:
                axes.axhline(1, color="black", linewidth=0.6)
            if row == 0:
                axes.set_title(integrator["key"])
            if row + 1 == len(observers):
                axes.set_xlabel("tolerance" if integrator["adaptive"] else "step [s]")
            axes.tick_params(labelleft=column == 0, labelbottom=row + 1 == len(observers))
            style.decades(axes.xaxis)
        first = figure.axes[-len(integrators)]
        low, high = first.get_ylim()
        shown = [tick for tick in _RATIO_TICKS if low <= tick <= high]
        if is_ratio and shown:
            style.ticks_at(first.yaxis, shown, [f"{tick:g}" for tick in shown])
        else:
            style.decades(first.yaxis)
        first.set_ylabel(f"{observer['title']}{unit_text(observer)}")
    return figure


def sweep_figure(study, declared):
    """The figure that the study declares."""
    meanings = "; ".join(f"{observer['title']}: {observer['meaning']}" for observer in map(study.observer, declared["curves"]))
    return FigureDefinition(declared["name"], declared["title"], lambda _: f"{declared['title']}. {meanings}.",
                            lambda _: _draw(study, declared))
