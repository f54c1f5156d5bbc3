"""[Malczyk2012], section 4: energy and constraints over time, singular values and iterations."""
import numpy as np

import style
from figure_definition import FigureDefinition
from malczyk2012_look import MODELS, PENALTY, PROJECTED, SHOWN, VARIANTS, handles, look, number_of
from number_text import plain


def _run(results, model, variant, columns):
    return results.trajectory(f"{MODELS[model][0]}_{VARIANTS[variant][0]}", columns)


def _caption(results, start, quantity, unit, variants):
    texts = []
    for model, (name, _) in MODELS.items():
        numbers = [number_of(results, model, quantity, variant) for variant in variants]
        texts.append(f"{name}: " + ", ".join("(not recorded)" if value is None else plain(value, 2) for value in numbers))
    return (f"{start} at every accepted step of ode45 at the tolerance 1e-6. Largest values [{unit}] in the order of the legend: "
            f"{'; '.join(texts)}.")


def _panels(figure, grid, row, titles):
    """Axes of the four mechanisms in a row."""
    axes = []
    for column, (_, title) in enumerate(MODELS.values()):
        axes.append(figure.add_subplot(grid[row, column], sharey=axes[0] if axes else None))
        axes[-1].set_xlim(-0.3, 10.3)
        style.ticks_at(axes[-1].xaxis, [0, 5, 10], ["0", "5", "10"])
        if titles:
            axes[-1].set_title(title, fontsize="small")
        axes[-1].tick_params(labelleft=column == 0)
    return axes


def _logarithmic(results, column, axis_label, variants=SHOWN, lowest=None):
    """|column| of the runs, one panel a mechanism. What is below `lowest` is rounding and left out."""
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 70)
    grid = figure.add_gridspec(2, 4, height_ratios=(0.16, 1))
    style.legend_row(figure, grid[0, :], handles(variants), 3)
    panels = _panels(figure, grid, 1, True)
    for axes, model in zip(panels, MODELS):
        for variant in variants:
            run = _run(results, model, variant, [column])
            value = np.abs(run[column])
            # Zero has no logarithm; the start is exact.
            shown = value > 0
            axes.semilogy(run["t"][shown], value[shown], **look(variant))
        axes.set_xlabel("time [s]")
    if lowest:
        panels[0].set_ylim(bottom=lowest)
    style.decades(panels[0].yaxis)
    panels[0].set_ylabel(axis_label)
    return figure


def _singular(results):
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 96)
    grid = figure.add_gridspec(2, 4)
    above = _panels(figure, grid, 0, True)
    below = _panels(figure, grid, 1, False)
    levels = (("position_iterations", "#0072B2"), ("velocity_iterations", "#009E73"), ("acceleration_iterations", "#D55E00"))
    for top, bottom, model in zip(above, below, MODELS):
        run = _run(results, model, PROJECTED, ["smallest_singular_value", *(name for name, _ in levels)])
        # At rest in a folded position it is zero to far below rounding.
        top.semilogy(run["t"], np.maximum(run["smallest_singular_value"], 1e-16), color="black", linewidth=0.9)
        for name, colour in levels:
            bottom.plot(run["t"], run[name], color=colour, linewidth=0.7, label=name.split("_")[0])
        top.tick_params(labelbottom=False)
        bottom.set_xlabel("time [s]")
    style.decades(above[0].yaxis)
    above[0].set_ylabel("smallest singular value")
    below[0].set_ylabel("passes")
    below[0].set_ylim(0, 14)
    below[0].legend(loc="upper left", ncol=1, fontsize="x-small")
    figure.align_ylabels()
    return figure


def _singular_caption(results):
    def text(model, name):
        values = [number_of(results, model, f"{what}_acceleration_iterations", PROJECTED) for what in ("mean", "most_regular", "most_singular")]
        smallest = number_of(results, model, "smallest_singular_value", PROJECTED)
        shown = ["(not recorded)" if value is None else plain(value, 3) for value in (smallest, *values)]
        return f"{name}: {shown[0]}; {shown[1]} in the mean, {shown[2]} at most, {shown[3]} near singular positions"

    parts = " | ".join(text(model, name) for model, (name, _) in MODELS.items())
    return ("Above, smallest singular value of Phi_q (the last that is not zero at regular positions) at the accepted steps of dca-alm-proj; "
            "below, passes over the multipliers in the projections of positions and velocities and in the last right-hand side of each step. "
            f"Smallest value, and passes for accelerations: {parts}.")


FIGURES = [
    FigureDefinition("energy_error", "Error of the total energy",
                     lambda results: _caption(results, "Size of the deviation of the total energy from its initial value",
                                              "largest_energy_error", "J", SHOWN),
                     lambda results: _logarithmic(results, "energy_error", "|energy error| [J]", lowest=1e-9)),
    FigureDefinition("position_violation", "Violation of the position constraints",
                     lambda results: _caption(results, "Largest violation of the position constraints: of all joints where coordinates are "
                                              "absolute (penalty, projections), of the cut joints otherwise", "largest_position_violation", "m", SHOWN),
                     lambda results: _logarithmic(results, "position_violation", "max |Phi| [m]")),
    FigureDefinition("velocity_violation", "Violation of the velocity constraints",
                     lambda results: _caption(results, "Largest violation of the velocity constraints", "largest_velocity_violation", "m/s", SHOWN),
                     lambda results: _logarithmic(results, "velocity_violation", "max |Phi'| [m/s]")),
    FigureDefinition("acceleration_violation", "Violation of the acceleration constraints",
                     lambda results: _caption(results, "Largest violation of the constraints in accelerations; with penalty it is "
                                              "-2 Omega mu Phi' - Omega^2 Phi on purpose", "largest_acceleration_violation", "m/s^2",
                                              (PENALTY, PROJECTED, "dca", "bae-haug")),
                     lambda results: _logarithmic(results, "acceleration_violation", "max |Phi''| [m/s$^2$]",
                                                  (PENALTY, PROJECTED, "dca", "bae-haug"))),
    FigureDefinition("singular_positions", "Singular positions and iterations", _singular_caption, _singular),
]
