"""[Naudet2005], figures 9 and 10, and tables 1 and 2 as diagrams."""
import style
from figure_definition import FigureDefinition
from input_error import InputError
from naudet2005_look import FORMS, HAMILTON, LAGRANGE, RESTARTED, STEPS, file_of, handles, look, number_of
from number_text import plain
from records import select

_PAPER = (LAGRANGE, HAMILTON)
_RESTART = 0.01


def _iterations(results, control):
    figure = style.new_figure(style.SINGLE_COLUMN_MM, 66)
    grid = figure.add_gridspec(2, 1, height_ratios=(0.12, 1))
    axes = figure.add_subplot(grid[1])
    for form in _PAPER:
        run = results.trajectory(f"iterations_{control}_{file_of(form)}", ["iterations"])
        axes.stairs(run["iterations"], [*run["t"], run["t"][-1] + _RESTART], baseline=None, color=look(form)["color"],
                    linewidth=2.4 if form == LAGRANGE else 0.9, alpha=0.45 if form == LAGRANGE else 1)
    axes.set_ylim(0)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("iterations per 0.01 s")
    style.legend_row(figure, grid[0], handles(_PAPER, markers=False), 2)
    return figure


def _iterations_caption(control, words):
    def caption(results):
        counts = [number_of(results, "rhs_calls", form, RESTARTED, tolerance=1e-6, control=control) for form in _PAPER]
        texts = ["(not recorded)" if count is None else plain(count) for count in counts]
        return (f"Attempts at a step, accepted or not, in every 0.01 s with {words} under error control at the tolerance 1e-6, by the "
                f"method inferred from table 3; {texts[0]} (Lagrange) and {texts[1]} (Hamilton) evaluations in all.")
    return caption


def _require(results, quantity, integrator):
    if not any(record.quantity == quantity and record.integrator == integrator and record.value is not None for record in results.records):
        raise InputError(results.path / "records.csv", f"no {quantity} with {integrator}: every run failed or is missing")


def _convergence(results):
    _require(results, "end_error", "rkf45-fixed")
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 78)
    grid = figure.add_gridspec(2, 2, height_ratios=(0.12, 1))
    style.legend_row(figure, grid[0, :], handles(FORMS), 4)
    for column, (quantity, axis_label) in enumerate((("end_error", "mean end error [rad]"), ("local_error", "mean local error [rad]"))):
        axes = figure.add_subplot(grid[1, column])
        for form in FORMS:
            points = [(step, number_of(results, quantity, form, "rkf45-fixed", step=step)) for step in STEPS]
            points = [(step, value) for step, value in points if value]
            if points:
                axes.loglog(*zip(*points), **look(form))
        axes.set_xlabel("step [s]")
        axes.set_ylabel(axis_label)
        style.decades(axes.xaxis)
        style.decades(axes.yaxis)
    return figure


def _convergence_caption(results):
    return ("Table 1 as a diagram: Fehlberg's method of order 4 with fixed steps; mean error of q1, q2, q3 at 0.85 s (left) and mean of "
            "their estimated local errors (right). At 0.0001 s end errors are rounding. The exactly reduced pair of six entries beside the "
            "paper's forms.")


def _work_precision(results):
    _require(results, "end_error", "ode45")
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 78)
    grid = figure.add_gridspec(2, 2, height_ratios=(0.12, 1))
    style.legend_row(figure, grid[0, :], handles(FORMS), 4)
    for column, integrator in enumerate(("ode45", "ode15s")):
        axes = figure.add_subplot(grid[1, column])
        for form in FORMS:
            points = []
            for record in select(results.records, "end_error", form, integrator, tolerance=...):
                calls = number_of(results, "rhs_calls", form, integrator, tolerance=record.parameters["tolerance"])
                if calls and record.value > 0:
                    points.append((record.value, calls))
            if points:
                axes.loglog(*zip(*sorted(points)), **look(form))
        axes.set_title(integrator)
        axes.set_xlabel("mean end error [rad]")
        axes.set_ylabel("evaluations")
        style.decades(axes.xaxis)
        style.decades(axes.yaxis)
    return figure


def _work_precision_caption(results):
    return ("Table 2 as a diagram of work against precision: evaluations against the mean error of q1, q2, q3 at 0.85 s, each point one "
            "tolerance. At equal height the curve further left is more accurate for the same work. Below 1e-11 rad errors are rounding.")


FIGURES = [
    FigureDefinition("figure9_iterations_full_control", "Figure 9: iterations, full error control",
                     _iterations_caption("full", "all of the state"), lambda results: _iterations(results, "full")),
    FigureDefinition("figure10_iterations_partial_control", "Figure 10: iterations, partial error control",
                     _iterations_caption("partial", "the coordinates alone"), lambda results: _iterations(results, "partial")),
    FigureDefinition("table1_convergence", "Table 1 as a diagram", _convergence_caption, _convergence),
    FigureDefinition("table2_work_precision", "Table 2 as a diagram", _work_precision_caption, _work_precision),
]
