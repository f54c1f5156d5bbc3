#!/usr/bin/env python3
"""Modes of a mechanism: its eigenvalues in the complex plane, and both ends of each mode's motion as stick figures."""
import argparse
import math
import sys
from pathlib import Path

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

import style
from reading.input_error import InputError
from reading.mode_shapes import ENDS, FILE, MOST_PANELS, REST, read_modes
from reading.number_text import PrintedNumber, plain
from reading.standard_descriptors import open_standard_descriptors
from studies.figure_definition import FigureDefinition

EXAMPLE = """example:
  build/release/mbdbench linearise -m pendulum:3 --set q.joint1=1.5707963267948966 -o hanging
  python3 plots/modes.py hanging --modes 1,2
  build/release/mbdbench equilibrium -m four_bar -o rest
  python3 plots/modes.py rest

Reads DIR/mode_shapes.csv and DIR/eigenvalues.csv, writes DIR/figures/modes.pdf and .png."""

# As experiments/command_line/motion_table.hpp has it: below this part of the largest eigenvalue nothing oscillates.
_NO_FREQUENCY = 1e-7
_ROUNDING = 1e-11  # real parts below this part of the largest eigenvalue are no damping
_UNMOVED = 2e-3  # of the figure's size: lines that move less are drawn undisplaced only
_MOST_DOTS = 40  # links: the dots at the joints of more would touch
_LABEL = (14, 10)  # width and height of a number beside an eigenvalue, points
_PLANE = 0.3  # width of the eigenvalues, of that of all modes

# The ends differ in their dashes too, and what is undisplaced is pale: grey print keeps them apart.
_LOOKS = {"rest": {"color": "0.7", "linewidth": 1.6, "linestyle": "-", "zorder": 2, "label": "undisplaced"},
          "first": {"color": "#0072B2", "linewidth": 1.0, "linestyle": "-", "zorder": 4, "label": "one end of the motion"},
          "second": {"color": "#D55E00", "linewidth": 1.0, "linestyle": (0, (3, 1.4)), "zorder": 3, "label": "the other end"}}


def _three_digits(value):
    return plain(PrintedNumber(f"{value:#.3g}"))


def title_of(modes, number):
    """'mode 1: 0.634 Hz'; a second line says what becomes of it."""
    value = modes.eigenvalues[number]
    if value.imag > _NO_FREQUENCY * modes.largest:
        title = f"mode {number}: {_three_digits(value.imag / (2 * math.pi))} Hz"
        damped = abs(value.real) > _ROUNDING * modes.largest
        return title + (f"\ndamping ratio {_three_digits(-value.real / abs(value))}" if damped else "")
    if abs(value.real) <= _NO_FREQUENCY * modes.largest:
        return f"mode {number}: 0 1/s\nwithin rounding"
    return f"mode {number}: {_three_digits(value.real)} 1/s\n{'grows' if value.real > 0 else 'decays'}"


def _distinct(lines, thick):
    """Which lines to draw: of those that begin alike and point alike the longest, for dashes on dashes look like a whole line."""
    along = lines[:, 2:] - lines[:, :2]
    length = np.hypot(*along.T)
    directions = np.round(along / np.where(length > 0, length, 1)[:, None], 6)
    longest_first = np.argsort(-length, kind="stable")
    _, firsts = np.unique(np.column_stack([lines[:, :2], directions, thick])[longest_first], axis=0, return_index=True)
    return longest_first[firsts]


def _draw_figure(axes, modes, figure):
    """Its lines; those of an end that hardly move are left to the undisplaced figure."""
    rest, lines, look = modes.figures[REST], modes.figures[figure], _LOOKS[figure[1]]
    least = _UNMOVED * np.hypot(*np.ptp(rest.reshape(-1, 2), axis=0))
    thick = np.isin(modes.kinds, ["link", "arm"])
    shown = [line for line in _distinct(lines, thick) if figure == REST or np.abs(lines[line] - rest[line]).max() > least]
    widths = look["linewidth"] * np.where(thick, 1.0, 0.4)[shown]
    cap = "round" if look["linestyle"] == "-" else "butt"  # of dashes round ones fill the gaps
    axes.add_collection(LineCollection(lines[shown].reshape(-1, 2, 2), **look | {"linewidth": widths}, capstyle=cap), autolim=False)
    links = [line for line in shown if modes.kinds[line] == "link"]
    if modes.kinds.count("link") <= _MOST_DOTS:
        dots = {"color": look["color"], "markersize": look["linewidth"] + 1.4, "markeredgewidth": 0, "zorder": look["zorder"]}
        axes.plot(*lines[links].reshape(-1, 2).T, "o", **dots)


def _draw_scale_bar(axes):
    """Below the axes, 1, 2 or 5 times a power of ten long."""
    left, right = axes.get_xlim()
    longest = (right - left) / 3
    power = 10.0 ** math.floor(math.log10(longest))
    length = max(digit * power for digit in (1, 2, 5) if digit * power <= longest)
    below = {"transform": axes.get_xaxis_transform(), "clip_on": False, "color": "0.25"}
    axes.plot([left, left + length], [-0.08, -0.08], linewidth=1.2, solid_capstyle="butt", **below)
    axes.text(left + length, -0.08, f" {plain(length, 3)} m", va="center", fontsize=7, **below)


def _limits(values, largest):
    """About the values and zero; values within rounding of zero are not spread."""
    size = max(map(abs, values))
    margin = 0.15 * (size if size > _NO_FREQUENCY * largest else largest or 1.0)
    return min(0.0, *values) - margin, max(0.0, *values) + margin


