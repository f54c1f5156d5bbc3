"""Numbers of whole runs with a curve an integrator: a column of panels a family of integrators, a row a mechanism and variant."""
from matplotlib.lines import Line2D

import style
from studies.figure_definition import FigureDefinition
from reading.number_text import plain
from studies.study import is_drawable, unit_text

_ROW_MM = 46
_LEGEND_LINE_MM = 4.2
# As many as a family may have, told apart in grey print by their markers. The first family's first member, which others may
# repeat as a yardstick, keeps its look.
_LOOKS = (("#000000", "o"), ("#D55E00", "s"), ("#0072B2", "^"), ("#009E73", "v"), ("#CC79A7", "D"), ("#E69F00", "P"), ("#56B4E9", "X"),
          ("#7F7F7F", "*"))


def family_looks(families):
    """{integrator: look} of each family: a member of several keeps the look of its first."""
    known, all_looks = {}, []
    for family in families:
        looks = {place: known[place] for place in family["integrators"] if place in known}
        free = [look for look in _LOOKS if look not in looks.values()]
        for place in family["integrators"]:
            if place not in looks:
                known[place] = looks[place] = free.pop(0)
        all_looks.append({place: {"color": colour, "marker": marker, "markerfacecolor": "white"} for place, (colour, marker) in looks.items()})
    return all_looks


def _points(study, mechanism, variant, integrator, quantity, abscissa, disturbed=False):
    """[(x, number)] from loose to tight, of runs that have both above zero; `disturbed`: of those that a curve leaves out."""
    points = []
    for control in study.controls_of(integrator, mechanism):
        names = [name for name in (abscissa, quantity) if name]
        records = [study.record(mechanism, variant, integrator, control, name) for name in names]
        if all(map(is_drawable, records)) and disturbed == any(record.verdict == "not measured" for record in records):
            points.append((records[0].value if abscissa else control["value"], records[-1].value))
    return points


def _control_name(members):
    kinds = {"tolerance" if integrator["adaptive"] else "step [s]" for integrator in members}
    return " or ".join(sorted(kinds, reverse=True))


def _draw(study, declared):
    families = declared["families"]
    abscissa = study.observer(declared["abscissa"]) if declared["abscissa"] else None
    rows = [(study.mechanisms[m], study.variants[v], study.observer(name)) for m in declared["mechanisms"] for v in declared["variants"]
            if study.variants[v] in study.variants_of(study.mechanisms[m]) for name in declared["curves"]]
    looks = family_looks(families)
    legend_mm = _LEGEND_LINE_MM * max(len(family["integrators"]) for family in families) + 8
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, legend_mm + _ROW_MM * len(rows) + 8)
    grid = figure.add_gridspec(len(rows) + 1, len(families), height_ratios=[legend_mm, *[_ROW_MM] * len(rows)])
    for column, (family, own) in enumerate(zip(families, looks)):
        style.legend_row(figure, grid[0, column], [Line2D([], [], label=study.integrators[place]["key"], **look) for place, look in own.items()], 1)
        figure.axes[-1].get_legend().set_title(family["label"])
    for row, (mechanism, variant, observer) in enumerate(rows):
        first = None
        for column, (family, own) in enumerate(zip(families, looks)):
            axes = first = figure.add_subplot(grid[row + 1, column], sharex=first if abscissa else None, sharey=first)
            for place, look in own.items():
                points = _points(study, mechanism, variant, study.integrators[place], observer["quantity"], declared["abscissa"])
                axes.loglog([x for x, _ in points], [y for _, y in points], linewidth=0.8, markersize=3.2, markeredgewidth=0.7, **look)
                style.mark_disturbed(axes, _points(study, mechanism, variant, study.integrators[place], observer["quantity"],
                                                   declared["abscissa"], disturbed=True), look | {"markersize": 3.2})
            axes.tick_params(labelleft=column == 0)
            if row + 1 == len(rows):
                axes.set_xlabel(f"{abscissa['title']}{unit_text(abscissa)}" if abscissa
                                else _control_name([study.integrators[place] for place in own]))
        drawn = figure.axes[-len(families):]
        for axes in drawn:
            style.decades(axes.xaxis)
        style.decades(drawn[0].yaxis)
        drawn[0].set_ylabel(f"{mechanism['label']}, {variant['label']}:\n{observer['title']}{unit_text(observer)}")
    figure.align_ylabels()
    return figure


def _caption(study, declared):
    text = f"{declared['title']}. A curve is an integrator, a point one tolerance (absolute = relative) or step; runs that failed leave gaps."
    if declared["abscissa"]:
        meaning = study.observer(declared["abscissa"])["meaning"]
        text += f" Further left and lower is better ({meaning})."
        found = [(mechanism["label"], study.uncertainty(mechanism, declared["abscissa"]))
                 for mechanism in (study.mechanisms[place] for place in declared["mechanisms"])]
        known = [f"{plain(value, 2)} ({label})" for label, value in found if value]
        text += f" The references are uncertain by {', '.join(known)}." if known else ""
    return text


def family_figure(study, declared):
    """The figure that the study declares."""
    return FigureDefinition(declared["name"], declared["title"], lambda _: _caption(study, declared), lambda _: _draw(study, declared),
                            case=study.own_case(declared["mechanisms"]))
