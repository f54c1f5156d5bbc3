"""[Malczyk2008], figure 4, and the cost of a right-hand side behind it."""
from matplotlib.lines import Line2D

import style
from figure_definition import FigureDefinition
from input_error import InputError
from malczyk2008_look import PROGRAMS, SERIAL, SUB_CHAINS, TWO_RANKS, TWO_RANKS_TCP, by_joints, look, placement_of

_PUBLISHED_CROSSOVERS = (15, 251)


def _joint_axis(axes, joints):
    axes.set_xlabel("joints of the loop n")
    shown = [n for n in (4, 7, 15, 31, 51, 101, 251, 501, 1001) if min(joints) <= n <= max(joints)]
    style.ticks_at(axes.xaxis, shown, [str(n) for n in shown])


def _draw(results, quantity, programs, y_label):
    """Times to the left, speedup to the right."""
    times = {program: by_joints(results, quantity, program) for program in programs}
    if not times[SERIAL]:
        raise InputError(results.path / "timings.csv", f"no {quantity} of a loop: every run failed or is missing")
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 78)
    grid = figure.add_gridspec(2, 2, height_ratios=(0.12, 1))
    handles = [Line2D([], [], label=PROGRAMS[program][0], **look(program)) for program in programs if times[program]]
    style.legend_row(figure, grid[0, :], handles, 2 if len(handles) == 4 else 3)
    joints = times[SERIAL].keys()
    left = figure.add_subplot(grid[1, 0])
    for program, points in times.items():
        if points:
            left.loglog(points.keys(), points.values(), **look(program))
    left.set_ylabel(y_label)
    _joint_axis(left, joints)
    style.decades(left.yaxis)
    right = figure.add_subplot(grid[1, 1], sharex=left)
    for program in (TWO_RANKS, TWO_RANKS_TCP):
        speedups = by_joints(results, f"{quantity}_speedup", program)
        if speedups or program == TWO_RANKS:
            right.semilogx(speedups.keys(), speedups.values(), **look(program))
    right.axhline(1, color="black", linewidth=0.6)
    for crossover in _PUBLISHED_CROSSOVERS:
        right.axvline(crossover, color="#666666", linewidth=0.6, linestyle=(0, (4, 1.5)))
    right.set_ylim(0, 2.4)
    right.set_ylabel("speedup")
    _joint_axis(right, joints)
    return figure


def _caption(results, what, quantity):
    text = (f"{what}: wall time, the fastest of several repetitions, and the speedup of two processes over the sequential program. "
            "Dashed: the joints from which two processors of one node (15) and two nodes over Ethernet (251) won in the paper.")
    if not by_joints(results, f"{quantity}_speedup", TWO_RANKS):
        text += " No speedup is shown: there was no second process, or the machine was too busy for a fair one."
    missing = by_joints(results, quantity, TWO_RANKS).keys() - by_joints(results, f"{quantity}_speedup", TWO_RANKS).keys()
    if missing and len(missing) < len(by_joints(results, quantity, TWO_RANKS)):
        text += f" Left out, since the machine was busy: {', '.join(str(n) for n in sorted(missing))} joints."
    if by_joints(results, quantity, TWO_RANKS_TCP):
        text += " Messages over TCP, on one machine, stand in for a second node."
    placement = placement_of(results)
    return text + (f" {placement}." if placement else "")


FIGURES = [
    FigureDefinition("figure4_loop", "Figure 4: 10 s of the loop on one process and on two",
                     lambda results: _caption(results, "10 s of motion, output every 0.01 s, backward differentiation at 1e-6",
                                              "wall_time"),
                     lambda results: _draw(results, "wall_time", (SERIAL, TWO_RANKS), "wall time of 10 s [s]")),
    FigureDefinition("right_hand_side", "One right-hand side of the loop on one process and on two",
                     lambda results: _caption(results, "One right-hand side, without the integrator's own work", "time_per_evaluation"),
                     lambda results: _draw(results, "time_per_evaluation", (SERIAL, SUB_CHAINS, TWO_RANKS, TWO_RANKS_TCP),
                                           "time of a right-hand side [s]")),
]
