"""Work against precision of a study, one figure a mechanism and kind of work, one panel an integrator."""
import math
import re

from matplotlib.lines import Line2D

import style
from figure_definition import FigureDefinition
from input_error import InputError
from number_text import plain
from study import unit_text
from study_curves import curve_figures
from study_looks import looks_of
from study_scaling import scaling_figures

_COLUMNS = 3
_PANEL_MM = 52
_LEGEND_LINE_MM = 5.5
# Curves nearer than this everywhere are drawn as one: formulations in the same variables differ by rounding.
_SAME = math.log(1.1)


def file_name(label):
    return re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_").lower()


def _same(a, b):
    return len(a) == len(b) and all(abs(math.log(x / y)) < _SAME for left, right in zip(a, b) for x, y in zip(left, right))


def merged_curves(study, mechanism, error, work):
    """[(variants drawn as one, {integrator: curve})]; variants without any curve are left out."""
    merged = []
    for variant in study.variants_of(mechanism):
        curves = {integrator["key"]: study.curve(mechanism, variant, integrator, error, work) for integrator in study.integrators}
        if not any(curves.values()):
            continue
        for variants, others in merged:
            if work["quantity"] == "evaluations" and all(_same(curves[key], others[key]) for key in curves):
                variants.append(variant)
                break
        else:
            merged.append(([variant], curves))
    return merged


def _draw(study, mechanism, error, work, file):
    merged = merged_curves(study, mechanism, error, work)
    if not merged:
        raise InputError(file, f"{mechanism['label']}: no run has both {error['title']} and {work['title']}")
    looks = looks_of(study)
    shown = [integrator for integrator in study.integrators if any(curves[integrator["key"]] for _, curves in merged)]
    rows = math.ceil(len(shown) / _COLUMNS)
    labels = [", ".join(variant["label"] for variant in variants) for variants, _ in merged]
    columns = 1 if max(map(len, labels)) > 55 else 2 if max(map(len, labels)) > 28 else 3
    legend_mm = _LEGEND_LINE_MM * math.ceil(len(labels) / columns) + 3
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, legend_mm + _PANEL_MM * rows)
    grid = figure.add_gridspec(rows + 1, _COLUMNS, height_ratios=(legend_mm, *[_PANEL_MM] * rows))
    handles = [Line2D([], [], label=label, **looks[variants[0]["label"]]) for label, (variants, _) in zip(labels, merged)]
    style.legend_row(figure, grid[0, :], handles, columns)
    first = None
    for place, integrator in enumerate(shown):
        row, column = divmod(place, _COLUMNS)
        axes = first = figure.add_subplot(grid[row + 1, column], sharex=first, sharey=first)
        for variants, curves in merged:
            points = curves[integrator["key"]]
            axes.loglog([x for x, _ in points], [y for _, y in points], **looks[variants[0]["label"]])
        uncertainty = study.uncertainty(mechanism, error["quantity"])
        low = min(x for _, curves in merged for points in curves.values() for x, _ in points)
        if uncertainty and uncertainty > low / 10:
            axes.axvline(uncertainty, color="black", linewidth=0.6, linestyle=(0, (1, 1.2)))
        axes.set_title(integrator["key"])
        if place + _COLUMNS >= len(shown):
            axes.set_xlabel(f"{error['title']}{unit_text(error)}")
        else:
            axes.tick_params(labelbottom=False)
        if column == 0:
            axes.set_ylabel(f"{work['title']}{unit_text(work)}")
        else:
            axes.tick_params(labelleft=False)
        style.decades(axes.xaxis)
        style.decades(axes.yaxis)
    return figure


def _caption(study, mechanism, error, work):
    text = (f"{mechanism['label']}, 0 to {plain(mechanism['end'], 4)} s: {work['title']} against {error['title']} "
            f"({error['meaning']}). A point is one tolerance (absolute = relative) or step; a curve further left and lower is better. "
            "Variants whose curves agree within 10 % everywhere are drawn as one.")
    uncertainty = study.uncertainty(mechanism, error["quantity"])
    return text + (f" The reference is uncertain by {plain(uncertainty, 2)} {error['unit']}." if uncertainty else "")


def figures_of(study, file):
    """The figures of a study, mechanism by mechanism. `file` for messages."""
    definitions = curve_figures(study) + scaling_figures(study)
    error = study.error_observer()
    if error is None:
        return definitions
    # A curve of work needs two settings.
    swept = [mechanism for mechanism in study.mechanisms
             if any(len(study.controls_of(integrator, mechanism)) > 1 for integrator in study.integrators_of(mechanism))]
    for work in study.work_observers():
        # Whatever a mechanism is not timed for is no gap; work that the declaration draws by integrators is drawn once.
        drawn = {place for declared in study.figures if declared.get("abscissa") and work["quantity"] in declared["curves"]
                 for place in declared["mechanisms"]}
        for mechanism in (each for each in swept if each.get("timed", True) or not work.get("timed", False)):
            if study.mechanisms.index(mechanism) in drawn or mechanism.get("own_controls"):
                continue
            definitions.append(FigureDefinition(
                f"{work['quantity']}_{file_name(mechanism['label'])}", f"{mechanism['label']}: {work['title']} against {error['title']}",
                lambda _, m=mechanism, w=work: _caption(study, m, error, w),
                lambda _, m=mechanism, w=work: _draw(study, m, error, w, file)))
    return definitions
