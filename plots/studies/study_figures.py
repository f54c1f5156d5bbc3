"""Work against precision of a study, one figure a mechanism and kind of work, one panel an integrator."""
import hashlib
import math
import re

from matplotlib.lines import Line2D

import style
from studies.figure_definition import FigureDefinition
from reading.input_error import InputError
from reading.number_text import plain
from studies.study import unit_text
from studies.study_curves import curve_figures
from studies.study_looks import in_parts, looks_of
from studies.study_scaling import scaling_figures

_COLUMNS = 3
_PANEL_MM = 52
_LEGEND_LINE_MM = 5.5
# Curves nearer than this everywhere are drawn as one: formulations in the same variables differ by rounding.
_SAME = math.log(1.1)
_LONGEST = 120
_APART = 1.01  # of two settings that are not the same one


def file_name(label):
    name = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_").lower()
    # Systems take names of up to 255 bytes, with what stands before and behind this one.
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}_{hashlib.sha1(label.encode()).hexdigest()[:8]}"


def _same(a, b):
    return len(a) == len(b) and all(abs(math.log(x / y)) < _SAME for left, right in zip(a, b) for x, y in zip(left, right))


def merged_curves(study, mechanism, error, work):
    """[(variants drawn as one, {integrator: curve})]; variants without any point are left out."""
    merged = []
    for variant in study.variants_of(mechanism):
        curves = {integrator["key"]: study.curve(mechanism, variant, integrator, error, work) for integrator in study.integrators}
        if not any(curves.values()) and not any(_disturbed(study, mechanism, [variant], integrator, error, work) for integrator in study.integrators):
            continue
        for variants, others in merged:
            if work["quantity"] == "evaluations" and all(_same(curves[key], others[key]) for key in curves):
                variants.append(variant)
                break
        else:
            merged.append(([variant], curves))
    return merged


def _disturbed(study, mechanism, variants, integrator, error, work):
    return [point for variant in variants for point in study.curve(mechanism, variant, integrator, error, work, disturbed=True)]


def _draw_panel(axes, study, mechanism, integrator, drawn, published, disturbed, work):
    """`drawn`: (curves of all integrators, look) from the bottom up; `disturbed`: (points, look)."""
    for points, look in disturbed:
        style.mark_disturbed(axes, points, look)
    for curves, look in drawn:
        if points := curves[integrator["key"]]:
            axes.loglog([x for x, _ in points], [y for _, y in points], **look)
    for x, y, _ in published:
        axes.loglog([x], [y], **style.PUBLISHED_POINT)
    runs = [(mechanism, variant, integrator, control) for variant in study.variants_of(mechanism) for control in study.controls_of(integrator, mechanism)]
    if not axes.lines:
        style.say(axes, study.why_empty(runs, work["quantity"]))


