"""[Chadaj2015], figures 5 to 8: energies, energy error, and the tip of the 16-body pendulum."""
from matplotlib.lines import Line2D

import style
from figure_definition import FigureDefinition
from number_text import plain
from records import value_of

FORMULATIONS = ("dca", "hdca")
# DCA lies as a broad pale band under HDCA's thin line: where both agree one still sees both.
_OVERLAY = {"dca": {"linewidth": 2.6, "alpha": 0.4, "linestyle": "-"},
            "hdca": {"linewidth": 0.8, "alpha": 1.0, "linestyle": (0, (5, 1.2))}}
_STAND_IN = "dense_rkf45"
_STAND_IN_LOOK = {"linestyle": "none", "marker": "o", "markersize": 2.5, "markerfacecolor": "white", "markeredgewidth": 0.6, "markevery": 40}
# Ends of the logarithmic axis relative to the largest energy error.
_SHOWN_BELOW, _SHOWN_ABOVE = 1e-7, 3.0
_OUTPUT = {"tolerance": 1e-6, "output_step": 0.01}


def _overlay_handles(colour):
    return [Line2D([], [], color=colour, label=style.formulation_label(key), **_OVERLAY[key]) for key in FORMULATIONS]


def _number(results, quantity, formulation, digits=3, **parameters):
    """The record as text for a caption. A number that a failed run did not give costs no figure."""
    value = value_of(results.records, quantity, formulation, "ode45", **parameters)
    return "(not recorded)" if value is None else plain(value, digits)


def _energies(results):
    looks = {"kinetic": ("#D55E00", "kinetic"), "potential": ("#0072B2", "potential"), "total": ("#000000", "total")}
    runs = {key: results.trajectory(key, list(looks)) for key in FORMULATIONS}
    figure = style.new_figure(style.SINGLE_COLUMN_MM, 66)
    grid = figure.add_gridspec(2, 1, height_ratios=(0.16, 1))
    axes = figure.add_subplot(grid[1])
    for key, run in runs.items():
        for column, (colour, _) in looks.items():
            axes.plot(run["t"], run[column], color=colour, **_OVERLAY[key])
    stand_in = results.trajectory(_STAND_IN, list(looks))
    for column, (colour, _) in looks.items():
        axes.plot(stand_in["t"], stand_in[column], color=colour, **_STAND_IN_LOOK)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("energy [J]")
    quantities = [Line2D([], [], color=colour, label=label) for colour, label in looks.values()]
    formulations = _overlay_handles("#666666")
    formulations.append(Line2D([], [], color="#666666", label="dense, rkf45 (ours)", **_STAND_IN_LOOK))
    # Filled column by column: quantities in the first row, formulations in the second.
    handles = [handle for pair in zip(quantities, formulations) for handle in pair]
    style.legend_row(figure, grid[0], handles, 3)
    return figure


def _energies_caption(results):
    return (f"Kinetic, potential and total energy against time, DCA as a broad pale line and HDCA dashed on it. Circles: the dense "
            f"reference with rkf45, ours, for the commercial program of the paper's figure, of which no numbers exist. Potential "
            f"energy is counted from the horizontal initial position, so the total is 0 J at the start. The largest kinetic "
            f"energy is {_number(results, 'largest_kinetic_energy', 'dca', 6, **_OUTPUT)} J (DCA) and "
            f"{_number(results, 'largest_kinetic_energy', 'hdca', 6, **_OUTPUT)} J (HDCA).")


