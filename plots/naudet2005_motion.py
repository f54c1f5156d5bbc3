"""[Naudet2005], figures 5 to 8: coordinates, velocities, momenta and constraint violation of the biped."""
import numpy as np
from matplotlib.lines import Line2D

import style
from figure_definition import FigureDefinition
from naudet2005_look import FORMS, HAMILTON, LAGRANGE, file_of, handles, look, number_of
from number_text import plain

# Joints in the order of the paper's coordinates; the sixth is the angle of the cut joint.
_JOINTS = ("ankle1", "knee1", "torso", "hip", "knee2", "ankle2")
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000")
_LINES = ("-", (0, (4, 1.5)), (0, (1, 1.2)), "-", (0, (4, 1.5)), (0, (1, 1.2)))
_STEP = 0.001


def _curves(results, form, kind, count, axis_label):
    """One quantity of the first joints against time."""
    columns = [f"{kind}.{joint}" for joint in _JOINTS[:count]]
    run = results.trajectory(file_of(form), columns)
    figure = style.new_figure(style.SINGLE_COLUMN_MM, 70)
    grid = figure.add_gridspec(2, 1, height_ratios=(0.18, 1))
    axes = figure.add_subplot(grid[1])
    legend = []
    symbol = {"q": "q", "v": "\\dot{q}", "p": "p"}[kind]
    for number, (column, colour, line) in enumerate(zip(columns, _COLOURS, _LINES), 1):
        axes.plot(run["t"], run[column], color=colour, linestyle=line)
        legend.append(Line2D([], [], color=colour, linestyle=line, label=f"${symbol}_{number}$"))
    axes.set_xlabel("time [s]")
    axes.set_ylabel(axis_label)
    style.legend_row(figure, grid[0], legend, 3)
    return figure


def _joints_text(count):
    return ", ".join(f"{number} {joint}" for number, joint in enumerate(_JOINTS[:count], 1))


def _coordinates_caption(results):
    return (f"Coordinates of the joints ({_joints_text(6)}), the first against the horizontal, all others relative, as integrated: q4 "
            "and q5 start a full turn higher than the angles nearest zero. Lagrange form, fixed step 0.001 s.")


def _velocities_caption(results):
    return f"Velocities of the joints ({_joints_text(6)}). Lagrange form, fixed step 0.001 s."


def _momenta_caption(results):
    return (f"Reduced canonical momenta of the independent joints ({_joints_text(3)}). Hamiltonian form, fixed step 0.001 s. They vary "
            "little where the torso's velocity has its peak.")


def _violation(results):
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 74)
    grid = figure.add_gridspec(2, 2, height_ratios=(0.12, 1))
    style.legend_row(figure, grid[0, :], handles(FORMS, markers=False), 4)
    for column, (name, axis_label) in enumerate((("position_residual", "max |Phi| [m]"), ("velocity_residual", "max |Phi'| [m/s]"))):
        axes = figure.add_subplot(grid[1, column])
        for form in FORMS:
            run = results.trajectory(file_of(form), [name])
            # Zero has no logarithm; the start is exact.
            value = np.abs(run[name])
            axes.semilogy(run["t"][value > 0], value[value > 0], **look(form, markers=False))
        axes.set_xlabel("time [s]")
        axes.set_ylabel(axis_label)
        style.decades(axes.yaxis)
    return figure


def _violation_caption(results):
    def number(quantity, form):
        value = number_of(results, quantity, form, "rkf45-fixed", step=_STEP, output="")
        return "(not recorded)" if value is None else plain(value, 2)

    return ("Violation of the loop's constraints at the fixed step 0.001 s. Largest violation of the positions: "
            f"{number('largest_position_violation', LAGRANGE)} m (Lagrange) and {number('largest_position_violation', HAMILTON)} m "
            f"(Hamilton); of the velocities: {number('largest_velocity_violation', LAGRANGE)} and "
            f"{number('largest_velocity_violation', HAMILTON)} m/s, the latter rounding. The reduced forms close the loop at every "
            "evaluation.")


FIGURES = [
    FigureDefinition("figure5_coordinates", "Figure 5: coordinates", _coordinates_caption,
                     lambda results: _curves(results, LAGRANGE, "q", 6, "coordinates [rad]")),
    FigureDefinition("figure6_velocities", "Figure 6: velocities", _velocities_caption,
                     lambda results: _curves(results, LAGRANGE, "v", 6, "velocities [rad/s]")),
    FigureDefinition("figure7_momenta", "Figure 7: canonical momenta", _momenta_caption,
                     lambda results: _curves(results, HAMILTON, "p", 3, "momenta [kg m²/s]")),
    FigureDefinition("figure8_constraint_violation", "Figure 8: violation of the constraints", _violation_caption, _violation),
]