def _draw(study, mechanism, error, work, file, part):
    everything = merged_curves(study, mechanism, error, work)
    if not everything:
        raise InputError(file, f"{mechanism['label']}: no run has both {error['title']} and {work['title']}")
    merged = in_parts(everything)[part]
    elsewhere = [(curves, style.ELSEWHERE) for variants, curves in everything if (variants, curves) not in merged]
    looks = style.nested([looks_of(study)[variants[0]["label"]] for variants, _ in merged])
    handles = [Line2D([], [], label=", ".join(variant["label"] for variant in variants), **look) for (variants, _), look in zip(merged, looks)]
    shown = study.integrators_of(mechanism)
    published = {integrator["key"]: [point for variants, _ in merged for variant in variants
                                     for point in study.published_curve(mechanism, variant, integrator, error, work)] for integrator in shown}
    handles += [Line2D([], [], label="published", **style.PUBLISHED_POINT)] if any(published.values()) else []
    handles += [Line2D([], [], label="in another part", **style.ELSEWHERE)] if elsewhere else []
    disturbed = {integrator["key"]: [(_disturbed(study, mechanism, variants, integrator, error, work), look)
                                     for (variants, _), look in zip(merged, looks)] for integrator in shown}
    handles += [Line2D([], [], **style.DISTURBED_POINT)] if any(points for found in disturbed.values() for points, _ in found) else []
    longest = max(len(handle.get_label()) for handle in handles)
    columns = 1 if longest > 55 else 2 if longest > 28 else 3
    legend_mm = _LEGEND_LINE_MM * math.ceil(len(handles) / columns) + 3
    across = min(_COLUMNS, len(shown))
    rows = math.ceil(len(shown) / across)
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, legend_mm + _PANEL_MM * rows)
    grid = figure.add_gridspec(rows + 1, across, height_ratios=(legend_mm, *[_PANEL_MM] * rows))
    style.legend_row(figure, grid[0, :], handles, columns)
    first = None
    uncertainty = study.uncertainty(mechanism, error["quantity"])
    low = min((x for _, curves in everything for points in curves.values() for x, _ in points), default=math.inf)
    for place, integrator in enumerate(shown):
        row, column = divmod(place, across)
        axes = figure.add_subplot(grid[row + 1, column], sharex=first, sharey=first)
        axes.set_title(style.integrator_title(integrator["key"]))
        drawn = elsewhere + [(curves, look) for (_, curves), look in zip(merged, looks)]
        _draw_panel(axes, study, mechanism, integrator, drawn, published[integrator["key"]], disturbed[integrator["key"]], work)
        if not axes.lines:
            continue
        first = axes
        if uncertainty and uncertainty > low / 10:
            axes.axvline(uncertainty, color="black", linewidth=0.6, linestyle=(0, (1, 1.2)))
        if place + across >= len(shown):
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


def _caption(study, mechanism, error, work, parts):
    text = (f"{mechanism['label']}, 0 to {plain(mechanism['end'], 4)} s: {work['title']} against {error['title']} "
            f"({error['meaning']}). A point is one tolerance (absolute = relative) or step; a curve further left and lower is better. "
            "Variants whose curves agree within 10 % everywhere are drawn as one.")
    uncertainty = study.uncertainty(mechanism, error["quantity"])
    text += " Curves of another part are grey." if parts > 1 else ""
    published = [point for integrator in study.integrators_of(mechanism) for variant in study.variants_of(mechanism)
                 for point in study.published_curve(mechanism, variant, integrator, error, work)]
    if not all(printed for _, _, printed in published):
        text += " Where the paper prints no error beside its number, the number stands at our error."
    return text + (f" The reference is uncertain by {plain(uncertainty, 2)} {error['unit']}." if uncertainty else "")


def _are_swept(controls):
    """Whether a curve of work can be drawn over them: equal tolerances but for their last digits, which show what rounding does,
    are one place."""
    return len(controls) > 1 and controls[0]["value"] > _APART * controls[-1]["value"]


def figures_of(study, file):
    """The figures of a study, mechanism by mechanism. `file` for messages."""
    definitions = curve_figures(study) + scaling_figures(study)
    error = study.error_observer()
    if error is None:
        return definitions
    swept = [mechanism for mechanism in study.mechanisms
             if any(_are_swept(study.controls_of(integrator, mechanism)) for integrator in study.integrators_of(mechanism))]
    for work in study.work_observers():
        # Work that the declaration draws by integrators is drawn once.
        drawn = {place for declared in study.figures if declared.get("abscissa") and work["quantity"] in declared["curves"]
                 for place in declared["mechanisms"]}
        # What a mechanism is not timed or observed for is no gap.
        for mechanism in (each for each in swept if (each.get("timed", True) or not work.get("timed", False))
                          and study.observes(each, work) and study.observes(each, error)
                          and study.mechanisms.index(each) not in drawn and not each.get("own_controls")):
            parts = len(in_parts(merged_curves(study, mechanism, error, work)))
            name, title = f"{work['quantity']}_{file_name(mechanism['label'])}", f"{mechanism['label']}: {work['title']} against {error['title']}"
            definitions += [FigureDefinition(
                name + (f"_{part + 1}" if parts > 1 else ""), title,
                lambda _, m=mechanism, w=work, p=parts: _caption(study, m, error, w, p),
                lambda _, m=mechanism, w=work, p=part: _draw(study, m, error, w, file, p),
                case=mechanism["label"], part=part + 1) for part in range(parts)]
    return definitions