def _numbers_text(numbers):
    numbers = sorted(numbers)
    in_a_row = len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1
    return f"{numbers[0]}–{numbers[-1]}" if in_a_row else ", ".join(map(str, numbers))


def _draw_eigenvalues(axes, modes):
    """Filled points are those of the modes drawn."""
    points = {number: (value.real, value.imag) for number, value in modes.eigenvalues.items()}
    for axis, values, most in zip((axes.xaxis, axes.yaxis), zip(*points.values()), (4, 6)):
        axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value, 6)))
        axis.axes.set(**{f"{axis.axis_name}lim": _limits(values, modes.largest)})
    axes.axvline(0, color="0.3", linewidth=0.6, zorder=1.5)
    axes.axhline(0, color="0.3", linewidth=0.6, zorder=1.5)
    others = [number for number in points if number not in modes.chosen]
    for numbers, look in ((others, {"color": "0.45", "markerfacecolor": "white"}), (modes.chosen, {"color": "#000000"})):
        axes.plot(*np.array([points[number] for number in numbers]).reshape(-1, 2).T, "o", markersize=3.5, markeredgewidth=0.7, zorder=3, **look)
    axes.set(title="eigenvalues", xlabel="real part [1/s]", ylabel="imaginary part [1/s]")


def _number_eigenvalues(axes, modes):
    """Numbers beside the points of the modes drawn, in one label where these are close together."""
    axes.figure.draw_without_rendering()  # lays the panels out
    points = {number: (modes.eigenvalues[number].real, modes.eigenvalues[number].imag) for number in modes.chosen}
    places = {number: axes.transData.transform(point) * 72 / axes.figure.dpi for number, point in points.items()}
    together = []
    for number, place in places.items():
        near = next((numbers for numbers in together if (np.abs(place - places[numbers[0]]) < _LABEL).all()), None)
        if near is None:
            together.append(near := [])
        near.append(number)
    for numbers in together:
        axes.annotate(_numbers_text(numbers), points[numbers[0]], (3, 2), textcoords="offset points", fontsize=7, zorder=2.5,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3})


def draw(modes):
    points = np.concatenate([lines.reshape(-1, 2) for (mode, _), lines in modes.figures.items() if mode in (REST[0], *modes.chosen)])
    centre, size = (points.min(axis=0) + points.max(axis=0)) / 2, np.ptp(points, axis=0)
    columns = 2 if len(modes.chosen) in (2, 4) else min(len(modes.chosen), 3)
    rows = -(-len(modes.chosen) // columns)
    # Of a panel, mm.
    width = 118 / columns
    height = min(62, 180 / rows, max(46 if rows == 1 else 24, width * size[1] / (size[0] or 1.0)))
    # All panels of modes have these limits, and so one scale.
    metres = max(size / (width, height)) or 1.0
    limits = np.outer((-0.52, 0.52), np.multiply(metres, (width, height))) + centre
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 16 + rows * (height + 10))
    grid = figure.add_gridspec(rows + 1, columns + 1, height_ratios=(0.1, *[1] * rows), width_ratios=(_PLANE * columns, *[1] * columns))
    for place, number in enumerate(modes.chosen):
        axes = figure.add_subplot(grid[1 + place // columns, 1 + place % columns])
        axes.set_axis_off()
        axes.set(xlim=limits[:, 0], ylim=limits[:, 1], aspect="equal", anchor="NW", title=title_of(modes, number))
        for shown in (REST, *((number, end) for end in ENDS)):
            _draw_figure(axes, modes, shown)
        if place == (rows - 1) * columns:
            _draw_scale_bar(axes)
    style.legend_row(figure, grid[0, :], [Line2D([], [], **look) for look in _LOOKS.values()], len(_LOOKS))
    plane = figure.add_subplot(grid[1:3, 0])
    _draw_eigenvalues(plane, modes)
    _number_eigenvalues(plane, modes)
    return figure


def caption(modes):
    """What one sees, with the numbers of these very modes."""
    where = ", not at an equilibrium" if modes.no_equilibrium else " at its equilibrium" if modes.command == "equilibrium" else ""
    shown = f"{'Mode' if len(modes.chosen) == 1 else 'Modes'} {_numbers_text(modes.chosen)}"
    text = f"{shown} of {modes.mechanism}{where}, out of {len(modes.eigenvalues)}: the mechanism undisplaced and at both ends of each motion, " \
           "to one scale; amplitudes are chosen so that the motions can be seen. Of conjugate eigenvalues the upper one is shown."
    if len(modes.eigenvalues) > len(modes.chosen):
        text += " Open circles are eigenvalues of modes that are not drawn."
    left = len(modes.drawable) - len(modes.chosen)
    if left > 0:
        text += f" {FILE} holds the lines of {left} more."
    return text


FIGURE = FigureDefinition("modes", "Modes", caption, draw)


def main(arguments=None):
    open_standard_descriptors()
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR", help="what 'mbdbench linearise --output DIR' or 'equilibrium' wrote")
    parser.add_argument("--modes", metavar="NUMBERS", help=f"separated by commas; default: the first {MOST_PANELS}")
    parser.add_argument("--output", type=Path, metavar="DIR", help="for modes.pdf and modes.png; default: DIR/figures")
    options = parser.parse_args(arguments)
    try:
        chosen = options.modes.split(",") if options.modes else None
        modes = read_modes(options.directory, chosen)
        written = style.save(draw(modes), options.output or options.directory / "figures", FIGURE.name)
    except (InputError, OSError) as error:
        print(f"modes: {error}", file=sys.stderr)
        return 1
    print("\n".join(str(file) for file in written))
    print(caption(modes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