def _energy_error(results):
    runs = {key: results.trajectory(f"{key}_energy_error", ["energy_error"]) for key in FORMULATIONS}
    figure = style.new_figure(style.SINGLE_COLUMN_MM, 92)
    grid = figure.add_gridspec(3, 1, height_ratios=(0.1, 1, 1))
    signed = figure.add_subplot(grid[1])
    logarithmic = figure.add_subplot(grid[2], sharex=signed)
    handles = []
    for key, line in (("dca", "-"), ("hdca", (0, (4, 1.2)))):
        look = {"color": style.formulation_look(key)["color"], "linestyle": line}
        t, error = runs[key]["t"], runs[key]["energy_error"]
        signed.plot(t, 1e3 * error, **look)
        # An error of exactly 0 has no logarithm.
        logarithmic.semilogy(t[error != 0], abs(error[error != 0]), **look)
        handles.append(Line2D([], [], label=style.formulation_label(key), **look))
    signed.set_ylabel("energy error [mJ]")
    signed.tick_params(labelbottom=False)
    logarithmic.set_ylabel("|energy error| [J]")
    logarithmic.set_xlabel("time [s]")
    # The first steps, exact to rounding, would take most of the axis.
    largest = max(abs(run["energy_error"]).max() for run in runs.values())
    if largest > 0:
        logarithmic.set_ylim(_SHOWN_BELOW * largest, _SHOWN_ABOVE * largest)
    style.decades(logarithmic.yaxis)
    style.legend_row(figure, grid[0], handles, 2)
    return figure


def _energy_error_caption(results):
    return (f"Deviation of the total energy from its initial value at every accepted step of ode45 at the tolerance 1e-6; above "
            f"with its sign, below its size on a logarithmic axis, where the first steps fall out at the bottom. The largest size is "
            f"{_number(results, 'largest_energy_error', 'dca', **_OUTPUT)} J for DCA and "
            f"{_number(results, 'largest_energy_error', 'hdca', **_OUTPUT)} J for HDCA.")


def _three_directions(results, columns, label):
    runs = {key: results.trajectory(key, columns) for key in FORMULATIONS}
    figure = style.new_figure(style.SINGLE_COLUMN_MM, 96)
    # The chain moves in a plane: the direction across it is shown, but needs no space.
    still = [all((run[column] == 0).all() for run in runs.values()) for column in columns]
    grid = figure.add_gridspec(4, 1, height_ratios=(0.12, *(0.35 if nothing else 1 for nothing in still)))
    axes = None
    for row, (column, direction) in enumerate(zip(columns, "XYZ"), 1):
        axes = figure.add_subplot(grid[row], sharex=axes)
        for key, run in runs.items():
            axes.plot(run["t"], run[column], color=style.formulation_look(key)["color"], **_OVERLAY[key])
        if still[row - 1]:
            # Without limits of its own an all-zero curve gets an axis of +-0.05, which looks like a measured range.
            axes.set_ylim(-1, 1)
        axes.set_ylabel(label.format(direction))
        axes.tick_params(labelbottom=row == 3)
    axes.set_xlabel("time [s]")
    figure.align_ylabels()
    handles = [Line2D([], [], color=style.formulation_look(key)["color"], label=style.formulation_label(key), **_OVERLAY[key])
               for key in FORMULATIONS]
    style.legend_row(figure, grid[0], handles, 2)
    return figure


def _chaos_note(results):
    errors = [f"{_number(results, 'angle_error', key, tolerance=1e-6, t=8)} rad ({key.upper()})" for key in FORMULATIONS]
    return (f"Perturbations grow during the motion: at 8 s the largest error of an angle is {' and '.join(errors)}; "
            "the curves alone do not show it.")


def _tip_caption(what):
    return lambda results: (f"{what} of the free end against time, sampled every 0.01 s; X lies along the initial chain, Z "
                            f"points upwards, and the chain moves in the plane Y = 0. " + _chaos_note(results))


FIGURES = [
    FigureDefinition("figure5_energies", "Figure 5: energies", _energies_caption, _energies),
    FigureDefinition("figure6_energy_error", "Figure 6: error of the total energy", _energy_error_caption, _energy_error),
    FigureDefinition("figure7_tip_position", "Figure 7: position of the tip", _tip_caption("Position"),
                     lambda results: _three_directions(results, ["x_tip", "y_tip", "z_tip"], "{} [m]")),
    FigureDefinition("figure8_tip_velocity", "Figure 8: velocity of the tip", _tip_caption("Velocity"),
                     lambda results: _three_directions(results, ["vx_tip", "vy_tip", "vz_tip"], "$v_{}$ [m/s]")),
]
