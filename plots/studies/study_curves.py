"""What a study's [[figures]] declare: observers over time, a column of panels a mechanism, a row a quantity."""
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

import style
from studies.curve_shapes import WINDOW, coincide, counted, envelope, flickers, lowest_shown
from studies.figure_definition import FigureDefinition
from reading.number_text import plain
from studies.study import unit_text
from studies.study_families import family_figure, family_looks
from studies.study_looks import LINES, in_parts, lines_of, shaded
from studies.study_sweeps import sweep_figures

_ROW_MM = 48
_LEGEND_LINE_MM = 5.5
_LEVEL_COLOURS = ("#0072B2", "#009E73", "#D55E00", "#000000", "#CC79A7", "#56B4E9")  # of several curves of one variant in a panel
_WIDTH, _WIDER = 1.0, 1.2  # of a line, and by how much of one that coincides with it, points


class _Row:
    """The panels of one quantity, a column a mechanism: curves of its observers and variants in the figure's order."""

    def __init__(self, title, observers, every):
        self.title = f"{title} in {every:g} s" if every else title
        self.observers = observers
        self.is_counted = bool(every)
        self.is_logarithmic = observers[0]["unit"] != "1" and not observers[0].get("signed")
        self.panels = []  # [[(times, values) or None]]
        self.reasons = []  # of the panels that have no curve
        self.is_envelope = False
        self.lowest = None

    def _drawn(self):
        return [curve for panel in self.panels for curve in panel if curve]

    def shape(self):
        """Envelopes where curves flicker, and where the axis begins."""
        if self.observers[0].get("signed") or self.is_counted:
            return
        self.is_envelope = any(flickers(values, self.is_logarithmic) for _, values in self._drawn())
        if self.is_envelope:
            self.panels = [[curve and (curve[0], envelope(*curve)) for curve in panel] for panel in self.panels]
        if self.is_logarithmic:
            self.lowest = lowest_shown([values for _, values in self._drawn()])

    def heights(self, values):
        """On the axis; what lies below it is at its end."""
        if not self.is_logarithmic:
            return values
        least = self.lowest or min((v[v > 0].min() for _, v in self._drawn() if (v > 0).any()), default=1.0)
        return np.log10(np.maximum(values, least))

    def coinciding(self):
        """Pairs of curves' places that one sees as one line in some panel."""
        heights = [self.heights(values) for _, values in self._drawn()]
        if not heights:
            return set()
        low, high = min(map(np.min, heights)), max(map(np.max, heights))
        shown = [[curve and (curve[0], self.heights(curve[1])) for curve in panel] for panel in self.panels]
        return {(i, j) for panel in shown for j in range(len(panel)) for i in range(j)
                if panel[i] and panel[j] and coincide(panel[i], panel[j], low, high)}


