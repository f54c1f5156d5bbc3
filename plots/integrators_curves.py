"""Curves of integrators: which there are, how they look, and what the figures of the experiment share."""
from matplotlib.lines import Line2D

import style
from input_error import InputError
from records import distinct, select

_ADAPTIVE, _FIXED = "tolerance", "step"
_FIXED_LINE = (0, (3, 1.2))


def of_mechanism(results, mechanism):
    return [record for record in results.records if record.mechanism == mechanism]


def runs_by_parameter(records, quantity, integrator, formulation=None):
    """{(parameter, value): number} of the runs of an integrator by tolerance and by step."""
    runs = {}
    for parameter in (_ADAPTIVE, _FIXED):
        for record in select(records, quantity, formulation, integrator, **{parameter: ...}):
            runs[parameter, float(record.parameters[parameter])] = record.value
    return runs


def curve(records, x_quantity, y_quantity, integrator, formulation=None):
    """Points that have both quantities, and the line style: whole for adaptive methods, dashed for fixed steps."""
    x = runs_by_parameter(records, x_quantity, integrator, formulation)
    y = runs_by_parameter(records, y_quantity, integrator, formulation)
    # An error of exactly 0 has no logarithm.
    both = sorted(run for run in x if run in y and x[run] > 0 and y[run] > 0)
    fixed = any(parameter == _FIXED for parameter, _ in both)
    return [x[run] for run in both], [y[run] for run in both], _FIXED_LINE if fixed else "-"


def integrators_of(results, records):
    keys = [key for key in distinct(records, "integrator") if key]
    if not keys:
        raise InputError(results.path / "records.csv", "no run of any integrator: every part failed or is missing")
    return keys


def draw(axes, points, integrator):
    x, y, line = points
    if x:
        axes.loglog(x, y, linestyle=line, linewidth=0.7, markersize=3, markeredgewidth=0.6, **style.integrator_look(integrator))


def legend(figure, cell, integrators, columns):
    handles = [Line2D([], [], label=key, linestyle="-", linewidth=0.7, markersize=3.5, markeredgewidth=0.6, **style.integrator_look(key))
               for key in style.in_families(integrators)]
    style.legend_row(figure, cell, handles, columns)
