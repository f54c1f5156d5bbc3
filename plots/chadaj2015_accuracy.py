"""What a comparison at equal tolerance hides: errors, work against precision, and the choice of the controlled variables."""
from itertools import cycle

from matplotlib.lines import Line2D

import style
from chadaj2015_motion import FORMULATIONS
from figure_definition import FigureDefinition
from input_error import InputError
from number_text import plain
from records import select, value_of

# Beyond one radian an angle carries no information, and the size of its error means nothing.
_NO_ACCURACY_LEFT = 1.0
_TOLERANCE = 1e-6


def _work_precision_runs(results):
    """(formulation, integrator) of every run with errors in q."""
    runs = {(r.formulation, r.integrator): None for r in select(results.records, "angle_error", tolerance=..., t=...)}
    if not runs:
        raise InputError(results.path / "records.csv", "no angle_error: every work-precision run failed or is missing")
    return sorted(runs)


def _times(results):
    records = select(results.records, "angle_error", tolerance=..., t=...)
    return sorted({float(record.parameters["t"]) for record in records})


def _by_tolerance(results, quantity, run, **parameters):
    """Tolerances and values of one quantity of a run, sorted by tolerance."""
    records = select(results.records, quantity, *run, tolerance=..., **parameters)
    points = sorted({(float(record.parameters["tolerance"]), record.value) for record in records})
    return [tolerance for tolerance, _ in points], [value for _, value in points]


def _look(runs, run):
    integrators = sorted({integrator for _, integrator in runs})
    return {**style.formulation_look(run[0]), "linestyle": style.integrator_line(integrators, run[1])}


def _handles(runs):
    return [Line2D([], [], label=f"{style.formulation_label(run[0])}, {run[1]}", **_look(runs, run)) for run in runs]


def _shade(band, axes):
    """Marks errors above one radian; the limits stay as the data made them."""
    low, high = axes.get_ylim() if band == "y" else axes.get_xlim()
    if high > _NO_ACCURACY_LEFT:
        span = axes.axhspan if band == "y" else axes.axvspan
        span(_NO_ACCURACY_LEFT, high, color="#EDEDED", zorder=0, linewidth=0)
        (axes.set_ylim if band == "y" else axes.set_xlim)(low, high)


def _plot_by_tolerance(axes, results, runs, quantity, **parameters):
    for run in runs:
        x, y = _by_tolerance(results, quantity, run, **parameters)
        if x:
            axes.loglog(x, y, **_look(runs, run))
    style.decades(axes.xaxis)
    style.decades(axes.yaxis)


def _equal_tolerance(results):
    runs, times = _work_precision_runs(results), _times(results)
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 112)
    grid = figure.add_gridspec(3, max(3, len(times)), height_ratios=(0.1, 1, 1))
    style.legend_row(figure, grid[0, :], _handles(runs), len(runs))
    first = None
    for column, t in enumerate(times):
        axes = first = figure.add_subplot(grid[1, column], sharey=first)
        _plot_by_tolerance(axes, results, runs, "angle_error", t=t)
        axes.set_title(f"error in q at t = {t:g} s")
        axes.tick_params(labelbottom=False, labelleft=column == 0)
        if column == 0:
            axes.set_ylabel("largest error of an angle [rad]")
    for axes in figure.axes[1:]:
        _shade("y", axes)
    below = [("function_evaluations", "evaluations", "evaluations of the right-hand side"),
             ("largest_energy_error", "error of the energy, 0 to 10 s", "largest energy error [J]")]
    for column, (quantity, title, label) in enumerate(below):
        axes = figure.add_subplot(grid[2, column])
        _plot_by_tolerance(axes, results, runs, quantity)
        axes.set_title(title)
        axes.set_ylabel(label)
        axes.set_xlabel("tolerance, absolute = relative")
        if quantity == "function_evaluations":
            _label_counts(axes.yaxis, runs, results)
    _ratios(figure.add_subplot(grid[2, 2]), results)
    return figure


