"""What a study's [[figures]] declare: observers over time, a column of panels a mechanism, a row a quantity."""
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

import style
from figure_definition import FigureDefinition
from number_text import plain
from study import unit_text
from study_looks import lines_of
from study_sweeps import sweep_figure

_ROW_MM = 48
_LEGEND_MM = 12
_LEVEL_COLOURS = ("#0072B2", "#009E73", "#D55E00", "#000000", "#CC79A7", "#56B4E9")  # of several curves of one variant in a panel


class _Curves:
    """One figure's declaration with what it refers to."""

    def __init__(self, study, declared):
        self.mechanisms = [study.mechanisms[place] for place in declared["mechanisms"]]
        self.variants = [study.variants[place] for place in declared["variants"]]
        self.files = declared["files"]
        self.lowest = declared["lowest"]
        self.integrator = study.integrators[declared["integrator"]]
        self.control = study.controls[declared["control"]]
        self.study = study
        # Observers of one kind, such as the passes of three levels, share a row.
        self.rows = {}
        for name in declared["curves"]:
            observer = study.observer(name)
            self.rows.setdefault(observer["title"].split(",")[0], []).append(observer)

    def looks(self, observers):
        if len(observers) > 1:
            return [{"color": colour, "linestyle": "-"} for colour in _LEVEL_COLOURS]
        return lines_of(self.study, self.variants)


def _draw_panel(axes, results, curves, observers, files):
    looks = curves.looks(observers)
    drawn = False
    for place, file in enumerate(files):
        # Of curves that coincide the later ones show at the edges of the first.
        width, order = 0.8 + 0.4 * place, 3 - 0.1 * place
        for number, observer in enumerate(observers):
            run = results.trajectory(file, [observer["quantity"]])
            value = run[observer["quantity"]] if observer.get("signed") else np.abs(run[observer["quantity"]])
            look = looks[number if len(observers) > 1 else place] | {"linewidth": width, "zorder": order}
            if observer["unit"] == "1" or observer.get("signed"):
                axes.plot(run["t"], value, label=observer["title"].split(", ")[-1], **look)
                continue
            # Zero has no logarithm; the start is exact.
            shown = np.maximum(value, curves.lowest) if curves.lowest else np.where(value > 0, value, np.nan)
            axes.semilogy(run["t"], shown, **look)
            drawn = drawn or np.isfinite(shown).any()
    return drawn


def _draw(results, curves):
    alone = len(curves.variants) == 1
    legend_mm = 0 if alone else _LEGEND_MM
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, legend_mm + 10 + _ROW_MM * len(curves.rows))
    grid = figure.add_gridspec(len(curves.rows) + (not alone), len(curves.mechanisms),
                               height_ratios=[*([] if alone else [legend_mm]), *[_ROW_MM] * len(curves.rows)])
    if not alone:
        handles = [Line2D([], [], label=variant["label"], **look) for variant, look in zip(curves.variants, lines_of(curves.study, curves.variants))]
        style.legend_row(figure, grid[0, :], handles, 3)
    for row, (title, observers) in enumerate(curves.rows.items()):
        first, drawn = None, False
        for column, (mechanism, files) in enumerate(zip(curves.mechanisms, curves.files)):
            axes = figure.add_subplot(grid[row + (not alone), column], sharey=first)
            first = first or axes
            drawn = _draw_panel(axes, results, curves, observers, files) or drawn
            axes.xaxis.set_major_locator(MaxNLocator(3))
            axes.tick_params(labelleft=column == 0, labelbottom=row + 1 == len(curves.rows))
            if row == 0:
                axes.set_title(mechanism["label"])
            if row + 1 == len(curves.rows):
                axes.set_xlabel("time [s]")
        first.set_ylabel(f"{title}{unit_text(observers[0])}")
        if drawn:
            style.decades(first.yaxis)
        if len(observers) > 1:
            first.legend(loc="upper left", fontsize="x-small")
    figure.align_ylabels()
    return figure


def _caption(curves, title):
    study = curves.study
    texts = []
    for observers in curves.rows.values():
        if not all(study.is_of_runs(observer) for observer in observers):
            continue
        for mechanism in curves.mechanisms:
            records = [study.record(mechanism, variant, curves.integrator, curves.control, observers[0]["quantity"]) for variant in curves.variants]
            numbers = ["(not recorded)" if record is None or record.value is None else plain(record.value, 2) for record in records]
            texts.append(f"{mechanism['label']}: " + ", ".join(numbers))
    extremes = f" Over the whole run, in the order of the legend: {'; '.join(texts)}." if texts else ""
    kind = curves.control["kind"]
    return (f"{title}. Sizes at every accepted step of {curves.integrator['key']}, {kind} {curves.control['value']:g}; "
            f"{'; '.join(observer['title'] + ': ' + observer['meaning'] for row in curves.rows.values() for observer in row[:1])}.{extremes}")


def curve_figures(study):
    """The figures that the study declares."""
    return [sweep_figure(study, declared) if declared.get("against_control") else
            FigureDefinition(declared["name"], declared["title"],
                             lambda _, d=declared: _caption(_Curves(study, d), d["title"]),
                             lambda results, d=declared: _draw(results, _Curves(study, d)))
            for declared in study.figures]