class _Curves:
    """One figure's declaration with what it refers to."""

    def __init__(self, study, declared):
        self.mechanisms = [study.mechanisms[place] for place in declared["mechanisms"]]
        self.variants = [study.variants[place] for place in declared["variants"]]
        self.files = declared["files"]
        self.lowest = declared["lowest"]
        self.every = declared.get("every", 0.0)
        self.integrator = study.integrators[declared["integrator"]]
        self.control = study.controls[declared["control"]]
        self.study = study
        # Curves are variants, or the integrators of the one family.
        self.family = None
        self.labels = [variant["label"] for variant in self.variants]
        self.lines = lines_of(study, self.variants)
        if declared.get("families"):
            [looks] = family_looks(declared["families"])
            self.family = [study.integrators[place] for place in looks]
            self.labels = [integrator["key"] for integrator in self.family]
            self.lines = [{"color": look["color"], "marker": look["marker"], "markerfacecolor": "white", "markevery": 6, "markersize": 3,
                           "linestyle": "-"} for look in looks.values()]
        # Observers of one kind, such as the passes of three levels, share a row.
        rows = {}
        for name in declared["curves"]:
            observer = study.observer(name)
            rows.setdefault(observer["title"].split(",")[0], []).append(observer)
        self.observers = rows
        self._rows = None

    def _curve(self, results, file, observer):
        run = results.trajectory(file, [observer["quantity"]])
        if self.every:
            return counted(run["t"], run[observer["quantity"]], self.every)
        if observer["unit"] == "1" or observer.get("signed"):
            return run["t"], run[observer["quantity"]]
        value = np.abs(run[observer["quantity"]])
        # Zero has no logarithm; the start is exact.
        return run["t"], np.maximum(value, self.lowest) if self.lowest else np.where(value > 0, value, np.nan)

    def runs(self, mechanism):
        """(variant, integrator, control) of each curve."""
        if not self.family:
            return [(variant, self.integrator, self.control) for variant in self.variants]
        return [(self.variants[0], integrator, self.study.first_control(integrator, mechanism)) for integrator in self.family]

    def rows(self, results):
        """Read once: the caption says what was drawn."""
        if self._rows is None:
            rows = [_Row(title, observers, self.every) for title, observers in self.observers.items()]
            for row in rows:
                for mechanism, files in zip(self.mechanisms, self.files):
                    states = [self.study.run_state(mechanism, *run) for run in self.runs(mechanism)]
                    row.panels.append([self._curve(results, file, observer) if state == "finished" or results.has_trajectory(file) else None
                                       for (state, _), file in zip(states, files) for observer in row.observers])
                    row.reasons.append("; ".join(dict.fromkeys(f"{state}: {reason}" for state, reason in states if state != "finished")))
                row.shape()
            self._rows = rows
        return self._rows

    def styles(self):
        """Of the variants where colours tell observers apart."""
        return [LINES[place % len(LINES)] for place in range(len(self.labels))]

    def looks(self, row):
        """Of the curves of a panel: those that coincide with another one lie below it and are wider, dashes above."""
        if len(row.observers) > 1:
            # Darker for each further variant: a dash of the same colour could not be seen on the line below it.
            looks = [{"color": shaded(colour, place), "linestyle": line} for place, line in enumerate(self.styles())
                     for colour in _LEVEL_COLOURS[:len(row.observers)]]
        else:
            looks = self.lines
        if self.family:
            return [look | {"linewidth": 0.8} for look in looks]
        # The same in all rows of variants: the figure has one legend.
        same = [other for other in self._rows if (len(other.observers) > 1) == (len(row.observers) > 1)]
        pairs = {pair for other in same for pair in other.coinciding()}
        places = sorted(range(len(looks)), key=lambda place: (looks[place]["linestyle"] != "-", -place))  # from the bottom up
        above = {}
        for height in range(len(places) - 1, -1, -1):
            place = places[height]
            over = [above[other] for other in places[height + 1:] if (min(place, other), max(place, other)) in pairs]
            above[place] = 1 + max(over, default=-1)
        return [look | {"linewidth": _WIDTH + _WIDER * above[place], "zorder": 3 - 0.1 * above[place]} for place, look in enumerate(looks)]

    def published(self, mechanism, row):
        """Numbers that the paper prints of these runs and this quantity."""
        records = [self.study.record(mechanism, *run, observer["quantity"])
                   for run in self.runs(mechanism) for observer in row.observers if self.study.is_of_runs(observer)]
        return [record.published_value for record in records if record and record.published_value is not None]


def _draw_panel(axes, curves, row, column):
    looks, panel = curves.looks(row), row.panels[column]
    plot = axes.semilogy if row.is_logarithmic else axes.plot
    for curve, look in zip(panel, looks):
        if curve:
            plot(*curve, **look)
    if not any(panel):
        style.say(axes, row.reasons[column] or "not run")
    for value in curves.published(curves.mechanisms[column], row):
        axes.axhline(value, **style.PUBLISHED_LINE)
    values = [v for _, v in filter(None, panel) if (v > 0).any()]
    least = min((v[v > 0].min() for v in values), default=None)
    if row.lowest and least is not None and least < row.lowest:
        axes.text(0.03, 0.03, f"down to {plain(least, 1)}", transform=axes.transAxes, fontsize="x-small")


def _handles(curves, rows):
    """Of the legend above the panels."""
    handles = []
    of_variants = next((row for row in rows if len(row.observers) == 1), None)
    if of_variants and len(curves.labels) > 1:
        handles += [Line2D([], [], label=label, **look) for label, look in zip(curves.labels, curves.looks(of_variants))]
    shared = [row for row in rows if len(row.observers) > 1]
    for row in shared:
        prefix = f"{row.title}, " if len(rows) > 1 else ""
        handles += [Line2D([], [], label=prefix + observer["title"].split(", ")[-1], **look) for observer, look in zip(row.observers, curves.looks(row))]
    if shared and len(curves.labels) > 1:
        handles += [Line2D([], [], label=label, color=shaded("#A0A0A0", place), linestyle=line)
                    for place, (label, line) in enumerate(zip(curves.labels, curves.styles()))]
    if any(curves.published(mechanism, row) for mechanism in curves.mechanisms for row in rows):
        handles.append(Line2D([], [], label="published", **style.PUBLISHED_LINE))
    return handles