def _ratios(axes, results):
    """HDCA's error in q over DCA's, which the records hold where both are small enough to mean something."""
    records = select(results.records, "angle_error_relative_to_dca", tolerance=..., t=...)
    integrators = sorted({record.integrator for record in records})
    for t, marker, colour in zip(_times(results), cycle("^Dv"), cycle(("#009E73", "#000000", "#CC79A7"))):
        for integrator in integrators:
            x, y = _by_tolerance(results, "angle_error_relative_to_dca", ("hdca", integrator), t=t)
            axes.loglog(x, y, color=colour, marker=marker, linestyle=style.integrator_line(integrators, integrator),
                          label=f"{t:g} s" if integrator == integrators[0] else None)
    axes.axhline(1, color="black", linewidth=0.6)
    low, high = axes.get_ylim()
    # Room above the curves for the legend.
    axes.set_ylim(low, high * (high / low) ** 0.25)
    style.decades(axes.xaxis)
    shown = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if low <= tick <= high]
    style.ticks_at(axes.yaxis, shown, [f"{tick:g}" for tick in shown])
    axes.set_title("error in q, HDCA / DCA")
    axes.set_ylabel("ratio [1]")
    axes.set_xlabel("tolerance, absolute = relative")
    if records:
        axes.legend(loc="upper center", ncol=3, columnspacing=1.0, handlelength=1.8)


def _counts_text(results):
    counts = {key: value_of(results.records, "function_evaluations", key, "ode45", tolerance=_TOLERANCE) for key in FORMULATIONS}
    return ", ".join(f"{key.upper()} {plain(value)}" for key, value in counts.items())


def _equal_tolerance_caption(results):
    ratios = [r.value for r in select(results.records, "angle_error_relative_to_dca", tolerance=..., t=...)]
    text = (f"The same runs at equal tolerance. Evaluations (below left; ode45 at 1e-6: {_counts_text(results)}) say nothing "
            "about accuracy: above, the largest error of an angle at three times (grey: more than 1 rad, no accuracy left); "
            "below, the largest error of the energy, and HDCA's error in q over DCA's where both are small enough to compare "
            "(line style: the integrator, as in the legend; colour and marker: the time).")
    if ratios:
        text += f" The ratio runs from {plain(min(ratios), 2)} to {plain(max(ratios), 2)}."
    return text


def _label_counts(axis, runs, results):
    """Ticks at 1, 2, 5 times powers of ten: counts span about one decade, and one label would say too little."""
    counts = [count for run in runs for count in _by_tolerance(results, "function_evaluations", run)[1]]
    ticks = [tick for decade in (1e2, 1e3, 1e4, 1e5, 1e6) for tick in (decade, 2 * decade, 5 * decade)]
    shown = [tick for tick in ticks if 0.7 * min(counts) <= tick <= 1.4 * max(counts)]
    style.ticks_at(axis, shown, [f"{tick:,.0f}".replace(",", "\N{THIN SPACE}") for tick in shown])


def _work_precision(results):
    runs, times = _work_precision_runs(results), _times(results)
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 74)
    grid = figure.add_gridspec(2, len(times), height_ratios=(0.12, 1))
    style.legend_row(figure, grid[0, :], _handles(runs), len(runs))
    first = None
    for column, t in enumerate(times):
        axes = first = figure.add_subplot(grid[1, column], sharey=first)
        for run in runs:
            errors = dict(zip(*_by_tolerance(results, "angle_error", run, t=t)))
            work = dict(zip(*_by_tolerance(results, "function_evaluations", run)))
            both = [tolerance for tolerance in errors if tolerance in work]
            axes.loglog([errors[tolerance] for tolerance in both], [work[tolerance] for tolerance in both], **_look(runs, run))
        style.decades(axes.xaxis)
        _shade("x", axes)
        axes.set_title(f"t = {t:g} s")
        axes.set_xlabel("largest error of an angle [rad]")
        axes.tick_params(labelleft=column == 0)
    _label_counts(first.yaxis, runs, results)
    figure.axes[1].set_ylabel("evaluations of the right-hand side")
    return figure


