"""Figures of the worked examples of gradients (python/examples): what was searched, before and after."""
import numpy as np

import style
from reading.number_text import plain
from reading.records import select
from studies.figure_definition import FigureDefinition

EXPERIMENT = "worked_examples"
_EVERY = 5  # steps between two places that the camera has seen
_GUESSED = {"color": "#D55E00", "linewidth": 1.0, "linestyle": (0, (3, 1.4))}
_FOUND = {"color": "#0072B2", "linewidth": 1.1}
_SEEN = {"color": "#000000", "marker": "o", "markersize": 3.0, "linestyle": "none", "markerfacecolor": "white", "markeredgewidth": 0.7, "zorder": 3}
_ARMS = {"linewidth": 2.0, "marker": "o", "markersize": 4.0, "solid_capstyle": "round"}
_MOTORS = ((-0.15, 0.0), (0.15, 0.0))  # m, of the five-bar arm
_WANTED = (0.25, 0.55)  # m, its tool at the end


def _number(results, example, quantity):
    """As text; of what there is not, a dash."""
    found = [record.value for record in select(results.records, quantity) if record.mechanism == example]
    return plain(found[0], 2) if found else "–"


def _search(results, example):
    numbers = {quantity: _number(results, example, quantity) for quantity in ("numbers", "iterations", "gradients", "objective_at_start", "objective_at_end")}
    return "{numbers} numbers, {iterations} iterations, {gradients} gradients; the objective falls from {objective_at_start} to {objective_at_end}".format(**numbers)


def _places(curves, name, plane="xy"):
    return tuple(curves[f"{name}_{axis}"] for axis in plane)


def _axes_of_places(axes, plane="xy"):
    axes.set(xlabel=f"{plane[0]} [m]", ylabel=f"{plane[1]} [m]", aspect="equal", adjustable="datalim")


def _draw_marker(example, plane):
    """What the camera has seen of a marker, its path with the guess, and with what was found."""
    def draw(results):
        curves = results.trajectory(example, [f"{name}_{axis}" for name in ("seen", "guessed", "found") for axis in plane])
        figure = style.new_figure(style.SINGLE_COLUMN_MM, 84)
        grid = figure.add_gridspec(2, 1, height_ratios=(0.1, 1))
        axes = figure.add_subplot(grid[1])
        axes.plot(*_places(curves, "guessed", plane), label="guess", **_GUESSED)
        axes.plot(*_places(curves, "found", plane), label="found", **_FOUND)
        axes.plot(*(place[::_EVERY] for place in _places(curves, "seen", plane)), label="seen", **_SEEN)
        _axes_of_places(axes, plane)
        style.legend_row(figure, grid[0], axes.get_legend_handles_labels()[0], 3)
        return figure
    return draw


def _marker_caption(example, what):
    def caption(results):
        return f"{what}: the marker as a camera has seen it, with the guess and with what was found ({_search(results, example)}; " \
               f"largest relative error of a number {_number(results, example, 'parameter_error')})."
    return caption


def _draw_swing_up(results):
    rows = (("force", "force [N]"), ("cart", "cart [m]"), ("pole", "pole [rad]"))
    curves = results.trajectory("cart_pole_swing_up", [name for name, _ in rows])
    figure = style.new_figure(style.SINGLE_COLUMN_MM, 100)
    axes = figure.subplots(len(rows), 1, sharex=True)
    for panel, (name, label) in zip(axes, rows):
        panel.plot(curves["t"], curves[name], **_FOUND)
        panel.axhline(0.0, color="0.3", linewidth=0.6, zorder=1.5)
        panel.set_ylabel(label)
    axes[-1].set_xlabel("time [s]")
    figure.align_ylabels()
    return figure


def _swing_up_caption(results):
    example = "cart_pole_swing_up"
    return f"A pole swung up by its cart: force on the cart, place of the cart, angle of the pole from upright ({_search(results, example)}). " \
           f"At the end both are within {_number(results, example, 'end_error')} m and rad of zero."


def _draw_five_bar(results):
    places = ("tool", "guessed", "left_elbow", "right_elbow")
    curves = results.trajectory("five_bar_point_to_point", ["left_motor", "right_motor", *(f"{name}_{axis}" for name in places for axis in "xy")])
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 84)
    grid = figure.add_gridspec(2, 2, height_ratios=(0.1, 1))
    plane, torques = figure.add_subplot(grid[1, 0]), figure.add_subplot(grid[1, 1])
    for place, shade in ((0, "0.8"), (-1, "0.5")):
        chain = [_MOTORS[0], *(tuple(axis[place] for axis in _places(curves, name)) for name in ("left_elbow", "tool", "right_elbow")), _MOTORS[1]]
        plane.plot(*np.array(chain).T, color=shade, label="arms at the start" if place == 0 else "arms at the end", **_ARMS)
    plane.plot(*_places(curves, "guessed"), label="tool, guess", **_GUESSED)
    plane.plot(*_places(curves, "tool"), label="tool, found", **_FOUND)
    plane.plot(*_WANTED, color="#000000", marker="x", markersize=6, linestyle="none", label="wanted", zorder=4)
    _axes_of_places(plane)
    torques.plot(curves["t"], curves["left_motor"], label="left motor", **_FOUND)
    torques.plot(curves["t"], curves["right_motor"], label="right motor", color="#009E73", linewidth=1.1, linestyle=(0, (5, 1.4)))
    torques.set(xlabel="time [s]", ylabel="torque [N m]")
    style.legend_row(figure, grid[0, 0], plane.get_legend_handles_labels()[0], 3)
    style.legend_row(figure, grid[0, 1], torques.get_legend_handles_labels()[0], 2)
    return figure


def _five_bar_caption(results):
    example = "five_bar_point_to_point"
    return f"A five-bar arm from point to point: the path of the tool from rest to rest, and the torques ({_search(results, example)}). " \
           f"It ends {_number(results, example, 'end_error')} m from where it is wanted."


_FIGURES = (
    FigureDefinition("masses_from_a_marker", "Masses and damping from a marker's motion",
                     _marker_caption("masses_from_a_marker", "The tip of a chain of three links"), _draw_marker("masses_from_a_marker", "xz")),
    FigureDefinition("links_of_a_four_bar", "Lengths of links from a marker's motion",
                     _marker_caption("links_of_a_four_bar", "A point of the coupler of a four-bar linkage"), _draw_marker("links_of_a_four_bar", "xy")),
    FigureDefinition("cart_pole_swing_up", "A pole swung up by its cart", _swing_up_caption, _draw_swing_up),
    FigureDefinition("five_bar_point_to_point", "A five-bar arm from point to point", _five_bar_caption, _draw_five_bar),
)


def figures_of(results):
    """The figures of those examples that were run."""
    return [figure for figure in _FIGURES if results.has_trajectory(figure.name)]
