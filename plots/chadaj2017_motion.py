"""[Chadaj2017], figures 5 to 9: energy error, point K, and violation of the constraints in the three cases."""
import numpy as np

import style
from chadaj2017_look import CASES, DCA, HDCA, LEAK, SHOWN, handles, look, number_of
from figure_definition import FigureDefinition
from number_text import plain

_OUTPUT = {"tolerance": 1e-6, "output_step": 0.01}
# DCA lies as a broad pale band under the others, so that where all agree one still sees all.
_WIDTHS = {DCA: {"linewidth": 2.6, "alpha": 0.4}, HDCA: {"linewidth": 0.9}, LEAK: {"linewidth": 0.9}}


def _number(results, case, quantity, variant):
    value = number_of(results, case, quantity, variant, "ode45", **_OUTPUT)
    return "(not recorded)" if value is None else plain(value, 2)


def _per_case(results, quantity, unit, variants=(DCA, HDCA, LEAK)):
    """'case 1: 1, 2 and 3 J' for captions."""
    texts = []
    for number, case in enumerate(CASES, 1):
        values = [_number(results, case, quantity, variant) for variant in variants]
        texts.append(f"case {number}: {', '.join(values[:-1])} and {values[-1]} {unit}" if len(values) > 1 else
                     f"case {number}: {values[0]} {unit}")
    return "; ".join(texts)


def _panels(figure, grid, row, first):
    """Axes of the three cases in a row, sharing the time axis and the vertical one."""
    axes = []
    for column, title in enumerate(CASES.values()):
        axes.append(figure.add_subplot(grid[row, column], sharex=axes[0] if axes else None, sharey=axes[0] if axes else None))
        if first:
            axes[-1].set_title(title)
        axes[-1].tick_params(labelleft=column == 0)
    return axes


def _logarithmic(results, column, axis_label, variants=tuple(SHOWN), shown_decades=None):
    """|column| of the runs at accepted steps, one panel a case. The first steps, exact to rounding, would take most of the axis:
    `shown_decades` is what is left of it below the largest value."""
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 66)
    grid = figure.add_gridspec(2, 3, height_ratios=(0.12, 1))
    style.legend_row(figure, grid[0, :], handles([SHOWN[name] for name in variants], markers=False), 3)
    largest = 0
    for axes, case in zip(_panels(figure, grid, 1, True), CASES):
        for name in variants:
            run = results.trajectory(f"{case}_{name}_errors", [column])
            value = np.abs(run[column])
            # Zero has no logarithm; the start is exact.
            shown = value > 0
            largest = max(largest, value.max())
            axes.semilogy(run["t"][shown], value[shown], **look(SHOWN[name], markers=False))
        axes.set_xlabel("time [s]")
    first = figure.axes[1]
    if shown_decades and largest > 0:
        first.set_ylim(largest / 10**shown_decades, 3 * largest)
    style.decades(first.yaxis)
    first.set_ylabel(axis_label)
    return figure


def _energy_caption(results):
    return ("Size of the deviation of the total energy from its initial value at every accepted step of ode45 at the tolerance 1e-6. "
            f"Largest with DCA, HDCA and HDCA with gauge control (a leak of 5 1/s): {_per_case(results, 'largest_energy_error', 'J')}.")


def _velocity_violation_caption(results):
    return ("Largest violation of the cut joints' constraints at velocity level, at every accepted step of ode45 at the tolerance "
            f"1e-6. Largest with DCA, HDCA and HDCA with gauge control: {_per_case(results, 'largest_velocity_violation', 'm/s')}. "
            "HDCA's is rounding of velocities that are solved for from p; it grows with sigma.")


def _position_violation_caption(results):
    growth = "; ".join(f"case {number}: {_number(results, case, 'position_violation_growth', DCA)} and "
                       f"{_number(results, case, 'position_violation_growth', HDCA)}" for number, case in enumerate(CASES, 1))
    return ("Largest violation of the cut joints' position constraints at every accepted step of ode45 at the tolerance 1e-6. "
            f"Largest with DCA, HDCA and HDCA with gauge control: {_per_case(results, 'largest_position_violation', 'm')}. "
            f"Exponents of growth from 1 s on, DCA and HDCA: {growth}.")


def _sigma_caption(results):
    return ("Largest component of the impulses sigma of the cut joints. As published they integrate the reactions and grow linearly; "
            f"p follows. Largest with HDCA and with gauge control: {_per_case(results, 'largest_sigma', 'N s', (HDCA, LEAK))}.")


def _point(results):
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 96)
    grid = figure.add_gridspec(3, 3, height_ratios=(0.1, 1, 1))
    style.legend_row(figure, grid[0, :], handles(SHOWN.values(), markers=False), 3)
    for row, column, axis_label in ((1, "y_K", "Y [m]"), (2, "vy_K", "$v_Y$ [m/s]")):
        panels = _panels(figure, grid, row, row == 1)
        for axes, case in zip(panels, CASES):
            for name, variant in SHOWN.items():
                run = results.trajectory(f"{case}_{name}", [column])
                axes.plot(run["t"], run[column], **(look(variant, markers=False) | _WIDTHS[variant]))
            axes.tick_params(labelbottom=row == 2)
            if row == 2:
                axes.set_xlabel("time [s]")
        panels[0].set_ylabel(axis_label)
    figure.align_ylabels()
    return figure


def _point_caption(results):
    errors = "; ".join(
        f"case {number}: {', '.join(_error(results, case, variant) for variant in SHOWN.values())} m" for number, case in enumerate(CASES, 1))
    return ("Vertical position (above, figure 6 of the paper) and velocity (below, figure 7) of point K, ode45 at the tolerance 1e-6, "
            f"sampled every 0.01 s. The curves lie on one another; the largest errors at whole seconds, in the order of the legend, are {errors}.")


def _error(results, case, variant):
    value = number_of(results, case, "point_error", variant, "ode45", tolerance=1e-6)
    return "(not recorded)" if value is None else plain(value, 2)


FIGURES = [
    FigureDefinition("figure5_energy_error", "Figure 5: error of the total energy", _energy_caption,
                     lambda results: _logarithmic(results, "energy_error", "|energy error| [J]", shown_decades=6)),
    FigureDefinition("figures6_7_point_K", "Figures 6 and 7: position and velocity of K", _point_caption, _point),
    FigureDefinition("figure8_velocity_violation", "Figure 8: violation of the velocity constraints", _velocity_violation_caption,
                     lambda results: _logarithmic(results, "velocity_violation", "max |Phi'| [m/s]")),
    FigureDefinition("figure9_position_violation", "Figure 9: violation of the position constraints", _position_violation_caption,
                     lambda results: _logarithmic(results, "position_violation", "max |Phi| [m]", shown_decades=6)),
    FigureDefinition("impulses", "Impulses of the cut joints", _sigma_caption,
                     lambda results: _logarithmic(results, "sigma", "max |sigma| [N s]", ("hdca", "hdca_leak"), shown_decades=3)),
]