def _work_precision_caption(results):
    tolerances = [float(r.parameters["tolerance"]) for r in select(results.records, "angle_error", tolerance=..., t=...)]
    smallest, largest = min(tolerances), max(tolerances)
    uncertainty = [f"{plain(r.value, 2)} rad at {float(r.parameters['t']):g} s"
                   for r in select(results.records, "angle_uncertainty", tolerance=..., t=...)
                   if float(r.parameters["t"]) in _times(results)]
    text = ("Work against precision: each curve is one formulation with one integrator, each point one tolerance, from "
            f"{largest:g} at the right to {smallest:g} at the left. At equal height the curve further left is more accurate for the same work. The count "
            "is that of the whole run of 10 s; the error is the largest of the 16 angles at the time above the panel.")
    if uncertainty:
        text += f" The reference itself is uncertain by {', '.join(uncertainty)}."
    return text


def _controlled_runs(results):
    """{quantity: {(formulation, only angles controlled): value}}; raises InputError where a run is missing."""
    table = {}
    for quantity in ("function_evaluations", "largest_energy_error"):
        for key in FORMULATIONS:
            for angles_only in (False, True):
                control = {"control": "position"} if angles_only else {}
                value = value_of(results.records, quantity, key, "ode45", tolerance=_TOLERANCE, **control)
                if value is None:
                    what = "the angles only" if angles_only else "the whole state"
                    raise InputError(results.path / "records.csv", f"no {quantity} of {key} with ode45 controlling {what}")
                table.setdefault(quantity, {})[key, angles_only] = value
    return table


def _partial_control(results):
    table = _controlled_runs(results)
    figure = style.new_figure(style.SINGLE_COLUMN_MM, 70)
    grid = figure.add_gridspec(2, 2, height_ratios=(0.12, 1))
    panels = [("function_evaluations", 1, "evaluations", "{:.0f}"), ("largest_energy_error", 1e3, "largest energy error [mJ]", "{:.2f}")]
    bars = {}
    for column, (quantity, factor, label, pattern) in enumerate(panels):
        axes = figure.add_subplot(grid[1, column])
        for i, key in enumerate(FORMULATIONS):
            colour = style.formulation_look(key)["color"]
            values = [factor * table[quantity][key, angles_only] for angles_only in (False, True)]
            drawn = axes.bar([i / 2 - 0.2 + group for group in (0.0, 1.25)], values, width=0.46, edgecolor=colour, linewidth=0.8,
                             facecolor=colour if key == "dca" else "white", hatch=None if key == "dca" else "////",
                             label=style.formulation_label(key))
            axes.bar_label(drawn, labels=[pattern.format(value) for value in values], fontsize=6, padding=1.5)
            bars[key] = drawn
        axes.set_ylabel(label)
        style.ticks_at(axes.xaxis, [0.05, 1.3], ["whole state", "q only"])
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="x", visible=False)
        axes.set_xlabel("controlled variables")
        axes.set_ylim(top=1.1 * axes.get_ylim()[1])
    style.legend_row(figure, grid[0, :], [bars[key] for key in FORMULATIONS], 2)
    return figure


def _partial_control_caption(results):
    counts = _controlled_runs(results)["function_evaluations"]
    return ("ode45 at the tolerance 1e-6 with the error test on the whole state (left pairs) and on the angles only, in the error "
            f"test and in the choice of the first step (right pairs). Evaluations, DCA against HDCA: {plain(counts['dca', False])} "
            f"against {plain(counts['hdca', False])} with the whole state, {plain(counts['dca', True])} against "
            f"{plain(counts['hdca', True])} with the angles only.")


FIGURES = [
    FigureDefinition("equal_tolerance", "What equal tolerance hides", _equal_tolerance_caption, _equal_tolerance),
    FigureDefinition("work_precision", "Work against precision", _work_precision_caption, _work_precision),
    FigureDefinition("partial_control", "Error control of the angles only", _partial_control_caption, _partial_control),
]
