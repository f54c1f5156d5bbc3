"""Work against precision, and the orders behind it."""
import style
from figure_definition import FigureDefinition
from input_error import InputError
from integrators_curves import curve, draw, integrators_of, legend, of_mechanism, runs_by_parameter
from number_text import plain
from records import distinct, select

_LEGEND_COLUMNS = 5


def _with_errors(results, quantity):
    """Mechanisms that have runs with this kind of error, in their order."""
    names = distinct([record for record in results.records if record.quantity == quantity and record.value is not None], "mechanism")
    if not names:
        raise InputError(results.path / "records.csv", f"no {quantity}: every work-precision run failed or is missing")
    return names


def _uncertainty(records):
    found = [record.value for record in select(records, "reference_uncertainty", t=...)]
    return found[0] if found else None


def _panel(axes, records, quantity, formulation=None):
    for integrator in distinct(records, "integrator"):
        if integrator:
            draw(axes, curve(records, quantity, "function_evaluations", integrator, formulation), integrator)
    uncertainty = _uncertainty(records)
    if uncertainty:
        axes.axvline(uncertainty, color="#666666", linewidth=0.6, linestyle=":")
    axes.set_xlim(right=10)
    style.decades(axes.xaxis)
    style.decades(axes.yaxis)


def _problems(results):
    names = _with_errors(results, "error")
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 100)
    grid = figure.add_gridspec(2, len(names), height_ratios=(0.34, 1))
    shown = [record for record in results.records if record.mechanism in names]
    legend(figure, grid[0, :], integrators_of(results, shown), _LEGEND_COLUMNS)
    first = None
    for column, name in enumerate(names):
        axes = figure.add_subplot(grid[1, column], sharey=first)
        first = first or axes
        _panel(axes, of_mechanism(results, name), "error")
        axes.set_title(name)
        axes.set_xlabel("error at the end [1]")
        axes.tick_params(labelleft=column == 0)
    first.set_ylabel("evaluations of the right-hand side")
    return figure


def _problems_caption(results):
    return (f"Work against precision on {', '.join(_with_errors(results, 'error'))}: each curve is one integrator, each point one "
            "tolerance or, dashed, one fixed step; further left is more accurate, further down is cheaper. Colours are families: "
            "MATLAB's methods, Boost.Odeint, SUNDIALS, symplectic, others. Dotted: the uncertainty of the reference.")


def _mechanisms(results):
    names = _with_errors(results, "position_error")
    formulations = {name: distinct([r for r in of_mechanism(results, name) if r.quantity == "position_error"], "formulation") for name in names}
    columns = max(len(keys) for keys in formulations.values())
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 30 + 70 * len(names))
    grid = figure.add_gridspec(1 + len(names), columns, height_ratios=(0.36, *(1 for _ in names)))
    shown = [record for record in results.records if record.mechanism in names and record.quantity == "position_error"]
    legend(figure, grid[0, :], integrators_of(results, shown), _LEGEND_COLUMNS)
    for row, name in enumerate(names, 1):
        first = None
        for column, formulation in enumerate(formulations[name]):
            axes = figure.add_subplot(grid[row, column], sharex=first, sharey=first)
            first = first or axes
            _panel(axes, of_mechanism(results, name), "position_error", formulation)
            axes.set_title(f"{name}, {style.formulation_label(formulation)}")
            axes.set_xlabel("largest error of a centre of mass [m]")
            axes.tick_params(labelleft=column == 0)
        first.set_ylabel("evaluations of the right-hand side")
    return figure


def _mechanisms_caption(results):
    names = _with_errors(results, "position_error")
    texts = []
    for name in names:
        uncertainty = _uncertainty(of_mechanism(results, name))
        if uncertainty is not None:
            texts.append(f"{plain(uncertainty, 2)} m for {name}")
    return ("Work against precision on mechanisms, measured where formulations agree: the largest error of a body's centre of mass at "
            "the end. A column is a formulation, a curve an integrator, a point one tolerance (absolute = relative) or, dashed, one "
            f"fixed step. Dotted: the uncertainty of the reference, {', '.join(texts)}.")


def _expected_orders(results):
    return {record.integrator: record.compared_value for record in results.records if record.quantity == "observed_order"}


def _orders(results):
    records = of_mechanism(results, "smooth")
    orders = _expected_orders(results)
    if not orders:
        raise InputError(results.path / "records.csv", "no observed_order: every measurement of orders failed or is missing")
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 104)
    grid = figure.add_gridspec(2, 2, height_ratios=(0.34, 1))
    legend(figure, grid[0, :], integrators_of(results, records), _LEGEND_COLUMNS)
    axes = figure.add_subplot(grid[1, 0])
    for parameter, place, title in (("step", 0, "halved steps"), ("tolerance", 1, "tolerances")):
        axes = figure.add_subplot(grid[1, place]) if place else axes
        for integrator in integrators_of(results, records):
            runs = runs_by_parameter(records, "global_error", integrator)
            points = sorted((value, error) for (name, value), error in runs.items() if name == parameter and error > 0)
            draw(axes, ([x for x, _ in points], [y for _, y in points], "-"), integrator)
        style.decades(axes.xaxis)
        style.decades(axes.yaxis)
        axes.set_title(title)
        axes.set_xlabel("step [s]" if parameter == "step" else "tolerance, absolute = relative")
        axes.set_ylabel("error at the end [1]")
    return figure


def _orders_caption(results):
    found = [(record.integrator, record.compared_value, record.value) for record in results.records
             if record.quantity == "observed_order" and record.value is not None]
    worst = max(found, key=lambda run: abs(run[1] - run[2]))
    exponents = [record.value for record in results.records if record.quantity == "tolerance_exponent" and record.value is not None]
    return ("Global error on a smooth problem with known solution. Left: with halved steps, where error control rejects nothing; the "
            f"slopes are the orders, and the one furthest from its order is {worst[0]} with {plain(worst[2], 3)} for {plain(worst[1])}. "
            f"Right: against the tolerance; the exponents lie between {plain(min(exponents), 2)} and {plain(max(exponents), 2)}.")


FIGURES = [
    FigureDefinition("integrators_orders", "Orders", _orders_caption, _orders),
    FigureDefinition("integrators_problems", "Work against precision: problems", _problems_caption, _problems),
    FigureDefinition("integrators_mechanisms", "Work against precision: mechanisms", _mechanisms_caption, _mechanisms),
]
