"""[Chadaj2017], figures 10 and 11, and what equal accuracy makes of them."""
from matplotlib.lines import Line2D

import style
from chadaj2017_look import CASES, HDCA, INTEGRATORS, LEAK, VARIANTS, by_tolerance, handles, label, look, of_case
from figure_definition import FigureDefinition
from input_error import InputError
from number_text import plain
from records import select

_CASE_LOOKS = {"four_bar": ("#000000", "o"), "loop8": ("#CC79A7", "s"), "double_loop": ("#009E73", "^")}
_RATIO_TICKS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5)


def _ratio_records(records, quantity, case, variant, integrator, parameter):
    found = select([record for record in records if record.mechanism == case], quantity, variant, integrator, **{parameter: ...})
    return dict(sorted((float(record.parameters[parameter]), record.value) for record in found))


def _draw_ratios(records, file, quantity, parameter, x_label, variants):
    """One panel an integrator; cases by colour, variants by line."""
    if not any(record.quantity == quantity for record in records):
        raise InputError(file, f"no {quantity}: every run failed or is missing")
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 74)
    grid = figure.add_gridspec(2, 3, height_ratios=(0.2, 1))
    lines = {variant: line for variant, line in zip(variants, ("-", (0, (1, 1.2))))}
    first = None
    for column, integrator in enumerate(INTEGRATORS):
        axes = first = figure.add_subplot(grid[1, column], sharey=first)
        for case, (colour, marker) in _CASE_LOOKS.items():
            for variant, line in lines.items():
                points = _ratio_records(records, quantity, case, variant, integrator, parameter)
                if points:
                    axes.loglog(points.keys(), points.values(), color=colour, marker=marker, linestyle=line,
                                markerfacecolor=colour if variant == HDCA else "white")
        axes.axhline(1, color="black", linewidth=0.6)
        axes.set_title(integrator)
        axes.set_xlabel(x_label)
        axes.tick_params(labelleft=column == 0)
        style.decades(axes.xaxis)
    low, high = first.get_ylim()
    shown = [tick for tick in _RATIO_TICKS if low <= tick <= high]
    style.ticks_at(first.yaxis, shown, [f"{tick:g}" for tick in shown])
    first.set_ylim(low, high)
    figure.axes[0].set_ylabel("DCA / HDCA")
    cases = [Line2D([], [], color=colour, marker=marker, label=CASES[case]) for case, (colour, marker) in _CASE_LOOKS.items()]
    kinds = [Line2D([], [], color="#666666", linestyle=line, label=label(variant)) for variant, line in lines.items()]
    # Filled column by column: a case above, a variant below.
    both = [cases[0], kinds[0], cases[1], kinds[1], cases[2]]
    style.legend_row(figure, grid[0, :], both, 3)
    return figure


def _ratio_caption(what):
    return lambda results: (
        f"{what} of DCA over {what[0].lower()}{what[1:]} of HDCA at equal tolerance, 10 s; above 1 HDCA is better. Filled markers: "
        f"HDCA as published; open ones: HDCA with gauge control, a leak of 5 1/s. Equal tolerance is not equal accuracy.")


def _equal_error(results):
    return _draw_ratios(results.records, results.path / "records.csv", "evaluation_ratio_at_equal_error", "point_error",
                        "largest error of K [m]", (HDCA, LEAK))


def _equal_error_caption(results):
    return ("Evaluations of DCA over evaluations of HDCA where both have the same largest error of K at whole seconds, interpolated "
            "between the tolerances; above 1 HDCA is better. Filled markers: HDCA as published; open ones: with gauge control.")


def _work_precision(results):
    if not select(results.records, "point_error", tolerance=...):
        raise InputError(results.path / "records.csv", "no point_error: every run failed or is missing")
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 160)
    grid = figure.add_gridspec(4, 3, height_ratios=(0.1, 1, 1, 1))
    style.legend_row(figure, grid[0, :], handles(VARIANTS), 3)
    shared = None
    for row, integrator in enumerate(INTEGRATORS, 1):
        first = None
        for column, (case, title) in enumerate(CASES.items()):
            axes = first = figure.add_subplot(grid[row, column], sharey=first, sharex=shared)
            shared = shared or axes
            for variant in VARIANTS:
                errors = by_tolerance(results, case, "point_error", variant, integrator)
                work = by_tolerance(results, case, "function_evaluations", variant, integrator)
                both = [tolerance for tolerance in errors if tolerance in work]
                axes.loglog([errors[tolerance] for tolerance in both], [work[tolerance] for tolerance in both], **look(variant))
            axes.tick_params(labelleft=column == 0, labelbottom=row == 3)
            if row == 1:
                axes.set_title(title)
            if row == 3:
                axes.set_xlabel("largest error of K [m]")
            style.decades(axes.xaxis)
            style.decades(axes.yaxis)
        figure.axes[-3].set_ylabel(f"evaluations, {integrator}")
    figure.align_ylabels()
    return figure


def _work_precision_caption(results):
    records = [record for case in CASES for record in select(of_case(results, case), "point_uncertainty", tolerance=...)]
    text = ("Work against precision: evaluations in 10 s against the largest error of K at whole seconds; each point is one tolerance. "
            "At equal height the curve further left is more accurate for the same work.")
    if records:
        text += f" The references are uncertain by at most {plain(max(record.value for record in records), 2)} m."
    return text


FIGURES = [
    FigureDefinition("figure10_wall_time_ratio", "Figure 10: wall times, DCA / HDCA", _ratio_caption("Wall time"),
                     lambda results: _draw_ratios(results.timings, results.path / "timings.csv", "wall_time_ratio", "tolerance",
                                                  "tolerance, absolute = relative", (HDCA, LEAK))),
    FigureDefinition("figure11_evaluation_ratio", "Figure 11: evaluations, DCA / HDCA", _ratio_caption("Evaluations"),
                     lambda results: _draw_ratios(results.records, results.path / "records.csv", "evaluation_ratio", "tolerance",
                                                  "tolerance, absolute = relative", (HDCA, LEAK))),
    FigureDefinition("equal_error_ratio", "Evaluations at equal accuracy, DCA / HDCA", _equal_error_caption, _equal_error),
    FigureDefinition("work_precision", "Work against precision", _work_precision_caption, _work_precision),
]