def _draw(results, curves):
    rows = curves.rows(results)
    handles = _handles(curves, rows)
    above = 1 if handles else 0
    legend_mm = _LEGEND_LINE_MM * -(-len(handles) // 3) + 2
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, above * legend_mm + 10 + _ROW_MM * len(rows))
    grid = figure.add_gridspec(len(rows) + above, len(curves.mechanisms), height_ratios=[*[legend_mm] * above, *[_ROW_MM] * len(rows)])
    if handles:
        style.legend_row(figure, grid[0, :], handles, 3)
    times = {}
    for place, row in enumerate(rows):
        first = None
        for column, mechanism in enumerate(curves.mechanisms):
            axes = figure.add_subplot(grid[place + above, column], sharey=first, sharex=times.get(column))
            first = first or axes
            _draw_panel(axes, curves, row, column)
            if any(row.panels[column]):
                times.setdefault(column, axes)
                axes.xaxis.set_major_locator(MaxNLocator(3 if len(curves.mechanisms) > 2 else 6))
            axes.tick_params(labelleft=column == 0, labelbottom=place + 1 == len(rows))
            if place == 0:
                axes.set_title(mechanism["label"])
            if place + 1 == len(rows):
                axes.set_xlabel("time [s]")
        first.set_ylabel(f"{row.title}{unit_text(row.observers[0])}")
        if row.lowest:
            first.set_ylim(bottom=row.lowest)
        if row.is_logarithmic and any(map(any, row.panels)):
            style.decades(first.yaxis)
    figure.align_ylabels()
    return figure


def _shape_text(curves, rows):
    """What of the drawing is not the numbers themselves."""
    texts = []
    flickering = [row.title for row in rows if row.is_envelope]
    if flickering:
        texts.append(f"Some runs flicker from step to step: drawn is the largest {' and '.join(flickering)} within "
                     f"{plain(WINDOW * curves.mechanisms[0]['end'], 2)} s.")
    if any(row.lowest for row in rows):
        texts.append("The axis leaves out depths that fewer than one sample in fifty reaches; the panels say how far they go.")
    if not curves.family and any(row.coinciding() for row in rows):
        texts.append("Where curves coincide, one is wider and lies below the other.")
    return "".join(f" {text}" for text in texts)


def _caption(results, curves, title):
    study = curves.study
    texts = []
    for observers in curves.observers.values():
        if len(observers) > 1 or not study.is_of_runs(observers[0]):
            continue
        for mechanism in curves.mechanisms:
            records = [study.record(mechanism, *run, observers[0]["quantity"]) for run in curves.runs(mechanism)]
            if any(record is not None and record.value is not None for record in records):
                numbers = ["not recorded" if record is None or record.value is None else plain(record.value, 2) for record in records]
                texts.append(f"{mechanism['label']}: " + ", ".join(numbers))
    extremes = f" Over the whole run, in the order of the legend: {'; '.join(texts)}." if texts else ""
    method = ("each integrator with the first of its tolerances or steps" if curves.family else
              f"{curves.integrator['key']}, {curves.control['kind']} {curves.control['value']:g}")
    meanings = "; ".join(row[0]["title"] + ": " + row[0]["meaning"] for row in curves.observers.values())
    when = f"Counted in every {curves.every:g} s" if curves.every else "Sizes at every accepted step"
    return (f"{title}. {when} of {method}; "
            f"{meanings}.{_shape_text(curves, curves.rows(results))}{extremes}")


def _over_time(study, declared):
    definitions = []
    # A family has eight integrators at most.
    parts = in_parts(list(range(len(declared["variants"])))) if not declared.get("families") else [list(range(len(declared["variants"])))]
    for number, part in enumerate(parts, 1):
        curves = _Curves(study, declared | {"variants": [declared["variants"][place] for place in part],
                                            "files": declared["files"] if declared.get("families") else
                                            [[files[place] for place in part] for files in declared["files"]]})
        definitions.append(FigureDefinition(declared["name"] + (f"_{number}" if len(parts) > 1 else ""), declared["title"],
                                            lambda results, c=curves: _caption(results, c, declared["title"]),
                                            lambda results, c=curves: _draw(results, c), case=study.own_case(declared["mechanisms"]), part=number))
    return definitions


def _figures(study, declared):
    if declared.get("families") and (declared["abscissa"] or declared["against_control"]):
        return [family_figure(study, declared)]
    return sweep_figures(study, declared) if declared.get("against_control") else _over_time(study, declared)


def curve_figures(study):
    """The figures that the study declares, in its order."""
    return [figure for declared in study.figures for figure in _figures(study, declared)]
